// SPDX-License-Identifier: BSD-3-Clause
// locality.cpp - chooses the cores that change hands so that jobs are apart.
#include "locality.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <tuple>

namespace drom::partition {

namespace {

enum Level : uint32_t { kPackage, kNuma, kL3, kPiece };

uint16_t number(const Place& place, uint32_t level) {
    return level == kPackage ? place.package : level == kNuma ? place.numa : place.l3;
}

/// Sums over the parts of a node. Packages, NUMA nodes and L3s are three fields of one number: also in sums the wider
/// level decides.
struct Cost {
    uint64_t strangers = 0, together = 0, depth = 0, position = 0;

    friend auto operator<=>(const Cost&, const Cost&) = default;
    friend Cost operator+(const Cost& a, const Cost& b) {
        return {a.strangers + b.strangers, a.together + b.together, a.depth + b.depth, a.position + b.position};
    }
};

Cost cost_of_domain(uint32_t level, uint32_t jobs) {
    const uint32_t shift = 21 * (kL3 - level);
    return {uint64_t{jobs > 1 ? jobs - 1 : 0} << shift, uint64_t{jobs} << shift, 0, 0};
}

/// How many CPUs each job gains or, below 0, loses.
using Change = std::vector<int32_t>;

/// The origin of a change: a piece that moved, after the step `left`; or the steps of two parts.
struct Step {
    Cost cost;
    uint32_t left, right, piece, taker;
};
constexpr uint32_t kNone = UINT32_MAX;

using Table = std::map<Change, uint32_t>;  // the number of the cheapest step

class Search {
public:
    explicit Search(const Packing& wish) : wish_(wish), all_move_(wish.use_all && has_room_for_all(wish)) {}

    std::optional<std::vector<uint32_t>> run() {
        const Table table = parts(kPackage, 0, pieces().size());
        const Table::value_type* best = nullptr;
        for (const auto& entry : table)
            if (reaches_min(entry.first) && (best == nullptr || better(entry, *best))) best = &entry;
        if (best == nullptr) return std::nullopt;
        std::vector<uint32_t> takers(pieces().size(), kStays);
        collect(best->second, takers);
        return takers;
    }

private:
    [[nodiscard]] const std::vector<Piece>& pieces() const { return wish_.pieces; }

    uint32_t add(const Step& step) {
        steps_.push_back(step);
        return static_cast<uint32_t>(steps_.size() - 1);
    }
    Table nothing() { return {{Change(wish_.jobs.size(), 0), add({{}, kNone, kNone, kNone, kStays})}}; }

    /// Combines the domains of `level` among the pieces [first, last).
    Table parts(uint32_t level, size_t first, size_t last) {
        if (level == kPiece) return choose(first, last);
        Table all = nothing();
        while (first < last) {
            const uint16_t here = number(pieces()[first].place, level);
            size_t end = first;
            while (end < last && number(pieces()[end].place, level) == here) ++end;
            Table part = parts(level + 1, first, end);
            charge(part, level, first, end);
            all = merge(all, part);
            first = end;
        }
        return all;
    }

    /// Adds the cost of the domain of these pieces, by the jobs that are in it afterwards.
    void charge(const Table& table, uint32_t level, size_t first, size_t last) {
        Change has(wish_.jobs.size(), 0);
        for (size_t i = first; i < last; ++i)
            for (size_t job = 0; job < has.size(); ++job) has[job] += static_cast<int32_t>(pieces()[i].has[job]);
        for (const auto& [change, step] : table) {
            uint32_t jobs = 0;
            for (size_t job = 0; job < has.size(); ++job) jobs += has[job] + change[job] > 0 ? 1U : 0U;
            steps_[step].cost = steps_[step].cost + cost_of_domain(level, jobs);
        }
    }

