// SPDX-License-Identifier: GPL-2.0-or-later
// mate_search.hpp - searches mates for a job that cannot start alone. Leaves nothing changed.
#pragma once

#include "no_room.hpp"
#include "select_malleable/limits/promises.hpp"
#include "select_malleable/slurmctld/running_jobs.hpp"
#include "select_malleable/state/counters.hpp"
#include "spare_nodes.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/cluster/budgets.hpp"
#include "policy/sharing/waiting.hpp"

namespace drom::slurm {

/// A call of select_p_job_test.
struct Question {
    job_record_t* job;
    bitstr_t* nodes;  ///< in: that it may have; out: that it gets
    uint32_t min_nodes, max_nodes, req_nodes;
    uint16_t mode;
    list_t* candidates;  ///< that may be preempted
    list_t** preempted;  ///< out: those that have to be
    resv_exc_t* excluded;
    will_run_data_t* window;  ///< in which the job may start; null: at any time

    int ask_cons_tres() const;
    /// Asks whether the job could start at once if these had no cores, and not when it could otherwise: cons_tres would
    /// look at the end of each running job for that.
    int ask_about_now(const std::vector<job_record_t*>& without) const;
    /// Returns whether the job is not to start at once, whatever is free.
    bool starts_after(policy::Seconds now) const;
    /// Returns when the job could start, by the answer. cons_tres says "now" of a start in a later window.
    policy::Seconds starts_from() const;
    /// Returns whether reservations take single cores of nodes.
    bool leaves_cores_out() const;
};

/// A job beside mates, as it may start now.
struct Proposal {
    policy::Event plan;
    std::vector<policy::Promise> moved;  ///< promises to other jobs that it moves, with by how much in all
};

/// Why a job does not share.
struct Waits {
    std::string word;  ///< of policy::waiting_reasons(); empty: it shares, or was not asked
    std::string by;    ///< the limit that bounds it; empty: none does
};

class MateSearch {
public:
    MateSearch(RunningJobs& running, Counters& counters) : running_(running), counters_(counters) {}

    /// Sets by how many seconds in all sharing may move a start that was promised.
    void allow_delay(policy::Seconds most) { delay_max_ = most; }
    /// Answers select_p_job_test: as cons_tres does, or that the job starts beside mates, which take_proposal() then
    /// names.
    int test(Question& question);
    /// Returns the proposal of the last test, once, if it was of this job; nothing: the job starts without mates.
    std::optional<Proposal> take_proposal(const job_record_t* job);
    /// Forgets refusals: a job starts, ends, or is changed.
    void forget_refusals();
    /// Forgets the offer of a job that has started or ended.
    void forget_offer(policy::JobId id);
    void forget_all();

private:
    struct Offer {
        policy::Seconds static_start = 0;
        int nodes = 0;
        policy::Seconds made = 0;
        std::vector<policy::IdleNodes> idle{};  ///< nodes that may complete those of mates
        bool start_is_known = true;             ///< otherwise it is asked for when there are mates
    };

    /// A job in one of its partitions: what is answered there says nothing about the others.
    using JobInPartition = std::pair<policy::JobId, std::string>;

    /// When a job would start in a partition without sharing.
    struct Start {
        policy::Seconds at = 0;
        policy::Seconds made = 0;
    };

    /// A refusal to the main scheduler, with the question. It holds until a job starts, ends or is changed.
    struct NotNow {
        policy::Seconds at = 0;
        uint32_t min_nodes = 0, max_nodes = 0;
        policy::Job job;
        policy::NodeSet nodes;
    };

