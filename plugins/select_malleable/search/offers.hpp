// SPDX-License-Identifier: GPL-2.0-or-later
// offers.hpp - when waiting jobs would start without sharing, and the starts beside mates that backfill was offered
// instead.
#pragma once

#include "question.hpp"

#include <map>
#include <optional>
#include <vector>

#include "policy/cluster/idle_nodes.hpp"

namespace drom::slurm {

/// The start that a job would have without sharing, in place of which it is offered one beside mates.
struct Offer {
    policy::Seconds static_start = 0;
    int nodes = 0;
    policy::Seconds made = 0;
    std::vector<policy::IdleNodes> idle{};  ///< nodes that may complete those of mates
    bool start_is_known = true;             ///< otherwise it is asked for when there are mates
};

class Offers {
public:
    explicit Offers(RunningJobs& running) : running_(running) {}

    /// Notes when the job would start without sharing, as backfill was told; policy::kNever: it would not.
    void note_start(const JobInPartition& job, policy::Seconds start);
    /// Notes that backfill was told of a start beside mates.
    void make(const JobInPartition& job, const Offer& offer) { made_[job] = offer; }
    void withdraw(const JobInPartition& job) { made_.erase(job); }
    bool is_made(const JobInPartition& job) const { return made_.count(job) != 0; }

    /// Returns when the job would start without sharing, in any of its partitions, and on how many nodes in this one.
    /// The backfill scheduler may have been told that just now; else cons_tres is asked about all nodes. Returns
    /// nothing when the job could start now on other nodes, or never.
    std::optional<Offer> estimate(const Question& question);
    /// Returns what estimate() would, if that is known. Leaves the start open otherwise, if the request has one number
    /// of nodes and the job says why it waits. A start costs much: cons_tres tries the end of each running job. Most
    /// jobs of the main scheduler find no mates at any start. A job that does not say yet why it waits needs
    /// its start for the right reason. Nothing: the job asks for parts of nodes.
    std::optional<Offer> without_question(const Question& question);
    /// Completes an offer without a start. Returns false when the job needs no mates, or never starts.
    bool learn_start(const Question& question, Offer& offer);
    /// Returns when the job would start without sharing in another of its partitions; never, where it has only one.
    /// Cost: a question to cons_tres for each partition about which backfill has not asked lately.
    policy::Seconds start_elsewhere(const Question& question);

    /// Forgets what is known of a job that has started or ended.
    void forget(policy::JobId id);
    void forget_all();

private:
    /// When a job would start in a partition without sharing.
    struct Start {
        policy::Seconds at = 0;
        policy::Seconds made = 0;
    };

    const Offer* fresh(const Question& question);
    policy::Seconds start_in(const Question& question, part_record_t& partition);

    RunningJobs& running_;
    std::map<JobInPartition, Offer> made_;
    std::map<JobInPartition, Start> starts_;  ///< that backfill was told
};

}  // namespace drom::slurm