    /// Tries every way to move some of these pieces.
    Table choose(size_t first, size_t last) {
        Table table = nothing();
        for (size_t i = first; i < last; ++i) {
            if (pieces()[i].takers.empty()) continue;
            std::map<Change, Step> found;
            for (const auto& [change, step] : table)
                for (const uint32_t taker : pieces()[i].takers) {
                    const Cost price{0, 0, pieces()[i].depth, pieces()[i].position};
                    offer(found, moved(change, pieces()[i], taker),
                          {steps_[step].cost + price, step, kNone, static_cast<uint32_t>(i), taker});
                }
            if (all_move_) table.clear();
            keep(found, table);
        }
        return table;
    }

    /// Returns whether all jobs have room for all pieces. Then pieces that stay are never part of the best, and are not
    /// tried.
    static bool has_room_for_all(const Packing& wish) {
        uint32_t all = 0;
        for (const Piece& piece : wish.pieces) all += piece.takers.empty() ? 0 : piece.size;
        const auto has_room = [&](uint32_t job) { return wish.jobs[job].max_cpus - wish.jobs[job].size >= all; };
        return std::all_of(wish.pieces.begin(), wish.pieces.end(), [&](const Piece& piece) {
            return std::all_of(piece.takers.begin(), piece.takers.end(), has_room);
        });
    }

    static Change moved(Change change, const Piece& piece, uint32_t taker) {
        for (size_t job = 0; job < change.size(); ++job) change[job] -= static_cast<int32_t>(piece.has[job]);
        change[taker] += static_cast<int32_t>(piece.size);
        return change;
    }

    Table merge(const Table& a, const Table& b) {
        if (a.size() == 1 && b.size() == 1 && a.begin()->first == b.begin()->first) return both(a, b);
        std::map<Change, Step> found;
        Change sum(wish_.jobs.size());
        for (const auto& [change, left] : a)
            for (const auto& [other, right] : b) {
                for (size_t job = 0; job < sum.size(); ++job) sum[job] = change[job] + other[job];
                offer(found, sum, {steps_[left].cost + steps_[right].cost, left, right, kNone, kStays});
            }
        Table table;
        keep(found, table);
        return table;
    }

    Table both(const Table& a, const Table& b) {
        const uint32_t left = a.begin()->second;
        const uint32_t right = b.begin()->second;
        return {{a.begin()->first, add({steps_[left].cost + steps_[right].cost, left, right, kNone, kStays})}};
    }

    void offer(std::map<Change, Step>& found, const Change& change, const Step& step) {
        if (!within(change)) return;
        const auto [at, is_new] = found.try_emplace(change, step);
        if (!is_new && step.cost < at->second.cost) at->second = step;
    }

    void keep(const std::map<Change, Step>& found, Table& table) {
        for (const auto& [change, step] : found) {
            const auto [at, is_new] = table.try_emplace(change, kNone);
            if (is_new || step.cost < steps_[at->second].cost) at->second = add(step);
        }
        if (table.size() > kMaxStates) leave_out(table);
    }

    /// Keeps the best of each total, then the second best of each, as far as there is room: all totals remain possible.
    void leave_out(Table& table) {
        std::map<int32_t, std::vector<const Table::value_type*>> totals;
        for (const auto& entry : table) {
            int32_t total = 0;
            for (const int32_t amount : entry.first) total += std::abs(amount);
            totals[total].push_back(&entry);
        }
        for (auto& [total, entries] : totals)
            std::sort(entries.begin(), entries.end(), [&](auto* a, auto* b) { return better(*a, *b); });
        Table kept;
        for (size_t rank = 0; kept.size() < kMaxStates; ++rank)
            for (const auto& [total, entries] : totals)
                if (rank < entries.size()) kept.insert(*entries[rank]);
        table = std::move(kept);
    }

