// SPDX-License-Identifier: BSD-3-Clause
// choice.cpp - which CPUs of a node a client or a job gets.
#include "choice.hpp"

#include <algorithm>
#include <compare>
#include <new>
#include <tuple>
#include <type_traits>

namespace drom::partition {

namespace {

enum Level : uint32_t { kPackage, kNuma, kL3, kCore, kLevels };

/// Returns whether two CPUs are in the same domain of a level. Numbers may be used again in another package.
bool together(const Location& a, const Location& b, uint32_t level) noexcept {
    return a.package == b.package && (level < kNuma || a.numa == b.numa) && (level < kL3 || a.l3 == b.l3) &&
           (level < kCore || a.core == b.core);
}

/// The CPUs of a node in list order: those of a core are adjacent, then those of an L3, a NUMA node, a package.
struct List {
    uint32_t size = 0;
    uint16_t cpu[kMaxCpus];
    uint16_t begin[kLevels][kMaxCpus];  ///< of each position: the first position of its domain, which names the domain

    List(const CpuSet& cpus, const Location* locations) noexcept {
        for (uint32_t next = cpus.first(); next < kMaxCpus; next = cpus.next(next + 1))
            cpu[size++] = static_cast<uint16_t>(next);
        const auto key = [locations](uint16_t number) {
            const Location& location = locations[number];
            return std::tuple(location.package, location.numa, location.l3, location.core, number);
        };
        std::sort(cpu, cpu + size, [&](uint16_t a, uint16_t b) { return key(a) < key(b); });
        for (uint32_t level = 0; level < kLevels; ++level)
            for (uint32_t at = 0; at < size; ++at) {
                const bool same = at > 0 && together(locations[cpu[at - 1]], locations[cpu[at]], level);
                begin[level][at] = same ? begin[level][at - 1] : static_cast<uint16_t>(at);
            }
    }
    [[nodiscard]] uint32_t end(uint32_t level, uint32_t at) const noexcept {
        const uint16_t domain = begin[level][at];
        while (at < size && begin[level][at] == domain) ++at;
        return at;
    }
};

/// Positions of the list.
struct Range {
    uint32_t first, last;
    friend bool operator==(const Range&, const Range&) = default;
};

/// Smaller is better. Packages, NUMA nodes and L3s are three fields of one number.
struct Score {
    uint64_t waste = 0, strangers = 0, shares = 0, domains = 0;
    friend auto operator<=>(const Score&, const Score&) = default;
};

class Attempts {
public:
    Attempts(const Occupancy& occupancy, const Demand& demand) noexcept
        : occupancy_(occupancy),
          demand_(demand),
          list_(occupancy.cpus, occupancy.locations),
          newcomer_(occupancy.jobs) {
        for (uint32_t at = 0; at < list_.size; ++at) {
            const uint16_t occupant = occupancy_.at[list_.cpu[at]];
            if (occupant != kVacant)
                for (uint32_t level = 0; level < kLevels; ++level) others_[level].add(list_.begin[level][at]);
        }
    }

    Choice run() noexcept {
        for (const uint32_t level : {kL3, kNuma, kPackage})
            for (Range domain{0, 0}; domain.first < list_.size; domain.first = domain.last) {
                domain.last = list_.end(level, domain.first);
                if (!(domain == around(level, domain.first))) attempt(domain);
            }
        attempt({0, list_.size});
        return best_;
    }

private:
    /// Returns the domain of the next wider level.
    [[nodiscard]] Range around(uint32_t level, uint32_t at) const noexcept {
        if (level == kPackage) return {0, list_.size};
        return {list_.begin[level - 1][at], list_.end(level - 1, at)};
    }

    void attempt(const Range& within) noexcept {
        begin_anew();
        Range core = next_core(within);
        while (core.first < core.last) {
            take(core);
            const Range next = next_core(within);
            const bool leaves = next.first == next.last || list_.begin[kL3][next.first] != list_.begin[kL3][core.first];
            if (leaves) consider();
            core = next;
        }
    }

    void begin_anew() noexcept {
        choice_ = {};
        got_ = taken_ = waste_ = 0;
        for (uint32_t i = 0; i < occupancy_.occupant_count; ++i) size_[i] = lost_[i] = 0;
        for (uint32_t i = 0; i <= occupancy_.jobs; ++i) job_size_[i] = job_lost_[i] = 0;
        for (CpuSet& domains : mine_) domains = CpuSet::empty();
        for (uint32_t at = 0; at < list_.size; ++at) {
            const uint32_t cpu = list_.cpu[at];
            if (demand_.near.has(cpu)) {
                enter(at);
            } else if (occupancy_.at[cpu] != kVacant) {
                ++size_[occupancy_.at[cpu]];
                ++job_size_[job_at(cpu)];
            }
        }
    }

