// SPDX-License-Identifier: GPL-2.0-or-later
// mate_search.hpp - searches mates for a job that cannot start alone. Leaves nothing changed.
#pragma once

#include "running_jobs.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace drom::slurm {

/// A call of select_p_job_test.
struct Question {
    job_record_t* job;
    bitstr_t* nodes;  ///< in: that it may have; out: that it gets
    uint32_t min_nodes, max_nodes, req_nodes;
    uint16_t mode;
    List candidates;  ///< that may be preempted
    List* preempted;  ///< out: those that have to be
    bitstr_t* excluded_cores;

    int ask_cons_tres() const;
};

class MateSearch {
public:
    explicit MateSearch(RunningJobs& running) : running_(running) {}

    /// Answers select_p_job_test: as cons_tres does, or that the job starts beside mates, which take_proposal() then
    /// names.
    int test(Question& question);
    /// Returns the proposal of the last test, once, if it was of this job; nothing: the job starts without mates.
    std::optional<policy::Event> take_proposal(const job_record_t* job);
    /// Forgets refusals: a job starts, ends, or is changed.
    void forget_refusals() { not_now_.clear(); }
    /// Forgets the offer of a job that has started or ended.
    void forget_offer(policy::JobId id) { offers_.erase(id); }
    void forget_all();

private:
    struct Offer {
        policy::Seconds static_start = 0;
        int nodes = 0;
        policy::Seconds made = 0;
    };

    /// A refusal to the main scheduler, with the question. It holds until a job starts, ends or is changed.
    struct NotNow {
        policy::Seconds at = 0;
        uint32_t min_nodes = 0, max_nodes = 0;
        policy::Job job;
        policy::NodeSet nodes;
    };

    bool may_share(const Question& question) const;
    int ask(Question& question) const;
    void add_co_runners(List preempted, const bitstr_t* nodes) const;
    int will_run(Question& question);
    int run_now(Question& question);
    std::optional<policy::Event> look_for_mates(Question& question, const policy::NodeSet& within);
    bool refused_as_before(const NotNow& asked) const;
    std::optional<Offer> estimate(const Question& question);
    /// Sets the question's nodes to those of mates. Nothing when there are none, or cons_tres would not place the job
    /// there.
    std::optional<policy::Event> arrange(Question& question, const policy::NodeSet& within, const Offer& offer);
    bool places(Question& question, const policy::Event& proposal);
    policy::JobId beyond_limits(const job_record_t& guest, const policy::Event& proposal) const;
    std::string why_not(const job_record_t& job, const policy::NodeSet& nodes, policy::Seconds end) const;

    RunningJobs& running_;
    std::map<policy::JobId, Offer> offers_;
    std::map<policy::JobId, NotNow> not_now_;
    /// The proposal of the last test, for the start that follows it.
    struct {
        const job_record_t* job = nullptr;
        policy::Event proposal;
    } ready_;
};

}  // namespace drom::slurm
