// SPDX-License-Identifier: BSD-3-Clause
// nearness.cpp - how near CPUs are.
#include "nearness.hpp"

namespace drom::partition {

namespace {
constexpr uint32_t kFarthest = 4;
}

uint32_t distance(const Location& a, const Location& b) noexcept {
    if (a.package != b.package) return kFarthest;
    if (a.numa != b.numa) return 3;
    if (a.l3 != b.l3) return 2;
    return a.core != b.core ? 1 : 0;
}

namespace {

/// Keeps for each CPU of `candidates` the sum of its distances to a set that changes by one CPU at a time.
class Spread {
public:
    Spread(const CpuSet& candidates, const CpuSet& others, const Location* locations) noexcept
        : candidates_(candidates), locations_(locations) {
        for (uint32_t other = others.first(); other < kMaxCpus; other = others.next(other + 1)) join(other);
    }
    void join(uint32_t other) noexcept { change(other, 1); }
    void leave(uint32_t other) noexcept { change(other, UINT32_MAX); }  // adds minus one, modulo 2^16
    [[nodiscard]] uint32_t of(uint32_t cpu) const noexcept { return sums_[cpu]; }

private:
    void change(uint32_t other, uint32_t sign) noexcept {
        for (uint32_t cpu = candidates_.first(); cpu < kMaxCpus; cpu = candidates_.next(cpu + 1))
            sums_[cpu] = static_cast<uint16_t>(sums_[cpu] + sign * distance(locations_[cpu], locations_[other]));
    }
    CpuSet candidates_;
    const Location* locations_;
    uint16_t sums_[kMaxCpus] = {};
    static_assert(kFarthest * kMaxCpus <= UINT16_MAX);
};

uint32_t nearest(const CpuSet& candidates, const Spread& spread) noexcept {
    uint32_t best = candidates.first();
    for (uint32_t cpu = best; cpu < kMaxCpus; cpu = candidates.next(cpu + 1))
        if (spread.of(cpu) < spread.of(best)) best = cpu;
    return best;
}

uint32_t farthest(const CpuSet& candidates, const Spread& spread) noexcept {
    uint32_t worst = candidates.first();
    for (uint32_t cpu = worst; cpu < kMaxCpus; cpu = candidates.next(cpu + 1))
        if (spread.of(cpu) >= spread.of(worst)) worst = cpu;
    return worst;
}

}  // namespace

CpuSet choose_near(const CpuSet& base, const CpuSet& candidates, uint32_t count, const Location* locations) noexcept {
    CpuSet chosen{};
    CpuSet left = candidates - base;
    if (count == 0 || left.none()) return chosen;
    if (base.none()) {
        // There is nothing to be near to: begin where most candidates are together.
        const uint32_t seed = nearest(left, Spread(left, left, locations));
        chosen.add(seed);
        left.remove(seed);
    }
    Spread spread(left, base | chosen, locations);
    while (chosen.count() < count && !left.none()) {
        const uint32_t cpu = nearest(left, spread);
        chosen.add(cpu);
        left.remove(cpu);
        spread.join(cpu);
    }
    return chosen;
}

CpuSet choose_far(const CpuSet& mine, uint32_t count, const Location* locations) noexcept {
    CpuSet given{};
    CpuSet kept = mine;
    Spread spread(mine, mine, locations);
    while (given.count() < count && !kept.none()) {
        const uint32_t cpu = farthest(kept, spread);
        given.add(cpu);
        kept.remove(cpu);
        spread.leave(cpu);
    }
    return given;
}

}  // namespace drom::partition
