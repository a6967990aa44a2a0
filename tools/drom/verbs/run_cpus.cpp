// SPDX-License-Identifier: BSD-3-Clause
// run_cpus.cpp - which CPUs a newcomer gets.
#include "verbs/run_cpus.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/format.hpp"

namespace drom::command {

namespace {

/// How many levels one must climb from `cpu` to meet a CPU of `group`; levels.size() when they share nothing.
size_t steps_to(unsigned cpu, const CpuSet& group, const std::vector<Domains>& levels) {
    for (size_t level = 0; level < levels.size(); ++level)
        for (const CpuSet& domain : levels[level])
            if (domain.has(cpu) && domain.intersects(group)) return level;
    return levels.size();
}

/// Returns the narrowest domain that holds `count` CPUs of the pool: the one with the least to spare. Of equals it is
/// the first, or the last when high numbers are wanted. Returns the whole pool when no domain holds as many.
CpuSet home_of(const CpuSet& pool, unsigned count, const std::vector<Domains>& levels, bool high) {
    for (const Domains& level : levels) {
        const CpuSet* best = nullptr;
        for (const CpuSet& domain : level) {
            const unsigned room = (domain & pool).count();
            const unsigned min = best == nullptr ? CpuSet::kMaxCpus : (*best & pool).count();
            if (room >= count && (room < min || (room == min && high))) best = &domain;
        }
        if (best != nullptr) return *best & pool;
    }
    return pool;
}

unsigned nearest_one(const CpuSet& pool, const CpuSet& around, const std::vector<Domains>& levels, bool high) {
    unsigned best = CpuSet::kMaxCpus;
    size_t best_steps = SIZE_MAX;
    for (unsigned cpu : pool) {
        const size_t steps = around.empty() ? 0 : steps_to(cpu, around, levels);
        if (steps > best_steps || (steps == best_steps && !high)) continue;
        best = cpu;
        best_steps = steps;
    }
    return best;
}

/// The CPUs that a client can be asked for: none of a rigid one, nothing below its minimum.
unsigned spare(const Share& share, const CpuSet& taken) {
    const unsigned left = (share.cpus - taken).count();
    const unsigned min = std::max(1U, share.min_cpus);
    return share.rigid || left <= min ? 0 : left - min;
}

/// The client with the most CPUs that can still give one where the newcomer may run. Equal: the one that came last.
const Share* largest_giver(const Wish& wish, const CpuSet& taken) {
    const Share* best = nullptr;
    for (const Share& share : wish.shares) {
        if (spare(share, taken) == 0 || ((share.cpus - taken) & wish.allowed).empty()) continue;
        if (best == nullptr || (share.cpus - taken).count() >= (best->cpus - taken).count()) best = &share;
    }
    return best;
}

}  // namespace

CpuSet nearest_cpus(CpuSet pool, unsigned count, const CpuSet& around, const std::vector<Domains>& levels, bool high) {
    CpuSet chosen;
    if (around.empty() && pool.count() > count) pool = home_of(pool, count, levels, high);
    while (chosen.count() < count && !pool.empty()) {
        const unsigned cpu = nearest_one(pool, around | chosen, levels, high);
        chosen.add(cpu);
        pool.remove(cpu);
    }
    return chosen;
}

namespace {

/// "2 CPUs wanted (DROM_MIN_CPUS=2)".
std::string wanted_text(const Wish& wish) {
    return fmt::format("{} wanted{}", counted(wish.count, "CPU"),
                       wish.reason.empty() ? "" : fmt::format(" ({})", wish.reason));
}

Error too_few_allowed(const Wish& wish) {
    std::string text = fmt::format("{}, but {} may be used here", wanted_text(wish),
                                   wish.allowed.empty() ? "none" : fmt::format("only {}", wish.allowed.count()));
    if (!wish.allowed.empty()) text += fmt::format(" ({})", wish.allowed.text());
    const bool later = wish.allowed.count() + wish.drained.count() >= wish.count;
    if (!wish.drained.empty())
        text += fmt::format("; drom restore gives back {}, drained now", cpus_text(wish.drained));
    return {later ? DROM_E_BUSY : DROM_E_NOCPU, text};
}

/// `free` were, and `taken` more could be.
Error too_few_now(const Wish& wish, unsigned free, unsigned taken) {
    const std::string drained = wish.drained.empty() ? "" : "; drained: " + wish.drained.text();
    std::string text = fmt::format(
        "{}; {} free and {} more can be taken (clients keep their minimum{}); ask for fewer, or wait until one "
        "ends",
        wanted_text(wish), free, taken, drained);
    // Inside another program of drom's, for instance.
    if (const CpuSet elsewhere = wish.free - wish.allowed; !elsewhere.empty())
        text +=
            fmt::format("; free outside this process's affinity ({}): {}", wish.allowed.text(), cpus_text(elsewhere));
    return {DROM_E_BUSY, text};
}

}  // namespace

Expected<Choice> choose_cpus(const Wish& wish) {
    if (wish.allowed.count() < wish.count) return tl::make_unexpected(too_few_allowed(wish));
    Choice choice;
    choice.cpus = nearest_cpus(wish.free & wish.allowed, wish.count, {}, wish.levels);
    const unsigned free = choice.cpus.count();
    while (choice.cpus.count() < wish.count) {
        const Share* giver = largest_giver(wish, choice.cpus);
        if (giver == nullptr) return tl::make_unexpected(too_few_now(wish, free, choice.cpus.count() - free));
        const CpuSet pool = (giver->cpus - choice.cpus) & wish.allowed;
        choice.cpus = choice.cpus | nearest_cpus(pool, 1, choice.cpus, wish.levels, true);
        choice.takes = true;
    }
    return choice;
}

unsigned equal_share(unsigned cpus, size_t owners) { return std::max(1U, static_cast<unsigned>(cpus / (owners + 1))); }

}  // namespace drom::command
