// SPDX-License-Identifier: BSD-3-Clause
// booked_nodes.cpp - bookings as text, and the nodes that they leave.
#include "policy/cluster/booked_nodes.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "policy/job/option_values.hpp"

namespace drom::policy {
namespace {

constexpr std::string_view kNothing = "none";

tl::expected<Booking, std::string> booking_of(std::string_view item) {
    const std::size_t dash = item.find('-'), colon = item.find(':', std::min(dash, item.size()));
    const auto wrong = [&item](const std::string& why) {
        return tl::unexpected("has '" + std::string(item) + "', which " + why);
    };
    if (colon == std::string_view::npos) return wrong("is no FROM-TO:NODES; bookings look like 3600-7200:16");
    Booking booking;
    if (const auto read = read_whole(booking.from, item.substr(0, dash), 0); !read)
        return wrong("begins with a time that " + read.error());
    if (const auto read = read_whole(booking.to, item.substr(dash + 1, colon - dash - 1), 0); !read)
        return wrong("ends with a time that " + read.error());
    if (const auto read = read_whole(booking.nodes, item.substr(colon + 1), 1); !read)
        return wrong("has a number of nodes that " + read.error());
    if (booking.to <= booking.from) return wrong("ends before it begins");
    return booking;
}

}  // namespace

std::string text_of(const std::vector<Booking>& bookings) {
    std::string text;
    for (const Booking& booking : bookings)
        text += (text.empty() ? "" : "/") + std::to_string(booking.from) + '-' + std::to_string(booking.to) + ':' +
                std::to_string(booking.nodes);
    return text.empty() ? std::string(kNothing) : text;
}

Read read_bookings(std::vector<Booking>& into, std::string_view text) {
    std::vector<Booking> bookings;
    if (text != kNothing)
        for (std::size_t from = 0; from <= text.size(); from = std::min(text.size(), text.find('/', from)) + 1) {
            const auto booking = booking_of(text.substr(from, text.find('/', from) - from));
            if (!booking) return tl::unexpected(booking.error());
            bookings.push_back(*booking);
        }
    into = std::move(bookings);
    return {};
}

bool BookedSegment::booked(Seconds from, Seconds to) const noexcept {
    return std::ranges::any_of(bookings,
                               [&](const Booking& booking) { return booking.from < to && from < booking.to; });
}

Seconds BookedSegment::begins(Seconds now) const noexcept {
    Seconds first = kNever;
    for (const Booking& booking : bookings)
        if (booking.to > now) first = std::min(first, booking.from);
    return first;
}

BookedNodes::BookedNodes(const Machine& machine, const std::vector<Booking>& bookings) {
    std::set<int> bounds = {0, machine.nodes};
    const auto first_of = [&machine](const Booking& booking) { return std::max(0, machine.nodes - booking.nodes); };
    for (const Booking& booking : bookings) bounds.insert(first_of(booking));
    for (auto bound = bounds.begin(); std::next(bound) != bounds.end(); ++bound) {
        const NodeSet between(*bound, *std::next(bound) - *bound);
        std::vector<Booking> here;
        for (const Booking& booking : bookings)
            if (first_of(booking) <= *bound) here.push_back(booking);
        for (const NodeClass& alike : machine.classes)
            if (NodeSet nodes = alike.nodes.common(between); !nodes.empty())
                segments_.push_back({{std::move(nodes), alike.features, alike.memory_mb}, here});
    }
}

NodeSet BookedNodes::pick(const Cluster& cluster, const Job& job, Seconds now) const {
    NodeSet nodes;
    for (const BookedSegment& segment : segments_) {
        if (!segment.alike.suits(job.filter) || segment.booked(now, now + std::max(job.request, job.limit))) continue;
        NodeSet here = cluster.free().common(segment.alike.nodes);
        nodes.insert(job.filter.contiguous ? here : here.take_first(job.nodes - nodes.count()));
    }
    if (job.filter.contiguous) return nodes.adjacent(job.nodes);
    return nodes.count() == job.nodes ? nodes : NodeSet();
}

bool BookedNodes::lets_stay(const NodeSet& nodes, Seconds now, Seconds until) const {
    return std::ranges::none_of(segments_, [&](const BookedSegment& segment) {
        return segment.booked(now, until) && !nodes.common(segment.alike.nodes).empty();
    });
}

Seconds BookedNodes::next_end(Seconds now) const {
    Seconds next = kNever;
    for (const BookedSegment& segment : segments_)
        for (const Booking& booking : segment.bookings)
            if (booking.to > now) next = std::min(next, booking.to);
    return next;
}

}  // namespace drom::policy
