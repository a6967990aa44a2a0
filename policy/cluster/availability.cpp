// SPDX-License-Identifier: BSD-3-Clause
// availability.cpp - step functions of free nodes.
#include "policy/cluster/availability.hpp"

#include <algorithm>

namespace drom::policy {

void Timeline::release(Seconds at, int nodes) {
    if (steps_.back().at == at)
        steps_.back().free += nodes;
    else
        steps_.push_back({at, steps_.back().free + nodes});
}

std::size_t Timeline::step_at(Seconds time) const {
    const auto after =
        std::upper_bound(steps_.begin(), steps_.end(), time, [](Seconds t, const Step& s) { return t < s.at; });
    return after == steps_.begin() ? 0 : static_cast<std::size_t>(after - steps_.begin()) - 1;
}

std::size_t Timeline::split(Seconds at) {
    const std::size_t here = step_at(at);
    if (steps_[here].at >= at) return here;
    steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(here) + 1, {at, steps_[here].free});
    return here + 1;
}

void Timeline::occupy(Seconds from, Seconds to, int nodes) {
    if (from >= to) return;
    const std::size_t first = split(from);
    const std::size_t end = to >= kNever ? steps_.size() : split(to);
    for (std::size_t i = first; i < end; ++i) steps_[i].free -= nodes;
}

Seconds Timeline::earliest(int nodes, Seconds duration, Seconds from) const {
    std::size_t i = step_at(from);
    Seconds start = std::max(from, steps_[i].at);
    for (std::size_t j = i; j < steps_.size(); ++j) {
        if (steps_[j].at >= start + duration && j > i) return start;
        if (steps_[j].free >= nodes) continue;
        i = j + 1;
        if (i == steps_.size()) return kNever;
        start = steps_[i].at;
    }
    return start;
}

int Timeline::min_free(Seconds from, Seconds to) const {
    std::size_t i = step_at(from);
    int min = steps_[i].free;
    for (++i; i < steps_.size() && steps_[i].at < to; ++i) min = std::min(min, steps_[i].free);
    return min;
}

std::vector<FreeSpan> Timeline::spans(Seconds from) const {
    const std::size_t first = step_at(from);
    std::vector<FreeSpan> spans{{kNever, steps_[first].free}};
    for (std::size_t i = first + 1; i < steps_.size(); ++i) {
        if (steps_[i].free >= spans.back().nodes) continue;
        spans.back().until = steps_[i].at;
        spans.push_back({kNever, steps_[i].free});
    }
    return spans;
}

Seconds Timeline::next_change(Seconds after) const {
    const std::size_t next = step_at(after) + 1;
    return next < steps_.size() ? steps_[next].at : kNever;
}

namespace {

Seconds rounded_up(Seconds at, Seconds resolution) {
    return resolution <= 1 ? at : (at + resolution - 1) / resolution * resolution;
}

}  // namespace

Availability::Availability(const Cluster& cluster, Seconds now, Seconds resolution)
    : now_(now), resolution_(resolution) {
    const std::vector<NodeClass>& all = cluster.machine().classes;
    for (const NodeClass& one : all) add_class(cluster, one, all.size() == 1);
}

Availability::Availability(const Cluster& cluster, Seconds now, Seconds resolution, const BookedNodes& booked)
    : now_(now), resolution_(resolution) {
    for (const BookedSegment& segment : booked.segments()) {
        add_class(cluster, segment.alike, booked.segments().size() == 1);
        for (const Booking& booking : segment.bookings)
            occupy(classes_.size() - 1, std::max(booking.from, now), booking.to, segment.alike.nodes.count());
    }
}

/// Adds the free nodes of a class over time. `alone`: the machine has no other.
void Availability::add_class(const Cluster& cluster, const NodeClass& one, bool alone) {
    OfClass of{&one, Timeline(now_, alone ? cluster.free().count() : cluster.free().common(one.nodes).count())};
    for (const Release& release : cluster.releases()) {
        const int nodes = alone ? release.nodes : cluster.piece(release.piece).nodes.common(one.nodes).count();
        if (nodes > 0) of.timeline.release(released(release.at), nodes);
    }
    classes_.push_back(std::move(of));
}

Seconds Availability::earliest(const Job& job, Seconds from) const {
    if (classes_.size() == 1) {
        const OfClass& only = classes_.front();
        return only.alike->suits(job.filter) ? only.timeline.earliest(job.nodes, job.request, from) : kNever;
    }
    for (Seconds start = from; start < kNever;) {
        if (min_free(job.filter, start, start + job.request) >= job.nodes) return start;
        Seconds next = kNever;
        for (const OfClass& of : classes_)
            if (of.alike->suits(job.filter)) next = std::min(next, of.timeline.next_change(start));
        start = next;
    }
    return kNever;
}

void Availability::reserve(const Job& job, Seconds from, Seconds to) {
    int missing = job.nodes;
    OfClass* last = nullptr;
    for (OfClass& of : classes_) {
        if (!of.alike->suits(job.filter)) continue;
        last = &of;
        const int here = classes_.size() == 1 ? missing : std::clamp(of.timeline.min_free(from, to), 0, missing);
        if (here > 0) of.timeline.occupy(from, to, here);
        missing -= here;
    }
    if (missing > 0 && last != nullptr) last->timeline.occupy(from, to, missing);
}

int Availability::min_free(const NodeFilter& filter, Seconds from, Seconds to) const {
    int nodes = 0;
    for (const OfClass& of : classes_)
        if (of.alike->suits(filter)) nodes += std::max(0, of.timeline.min_free(from, to));
    return nodes;
}

std::vector<FreeSpan> Availability::spans(Seconds now) const {
    if (classes_.size() == 1) return classes_.front().timeline.spans(now);
    return {{kNever, min_free({}, now, now + 1)}};
}

int Availability::min_free_of(std::size_t segment, Seconds from, Seconds to) const {
    return std::max(0, classes_[segment].timeline.min_free(from, to));
}

void Availability::occupy(std::size_t segment, Seconds from, Seconds to, int nodes) {
    classes_[segment].timeline.occupy(from, to, nodes);
}

Seconds Availability::released(Seconds at) const { return rounded_up(std::max(at, now_ + 1), resolution_); }

}  // namespace drom::policy
