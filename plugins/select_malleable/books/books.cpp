// SPDX-License-Identifier: GPL-2.0-or-later
// books.cpp - writes cores, limits and comments into slurmctld's records of jobs.
#include "books.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "charges.hpp"
#include "common/admin_comment.hpp"
#include "core_sets.hpp"
#include "select_malleable/limits/promises.hpp"
#include "select_malleable/slurmctld/comments.hpp"
#include "select_malleable/slurmctld/cons_tres.hpp"

namespace drom::slurm {

using policy::JobId;
using policy::NodeSet;
using policy::Seconds;

namespace {

/// A set of nodes as Slurm has it, for as long as it lives.
class NodeBits {
public:
    explicit NodeBits(const NodeSet& nodes) : own_(bit_alloc(node_record_count)) { assign(own_, nodes); }
    ~NodeBits() { bit_free(own_); }
    NodeBits(const NodeBits&) = delete;
    NodeBits& operator=(const NodeBits&) = delete;
    bool meets(const bitstr_t* others) const { return bit_overlap_any(own_, const_cast<bitstr_t*>(others)) != 0; }

private:
    bitstr_t* own_;
};

template <class Job, class Add>
void each_node_of(const Job& job, const NodeSet& within, const Add& add) {
    if (job.job_resrcs == nullptr || job.job_resrcs->node_bitmap == nullptr) return;
    const NodeSet nodes = node_set(job.job_resrcs->node_bitmap).common(within);
    for (const policy::NodeRange& range : nodes.ranges())
        for (int node = range.first; node <= range.last; ++node) add(node);
}

}  // namespace

Books::JobsByNode Books::jobs_on(const NodeSet& nodes, const std::vector<job_record_t*>& records) {
    JobsByNode found;
    const NodeBits bits(nodes);
    const std::set<const job_record_t*> known(records.begin(), records.end());
    // Also without knowledge of sharing no job is given a core that another job has.
    each_running_job([&](const job_record_t& job) {
        const job_record_t* other = &job;  // Slurm's macros want a pointer's name
        if (!bits.meets(job.job_resrcs->node_bitmap) || !IS_JOB_RUNNING(other) || known.count(other) != 0) return;
        each_node_of(job, nodes, [&](int node) { found[node].strangers.push_back(other); });
    });
    for (job_record_t* record : records)
        each_node_of(*record, nodes, [&](int node) { found[node].records.push_back(record); });
    return found;
}

void Books::reconcile(const std::vector<JobId>& changed, const job_record_t* not_booked, Seconds at) {
    std::set<JobId> all(changed.begin(), changed.end());
    for (const JobId id : changed)
        for (const JobId other : running_.coscheduler().co_runners(id)) all.insert(other);
    const std::vector<job_record_t*> records = records_of({all.begin(), all.end()});
    std::vector<job_record_t*> booked;
    std::copy_if(records.begin(), records.end(), std::back_inserter(booked), [&](auto* r) { return r != not_booked; });
    {
        const WithoutCores without(booked);
        for (const auto& [node, jobs] : jobs_on(running_.nodes_of({all.begin(), all.end()}), records))
            reconcile_node(node, jobs, not_booked);
    }
    for (job_record_t* record : records)
        if (record->job_resrcs != nullptr) charge(*record, at);
}

void Books::reconcile_node(int node, const JobsThere& jobs, const job_record_t* not_booked) {
    std::vector<Share> shares;
    for (const job_record_t* stranger : jobs.strangers) {
        std::vector<bool> cores = cores_on(*stranger->job_resrcs, position(*stranger->job_resrcs, node));
        const auto count = std::count(cores.begin(), cores.end(), true);
        shares.push_back({std::move(cores), static_cast<int>(count)});
    }
    const bool beside_strangers = !shares.empty();
    std::vector<bool> specialised = specialised_cores(*node_record_table_ptr[node]);
    const auto count = std::count(specialised.begin(), specialised.end(), true);
    shares.push_back({std::move(specialised), static_cast<int>(count)});
    const std::size_t others = shares.size();
    for (job_record_t* record : jobs.records) {
        Share share{cores_on(*record->job_resrcs, position(*record->job_resrcs, node)), 0};
        if (record == not_booked) share.cores.assign(share.cores.size(), false);
        for (const policy::Held& held : running_.coscheduler().cores_of(record->job_id))
            if (held.nodes.contains(node)) share.wanted = held.cores;
        shares.push_back(std::move(share));
    }
    // Beside an unknown job this is expected: its state is older than all that the list of loans remembers.
    if (!redistribute(shares) && !beside_strangers)
        slurm_error("select/malleable: node %s has fewer cores than jobs have to have there; they keep what they have",
                    node_record_table_ptr[node]->name);
    for (std::size_t i = 0; i < jobs.records.size(); ++i) {
        job_resources_t& resources = *jobs.records[i]->job_resrcs;
        set_cores_on(resources, position(resources, node), shares[others + i].cores);
    }
}

void Books::reconcile_beside(const job_record_t& gone, Seconds at) {
    if (gone.job_resrcs == nullptr || gone.job_resrcs->node_bitmap == nullptr) return;
    const NodeSet nodes = node_set(gone.job_resrcs->node_bitmap);
    std::vector<JobId> beside;
    each_running_job([&](const job_record_t& job) {
        if (running_.coscheduler().knows(job.job_id) && !running_.nodes_of({job.job_id}).common(nodes).empty())
            beside.push_back(job.job_id);
    });
    if (!beside.empty()) reconcile(beside, nullptr, at);
}

namespace {

/// Returns the limit in minutes with which the job still has its signal (--signal) as long before its end as it asked
/// for; 0: it asked for none. Never more than its limit now. slurmctld looks twice per minute whether it is time.
uint32_t limit_for_signal(const job_record_t& job, Seconds now) {
    constexpr Seconds kLate = 60;
    if (job.warn_time == 0) return 0;
    if ((job.warn_flags & WARN_SENT) != 0) return job.time_limit;
    const Seconds spare = job.end_time - (now + job.warn_time + kLate);
    return job.time_limit - std::min(job.time_limit, static_cast<uint32_t>(std::max<Seconds>(0, spare) / 60));
}

}  // namespace

void Books::set_limits(const std::vector<JobId>& changed) {
    for (const JobId id : changed) {
        job_record_t* record = record_of(id);
        const policy::RunningJob* running = running_.coscheduler().find(id);
        if (record == nullptr || running == nullptr || record->time_limit == INFINITE) continue;
        const uint32_t own = own_limit(*record);
        const uint32_t needed = limit_for(*record, running->end - running->start, running->job.request);
        const uint32_t more = std::max(needed, limit_for_signal(*record, running_.now())) - own;
        if (more != 0 || shared_jobs().find(id) != nullptr) shared_jobs()[id].note_limit(own, more);
        const std::string word = more == 0 ? "" : std::to_string(own) + "+" + std::to_string(more);
        if (value_of(comment_of(*record), kLimitWord).value_or("") != word)
            set_comment(*record, with_value(comment_of(*record), kLimitWord, word));
        if (own + more == record->time_limit) continue;
        acct_policy_alter_job(record, own + more);  // it keeps count of what limits of accounts have reserved
        record->end_time += (static_cast<time_t>(own + more) - static_cast<time_t>(record->time_limit)) * 60;
        record->time_limit = own + more;
        last_job_update = time(nullptr);
    }
}

void Books::give_back_time(job_record_t* job) {
    SharedJob* known = shared_jobs().find(job->job_id);
    const bool noted = known != nullptr && known->own_limit != 0;
    if (!noted && !value_of(comment_of(*job), kLimitWord)) return;
    job->time_limit = own_limit(*job);
    if (noted) known->note_limit(job->time_limit, 0);
    set_comment(*job, with_value(comment_of(*job), kLimitWord, ""));
}

// ---- what they are charged -------------------------------------------------------------------------------------

namespace {

/// Returns the job's admin comment without the words that hold only while it shares.
std::string without_words_of_now(const job_record_t& job) {
    std::string text(comment_of(job));
    for (const char* word : {"since", "sharing", "slowdown"}) text = with_value(text, word, "");
    return text;
}

/// Begins to count what a job has that has had so many CPUs until now.
void begin_counting(SharedJob& known, const job_record_t& job, Seconds at, std::int64_t cpus) {
    known.whole = cpus_allocated(job);
    known.cpus = cpus;
    known.counted = std::max<Seconds>(at, job.start_time);
    known.ran = std::max<Seconds>(0, known.counted - job.start_time - job.tot_sus_time);
    known.had = cpus * known.ran;
    known.lent = (known.whole - cpus) * known.ran;
    known.record_start = std::max(job.start_time, job.resize_time);
    known.record_ran = std::max<Seconds>(0, known.ran - (known.counted - known.record_start));
    known.record_had = cpus * known.record_ran;
}

/// Takes over that slurmctld has resized the job, and has begun a record for that.
void follow_resize(SharedJob& known, job_record_t& job, Seconds at) {
    const bool new_record = job.resize_time > known.record_start;
    known.count(new_record ? job.resize_time : at);
    if (new_record) say_resized(job, known.mean_cpus(), without_words_of_now(job));
    known.whole = cpus_allocated(job);
    known.cpus = std::min(known.cpus, known.whole);
    if (!new_record) return;
    known.record_start = job.resize_time;
    known.record_ran = known.ran;
    known.record_had = known.had;
    known.previous = 0;
    known.cut = 0;
    known.unsaid = 1;
}

}  // namespace

void Books::assume(const std::vector<JobId>& running) {
    for (const JobId id : running) {
        const job_record_t* record = record_of(id);
        if (record == nullptr || record->job_resrcs == nullptr || shared_jobs().find(id) != nullptr) continue;
        const std::int64_t cpus = cpus_held(*record);
        if (cpus == cpus_allocated(*record)) continue;
        SharedJob& known = shared_jobs()[id];
        // slurmctld saves its comments at other times than the loans are saved: the comment may know more.
        const auto since = read_clock(value_of(comment_of(*record), "since").value_or(""));
        if (since && *since > record->start_time) {
            begin_counting(known, *record, *since, cpus_allocated(*record));
            known.change(cpus, *since);
            known.end_record();
        } else {
            begin_counting(known, *record, running_.now(), cpus);
            known.unsaid = 1;
        }
    }
}

void Books::charge(job_record_t& job, Seconds at) {
    const std::int64_t cpus = cpus_held(job);
    SharedJob* known = shared_jobs().find(job.job_id);
    if (known == nullptr && cpus == cpus_allocated(job)) return;
    if (known == nullptr) known = &shared_jobs()[job.job_id];
    if (known->whole == 0) begin_counting(*known, job, at, cpus_allocated(job));
    if (known->whole != cpus_allocated(job)) follow_resize(*known, job, at);
    if (known->cpus == cpus) return;
    known->change(cpus, at);
    known->end_record();
    say(job, *known);
}

/// Tells slurmdbd what it does not know yet, as far as that is possible now.
void Books::say(job_record_t& job, SharedJob& known) {
    const job_record_t* record = &job;  // Slurm's macros want a pointer's name
    if (!IS_JOB_PENDING(record) && has_missed_number(job))
        return known.began_at(job.resize_time) ? begin_record(job, known) : ask_for_number(job, known.mean_cpus());
    if (known.unsaid == 0 || !has_record(job) || IS_JOB_PENDING(record)) return;
    if (known.cut == 0) {
        known.unsaid = 0;
        known.said = known.counted;
        return say_cpus(job, known.mean_cpus());
    }
    known.begin_record(job.db_index);
    begin_record(job, known);
}

bool Books::say_all() {
    bool all = true;
    for (const JobId id : shared_jobs().ids()) {
        SharedJob& known = shared_jobs()[id];
        job_record_t* record = record_of(id);
        if (record != nullptr && is_on_its_nodes(record)) say(*record, known);
        all = all && known.unsaid == 0;
    }
    return all;
}

void Books::pause(const job_record_t& job, bool suspended) {
    SharedJob* known = shared_jobs().find(job.job_id);
    if (known == nullptr) return;
    known->count(running_.now());
    known->paused = suspended ? 1 : 0;
}

void Books::pay(const job_record_t& job, SharedJob& known) {
    known.paid += drom::slurm::give_back(job, known.lent - known.paid, known.whole);
}

void Books::give_back(Seconds now) {
    constexpr Seconds kEach = 60;
    if (now - paid_ < kEach) return;
    paid_ = now;
    for (const JobId id : shared_jobs().ids()) {
        SharedJob& known = shared_jobs()[id];
        const job_record_t* record = record_of(id);
        if (record == nullptr || !IS_JOB_RUNNING(record) || known.whole == 0) continue;
        known.count(now);
        pay(*record, known);
        known.say_again(now);
    }
}

void Books::close(job_record_t* job, Seconds at) {
    SharedJob* known = shared_jobs().find(job->job_id);
    if (known == nullptr) return;
    std::string text = without_words_of_now(*job);
    if (known->whole != 0) {
        known->count(at);
        pay(*job, *known);
        say(*job, *known);
        if (known->since != 0) known->shared += std::max<Seconds>(0, at - known->since);
        text = with_value(text, "shared", std::to_string(known->shared) + "s");
        text = with_value(text, "cpu_seconds", std::to_string(known->had));
    }
    set_comment(*job, text);
    if (known->whole != 0) say_end(*job, known->mean_cpus());
    if (IS_JOB_PENDING(job)) job->resize_time = 0;
    shared_jobs().erase(job->job_id);
}

void Books::take_up() {
    for (job_record_t* record : records_in(job_list))
        if (declared_malleable(*record)) forget_lost_request(*record);
    for (const JobId id : shared_jobs().ids()) {
        job_record_t* record = record_of(id);
        if (record == nullptr || (!IS_JOB_PENDING(record) && !is_on_its_nodes(record))) {
            shared_jobs().erase(id);
            continue;
        }
        SharedJob& known = shared_jobs()[id];
        known.go_back_to(record->time_limit);
        if (is_on_its_nodes(record) && known.previous != 0) begin_record(*record, known);
    }
}

bool Books::was_sharing(JobId id) const {
    const SharedJob* known = shared_jobs().find(id);
    return known != nullptr && known->since != 0;
}

// ---- what users see --------------------------------------------------------------------------------------------

void Books::comment(JobId id) {
    job_record_t* record = record_of(id);
    if (record == nullptr) return;
    std::string text(comment_of(*record));
    const std::vector<JobId> with = running_.coscheduler().co_runners(id);
    SharedJob& known = shared_jobs()[id];
    if (!with.empty()) {
        if (known.since == 0) known.since = running_.last_now();
        text = with_value(text, "since", clock_text(known.since));
        std::array<char, 32> slowdown{};
        const policy::RunningJob& running = *running_.coscheduler().find(id);
        std::snprintf(slowdown.data(), slowdown.size(), "%.2f", policy::slowdown(running.job, running.end));
        text = with_value(with_value(text, "sharing", text_of(with)), "slowdown", slowdown.data());
    } else if (known.since != 0) {
        known.shared += running_.last_now() - std::exchange(known.since, 0);
        for (const char* word : {"since", "sharing", "slowdown"}) text = with_value(text, word, "");
        text = with_value(text, "shared", std::to_string(known.shared) + "s");
    }
    set_comment(*record, text);
}

void Books::note_delay(JobId id, Seconds seconds) const {
    job_record_t* record = record_of(id);
    if (record == nullptr) return;
    shared_jobs()[id].delayed = seconds;
    set_comment(*record, with_value(comment_of(*record), kDelayWord, std::to_string(seconds) + "s"));
    slurm_info("select/malleable: the start of job %u has been moved by %lld s in all", record->job_id,
               static_cast<long long>(seconds));
}

}  // namespace drom::slurm
