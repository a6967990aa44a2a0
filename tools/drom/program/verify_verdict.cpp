// SPDX-License-Identifier: BSD-3-Clause
// verify_verdict.cpp - what may be concluded from the runs of a drom verify.
#include "program/verify_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "program/verify_perturbation.hpp"

namespace drom::command {

unsigned ModeResult::right() const {
    return static_cast<unsigned>(std::ranges::count_if(trials, [](const Trial& trial) { return trial.fault.empty(); }));
}

unsigned ModeResult::requests() const {
    unsigned sum = 0;
    for (const Trial& trial : trials) sum += trial.requests;
    return sum;
}

const Trial* ModeResult::first_wrong() const {
    const auto found = std::ranges::find_if(trials, [](const Trial& trial) { return !trial.fault.empty(); });
    return found == trials.end() ? nullptr : &*found;
}

bool ModeResult::has_evidence() const {
    if (trials.empty()) return false;
    unsigned disturbed[kRunKinds] = {};
    for (unsigned i = 0; i < trials.size(); ++i) disturbed[i % kRunKinds] += trials[i].requests;
    const auto kinds = std::min<size_t>(trials.size(), kRunKinds);
    return std::all_of(disturbed, disturbed + kinds, [](unsigned requests) { return requests > 0; });
}

bool is_beyond_chance(const ModeResult& mode, unsigned undisturbed) {
    const auto all = static_cast<unsigned>(mode.trials.size());
    double chance = 1;
    for (unsigned i = 0; i < all - mode.right(); ++i) chance *= static_cast<double>(all - i) / (all + undisturbed - i);
    return chance <= 0.05;
}

namespace {

/// Returns how many values at each end may be left out, so that the rest still holds the median with a probability of
/// 0.95: the values below the median are as many as heads in that many throws of a coin.
size_t beyond_doubt(size_t count) {
    double chance = std::pow(0.5, static_cast<double>(count));
    double below = chance;
    size_t left_out = 0;
    while (below <= 0.025 && left_out < count / 2) {
        ++left_out;
        chance *= static_cast<double>(count - left_out + 1) / static_cast<double>(left_out);
        below += chance;
    }
    return left_out == 0 ? 0 : left_out - 1;
}

}  // namespace

Interval interval_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::ranges::sort(values);
    const size_t skipped = beyond_doubt(values.size());
    const double median = (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
    return {median, values[skipped], values[values.size() - 1 - skipped]};
}

std::vector<double> ratios_of(const ModeResult& mode, const ModeResult& base) {
    std::vector<double> ratios;
    for (size_t i = 0; i < std::min(mode.trials.size(), base.trials.size()); ++i)
        if (base.trials[i].cpu_s > 0) ratios.push_back(mode.trials[i].cpu_s / base.trials[i].cpu_s);
    return ratios;
}

namespace {

/// Fewer rounds cannot tell a difference from chance.
constexpr size_t kMinRounds = 5;

Verdict compare(const ModeResult& keep, const ModeResult& follow) {
    const auto ratios = ratios_of(follow, keep);
    if (ratios.size() < kMinRounds)
        return {"keep",
                fmt::format("keep and follow are right; fewer than {} runs cannot tell which is faster", kMinRounds)};
    const Interval ratio = interval_of(ratios);
    const std::string times =
        fmt::format("{:.2f} ({:.2f} to {:.2f}) of keep's CPU time", ratio.median, ratio.low, ratio.high);
    if (ratio.high < 1) return {"follow", "keep and follow are right; follow takes " + times};
    return {"keep", "keep and follow are right; follow takes " + times + ", which is no gain beyond doubt"};
}

Verdict verdict_on_wrong(const ModeResult& mode, unsigned undisturbed, Verdict verdict) {
    if (is_beyond_chance(mode, undisturbed)) return verdict;
    return {"", fmt::format("{} was wrong in {} of {} runs, and none of {} undisturbed ones was, which may be chance; "
                            "find its cause, or give --check",
                            mode.mode, mode.trials.size() - mode.right(), mode.trials.size(), undisturbed)};
}

}  // namespace

Verdict verdict_on(const ModeResult& keep, const ModeResult& follow, unsigned undisturbed) {
    if (keep.first_wrong() != nullptr)
        return verdict_on_wrong(keep, undisturbed, {"rigid", "even keep is not right: the program is rigid"});
    if (!keep.has_evidence())  // mutant evidence
        return {"", "too few requests reached it while it ran; give it more work, or more --runs"};
    if (follow.first_wrong() != nullptr)
        return verdict_on_wrong(follow, undisturbed, {"keep", "keep is right, follow is not"});
    if (!follow.has_evidence())
        return {"", "too few requests reached it under follow; give it more work, or more --runs"};
    return compare(keep, follow);
}

}  // namespace drom::command
