// SPDX-License-Identifier: BSD-3-Clause
// equipartition.cpp - equal shares, and split-phase execution.
#include "policy/resize/equipartition.hpp"

#include <algorithm>

namespace drom::policy {
namespace {

bool may_change(const Shareholder& job, Seconds min_gap, Seconds now) {
    return job.size == 0 || now - job.changed >= min_gap;
}

/// Gives the units one at a time to the smallest that may change.
void deal(std::vector<int>& sizes, const std::vector<bool>& open, std::span<const Shareholder> jobs, int units) {
    for (; units > 0; --units) {
        int* smallest = nullptr;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (open[i] && sizes[i] > 0 && sizes[i] < jobs[i].max && (smallest == nullptr || sizes[i] < *smallest))
                smallest = &sizes[i];
        if (smallest == nullptr) return;
        ++*smallest;
    }
}

}  // namespace

std::vector<int> equal_shares(std::span<const Shareholder> jobs, int units, Seconds min_gap, Seconds now) {
    std::vector<int> sizes;
    std::vector<bool> open;
    for (const Shareholder& job : jobs) {
        open.push_back(may_change(job, min_gap, now));
        sizes.push_back(job.size == 0 ? 0 : open.back() ? std::min(job.size, job.min) : job.size);
        units -= sizes.back();
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (jobs[i].size != 0) continue;
        if (units < jobs[i].min) break;  // first come, first served
        sizes[i] = jobs[i].min;
        units -= jobs[i].min;
    }
    deal(sizes, open, jobs, units);
    return sizes;
}

Seconds min_gap_for(Seconds cost) noexcept { return 10 * cost; }

// ---- split-phase execution -------------------------------------------------------------------------------------

std::vector<Step> SplitPhase::plan(std::span<const Step> steps, Seconds now) {
    waiting_.clear();
    std::vector<Step> posted;
    for (const Step& step : steps) {
        if (shrinking_.contains(step.job) || step.from == step.to) continue;
        if (!step.shrinks()) {
            waiting_.push_back(step);
            continue;
        }
        shrinking_[step.job] = {step, now + patience_};
        posted.push_back(step);
    }
    const std::vector<Step> more = post();
    posted.insert(posted.end(), more.begin(), more.end());
    return posted;
}

std::vector<Step> SplitPhase::acknowledged(JobId job) {
    const auto found = shrinking_.find(job);
    if (found == shrinking_.end()) return {};
    free_ += found->second.step.from - found->second.step.to;
    shrinking_.erase(found);
    return post();
}

void SplitPhase::forget(JobId job, int units) {
    shrinking_.erase(job);
    std::erase_if(waiting_, [job](const Step& step) { return step.job == job; });
    free_ += units;
}

std::vector<Step> SplitPhase::expire(Seconds now) {
    std::vector<Step> late;
    for (const auto& [job, posted] : shrinking_)
        if (posted.deadline <= now) late.push_back(posted.step);
    for (const Step& step : late) shrinking_.erase(step.job);
    if (!late.empty()) waiting_.clear();
    return late;
}

Seconds SplitPhase::deadline() const {
    Seconds first = kNever;
    for (const auto& [job, posted] : shrinking_) first = std::min(first, posted.deadline);
    return first;
}

// In order of the plan; a step that fits passes one that does not, as the two share no job.
std::vector<Step> SplitPhase::post() {
    std::vector<Step> posted;
    for (const Step& step : waiting_) {
        if (step.to - step.from > free_) continue;
        free_ -= step.to - step.from;
        posted.push_back(step);
    }
    std::erase_if(waiting_,
                  [&](const Step& step) { return std::find(posted.begin(), posted.end(), step) != posted.end(); });
    return posted;
}

}  // namespace drom::policy
