// SPDX-License-Identifier: BSD-3-Clause
// rank_balance.cpp - trades of CPUs between ranks, and what they have brought.
#include "policy/node/rank_balance.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "policy/node/mean.hpp"

namespace drom::policy {
namespace {

double time_of(const RankLoad& rank, int cpus) { return cpus > 0 ? rank.useful / cpus : 0; }

double longest(std::span<const RankLoad> ranks, const std::vector<int>& sizes) {
    double time = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) time = std::max(time, time_of(ranks[i], sizes[i]));
    return time;
}

/// Makes the best move. Returns whether there is one that helps.
bool move_one(std::span<const RankLoad> ranks, std::vector<int>& sizes, double min_gain) {
    std::optional<std::size_t> heavy, light;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (sizes[i] < ranks[i].max && (!heavy || time_of(ranks[i], sizes[i]) > time_of(ranks[*heavy], sizes[*heavy])))
            heavy = i;
    for (std::size_t i = 0; i < ranks.size(); ++i)
        if (i != heavy && sizes[i] > ranks[i].min &&
            (!light || time_of(ranks[i], sizes[i] - 1) < time_of(ranks[*light], sizes[*light] - 1)))
            light = i;
    if (!heavy || !light) return false;
    std::vector<int> after = sizes;
    --after[*light];
    ++after[*heavy];
    if (longest(ranks, after) >= longest(ranks, sizes) * (1 - min_gain)) return false;
    sizes = after;
    return true;
}

/// The looks at a job while its CPUs are divided in one way.
struct Division {
    std::vector<Mean> ranks;  ///< useful CPUs
    Mean job;
    Seconds seen = 0;
};

/// One job, round by round.
class JobBalance {
public:
    explicit JobBalance(const RankBalanceRules& rules) : rules_(rules) {}

    Advice advise(const NodeProgram& job, Seconds now) {
        std::erase_if(known_, [&](const auto& entry) { return now - entry.second.seen > rules_.memory; });
        const std::vector<int> sizes = keep(job, "").cpus;
        learn(job, sizes, now);
        const Division& present = known_.at(sizes);
        if (const auto before = known_.find(before_);
            before != known_.end() && is_division_of(job, before_) && slower(present, before->second))  // mutant undo
            return {std::exchange(before_, sizes), "it was faster with these CPUs before"};
        const std::vector<int> better = traded(loads_of(job, present), rules_);
        if (better == sizes)
            return keep(job, "no trade would make it faster by more than " + percent_text(rules_.min_gain));
        const double gain = gain_of(job, present, better);
        if (const auto tried = known_.find(better); tried != known_.end() && !slower(present, tried->second))
            return keep(job, "the trade that should help did not");
        if (gain < 2 * error_of(present)) return keep(job, "a gain of " + percent_text(gain) + " is not sure yet");
        before_ = sizes;
        return {better, "its slowest rank would be faster by " + percent_text(gain)};
    }

private:
    /// Returns whether the job could have its CPUs divided so: others may have changed their number since.
    static bool is_division_of(const NodeProgram& job, const std::vector<int>& sizes) {
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (sizes[i] < job.clients[i].min || sizes[i] > std::max(job.clients[i].max, job.clients[i].cpus))
                return false;
        return std::accumulate(sizes.begin(), sizes.end(), 0) == job.cpus();
    }

    void learn(const NodeProgram& job, const std::vector<int>& sizes, Seconds now) {
        Division& division = known_[sizes];
        division.ranks.resize(sizes.size());
        division.seen = now;
        for (std::size_t look = 0; look < job.clients.front().useful.size(); ++look) {
            double sum = 0;
            for (std::size_t i = 0; i < job.clients.size(); ++i) {
                division.ranks[i].add(job.clients[i].useful[look]);
                sum += job.clients[i].useful[look];
            }
            division.job.add(sum);
        }
    }

    static std::vector<RankLoad> loads_of(const NodeProgram& job, const Division& division) {
        std::vector<RankLoad> loads;
        for (std::size_t i = 0; i < job.clients.size(); ++i) {
            const NodeClient& client = job.clients[i];
            loads.push_back({client.cpus, client.min, client.max, division.ranks[i].value()});
        }
        return loads;
    }

    static double gain_of(const NodeProgram& job, const Division& division, const std::vector<int>& better) {
        const std::vector<RankLoad> loads = loads_of(job, division);
        const double before = longest(loads, keep(job, "").cpus);
        return before > 0 ? 1 - longest(loads, better) / before : 0;
    }

    /// Returns the largest standard error of a rank, as a share of its work.
    static double error_of(const Division& division) {
        double largest = 0;
        for (const Mean& rank : division.ranks)
            if (rank.value() > 0) largest = std::max(largest, rank.error() / rank.value());
        return largest;
    }

    /// Returns whether a job is surely slower with the first division.
    static bool slower(const Division& first, const Division& second) {
        const double error = std::hypot(first.job.error(), second.job.error());
        return first.job.value() + 2 * error < second.job.value();
    }

    RankBalanceRules rules_;
    std::map<std::vector<int>, Division> known_;
    std::vector<int> before_;
};

class RankBalance final : public Adviser {
public:
    explicit RankBalance(const RankBalanceRules& rules) : rules_(rules) {}

    std::vector<Advice> advise(const NodeView& view) override {
        std::vector<Advice> advices;
        for (const NodeProgram& program : view.programs) advices.push_back(advise(program, view.now));
        return advices;
    }

private:
    Advice advise(const NodeProgram& program, Seconds now) {
        if (program.clients.size() < 2) return keep(program, "it has one rank");
        if (const std::string held = program.held(); !held.empty()) return keep(program, held);
        if (program.efficiencies().empty()) return keep(program, program.unknown());
        return jobs_.try_emplace(program.ids(), rules_).first->second.advise(program, now);
    }

    RankBalanceRules rules_;
    std::map<std::vector<int>, JobBalance> jobs_;  ///< by the processes of their ranks
};

}  // namespace

std::vector<int> traded(std::span<const RankLoad> ranks, const RankBalanceRules& rules) {
    std::vector<int> sizes;
    for (const RankLoad& rank : ranks) sizes.push_back(rank.cpus);
    for (int moves = 0; moves < rules.max_moves && move_one(ranks, sizes, rules.min_gain); ++moves) {}
    return sizes;
}

std::unique_ptr<Adviser> rank_balance(const RankBalanceRules& rules) { return std::make_unique<RankBalance>(rules); }

}  // namespace drom::policy
