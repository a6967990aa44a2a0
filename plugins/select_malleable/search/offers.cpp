// SPDX-License-Identifier: GPL-2.0-or-later
// offers.cpp - asks cons_tres for starts, and remembers them.
#include "offers.hpp"

#include <algorithm>
#include <utility>

#include "select_malleable/slurmctld/bitmap_copy.hpp"
#include "select_malleable/slurmctld/comments.hpp"

namespace drom::slurm {

using policy::JobId;
using policy::Seconds;

namespace {

/// Asks cons_tres when the job would start on the nodes of its present partition. Nothing: never. No nodes: these are
/// not whole ones.
std::optional<Offer> ask_later(const Question& question, Seconds now) {
    job_record_t& job = *question.job;
    if (job.part_ptr == nullptr || job.part_ptr->node_bitmap == nullptr) return std::nullopt;
    const BitmapCopy nodes(job.part_ptr->node_bitmap);
    erase_unavailable(nodes);
    if (job.details->exc_node_bitmap != nullptr) bit_and_not(nodes, job.details->exc_node_bitmap);
    const time_t start_before = job.start_time;
    const uint64_t flags_before = job.bit_flags;
    job.bit_flags &= ~static_cast<uint64_t>(TEST_NOW_ONLY);
    Question later = question;
    later.nodes = nodes;
    later.mode = SELECT_MODE_WILL_RUN;
    later.candidates = nullptr;
    later.preempted = nullptr;
    const int answer = later.ask_for_any_time();
    const Seconds start = job.start_time;
    job.start_time = start_before;
    job.bit_flags = flags_before;
    if (answer != SLURM_SUCCESS) return std::nullopt;
    const int count = bit_set_count(nodes);
    return Offer{start, asks_for_whole_nodes(job, nodes, count) ? count : 0, now};
}

}  // namespace

void Offers::note_start(const JobInPartition& job, Seconds start) {
    constexpr std::size_t kRemembered = 65536;  // nothing tells of a job that is cancelled
    if (starts_.size() > kRemembered) starts_.clear();
    starts_[job] = {start, running_.now()};
}

const Offer* Offers::fresh(const Question& question) {
    constexpr Seconds kFresh = 5;
    const auto offered = made_.find(question.asked_in());
    const bool fresh = offered != made_.end() && running_.now() - offered->second.made <= kFresh;
    return fresh ? &offered->second : nullptr;
}

std::optional<Offer> Offers::estimate(const Question& question) {
    if (const Offer* offer = fresh(question)) return *offer;
    auto offer = ask_later(question, running_.last_now());
    if (!offer || offer->nodes == 0) return std::nullopt;
    offer->static_start = std::min(offer->static_start, start_elsewhere(question));
    return offer->static_start > running_.now() ? offer : std::nullopt;
}

std::optional<Offer> Offers::without_question(const Question& question) {
    if (const Offer* offer = fresh(question)) return *offer;
    const job_record_t& job = *question.job;
    if (job.part_ptr == nullptr || job.part_ptr->node_bitmap == nullptr) return std::nullopt;
    const int count = static_cast<int>(question.min_nodes);
    const auto whole = asks_for_whole_nodes_of_any(job, job.part_ptr->node_bitmap, count);
    if (whole == WholeNodes::kNone) return std::nullopt;
    const bool needs_start = whole == WholeNodes::kSome || question.min_nodes != question.max_nodes;
    if (needs_start || !says_why_it_waits(job)) return estimate(question);
    return Offer{policy::kNever, count, running_.now(), {}, false};
}

bool Offers::learn_start(const Question& question, Offer& offer) {
    auto estimated = estimate(question);
    if (!estimated || estimated->nodes != offer.nodes) return false;
    offer = *std::move(estimated);
    return true;
}

Seconds Offers::start_elsewhere(const Question& question) {
    Seconds earliest = policy::kNever;
    for (part_record_t* partition : other_partitions(*question.job))
        earliest = std::min(earliest, start_in(question, *partition));
    return earliest;
}

Seconds Offers::start_in(const Question& question, part_record_t& partition) {
    constexpr Seconds kOfLate = 60;
    const auto told = starts_.find({question.job->job_id, partition.name});
    if (told != starts_.end() && running_.now() - told->second.made <= kOfLate && told->second.at > running_.now())
        return told->second.at;
    part_record_t* const present = std::exchange(question.job->part_ptr, &partition);
    const auto offer = ask_later(question, running_.last_now());
    question.job->part_ptr = present;
    return offer ? offer->static_start : policy::kNever;
}

void Offers::forget(JobId id) {
    const auto is_of_job = [id](const auto& kept) { return kept.first.first == id; };
    std::erase_if(made_, is_of_job);
    std::erase_if(starts_, is_of_job);
}

void Offers::forget_all() {
    made_.clear();
    starts_.clear();
}

}  // namespace drom::slurm