    void enter(uint32_t at) noexcept {
        for (uint32_t level = 0; level < kLevels; ++level) mine_[level].add(list_.begin[level][at]);
        ++job_size_[newcomer_];
    }

    [[nodiscard]] uint32_t job_at(uint32_t cpu) const noexcept { return occupancy_.occupants[occupancy_.at[cpu]].job; }
    [[nodiscard]] bool is_held(uint32_t cpu) const noexcept { return occupancy_.at[cpu] != kVacant; }
    [[nodiscard]] bool may_move(uint32_t cpu) const noexcept {
        return demand_.among.has(cpu) && !choice_.left.has(cpu) && !demand_.near.has(cpu);
    }

    /// Returns whether the occupant of this CPU can do without one more.
    [[nodiscard]] bool can_lose(uint32_t cpu) const noexcept {
        if (!is_held(cpu)) return true;
        const uint16_t occupant = occupancy_.at[cpu];
        const bool more = demand_.whole_cores || taken_ < demand_.may_take;
        return more && lost_[occupant] < occupancy_.occupants[occupant].may_lose &&  // mutant may-lose
               job_lost_[job_at(cpu)] < occupancy_.job_may_lose[job_at(cpu)];
    }
    void count(uint32_t cpu, int lost) noexcept {
        if (!is_held(cpu)) return;
        const auto change = [](uint16_t& number, int by) { number = static_cast<uint16_t>(number + by); };
        change(lost_[occupancy_.at[cpu]], lost);
        change(job_lost_[job_at(cpu)], lost);
        taken_ += static_cast<uint32_t>(lost);
    }

    /// Returns whether all CPUs of the core that may move can do so at once.
    bool can_move_whole(const Range& core) noexcept {
        uint32_t at = core.first;
        bool any = false;
        const uint32_t before = taken_;
        for (; at < core.last; ++at) {
            if (!may_move(list_.cpu[at])) continue;
            if (!can_lose(list_.cpu[at])) break;
            count(list_.cpu[at], 1);
            any = true;
        }
        const bool fits = any && at == core.last && (taken_ == before || before < demand_.may_take);
        while (at-- > core.first)
            if (may_move(list_.cpu[at])) count(list_.cpu[at], -1);
        return fits;
    }
    bool can_move(const Range& core) noexcept {
        if (demand_.whole_cores) return can_move_whole(core);
        for (uint32_t at = core.first; at < core.last; ++at)
            if (may_move(list_.cpu[at]) && can_lose(list_.cpu[at])) return true;
        return false;
    }

    /// Takes a core: of clients the last CPU first.
    void take(const Range& core) noexcept {
        const bool given = giver(core) != kMaxCpus;
        for (uint32_t i = 0; i < core.last - core.first; ++i) {
            const uint32_t at = given ? core.last - 1 - i : core.first + i;
            if (got_ == demand_.max && !demand_.whole_cores) return;
            if (may_move(list_.cpu[at]) && can_lose(list_.cpu[at])) take(at);
        }
    }
    void take(uint32_t at) noexcept {
        const uint32_t cpu = list_.cpu[at];
        count(cpu, 1);
        if (is_held(cpu)) {
            --size_[occupancy_.at[cpu]];
            --job_size_[job_at(cpu)];
        }
        choice_.left.add(cpu);
        if (got_ == demand_.max) {
            ++waste_;
            return;
        }
        choice_.cpus.add(cpu);
        ++got_;
        enter(at);
    }

    /// Returns the core within these positions to take next, or nothing.
    Range next_core(const Range& within) noexcept {
        Range best{within.last, within.last};
        if (got_ == demand_.max) return best;
        uint64_t best_rank = UINT64_MAX;
        for (Range core{within.first, within.first}; core.first < within.last; core.first = core.last) {
            core.last = list_.end(kCore, core.first);
            if (!can_move(core)) continue;
            const uint64_t rank = rank_of(core);
            if (rank >= best_rank) continue;
            best_rank = rank;
            best = core;
        }
        return best;
    }

    /// Returns the first CPU of the core that a client gives, or kMaxCpus when the core is free. One free CPU is enough
    /// where cores need not move whole.
    [[nodiscard]] uint32_t giver(const Range& core) const noexcept {
        uint32_t giver = kMaxCpus;
        for (uint32_t at = core.last; at-- > core.first;) {
            if (!may_move(list_.cpu[at])) continue;
            if (is_held(list_.cpu[at]))
                giver = list_.cpu[at];
            else if (!demand_.whole_cores)
                return kMaxCpus;
        }
        return giver;
    }

