// SPDX-License-Identifier: GPL-2.0-or-later
// sharing.hpp - the transaction by which a job starts on cores of running ones: asked about, committed, undone.
//
//   test    a job that cannot start now: does the policy let it share, and would cons_tres place it there? Nothing is left changed.
//   begin   slurmctld starts it: the mates lose their cores, or the start is refused because one is gone.
//   booked  cons_tres has the guest's cores in its books; a moment later, confirm: its limit is extended.
//   ended   of anybody: cores and time go back to whom they belong.
//
// The books: a shrunk job's core bitmap has fewer cores than its count of CPUs says. slurmctld saves both, so that a controller that was killed, or
// a stock one that comes after this, books no core twice; steps of the whole job go on being granted, with the cores that are left. Who
// lent what to whom is in the ledger, written before slurmctld learns of the start.
//
// One thread at a time: slurmctld holds its lock on jobs around each of these calls.
#pragma once

#include "jobs.hpp"

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "select_malleable/select_options.hpp"

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

class Sharing {
public:
    /// `call_confirm`: calls confirm() of this one, and throws nothing.
    explicit Sharing(void (*call_confirm)()) : call_confirm_(call_confirm) {}

    /// Takes the options over. The sharing itself begins with rebuild().
    void configure(const SelectOptions& options) { options_ = options; }
    /// Before slurmctld reads its jobs: where the ledger is.
    void restore(const std::string& directory) { ledger_path_ = directory + "/malleable.ledger"; }
    /// Who runs was read, or nodes and partitions were changed: everything is worked out anew.
    void rebuild();

    int test(Question& question);
    int begin(job_record_t* job);
    void booked(job_record_t* job);
    /// The scheduler has done with the guests that it started: their limits are theirs to extend.
    void confirm();
    void ended(job_record_t* job);
    void suspended(const job_record_t* job);
    void resumed(const job_record_t* job);
    /// Whether the job shares nodes now.
    bool shares(const job_record_t* job) const;

private:
    struct Offer {
        policy::Seconds static_start = 0;
        int nodes = 0;
        policy::Seconds made = 0;
    };

    /// What the main scheduler was told, and of what: the same until somebody starts, ends, or is changed.
    struct NotNow {
        policy::Seconds at = 0;
        uint32_t min_nodes = 0, max_nodes = 0;
        policy::Job job;
        policy::NodeSet nodes;
    };

    bool may_share(const Question& question) const;
    int ask(Question& question) const;
    void add_companions(List preempted, const bitstr_t* nodes) const;
    int will_run(Question& question);
    int run_now(Question& question);
    std::optional<policy::Event> look_for_mates(Question& question, const policy::NodeSet& within);
    bool refused_as_before(const NotNow& asked) const;
    std::optional<Offer> estimate(const Question& question);
    /// Sets the question's nodes to those of mates. Nothing when there are none, or cons_tres would not place the job there.
    std::optional<policy::Event> arrange(Question& question, const policy::NodeSet& within, const Offer& offer);
    bool places(Question& question, const policy::Event& proposal);
    policy::JobId beyond_limits(const job_record_t& guest, const policy::Event& proposal) const;
    std::string why_not(const job_record_t& job, const policy::NodeSet& nodes, policy::Seconds end) const;
    policy::NodeSet nodes_of(const std::vector<policy::JobId>& jobs) const;

    void settle(const std::vector<policy::JobId>& changed, const job_record_t* not_booked);
    void settle_node(int node, const std::vector<job_record_t*>& records, const job_record_t* not_booked);
    void set_limits(const std::vector<policy::JobId>& changed);
    void settle_beside(const job_record_t& gone);
    void give_back_time(job_record_t* job);
    void comment(policy::JobId id);
    void save();
    void take_up(const std::vector<policy::Placed>& whole);
    void open_journal();
    void forget(policy::JobId id);
    policy::Seconds now();

    void (*const call_confirm_)();
    std::vector<policy::JobId> unconfirmed_;
    SelectOptions options_;
    std::unique_ptr<policy::Coscheduler> known_;
    std::string ledger_path_, saved_;
    std::map<policy::JobId, policy::NodeSet>
        others_;  ///< jobs that the coscheduler was not told of, and suspended ones
    std::map<policy::JobId, Offer> offers_;
    std::map<policy::JobId, NotNow> not_now_;
    std::map<policy::JobId, policy::Seconds> since_;  ///< when it began to share
    /// What the last test found, for the start that follows it.
    struct {
        const job_record_t* job = nullptr;
        policy::Event proposal;
    } ready_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> journal_{nullptr, std::fclose};
    bool journal_failed_ = false;
    policy::Seconds last_now_ = 0;
};

}  // namespace drom::slurm
