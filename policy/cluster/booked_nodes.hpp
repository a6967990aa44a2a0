// SPDX-License-Identifier: BSD-3-Clause
// booked_nodes.hpp - nodes that are kept empty for a while, for maintenance or for a user who comes then.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "policy/cluster/cluster.hpp"

namespace drom::policy {

/// No job has the `nodes` nodes with the highest numbers in [from, to).
struct Booking {
    Seconds from = 0, to = 0;
    int nodes = 1;

    friend bool operator==(const Booking&, const Booking&) = default;
};

/// Prints bookings as an option takes them: "3600-7200:16/90000-93600:4"; "none".
std::string text_of(const std::vector<Booking>& bookings);
/// Reads what text_of() prints. Errors: the rest of a sentence; then `into` keeps its value.
tl::expected<void, std::string> read_bookings(std::vector<Booking>& into, std::string_view text);

/// Nodes that are alike and have the same bookings.
struct BookedSegment {
    NodeClass alike;
    std::vector<Booking> bookings;

    /// Returns whether some booking of these nodes has a second of [from, to).
    bool booked(Seconds from, Seconds to) const noexcept;
    /// Returns when the first booking begins that is not over at `now`; kNever.
    Seconds begins(Seconds now) const noexcept;
};

/// The nodes of a machine by the bookings that they have.
class BookedNodes {
public:
    /// Divides the machine by its bookings. A booking of more nodes than the machine has is one of all.
    BookedNodes(const Machine& machine, const std::vector<Booking>& bookings);

    const std::vector<BookedSegment>& segments() const noexcept { return segments_; }
    /// Returns free nodes for the job that are not booked before its limit ends, low numbers first; empty when there
    /// are not enough. Cost: the segments, and the ranges of the free nodes.
    NodeSet pick(const Cluster& cluster, const Job& job, Seconds now) const;
    /// Returns whether none of the nodes is booked in [now, until). Cost: the segments.
    bool lets_stay(const NodeSet& nodes, Seconds now, Seconds until) const;
    /// Returns when the next booking ends after `now`; kNever.
    Seconds next_end(Seconds now) const;

private:
    std::vector<BookedSegment> segments_;
};

}  // namespace drom::policy
