// SPDX-License-Identifier: BSD-3-Clause
// ranges.cpp - ranges, balancing, filling, victims.
#include "policy/resize/ranges.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace drom::policy {

SizeRange range_of(int size, int min, int max, const Communication& mtct, const EfficiencyRules& rules) {
    if (!mtct.known) return {false, false, size, size};
    if (mtct.mean > rules.upper || mtct.trend > rules.upper) {
        const int half = std::max(min, size / 2);
        return {half < size, false, half, half};
    }
    if (mtct.mean < rules.lower && mtct.trend < rules.lower) {
        const int twice = std::max(size, std::min<int>(max, 2 * size));
        return {false, twice > size, min, twice};
    }
    return {false, false, min, size};
}

namespace {

/// A job's wanted size, not yet whole.
struct Level {
    double weight = 0, size = 0;
    bool fixed = false;
};

double weight_of(const Balanced& job) { return job.size * std::max(job.remaining, 0.0); }

/// Spreads `nodes` over the jobs that are not fixed, by weight.
void spread(std::vector<Level>& levels, double nodes) {
    double weights = 0;
    int open = 0;
    for (const Level& level : levels)
        if (!level.fixed) weights += level.weight, ++open;
    for (Level& level : levels)
        if (!level.fixed) level.size = weights > 0 ? nodes * level.weight / weights : nodes / open;
}

double clamped(const Level& level, const Balanced& job) { return std::clamp<double>(level.size, job.low, job.high); }

/// Fixes at their bounds the jobs that violate them, on the side where more is missing. Returns the nodes so used, or
/// nothing when no job violates its bounds.
std::optional<double> fix_violators(std::vector<Level>& levels, std::span<const Balanced> jobs) {
    double excess = 0;
    bool any = false;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (levels[i].fixed) continue;
        const double change = clamped(levels[i], jobs[i]) - levels[i].size;
        excess += change;
        any = any || change != 0;
    }
    if (!any) return std::nullopt;
    double used = 0;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const double bound = clamped(levels[i], jobs[i]), change = bound - levels[i].size;
        if (levels[i].fixed || change == 0 || change * excess < 0) continue;
        levels[i].size = bound;
        levels[i].fixed = true;
        used += bound;
    }
    return used;
}

std::vector<Level> water_levels(std::span<const Balanced> jobs, double nodes) {
    std::vector<Level> levels;
    for (const Balanced& job : jobs) levels.push_back({weight_of(job), 0, false});
    spread(levels, nodes);
    while (const auto used = fix_violators(levels, jobs)) {
        nodes -= *used;
        spread(levels, nodes);
    }
    return levels;
}

}  // namespace

std::vector<int> balance(std::span<const Balanced> jobs, int idle) {
    int nodes = idle, low = 0, high = 0;
    for (const Balanced& job : jobs) nodes += job.size, low += job.low, high += job.high;
    nodes = std::clamp(nodes, low, high);
    const std::vector<Level> levels = water_levels(jobs, nodes);
    std::vector<int> sizes;
    for (const Level& level : levels) sizes.push_back(static_cast<int>(std::floor(level.size + 1e-9)));
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto remainder = [&](std::size_t i) { return levels[i].size - sizes[i]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return remainder(a) > remainder(b) + 1e-9; });
    int missing = nodes - std::accumulate(sizes.begin(), sizes.end(), 0);
    for (const std::size_t i : order)
        if (missing > 0 && sizes[i] < jobs[i].high) ++sizes[i], --missing;
    return sizes;
}

std::vector<int> fill(std::span<const Growable> jobs, int idle) {
    std::vector<int> sizes;
    for (const Growable& job : jobs) sizes.push_back(job.size);
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return jobs[a].remaining > jobs[b].remaining; });
    for (const std::size_t i : order) {
        const int size = jobs[i].sizes.largest_within(sizes[i], std::min(jobs[i].high, sizes[i] + idle));
        idle -= size - sizes[i];
        sizes[i] = size;
    }
    return sizes;
}

