// SPDX-License-Identifier: BSD-3-Clause
// reshape_cpus.cpp - ReSHAPE's resize points, with CPUs for nodes and useful CPUs for the speed of iterations.
#include "policy/node/reshape_cpus.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "policy/node/mean.hpp"

namespace drom::policy {
namespace {

/// A program, round by round.
class ReshapedProgram {
public:
    ReshapedProgram(const ReshapeCpusRules& rules, const NodeProgram& program) : rules_(rules) { restart(program); }

    /// Takes notice of what became of the last advice, and of what the program did in this round.
    void see(const NodeProgram& program, Seconds now) {
        follow(program, now);
        lift_marks({&job_, 1}, rules_.resize, now);
        settled_ =
            program.held().empty() && !program.efficiencies().empty() && now - program.changed() >= rules_.min_gap;
        if (settled_) learn(program);
        const int clients = static_cast<int>(program.clients.size());
        job_.sizes.step = rules_.step * clients;
        job_.sizes.min = program.min();
        job_.sizes.max = std::max(program.min(), program.max());
        job_.resizable = settled_ && job_.profile.visits().back().measured() && judged();
    }

    [[nodiscard]] const ResizableJob& job() const { return job_; }
    [[nodiscard]] double potential() const { return expand_potential(job_.profile.visits(), rules_.resize.estimator); }
    /// Returns the rules with the gain that the last growth has to have brought.
    [[nodiscard]] ResizeRules rules() const {
        ResizeRules rules = rules_.resize;
        rules.min_gain = 1 - 1 / needed_speedup();
        return rules;
    }

    Advice advise(const NodeProgram& program, const Proposal& proposal, Seconds now) {
        Advice advice = keep(program, why(program, proposal, now));
        if (proposal.size == job_.size()) return advice;
        std::vector<int> sizes = divided(program, proposal.size);
        const int sum = std::accumulate(sizes.begin(), sizes.end(), 0);
        if (sum > proposal.size || sum == job_.size()) return keep(program, "its processes cannot use more CPUs");
        advice.cpus = std::move(sizes);
        asked_ = Proposal{sum, proposal.reason};
        return advice;
    }

private:
    void restart(const NodeProgram& program) {
        job_.profile = Profile(program.cpus());
        job_.at_sweet_spot = false;
        speeds_.assign(1, Mean());
    }

    void follow(const NodeProgram& program, Seconds now) {
        const std::optional<Proposal> asked = std::exchange(asked_, std::nullopt);
        if (program.cpus() == job_.size()) return;
        if (!asked || asked->size != program.cpus()) return restart(program);
        std::vector<ResizableJob> alone{job_};
        apply(*asked, alone, 0, now);
        if (alone.front().size() != program.cpus()) return restart(program);
        job_ = alone.front();
        speeds_.resize(job_.profile.visits().size());
    }

    void learn(const NodeProgram& program) {
        for (const double efficiency : program.efficiencies()) speeds_.back().add(efficiency * program.cpus());
        const double speed = speeds_.back().value();
        job_.profile.measured(speed > 0 ? 1 / speed : 0);
    }

    /// Returns how many times as fast as on the previous size the program has to be.
    [[nodiscard]] double needed_speedup() const {
        const std::optional<int> previous = job_.profile.previous();
        return previous ? 1 + rules_.resize.min_gain * (static_cast<double>(job_.size()) / *previous - 1) : 1;
    }

    /// Returns whether it is sure by now what the last growth has brought.
    [[nodiscard]] bool judged() const {
        if (speeds_.size() < 2) return true;
        const Mean &now = speeds_.back(), &before = speeds_[speeds_.size() - 2];
        const double needed = needed_speedup();
        const double error = std::hypot(now.error(), needed * before.error());
        return now.all() || std::abs(now.value() - needed * before.value()) >= 2 * error;
    }

