// SPDX-License-Identifier: BSD-3-Clause
// share_cpus.cpp - curves of speed, and the move of CPUs that lowers the slowdowns most.
#include "policy/node/share_cpus.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

namespace drom::policy {

namespace {

/// Returns the share of work that runs on one CPU alone, of a program to which `cpus` CPUs are worth `useful` ones.
double serial_share(int cpus, double useful) {
    if (cpus < 2 || useful <= 0) return 0;
    const double share = 1.0 / cpus;
    return std::clamp((1 / useful - share) / (1 - share), 0.0, 1.0);
}

double speedup(double serial, int cpus) { return 1 / (serial + (1 - serial) / cpus); }

}  // namespace

void SpeedCurve::add(int cpus, double useful, Seconds now) {
    Seen& seen = seen_[cpus];
    seen.useful.add(useful);
    seen.last = now;
}

void SpeedCurve::forget_before(Seconds then) {
    std::erase_if(seen_, [then](const auto& entry) { return entry.second.last < then; });
}

double SpeedCurve::speed(int cpus) const {
    const auto nearest = std::ranges::min_element(
        seen_, {}, [cpus](const auto& entry) { return std::pair(std::abs(entry.first - cpus), entry.first); });
    if (nearest == seen_.end()) return 0;
    const auto& [at, seen] = *nearest;
    const double useful = seen.useful.value();
    const double serial = serial_share(at, useful);
    return useful * speedup(serial, cpus) / speedup(serial, at);
}

double SpeedCurve::error(int cpus) const {
    const auto found = seen_.find(cpus);
    if (found == seen_.end()) return 1;
    const Mean& useful = found->second.useful;
    return useful.value() > 0 ? useful.error() / useful.value() : 0;
}

namespace {

/// A program that may give or take CPUs in this round.
struct Sharer {
    const NodeProgram* program;
    const SpeedCurve* curve;
    int all = 0;    ///< CPUs: with so many it would have no slowdown
    int least = 0;  ///< CPUs that it keeps

    /// Returns 1 while the program does nothing: it loses nothing then.
    [[nodiscard]] double slowdown(int cpus) const {
        const double speed = curve->speed(cpus);
        return speed > 0 ? curve->speed(all) / speed : 1;
    }
    [[nodiscard]] double slowdown() const { return slowdown(program->cpus()); }
    [[nodiscard]] bool can_take(int cpus) const {
        return program->cpus() + cpus <= program->max() && can_be_divided(program->cpus() + cpus);
    }
    [[nodiscard]] bool can_give(int cpus) const {
        return program->cpus() - cpus >= least && can_be_divided(program->cpus() - cpus);
    }

private:
    [[nodiscard]] bool can_be_divided(int cpus) const {
        const std::vector<int> sizes = divided(*program, cpus);
        return std::accumulate(sizes.begin(), sizes.end(), 0) == cpus;
    }
};

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// CPUs that go from a sharer to another one, each by its number.
struct Move {
    std::size_t from = kNone;  ///< kNone: free CPUs
    std::size_t to = kNone;
    double gain = 0;   ///< by which the sum of all slowdowns falls, as a share of it
    double error = 0;  ///< of the speeds that it is predicted from
};

class ShareCpus final : public Adviser {
public:
    explicit ShareCpus(const ShareCpusRules& rules) : rules_(rules) {}

    std::vector<Advice> advise(const NodeView& view) override {
        learn(view);
        std::vector<Advice> advices;
        for (const NodeProgram& program : view.programs) advices.push_back(keep(program, why_kept(program)));
        const std::vector<Sharer> sharers = sharers_of(view);
        const Move move = best_move(sharers, view.free);
        const bool sure = move.gain > 2 * move.error;  // mutant sure
        const bool moves = move.to != kNone && move.gain > rules_.min_gain && sure;
        for (std::size_t i = 0; i < sharers.size(); ++i) {
            const auto at = static_cast<std::size_t>(sharers[i].program - view.programs.data());
            advices[at] = moves ? carried_out(sharers, i, move) : keep(*sharers[i].program, why_none(move));
        }
        return advices;
    }

private:
    void learn(const NodeView& view) {
        std::erase_if(curves_, [&](const auto& entry) { return !view.has(entry.first); });
        for (const NodeProgram& program : view.programs) {
            SpeedCurve& curve = curves_[program.ids()];
            curve.forget_before(view.now - rules_.memory);
            if (keeps(program, view.now)) continue;
            for (const double efficiency : program.efficiencies())
                curve.add(program.cpus(), efficiency * program.cpus(), view.now);
        }
    }

