// SPDX-License-Identifier: GPL-2.0-or-later
// mate_search.hpp - searches mates for a job that cannot start alone. Leaves nothing changed.
#pragma once

#include "kept_by_steps.hpp"
#include "no_room.hpp"
#include "offers.hpp"
#include "question.hpp"
#include "refusals.hpp"
#include "select_malleable/limits/promises.hpp"
#include "select_malleable/state/counters.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policy/sharing/waiting.hpp"

namespace drom::slurm {

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

/// A search of mates for one guest; it narrows with each plan that fails.
struct Search {
    policy::Job guest;
    policy::NodeSet usable;
    Offer offer;
    std::vector<policy::Promise> promises;  ///< to jobs before the guest
    std::vector<policy::IdleNodes> idle;    ///< until they are promised
    policy::LeftOut left_out;               ///< why nodes are not usable
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
    bool asks_to_start(const Question& question) const;
    /// Notes why the job does not share. `by`: what bounds it, where that is known.
    std::nullopt_t waits(std::string_view word, const std::string& by = "");
    std::nullopt_t waits_for(policy::Refusal refusal, const policy::LeftOut& left_out);
    void tell_user(const Question& question, bool plans) const;
    bool dry_run() const { return running_.coscheduler().rules().dry_run; }
    int answer(Question& question);
    int counted_answer(Question& question);
    int will_run(Question& question);
    bool offer_now(Question& question, const bitstr_t* may_have);
    int run_now(Question& question);
    std::optional<Proposal> look_for_mates(Question& question, const policy::NodeSet& within);
    std::vector<policy::IdleNodes> idle_nodes(const Question& question, const policy::NodeSet& may_have) const;
    /// Sets the question's nodes to those of mates. Nothing when there are none, or cons_tres would not place the job
    /// there.
    std::optional<Proposal> arrange(Question& question, const policy::NodeSet& within, const Offer& offer);
    std::optional<Proposal> arrange(Question& question, Search& search);
    void leave_out(Search& search) const;
    policy::JobId beyond_limit(const Question& question, const Search& search, const policy::Event& plan);
    void narrow(Search& search, const policy::Event& plan, policy::JobId beyond);
    bool is_placed(Question& question, const policy::Event& plan);
    Proposal proposal(const Question& question, const Search& search, policy::Event plan);

    RunningJobs& running_;
    Counters& counters_;
    Offers offers_{running_};
    Refusals refusals_;
    NoRoom no_room_;
    KeptBySteps kept_by_steps_;
    Promises promises_;
    policy::Seconds delay_max_ = 0;
    /// The proposal of the last test, for the start that follows it.
    struct {
        const job_record_t* job = nullptr;
        Proposal proposal;
    } ready_;
    Waits waits_;                            ///< the answer to the last test
    std::string beyond_what_;                ///< the last limit that was too near
    const job_record_t* planned_ = nullptr;  ///< that backfill asked about last
};

}  // namespace drom::slurm