    /// Returns a rank; a smaller one is better: free; whole; no domain where others are and this job is not, wide ones
    /// first; near the CPUs that it has; of the largest job and its largest client. Then free cores from the first,
    /// others from the last.
    [[nodiscard]] uint64_t rank_of(const Range& core) noexcept {
        const uint32_t giver = this->giver(core);
        const bool held = giver != kMaxCpus;
        const bool whole = demand_.whole_cores || can_move_whole(core);
        uint64_t rank = (held ? 2U : 0U) + (whole ? 0U : 1U);
        uint32_t near = 0;
        for (uint32_t level = 0; level < kLevels; ++level) {
            const uint16_t domain = list_.begin[level][core.first];
            const bool mine = mine_[level].has(domain);
            rank = rank << 1 | (!mine && others_[level].has(domain) ? 1 : 0);
            near += mine ? 1 : 0;
        }
        rank = rank << 3 | (kLevels - near);
        rank = rank << 13 | (held ? kMaxCpus - job_size_[job_at(giver)] : 0);
        rank = rank << 13 | (held ? kMaxCpus - size_[occupancy_.at[giver]] : 0);
        return rank << 13 | (held ? kMaxCpus - core.first : core.first);
    }

    void consider() noexcept {
        if (got_ < demand_.min || got_ == 0) return;
        const Score score = this->score();
        // Of equal ones the last, unless it is free.
        if (found_ && (taken_ > 0 ? best_score_ < score : best_score_ <= score)) return;
        found_ = true;
        best_score_ = score;
        best_ = choice_;
    }

    [[nodiscard]] uint32_t job_after(uint32_t cpu) const noexcept {
        if (choice_.cpus.has(cpu) || demand_.near.has(cpu)) return newcomer_;
        return choice_.left.has(cpu) || !is_held(cpu) ? kVacant : job_at(cpu);
    }

    Score score() noexcept {
        Score score{waste_, 0, 0, 0};
        for (uint32_t level = 0; level < kCore; ++level) {
            uint32_t jobs = 0, domains = 0;
            count_jobs(level, jobs, domains);
            const uint32_t shift = 21 * (kL3 - level);
            score.strangers += uint64_t{jobs - domains} << shift;
            score.domains += uint64_t{jobs} << shift;
        }
        for (uint32_t job = 0; job <= newcomer_; ++job) {
            const uint64_t lacks = list_.size - job_size_[job];
            score.shares += lacks * lacks;
        }
        return score;
    }

    /// Counts the jobs in each domain of the level, and the domains where there is one.
    void count_jobs(uint32_t level, uint32_t& jobs, uint32_t& domains) noexcept {
        for (uint32_t job = 0; job <= newcomer_; ++job) seen_[job] = kVacant;
        uint16_t last = kVacant;
        for (uint32_t at = 0; at < list_.size; ++at) {
            const uint32_t job = job_after(list_.cpu[at]);
            const uint16_t domain = list_.begin[level][at];
            if (job == kVacant || seen_[job] == domain) continue;
            seen_[job] = domain;
            ++jobs;
            domains += last == domain ? 0 : 1;
            last = domain;
        }
    }

    const Occupancy& occupancy_;
    const Demand& demand_;
    const List list_;
    const uint32_t newcomer_;   ///< the number of its job
    CpuSet others_[kLevels]{};  ///< domains where clients are

    Choice choice_;
    CpuSet mine_[kLevels];  ///< domains where the newcomer is
    uint32_t got_ = 0, taken_ = 0, waste_ = 0;
    uint16_t size_[kMaxClients], lost_[kMaxClients];
    uint16_t job_size_[kMaxClients + 1], job_lost_[kMaxClients + 1], seen_[kMaxClients + 1];

    Choice best_;
    Score best_score_;
    bool found_ = false;
};

}  // namespace

uint16_t Occupancy::add_job(uint32_t may_lose) noexcept {
    job_may_lose[jobs] = static_cast<uint16_t>(std::min<uint32_t>(may_lose, kAnyNumber));
    return static_cast<uint16_t>(jobs++);
}

void Occupancy::add(uint32_t job, const CpuSet& has, uint32_t may_lose) noexcept {
    const auto number = static_cast<uint16_t>(occupant_count++);
    occupants[number] = {static_cast<uint16_t>(job), static_cast<uint16_t>(std::min<uint32_t>(may_lose, kAnyNumber))};
    for (uint32_t cpu = has.first(); cpu < kMaxCpus; cpu = has.next(cpu + 1)) at[cpu] = number;
}

Choice choose(const Occupancy& occupancy, const Demand& demand, ChoiceRoom& room) noexcept {
    static_assert(sizeof(Attempts) <= sizeof room.bytes && std::is_trivially_destructible_v<Attempts>);
    if (demand.max == 0) return {};
    return (new (room.bytes) Attempts(occupancy, demand))->run();
}

}  // namespace drom::partition