    bool asks_to_start(const Question& question) const;
    /// Returns why a job that declared itself malleable may not share as it is asked about; empty: it may.
    std::string bar(const Question& question) const;
    /// Notes why the job does not share. `by`: what bounds it, where that is known.
    std::nullopt_t waits(std::string_view word, const std::string& by = "");
    std::nullopt_t waits_for(policy::Refusal refusal, const policy::LeftOut& left_out);
    void tell_user(const Question& question, bool plans) const;
    bool dry_run() const { return running_.coscheduler().rules().dry_run; }
    int answer(Question& question);
    int counted_answer(Question& question);
    int ask(Question& question) const;
    void add_co_runners(list_t* preempted, const bitstr_t* nodes) const;
    int will_run(Question& question);
    int ask_for_any_time(Question& question) const;
    bool offer_now(Question& question, const bitstr_t* may_have, const JobInPartition& asked_in);
    int run_now(Question& question);
    std::optional<Proposal> look_for_mates(Question& question, const policy::NodeSet& within);
    std::vector<policy::IdleNodes> idle_nodes(const Question& question, const policy::NodeSet& may_have) const;
    bool refused_as_before(const JobInPartition& asked_in, const NotNow& asked) const;
    std::optional<Offer> offer_without_question(const Question& question);
    const Offer* fresh_offer(const Question& question);
    std::optional<Offer> estimate(const Question& question);
    std::optional<Offer> ask_later(const Question& question) const;
    policy::Seconds start_elsewhere(const Question& question);
    policy::Seconds start_in(const Question& question, part_record_t& partition);
    /// Sets the question's nodes to those of mates. Nothing when there are none, or cons_tres would not place the job
    /// there.
    std::optional<Proposal> arrange(Question& question, const policy::NodeSet& within, Offer offer);
    void leave_out(policy::NodeSet& usable, const policy::Job& guest, const std::vector<policy::Promise>& promises,
                   policy::LeftOut& left_out) const;
    bool learn_start(const Question& question, Offer& offer);
    policy::Event plan_for(const policy::Job& guest, const policy::NodeSet& usable, const Offer& offer,
                           const std::vector<policy::IdleNodes>& idle);
    policy::NodeSet unsuitable(const policy::Event& plan, policy::JobId beyond) const;
    bool places(Question& question, const policy::Event& proposal);
    /// Returns the nodes of jobs whose steps keep what these would lend. Looked up once per second.
    const policy::NodeSet& kept_by_steps();
    policy::JobId beyond_limits(const job_record_t& guest, const policy::Event& proposal,
                                const std::vector<policy::Promise>& promises);
    bool mate_may(const job_record_t& mate, policy::Seconds end, policy::Seconds guest_end,
                  const std::vector<policy::Promise>& promises);
    bool may_end(const job_record_t& job, const std::vector<policy::Bound>& bounds, policy::Seconds limit_end);
    std::vector<policy::Consumption> consumptions(const job_record_t& guest, const policy::Event& proposal) const;
    bool affords(const job_record_t& job, const policy::Consumption& taken,
                 const std::vector<policy::Consumption>& together);
    void beyond(const job_record_t& job, const std::string& what);
    uint32_t limit_until(const job_record_t& job, policy::Seconds end) const;
    policy::Seconds limit_end(const job_record_t& job, policy::Seconds end) const;
    std::vector<policy::Promise> moved_by(const job_record_t& guest, const policy::Event& proposal,
                                          std::vector<policy::Promise> promises) const;

    RunningJobs& running_;
    Counters& counters_;
    std::map<JobInPartition, Offer> offers_;
    std::map<JobInPartition, NotNow> not_now_;
    std::map<JobInPartition, Start> starts_;  ///< that backfill was told
    NoRoom no_room_;
    /// The proposal of the last test, for the start that follows it.
    struct {
        const job_record_t* job = nullptr;
        Proposal proposal;
    } ready_;
    Waits waits_;              ///< the answer to the last test
    std::string beyond_what_;  ///< the last limit that was too near
    Promises promises_;
    policy::Seconds delay_max_ = 0;
    struct {
        policy::Seconds at = 0;
        policy::NodeSet nodes;
    } kept_;
    const job_record_t* planned_ = nullptr;  ///< that backfill asked about last
};

}  // namespace drom::slurm
