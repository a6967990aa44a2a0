// SPDX-License-Identifier: GPL-2.0-or-later
// books.cpp - writes cores, limits and comments into slurmctld's records of jobs.
#include "books.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "common/admin_comment.hpp"
#include "cons_tres.hpp"
#include "core_sets.hpp"
#include "promises.hpp"

namespace drom::slurm {

using policy::JobId;
using policy::NodeSet;
using policy::Seconds;

void Books::reconcile(const std::vector<JobId>& changed, const job_record_t* not_booked) {
    std::set<JobId> all(changed.begin(), changed.end());
    for (const JobId id : changed)
        for (const JobId other : running_.coscheduler().co_runners(id)) all.insert(other);
    const std::vector<job_record_t*> records = records_of({all.begin(), all.end()});
    std::vector<job_record_t*> booked;
    std::copy_if(records.begin(), records.end(), std::back_inserter(booked), [&](auto* r) { return r != not_booked; });
    const WithoutCores without(booked);
    const NodeSet nodes = running_.nodes_of({all.begin(), all.end()});
    for (const policy::NodeRange& range : nodes.ranges())
        for (int node = range.first; node <= range.last; ++node) reconcile_node(node, records, not_booked);
}

void Books::reconcile_node(int node, const std::vector<job_record_t*>& records, const job_record_t* not_booked) {
    std::vector<Share> shares;
    std::vector<job_record_t*> there;
    // Also without knowledge of sharing no job is given a core that another job has.
    each_running_job([&](const job_record_t& job) {
        const job_record_t* other = &job;  // Slurm's macros want a pointer's name
        const int n = position(*job.job_resrcs, node);
        if (n < 0 || !IS_JOB_RUNNING(other) || std::find(records.begin(), records.end(), other) != records.end())
            return;
        std::vector<bool> cores = cores_on(*job.job_resrcs, n);
        const auto count = std::count(cores.begin(), cores.end(), true);
        shares.push_back({std::move(cores), static_cast<int>(count)});
    });
    const bool beside_strangers = !shares.empty();
    std::vector<bool> specialised = specialised_cores(*node_record_table_ptr[node]);
    const auto count = std::count(specialised.begin(), specialised.end(), true);
    shares.push_back({std::move(specialised), static_cast<int>(count)});
    const std::size_t others = shares.size();
    for (job_record_t* record : records) {
        const int n = record->job_resrcs == nullptr ? -1 : position(*record->job_resrcs, node);
        if (n < 0) continue;
        Share share{cores_on(*record->job_resrcs, n), 0};
        if (record == not_booked) share.cores.assign(share.cores.size(), false);
        for (const policy::Held& held : running_.coscheduler().cores_of(record->job_id))
            if (held.nodes.contains(node)) share.wanted = held.cores;
        shares.push_back(std::move(share));
        there.push_back(record);
    }
    // Beside an unknown job this is expected: its state is older than all that the list of loans remembers.
    if (!redistribute(shares) && !beside_strangers)
        slurm_error("select/malleable: node %s has fewer cores than jobs have to have there; they keep what they have",
                    node_record_table_ptr[node]->name);
    for (std::size_t i = 0; i < there.size(); ++i) {
        job_resources_t& resources = *there[i]->job_resrcs;
        set_cores_on(resources, position(resources, node), shares[others + i].cores);
    }
}

void Books::reconcile_beside(const job_record_t& gone) {
    if (gone.job_resrcs == nullptr || gone.job_resrcs->node_bitmap == nullptr) return;
    const NodeSet nodes = node_set(gone.job_resrcs->node_bitmap);
    std::vector<JobId> beside;
    each_running_job([&](const job_record_t& job) {
        if (running_.coscheduler().knows(job.job_id) && !running_.nodes_of({job.job_id}).common(nodes).empty())
            beside.push_back(job.job_id);
    });
    if (!beside.empty()) reconcile(beside, nullptr);
}

void Books::set_limits(const std::vector<JobId>& changed) {
    for (const JobId id : changed) {
        job_record_t* record = record_of(id);
        const policy::RunningJob* running = running_.coscheduler().find(id);
        if (record == nullptr || running == nullptr || record->time_limit == INFINITE) continue;
        const uint32_t own = own_limit(*record);
        const uint32_t more = limit_for(*record, running->end - running->start, running->job.request) - own;
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
    if (!value_of(comment_of(*job), kLimitWord)) return;
    job->time_limit = own_limit(*job);
    set_comment(*job, with_value(comment_of(*job), kLimitWord, ""));
}

void Books::comment(JobId id) {
    job_record_t* record = record_of(id);
    if (record == nullptr) return;
    std::string text(comment_of(*record));
    const std::vector<JobId> with = running_.coscheduler().co_runners(id);
    if (!with.empty()) {
        if (since_.emplace(id, running_.last_now()).second)
            text = with_value(text, "since", clock_text(running_.last_now()));
        std::array<char, 32> slowdown{};
        const policy::RunningJob& running = *running_.coscheduler().find(id);
        std::snprintf(slowdown.data(), slowdown.size(), "%.2f", policy::slowdown(running.job, running.end));
        text = with_value(with_value(text, "sharing", text_of(with)), "slowdown", slowdown.data());
    } else if (const auto since = since_.find(id); since != since_.end()) {
        Seconds shared = running_.last_now() - since->second;
        if (const auto before = value_of(text, "shared")) shared += std::atol(std::string(*before).c_str());
        since_.erase(since);
        for (const char* word : {"since", "sharing", "slowdown"}) text = with_value(text, word, "");
        text = with_value(text, "shared", std::to_string(shared) + "s");
    }
    set_comment(*record, text);
}

void Books::note_delay(JobId id, Seconds seconds) const {
    job_record_t* record = record_of(id);
    if (record == nullptr) return;
    set_comment(*record, with_value(comment_of(*record), kDelayWord, std::to_string(seconds) + "s"));
    slurm_info("select/malleable: the start of job %u has been moved by %lld s in all", record->job_id,
               static_cast<long long>(seconds));
}

void Books::read_comment(const job_record_t& job) {
    const auto since = value_of(comment_of(job), "since");
    if (!since) return;
    Seconds& began = since_[job.job_id];
    began = parse_time(std::string(*since).data(), 1);
    if (began == 0) began = running_.last_now();  // an administrator wrote something else there
}

}  // namespace drom::slurm
