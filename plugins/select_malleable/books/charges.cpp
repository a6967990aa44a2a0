// SPDX-License-Identifier: GPL-2.0-or-later
// charges.cpp - writes records of jobs into slurmdbd, and usage into slurmctld.
#include "charges.hpp"

#pragma weak acct_db_conn

#include <algorithm>
#include <utility>

#include "record_numbers.hpp"

namespace drom::slurm {

// ---- CPUs ------------------------------------------------------------------------------------------------------

std::int64_t cpus_allocated(const job_record_t& job) {
    std::int64_t cpus = 0;
    for (uint32_t n = 0; n < job.job_resrcs->nhosts; ++n) cpus += job.job_resrcs->cpus[n];
    return cpus;
}

std::int64_t cpus_held(const job_record_t& job) {
    std::int64_t cpus = 0;
    int n = 0;
    const policy::NodeSet nodes = node_set(job.job_resrcs->node_bitmap);
    for (const policy::NodeRange& range : nodes.ranges())
        for (int node = range.first; node <= range.last; ++node, ++n) {
            const std::vector<bool> cores = cores_on(*job.job_resrcs, n);
            cpus +=
                std::min<std::int64_t>(std::count(cores.begin(), cores.end(), true) * node_record_table_ptr[node]->tpc,
                                       job.job_resrcs->cpus[n]);
        }
    return cpus;
}

namespace {

double bill(const job_record_t& job, std::vector<uint64_t>& amounts) {
    if (job.part_ptr == nullptr || job.part_ptr->billing_weights == nullptr)
        return static_cast<double>(amounts[TRES_ARRAY_CPU]);
    return assoc_mgr_tres_weighted(amounts.data(), job.part_ptr->billing_weights, slurm_conf.priority_flags, true);
}

class TresLocked {
public:
    TresLocked() { assoc_mgr_lock(&locks_); }
    ~TresLocked() { assoc_mgr_unlock(&locks_); }
    TresLocked(const TresLocked&) = delete;
    TresLocked& operator=(const TresLocked&) = delete;

private:
    assoc_mgr_lock_t locks_ = {
        .assoc = WRITE_LOCK, .file = {}, .qos = WRITE_LOCK, .res = {}, .tres = READ_LOCK, .user = {}, .wckey = {}};
};

/// Returns the job's allocated TRES, with `cpus` for its CPUs and the billing that follows. The caller holds the lock
/// of the accounts.
std::vector<uint64_t> amounts_with(const job_record_t& job, std::int64_t cpus) {
    std::vector<uint64_t> amounts(job.tres_alloc_cnt, job.tres_alloc_cnt + slurmctld_tres_cnt);
    amounts[TRES_ARRAY_CPU] = static_cast<uint64_t>(cpus);
    amounts[TRES_ARRAY_BILLING] = static_cast<uint64_t>(bill(job, amounts));
    return amounts;
}

/// Returns it as slurmdbd wants it; the caller frees it.
char* tres_text(const job_record_t& job, std::int64_t cpus) {
    const TresLocked locked;
    std::vector<uint64_t> amounts = amounts_with(job, cpus);
    return assoc_mgr_make_tres_str_from_array(amounts.data(), TRES_STR_FLAG_SIMPLE, true);
}

// ---- records ---------------------------------------------------------------------------------------------------

/// Gives a field of slurmctld's record another value while a message is made from it.
template <class Value>
class For {
public:
    For(Value& field, Value meanwhile) : field_(field), before_(std::exchange(field, meanwhile)) {}
    ~For() { field_ = before_; }
    For(const For&) = delete;
    For& operator=(const For&) = delete;

private:
    Value& field_;
    const Value before_;
};

class WithCpus {
public:
    WithCpus(job_record_t& job, std::int64_t cpus) : text_(tres_text(job, cpus)), tres_(job.tres_alloc_str, text_) {}
    ~WithCpus() { xfree(text_); }
    WithCpus(const WithCpus&) = delete;
    WithCpus& operator=(const WithCpus&) = delete;

private:
    char* text_;
    For<char*> tres_;
};

uint32_t with_flag(const job_record_t& job, uint64_t flag) { return job.job_state | static_cast<uint32_t>(flag); }

bool can_be_said(const job_record_t& job) {
    return acct_db_conn != nullptr && job.tres_alloc_cnt != nullptr && job.details != nullptr;
}

/// Says it again how the present record began. slurmctld itself would give it the start of the whole job.
void say_start(job_record_t& job) {
    if (!has_record(job)) return;  // slurmctld is about to say it, and would wait for the answer here
    const bool first = job.resize_time == 0;
    const For submit(job.details->submit_time, first ? job.details->submit_time : job.resize_time);
    const For begin(job.details->begin_time, first ? job.details->begin_time : job.resize_time);
    const For start(job.start_time, first ? job.start_time : job.resize_time);
    jobacct_storage_g_job_start(acct_db_conn, &job);
}

}  // namespace

bool has_record(const job_record_t& job) {
    const job_record_t* record = &job;  // Slurm's macros want a pointer's name
    return job.db_index != 0 && job.db_index != NO_VAL64 && !start_is_untold(job) && !IS_JOB_RESIZING(record);
}

void say_cpus(job_record_t& job, std::int64_t cpus) {
    if (!can_be_said(job)) return;
    const WithCpus with(job, cpus);
    say_start(job);
}

void say_resized(job_record_t& job, std::int64_t cpus, std::string comment) {
    const job_record_t* record = &job;  // Slurm's macros want a pointer's name
    if (!can_be_said(job) || !IS_JOB_RESIZING(record) || job.db_index == 0 || job.db_index == NO_VAL64) return;
    const WithCpus with(job, cpus);
    const For<char*> text(job.admin_comment, comment.data());
    jobacct_storage_g_job_complete(acct_db_conn, &job);
}

void say_end(job_record_t& job, std::int64_t cpus) {
    if (!can_be_said(job) || job.end_time == 0) return;
    // slurmctld says the end itself, sometimes before this and sometimes behind. It has released what limits had
    // reserved, and needs its counts for nothing else.
    {
        const TresLocked locked;
        const std::vector<uint64_t> amounts = amounts_with(job, cpus);
        std::copy(amounts.begin(), amounts.end(), job.tres_alloc_cnt);
        write_tres_text(job);
    }
    // A job that is requeued waits already.
    const job_record_t* record = &job;  // Slurm's macros want a pointer's name
    const For state(job.job_state, IS_JOB_PENDING(record) ? with_flag(job, JOB_REQUEUE) : job.job_state);
    if (job.resize_time != 0) say_start(job);
    jobacct_storage_g_job_complete(acct_db_conn, &job);
}

void begin_record(job_record_t& job, const SharedJob& known) {
    if (!can_be_said(job)) return;
    const uint64_t number = job.resize_time == known.record_start ? job.db_index : 0;
    if (job.resize_time != 0 && job.resize_time < known.record_start) say_cpus(job, known.before);
    job.resize_time = known.record_start;
    job.db_index = known.previous;
    {
        const WithCpus with(job, known.before);
        const For state(job.job_state, with_flag(job, JOB_RESIZING));
        const For<char*> comment(job.admin_comment, nullptr);
        jobacct_storage_g_job_complete(acct_db_conn, &job);
    }
    job.db_index = number;
    ask_for_number(job, known.mean_cpus());
}

bool has_missed_number(const job_record_t& job) {
    const job_record_t* record = &job;  // Slurm's macros want a pointer's name
    if (!can_be_said(job) || job.resize_time == 0 || IS_JOB_RESIZING(record)) return false;
    if (job.db_index != 0 && job.db_index != NO_VAL64) return false;
    return !number_is_on_its_way(job);
}

void ask_for_number(job_record_t& job, std::int64_t cpus) {
    const WithCpus with(job, cpus);
    open_record(job);
}

void say_steps(const job_record_t& job) {
    if (!is_on_its_nodes(&job) || job.step_list == nullptr) return;
    list_itr_t* each = list_iterator_create(job.step_list);
    while (auto* step = static_cast<step_record_t*>(list_next(each)))
        if (step->state < JOB_COMPLETE) jobacct_storage_g_step_start(acct_db_conn, step);
    list_iterator_destroy(each);
}

void forget_lost_request(job_record_t& job) {
    const job_record_t* record = &job;  // Slurm's macros want a pointer's name
    if (kNumbersRecords || job.db_index != NO_VAL64 || job.resize_time != 0) return;
    if (start_is_untold(job) || IS_JOB_FINISHED(record)) return;  // slurmctld goes on with these itself
    job.db_index = 0;
}

// ---- usage -----------------------------------------------------------------------------------------------------

namespace {

struct Credit {
    long double cpu_seconds;
    long double bill;     ///< what usage_raw counts
    long double billing;  ///< what the TRES of that name counts
};

template <class Usage>
void take_off(Usage& usage, const Credit& credit) {
    const auto less = [](long double& from, long double amount) { from = std::max<long double>(0, from - amount); };
    less(usage.usage_raw, credit.bill);
    if ((accounting_enforce & ACCOUNTING_ENFORCE_LIMITS) == 0 || usage.usage_tres_raw == nullptr) return;
    less(usage.usage_tres_raw[TRES_ARRAY_CPU], credit.cpu_seconds);
    less(usage.usage_tres_raw[TRES_ARRAY_BILLING], credit.billing);
}

/// Returns what so many CPUs of the job less are billed less in a second, by CPU.
double price(const job_record_t& job, std::int64_t whole) {
    const std::int64_t some = std::max<std::int64_t>(1, whole / 2);  // about what a guest gets
    std::vector<uint64_t> all = amounts_with(job, whole), less = amounts_with(job, whole - some);
    return (bill(job, all) - bill(job, less)) / static_cast<double>(some);
}

}  // namespace

std::int64_t give_back(const job_record_t& job, std::int64_t cpu_seconds, std::int64_t whole) {
    if (cpu_seconds <= 0 || job.tres_alloc_cnt == nullptr || job.assoc_ptr == nullptr) return 0;
    const TresLocked locked;
    const slurmdb_qos_rec_t* qos = job.qos_ptr;
    const double factor = qos != nullptr && qos->usage_factor >= 0 ? qos->usage_factor : 1;
    const double bill_of_cpu = factor * price(job, whole);
    const auto* own = static_cast<const slurmdb_assoc_rec_t*>(job.assoc_ptr)->usage;
    if (own == nullptr) return 0;
    if (bill_of_cpu > 0) cpu_seconds = std::min(cpu_seconds, static_cast<std::int64_t>(own->usage_raw / bill_of_cpu));
    const auto seconds = static_cast<long double>(cpu_seconds);
    const Credit credit{seconds * factor, seconds * bill_of_cpu, seconds * bill_of_cpu};
    for (slurmdb_assoc_rec_t* account = job.assoc_ptr; account != nullptr && account->usage != nullptr;
         account = account->usage->parent_assoc_ptr)
        take_off(*account->usage, credit);
    if (qos != nullptr && qos->usage != nullptr) take_off(*qos->usage, credit);
    const slurmdb_qos_rec_t* of_partition = job.part_ptr == nullptr ? nullptr : job.part_ptr->qos_ptr;
    if (of_partition != nullptr && of_partition != qos && of_partition->usage != nullptr)
        take_off(*of_partition->usage, credit);
    return cpu_seconds;
}

}  // namespace drom::slurm