namespace {

/// Returns the least number of victims that covers the deficit; 0 when all do not.
std::size_t min_count(std::span<const Victim> victims, int deficit) {
    std::vector<int> gives;
    for (const Victim& victim : victims) gives.push_back(victim.gives);
    std::sort(gives.rbegin(), gives.rend());
    for (std::size_t i = 0; i < gives.size(); ++i) {
        deficit -= gives[i];
        if (deficit <= 0) return i + 1;
    }
    return 0;
}

constexpr double kImpossible = 1e300;

/// Least damage of sets by their number of victims and the nodes that they give, counted up to the deficit.
class DamageTable {
public:
    DamageTable(std::size_t victims, std::size_t count, std::size_t deficit)
        : count_(count), deficit_(deficit), cells_((victims + 1) * (count + 1) * (deficit + 1), kImpossible) {
        at(0, 0, 0) = 0;
    }
    double& at(std::size_t looked_at, std::size_t chosen, std::size_t nodes) {
        return cells_[(looked_at * (count_ + 1) + chosen) * (deficit_ + 1) + nodes];
    }
    void add(std::size_t i, const Victim& victim) {
        for (std::size_t chosen = 0; chosen <= count_; ++chosen)
            for (std::size_t nodes = 0; nodes <= deficit_; ++nodes) {
                const double damage = at(i, chosen, nodes);
                if (damage >= kImpossible) continue;
                lower(at(i + 1, chosen, nodes), damage);
                if (chosen < count_) lower(at(i + 1, chosen + 1, with(nodes, victim)), damage + victim.damage);
            }
    }
    /// Returns the victims of the best set, in their order in `victims`.
    std::vector<std::size_t> best(std::span<const Victim> victims) {
        std::vector<std::size_t> set;
        std::size_t chosen = count_, nodes = deficit_;
        for (std::size_t i = victims.size(); i-- > 0;) {
            if (at(i, chosen, nodes) == at(i + 1, chosen, nodes)) continue;
            set.push_back(i);
            nodes = before(i, chosen, nodes, victims[i]);
            --chosen;
        }
        std::reverse(set.begin(), set.end());
        return set;
    }

private:
    static void lower(double& cell, double damage) { cell = std::min(cell, damage); }
    std::size_t with(std::size_t nodes, const Victim& victim) const {
        return std::min(deficit_, nodes + static_cast<std::size_t>(std::max(victim.gives, 0)));
    }
    std::size_t before(std::size_t i, std::size_t chosen, std::size_t nodes, const Victim& victim) {
        for (std::size_t from = 0; from <= nodes; ++from)
            if (with(from, victim) == nodes && at(i, chosen - 1, from) + victim.damage == at(i + 1, chosen, nodes))
                return from;
        return nodes;
    }

    std::size_t count_, deficit_;
    std::vector<double> cells_;
};

}  // namespace

std::vector<std::size_t> choose_victims(std::span<const Victim> victims, int deficit) {
    const std::size_t count = deficit > 0 ? min_count(victims, deficit) : 0;
    if (count == 0) return {};
    DamageTable table(victims.size(), count, static_cast<std::size_t>(deficit));
    for (std::size_t i = 0; i < victims.size(); ++i) table.add(i, victims[i]);
    return table.best(victims);
}

// ---- a tick ----------------------------------------------------------------------------------------------------

namespace {

SizeRange range_of(const JobAtTick& job, const EfficiencyRules& rules) {
    return drom::policy::range_of(job.size, job.min, job.sizes.max, job.mtct, rules);
}

}  // namespace

std::vector<int> sizes_at_tick(std::span<const JobAtTick> jobs, int idle, const EfficiencyRules& rules) {
    std::vector<Growable> growable;
    for (const JobAtTick& job : jobs) {
        const SizeRange range = range_of(job, rules);
        growable.push_back({job.size, job.remaining, range.may_grow ? range.high : job.size, job.sizes});
    }
    std::vector<int> sizes = fill(growable, idle);
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (const SizeRange range = range_of(jobs[i], rules); range.must_shrink) sizes[i] = range.high;
    return sizes;
}

std::vector<int> make_room(std::span<const JobAtTick> jobs, int deficit, int priority, const EfficiencyRules& rules) {
    std::vector<Victim> victims;
    for (const JobAtTick& job : jobs) {
        const SizeRange range = range_of(job, rules);
        const int gives = job.priority < priority ? std::max(0, job.size - range.low) : 0;
        victims.push_back({gives, static_cast<double>(gives) / (job.size - gives)});
    }
    std::vector<int> sizes;
    for (const JobAtTick& job : jobs) sizes.push_back(job.size);
    const std::vector<std::size_t> chosen = choose_victims(victims, deficit);
    if (chosen.empty()) return {};
    std::vector<Balanced> set;
    for (const std::size_t i : chosen)
        set.push_back({jobs[i].size, jobs[i].remaining, jobs[i].size - victims[i].gives, jobs[i].size});
    const std::vector<int> balanced = balance(set, -deficit);
    for (std::size_t k = 0; k < chosen.size(); ++k) sizes[chosen[k]] = balanced[k];
    return sizes;
}

}  // namespace drom::policy