    /// Returns whether its CPUs may not change, or its speed on them is not known.
    [[nodiscard]] bool keeps(const NodeProgram& program, Seconds now) const {
        return !program.held().empty() || program.efficiencies().empty() || now - program.changed() < rules_.min_gap;
    }

    static std::string why_kept(const NodeProgram& program) {
        if (const std::string held = program.held(); !held.empty()) return held;
        if (program.efficiencies().empty()) return program.unknown();
        return kChangedAMomentAgo;
    }

    [[nodiscard]] std::vector<Sharer> sharers_of(const NodeView& view) const {
        std::vector<Sharer> sharers;
        int all = view.free;
        for (const NodeProgram& program : view.programs) {
            const SpeedCurve& curve = curves_.at(program.ids());
            if (keeps(program, view.now)) continue;
            sharers.push_back({&program, &curve});
            all += program.cpus();
        }
        for (Sharer& sharer : sharers) {
            const double equal = static_cast<double>(all) / static_cast<double>(sharers.size());
            sharer.all = std::max(sharer.program->cpus(), std::min(all, sharer.program->max()));
            sharer.least = std::max(sharer.program->min(), static_cast<int>(std::ceil(rules_.min_share * equal)));
        }
        return sharers;
    }

    [[nodiscard]] Move best_move(const std::vector<Sharer>& sharers, int free) const {
        double sum = 0;
        for (const Sharer& sharer : sharers) sum += sharer.slowdown();
        Move best;
        const auto consider = [&](std::size_t from, std::size_t to) {
            const Move move{from, to, fall(sharers, from, to) / sum, error_of(sharers, from, to)};
            if (best.to == kNone || move.gain > best.gain) best = move;
        };
        for (std::size_t to = 0; to < sharers.size(); ++to) {
            if (!sharers[to].can_take(rules_.step)) continue;
            if (free >= rules_.step) consider(kNone, to);
            for (std::size_t from = 0; from < sharers.size(); ++from)
                if (from != to && sharers[from].can_give(rules_.step)) consider(from, to);
        }
        return best;
    }

    /// Returns by how much the sum of all slowdowns falls.
    [[nodiscard]] double fall(const std::vector<Sharer>& sharers, std::size_t from, std::size_t to) const {
        const auto change = [&](const Sharer& sharer, int cpus) {
            return sharer.slowdown() - sharer.slowdown(sharer.program->cpus() + cpus);
        };
        return change(sharers[to], rules_.step) + (from == kNone ? 0 : change(sharers[from], -rules_.step));
    }

    static double error_of(const std::vector<Sharer>& sharers, std::size_t from, std::size_t to) {
        const auto error = [&](std::size_t i) { return sharers[i].curve->error(sharers[i].program->cpus()); };
        return from == kNone ? error(to) : std::max(error(from), error(to));
    }

    [[nodiscard]] Advice carried_out(const std::vector<Sharer>& sharers, std::size_t i, const Move& move) const {
        const NodeProgram& program = *sharers[i].program;
        if (i != move.from && i != move.to) return keep(program, "another move of CPUs helps more");
        const std::string falls = "the sum of all slowdowns would fall by " + percent_text(move.gain);
        const std::string& taker = sharers[move.to].program->name;
        if (i == move.from)
            return {divided(program, program.cpus() - rules_.step), "with CPUs of it for " + taker + ' ' + falls};
        const std::string giver = move.from == kNone ? "free CPUs" : "CPUs of " + sharers[move.from].program->name;
        return {divided(program, program.cpus() + rules_.step), "with " + giver + ' ' + falls};
    }

    [[nodiscard]] std::string why_none(const Move& move) const {
        if (move.to == kNone) return "no CPU can move";
        if (move.gain > rules_.min_gain) return "a gain of " + percent_text(move.gain) + " is not sure yet";
        return "no move of CPUs would lower the sum of all slowdowns by more than " + percent_text(rules_.min_gain);
    }

    ShareCpusRules rules_;
    std::map<std::vector<int>, SpeedCurve> curves_;  ///< by the processes of a program
};

}  // namespace

std::unique_ptr<Adviser> share_cpus(const ShareCpusRules& rules) { return std::make_unique<ShareCpus>(rules); }

}  // namespace drom::policy