    [[nodiscard]] int64_t after(size_t job, const Change& change) const {
        return int64_t{wish_.jobs[job].size} + change[job];
    }
    /// Returns false when no further move can mend the change: a job that loses, or all losers together, have lost too
    /// much, or a job that gains has gained too much.
    [[nodiscard]] bool within(const Change& change) const {
        int64_t lost = 0;
        for (size_t job = 0; job < change.size(); ++job) {
            lost -= std::min(change[job], 0);
            if (change[job] < 0 && after(job, change) < wish_.jobs[job].min_cpus) return false;
            if (change[job] > 0 && after(job, change) > wish_.jobs[job].max_cpus) return false;
        }
        return lost <= wish_.max_lost;
    }
    [[nodiscard]] bool reaches_min(const Change& change) const {
        for (size_t job = 0; job < change.size(); ++job)
            if (after(job, change) < wish_.jobs[job].min_cpus) return false;
        return true;
    }

    [[nodiscard]] int64_t waste(const Change& change) const {
        int64_t sum = 0;
        for (size_t job = 0; job < change.size(); ++job)
            sum += wish_.use_all ? -change[job] : std::max<int64_t>(0, after(job, change) - wish_.jobs[job].useful);
        return sum;
    }
    /// From the smallest job to the largest.
    [[nodiscard]] std::vector<int64_t> shares(const Change& change) const {
        std::vector<int64_t> sizes;
        sizes.reserve(change.size());
        for (size_t job = 0; job < change.size(); ++job)
            sizes.push_back(std::min<int64_t>(after(job, change), wish_.jobs[job].useful));
        std::sort(sizes.begin(), sizes.end());
        return sizes;
    }
    [[nodiscard]] bool better(const Table::value_type& a, const Table::value_type& b) const {
        const Cost& cost = steps_[a.second].cost;
        const Cost& other = steps_[b.second].cost;
        const auto first = std::pair(waste(a.first), cost.strangers) <=> std::pair(waste(b.first), other.strangers);
        if (first != 0) return first < 0;
        const auto second = shares(b.first) <=> shares(a.first);  // more is better
        return second != 0 ? second < 0 : cost < other;
    }

    void collect(uint32_t step, std::vector<uint32_t>& takers) const {
        for (; step != kNone; step = steps_[step].left) {
            if (steps_[step].piece != kNone) takers[steps_[step].piece] = steps_[step].taker;
            if (steps_[step].right != kNone) collect(steps_[step].right, takers);
        }
    }

    const Packing& wish_;
    const bool all_move_;
    std::vector<Step> steps_;
};

/// Returns how much the job of this piece could still lose; UINT32_MAX when no job has the piece, nothing when it must
/// stay.
std::optional<uint32_t> spare(const Piece& piece, const std::vector<Share>& jobs, uint32_t taker) {
    uint32_t min_cpus = UINT32_MAX;
    for (uint32_t job = 0; job < jobs.size(); ++job) {
        if (job == taker || piece.has[job] == 0) continue;
        if (jobs[job].size < jobs[job].min_cpus + piece.has[job]) return std::nullopt;
        min_cpus = std::min(min_cpus, jobs[job].size - jobs[job].min_cpus);
    }
    return min_cpus;
}

}  // namespace

std::optional<std::vector<uint32_t>> pack(const Packing& wish) { return Search(wish).run(); }

std::optional<std::vector<uint32_t>> in_turn(const Packing& wish, uint32_t taker) {
    std::vector<Share> jobs = wish.jobs;
    std::vector<uint32_t> takers(wish.pieces.size(), kStays);
    while (jobs[taker].size < jobs[taker].min_cpus) {
        std::optional<uint32_t> largest;
        size_t best = 0;
        for (size_t i = 0; i < takers.size(); ++i) {
            const Piece& piece = wish.pieces[i];
            if (piece.takers.empty() || takers[i] != kStays) continue;
            const auto can = spare(piece, jobs, taker);
            if (!can || (largest && *can <= *largest)) continue;
            largest = can, best = i;
        }
        if (!largest) return std::nullopt;
        const Piece& piece = wish.pieces[best];
        takers[best] = taker;
        for (size_t job = 0; job < jobs.size(); ++job) jobs[job].size -= piece.has[job];
        jobs[taker].size += piece.size;
    }
    return takers;
}

}  // namespace drom::partition
