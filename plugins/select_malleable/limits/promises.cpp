// SPDX-License-Identifier: GPL-2.0-or-later
// promises.cpp - reads starts and planned nodes of waiting jobs.
#include "promises.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "common/admin_comment.hpp"
#include "common/slurm_text.hpp"
#include "select_malleable/slurmctld/comments.hpp"
#include "select_malleable/state/shared_jobs.hpp"

namespace drom::slurm {

using policy::NodeSet;
using policy::Promise;
using policy::Seconds;

namespace {

template <class Body>
void each_partition(const job_record_t& job, const Body& body) {
    if (job.part_ptr_list == nullptr) {
        if (job.part_ptr != nullptr) body(*job.part_ptr);
        return;
    }
    list_itr_t* each = list_iterator_create(job.part_ptr_list);
    while (const auto* partition = static_cast<const part_record_t*>(list_next(each))) body(*partition);
    list_iterator_destroy(each);
}

NodeSet nodes_of_partitions(const job_record_t& job) {
    NodeSet nodes;
    each_partition(job, [&nodes](const part_record_t& partition) { nodes.insert(node_set(partition.node_bitmap)); });
    return nodes;
}

int highest_tier(const job_record_t& job) {
    int tier = 0;
    each_partition(job,
                   [&tier](const part_record_t& partition) { tier = std::max<int>(tier, partition.priority_tier); });
    return tier;
}

uint32_t highest_priority(const job_record_t& job) {
    uint32_t priority = job.priority;
    const uint32_t* const each = priorities_by_partition(job);
    if (job.part_ptr_list == nullptr || each == nullptr) return priority;
    for (int i = 0; i < list_count(job.part_ptr_list); ++i) priority = std::max(priority, each[i]);
    return priority;
}

/// Returns whether the other job is certainly behind this one in the queue. Jobs that may preempt go before others.
bool is_behind(const job_record_t& other, const job_record_t& job) {
    if (slurm_conf.preempt_mode != PREEMPT_MODE_OFF || other.resv_name != nullptr || job.part_ptr == nullptr)
        return false;
    const int tier = highest_tier(other);
    if (tier != job.part_ptr->priority_tier) return tier < job.part_ptr->priority_tier;
    const uint32_t priority = highest_priority(other);
    return priority != job.priority ? priority < job.priority : other.job_id > job.job_id;
}

bool is_of_same_array(const job_record_t& a, const job_record_t& b) {
    return a.job_id == b.job_id || (a.array_job_id != 0 && a.array_job_id == b.array_job_id);
}

bool waits_for_nodes(const job_record_t& job) {
    return job.state_reason == WAIT_NO_REASON || job.state_reason == WAIT_PRIORITY ||
           job.state_reason == WAIT_RESOURCES;
}

/// Returns by how much the job was moved; for ever where the comment has a word about it that cannot be read.
Seconds moved(const job_record_t& job) {
    const SharedJob* known = shared_jobs().find(job.job_id);
    const Seconds remembered = known == nullptr ? 0 : known->delayed;
    const auto word = value_of(comment_of(job), kDelayWord);
    if (!word) return remembered;
    Seconds seconds = 0;
    const auto [end, error] = std::from_chars(word->data(), word->data() + word->size(), seconds);
    const bool good = error == std::errc() && word->substr(static_cast<std::size_t>(end - word->data())) == "s";
    return good && seconds >= 0 ? std::max(seconds, remembered) : policy::kNever;
}

}  // namespace

void Promises::note(const job_record_t& job, Seconds start, const bitstr_t* nodes) {
    if (job.array_recs == nullptr) return;
    const time_t cycle = slurmctld_diag_stats.bf_when_last_cycle;
    std::erase_if(arrays_, [cycle](const auto& noted) { return noted.second.cycle != cycle; });
    Promise& promise = arrays_.try_emplace(job.job_id, OfArray{cycle, {}}).first->second.promise;
    promise.start = std::min(promise.start.value_or(policy::kNever), start);
    promise.nodes.insert(node_set(nodes));
}

std::vector<Promise> Promises::before(const job_record_t& job, bool in_backfill) {
    std::vector<Promise> promises;
    list_itr_t* each = list_iterator_create(job_list);
    while (const auto* other = static_cast<const job_record_t*>(list_next(each))) {
        if (!IS_JOB_PENDING(other) || other->priority == 0 || is_of_same_array(*other, job)) continue;
        const bool planned = other->start_time != 0 && (in_backfill || !is_behind(*other, job));
        const bool unknown =
            other->start_time == 0 && !in_backfill && waits_for_nodes(*other) && !is_behind(*other, job);
        if (planned || unknown) promises.push_back(promise_of(*other));
    }
    list_iterator_destroy(each);
    return promises;
}

/// Returns what the job is promised. Where no nodes are planned they may be all that it can have.
Promise Promises::promise_of(const job_record_t& waiting) {
    Promise promise{waiting.job_id, {}, {}, moved(waiting)};
    if (waiting.start_time != 0) promise.start = waiting.start_time;
    const bool planned = waiting.start_time != 0 && waiting.sched_nodes != nullptr;
    promise.nodes = planned ? named(waiting.sched_nodes) : nodes_of_partitions(waiting);
    const auto array = arrays_.find(waiting.job_id);
    if (array == arrays_.end() || waiting.array_recs == nullptr) return promise;
    promise.start = std::min(array->second.promise.start, promise.start);
    promise.nodes.insert(array->second.promise.nodes);
    return promise;
}

const NodeSet& Promises::named(const char* nodes) {
    constexpr std::size_t kRemembered = 4096;
    const auto known = named_.find(std::string_view(nodes));
    if (known != named_.end()) return known->second;
    if (named_.size() > kRemembered) named_.clear();
    bitstr_t* bits = nullptr;
    read_nodes(nodes, bits);
    const NodeSet& set = named_[nodes] = node_set(bits);
    if (bits != nullptr) bit_free(bits);
    return set;
}

}  // namespace drom::slurm