    /// Returns "its last CPU brought 0.9 CPUs of work".
    [[nodiscard]] std::string brought() const {
        const int more = job_.size() - job_.profile.previous().value_or(0);
        const double work = speeds_.back().value() - speeds_[speeds_.size() - 2].value();
        char number[32];
        std::snprintf(number, sizeof number, "%.2f", work);
        return (more == 1 ? std::string("its last CPU") : "its last " + std::to_string(more) + " CPUs") + " brought " +
               number + " CPUs of work";
    }

    [[nodiscard]] std::string why(const NodeProgram& program, const Proposal& proposal, Seconds now) const {
        if (const std::string held = program.held(); !held.empty()) return held;
        if (program.efficiencies().empty()) return program.unknown();
        if (now - program.changed() < rules_.min_gap) return kChangedAMomentAgo;
        if (!job_.profile.visits().back().measured()) return "none of its CPU time is useful";
        if (!judged()) return "it is not sure yet what its last CPUs brought";
        switch (proposal.reason) {
            case ResizeReason::kUndo: return brought();
            case ResizeReason::kSweetSpot: return "more CPUs were of no use";
            case ResizeReason::kExpand: return speeds_.size() < 2 ? "it may be faster with more" : brought();
            default: break;
        }
        if (rules_.scenario->allocation == Allocation::kNone) return "no program grows in this scenario";
        if (!job_.next_size()) return "more CPUs would be of no use";
        const bool known = job_.profile.resizes() >= rules_.resize.remap_window;
        return known && potential() <= rules_.resize.expand_threshold ? "more CPUs promise too little"
                                                                      : "too few CPUs are free";
    }

    ReshapeCpusRules rules_;
    ResizableJob job_;
    std::vector<Mean> speeds_;       ///< useful CPUs on each visited size
    std::optional<Proposal> asked_;  ///< in the last round
    bool settled_ = false;           ///< this round was spent on the present size, and was seen
};

class ReshapeCpus final : public Adviser {
public:
    explicit ReshapeCpus(const ReshapeCpusRules& rules) : rules_(rules) {}

    std::vector<Advice> advise(const NodeView& view) override {
        std::erase_if(known_, [&](const auto& entry) { return !view.has(entry.first); });
        std::vector<ReshapedProgram*> programs;
        std::vector<ResizableJob> jobs;
        for (const NodeProgram& program : view.programs) {
            programs.push_back(&known_.try_emplace(program.ids(), rules_, program).first->second);
            programs.back()->see(program, view.now);
            jobs.push_back(programs.back()->job());
        }
        std::vector<Advice> advices(programs.size());
        int idle = view.free;
        for (const std::size_t i : in_order(programs)) {
            const Proposal proposal = proposed({jobs, i, idle, std::nullopt}, programs[i]->rules());
            advices[i] = programs[i]->advise(view.programs[i], proposal, view.now);
            if (proposal.size <= jobs[i].size()) continue;
            idle -= proposal.size - jobs[i].size();
            jobs[i].resizable = false;  // it needs no more of them in this round
        }
        return advices;
    }

private:
    [[nodiscard]] Proposal proposed(const ResizeView& view, const ResizeRules& rules) const {
        const Proposal first = before_starts(*rules_.scenario, view, rules);
        if (first.size != view.self().size() || rules_.scenario->favours_running()) return first;
        return after_starts(*rules_.scenario, view, rules, first);
    }

    /// Returns the numbers of the programs: those that promise most first, where the scenario wants that.
    [[nodiscard]] std::vector<std::size_t> in_order(const std::vector<ReshapedProgram*>& programs) const {
        std::vector<std::size_t> order(programs.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const Allocation allocation = rules_.scenario->allocation;
        if (allocation == Allocation::kMaxBenefit || allocation == Allocation::kMaxBenefitPriority)
            std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return programs[i]->potential(); });
        return order;
    }

    ReshapeCpusRules rules_;
    std::map<std::vector<int>, ReshapedProgram> known_;  ///< by the processes of a program
};

}  // namespace

std::unique_ptr<Adviser> reshape_cpus(const ReshapeCpusRules& rules) { return std::make_unique<ReshapeCpus>(rules); }

}  // namespace drom::policy
