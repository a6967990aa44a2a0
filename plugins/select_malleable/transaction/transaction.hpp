// SPDX-License-Identifier: GPL-2.0-or-later
// transaction.hpp - the transaction by which a job starts on cores of running ones: asked about, committed, undone.
//
//   test    a job that cannot start now: the policy and cons_tres say whether it starts beside mates. Changes nothing.
//   begin   slurmctld starts it: the mates lose their cores, or the start is refused because one is gone.
//   booked  cons_tres has the guest's cores in its books; a moment later, confirm: its limit is extended.
//   ended   any job: its cores and the time that it lent or borrowed go back.
//
// The list of loans says which job lent which cores to which; it is written before slurmctld learns of the start.
//
// One thread at a time: slurmctld holds its lock on jobs around each of these calls.
#pragma once

#include "recovery.hpp"
#include "select_malleable/search/mate_search.hpp"

#include <string>
#include <vector>

namespace drom::slurm {

class Transaction {
public:
    /// Makes the transaction. `call_confirm`: calls confirm() of this one, and throws nothing.
    explicit Transaction(void (*call_confirm)()) : call_confirm_(call_confirm) {}

    /// Takes the options over. The sharing itself begins with rebuild().
    void configure(const SelectOptions& options) { options_ = options; }
    /// Notes where the list of loans is, before slurmctld reads its jobs.
    void restore(const std::string& directory) { recovery_.restore(directory); }
    /// Works everything out anew, after the running jobs were read, or nodes and partitions were changed.
    void rebuild();

    /// Forgets everything, because slurmctld gives control to another one. If it gets control back, rebuild() finds
    /// what that one has written.
    void leave();

    int test(Question& question);
    int begin(job_record_t* job);
    void booked(job_record_t* job);
    /// Extends the limits of new guests, once the scheduler has finished with them, and writes the counters. As long as
    /// jobs share it is called each minute, and charges them.
    void confirm();
    void ended(job_record_t* job);
    void suspended(const job_record_t* job);
    void resumed(const job_record_t* job);
    /// Returns whether the job shares nodes now.
    bool shares(const job_record_t* job) const { return running_.shares(job); }

private:
    void forget(policy::JobId id);
    void pass_on(job_record_t& ended, policy::Seconds at);
    void take_in(const job_record_t& gone, policy::Seconds at);
    void extend(const std::vector<policy::JobId>& jobs);
    void write_counters();
    void write_counters_now_and_then();

    void (*const call_confirm_)();
    std::vector<policy::JobId> unconfirmed_;
    SelectOptions options_;
    RunningJobs running_;
    Books books_{running_};
    Recovery recovery_{running_, books_};
    Counters counters_;
    policy::Seconds counters_written_ = 0;
    bool counters_failed_ = false;
    MateSearch search_{running_, counters_};
};

}  // namespace drom::slurm
