// SPDX-License-Identifier: GPL-2.0-or-later
// no_room.hpp - nodes of mates on which cons_tres has refused a job. Pure.
#pragma once

#include <map>

#include "policy/job/job.hpp"

namespace drom::slurm {

/// Remembers refusals, so that cons_tres, whose answers are dear, is not asked the same in each cycle.
class NoRoom {
public:
    /// Notes that the job finds no room on these nodes.
    void note(const policy::Job& job, const policy::NodeSet& nodes, policy::Seconds now);
    /// Returns the nodes on which the job found no room, if it still asks for the same. A refusal holds for five
    /// minutes: not everything that changes cons_tres's answer is told.
    policy::NodeSet nodes_without(const policy::Job& job, policy::Seconds now) const;
    /// Forgets all: a job starts, ends, or is changed.
    void forget() { refused_.clear(); }

private:
    struct Refused {
        policy::Job job;
        policy::NodeSet nodes;
        policy::Seconds since = 0;
    };
    static bool holds(const Refused& refused, const policy::Job& job, policy::Seconds now);

    std::map<policy::JobId, Refused> refused_;
};

}  // namespace drom::slurm
