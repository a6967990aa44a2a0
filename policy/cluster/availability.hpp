// SPDX-License-Identifier: BSD-3-Clause
// availability.hpp - how many nodes will be free when: the map of reservations of a backfill pass.
#pragma once

#include <utility>
#include <vector>

#include "policy/cluster/booked_nodes.hpp"

namespace drom::policy {

/// Nodes that are free from now on until some time.
struct FreeSpan {
    Seconds until = 0;
    int nodes = 0;
};

/// Free nodes of one class as a step function of time.
class Timeline {
public:
    /// Begins with `free` nodes from `now` on.
    Timeline(Seconds now, int free) : steps_{{now, free}} {}

    /// Adds `nodes` from `at` on. Calls must come in order of time.
    void release(Seconds at, int nodes);
    /// Takes `nodes` away in [from, to). A count may become negative: an earlier reservation that a longer running job
    /// delays.
    void occupy(Seconds from, Seconds to, int nodes);
    /// Returns the first time at or after `from` at which `nodes` are free for `duration`; kNever when there is none.
    /// Cost: the steps.
    Seconds earliest(int nodes, Seconds duration, Seconds from) const;
    /// Returns the fewest nodes that are free in [from, to).
    int min_free(Seconds from, Seconds to) const;
    /// Returns the fewest nodes that are free in [from, until) for every `until`: fewer with each step. Cost: the
    /// steps.
    std::vector<FreeSpan> spans(Seconds from) const;
    /// Returns the first time after `after` at which the number changes; kNever when there is none.
    Seconds next_change(Seconds after) const;

private:
    struct Step {
        Seconds at;
        int free;
    };
    std::size_t step_at(Seconds time) const;
    std::size_t split(Seconds at);

    std::vector<Step> steps_;
};

/// Timelines of a cluster's node classes. Predicted ends that have passed count as `resolution` from now, for want of
/// better knowledge.
///
/// Counts of nodes are exact as long as nodes of a class are interchangeable; where a job asks for adjacent nodes its
/// earliest start is a lower bound, and Cluster::pick() has the last word.
class Availability {
public:
    /// Ends are rounded up to multiples of `resolution` seconds (Slurm's bf_resolution); 1 rounds nothing.
    Availability(const Cluster& cluster, Seconds now, Seconds resolution);
    /// Makes the map of one class, which has to outlive it.
    Availability(const NodeClass& alike, Timeline timeline) { classes_.push_back({&alike, std::move(timeline)}); }
    /// Makes the same without nodes that are booked, while they are. Has a class for each segment of `booked`, which
    /// has to stay there.
    Availability(const Cluster& cluster, Seconds now, Seconds resolution, const BookedNodes& booked);

    /// Returns the earliest start of the job at or after `from`; kNever when it never fits. Cost: the steps; more with
    /// several classes.
    Seconds earliest(const Job& job, Seconds from) const;
    /// Takes the job's nodes for [from, to).
    void reserve(const Job& job, Seconds from, Seconds to);
    /// Returns the suitable nodes that no job needs in [from, to).
    int min_free(const NodeFilter& filter, Seconds from, Seconds to) const;
    /// Returns how many nodes no job needs from `now` on, and until when: fewer with each step. Of several classes it
    /// is a bound.
    std::vector<FreeSpan> spans(Seconds now) const;
    /// Returns the nodes of a segment that no job needs in [from, to).
    int min_free_of(std::size_t segment, Seconds from, Seconds to) const;
    /// Takes nodes of a segment for [from, to).
    void occupy(std::size_t segment, Seconds from, Seconds to, int nodes);
    /// Returns when the map has nodes free whose predicted release is `at`.
    Seconds released(Seconds at) const;

private:
    struct OfClass {
        const NodeClass* alike;
        Timeline timeline;
    };
    void add_class(const Cluster& cluster, const NodeClass& one, bool alone);

    Seconds now_, resolution_;
    std::vector<OfClass> classes_;
};

}  // namespace drom::policy
