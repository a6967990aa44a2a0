// SPDX-License-Identifier: BSD-3-Clause
// placement.cpp - the greedy of DistRib, and its improvement.
#include "policy/placement/placement.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace drom::policy::placement {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::int64_t kMaxLooks = 100'000'000;  // at systems, while improving
constexpr std::size_t kLargestGroup = 4;         // of applications that are placed anew together

std::size_t at(int index) { return static_cast<std::size_t>(index); }

int now_on(const Application& application, int system) {
    const auto part = std::ranges::find(application.now, system, &Part::system);
    return part == application.now.end() ? 0 : part->ranks;
}

/// Returns whether a cost is lower by more than rounding.
bool lower(double cost, double than) { return cost < than - 1e-9 * std::max(1.0, than); }

/// Some ranks of an application on one system, before they are placed.
struct Choice {
    int system = -1;
    int ranks = 0;
    double cost = kInfinite;

    double per_rank() const { return cost / ranks; }
};

class Planner {
public:
    explicit Planner(const Problem& problem)
        : problem_(problem), plan_(problem.applications.size()), costs_(problem.applications.size()) {
        for (const System& system : problem.systems) free_.push_back(system.cores);
        now_.resize(free_.size());
        has_.resize(free_.size());
    }

    Plan plan() {
        for (const int application : admitted()) put(application, cheap_parts(application));
        improve();
        return std::move(plan_);
    }

private:
    const Application& application(int index) const { return problem_.applications[at(index)]; }

    /// Chooses the applications that are not dropped, by priority and age as long as they fit. Returns the largest
    /// first.
    std::vector<int> admitted() {
        std::vector<int> all(problem_.applications.size());
        std::iota(all.begin(), all.end(), 0);
        std::ranges::stable_sort(all, std::greater<>(),
                                 [&](int a) { return application(a).priority + problem_.ageing * application(a).age; });
        std::int64_t left = std::accumulate(free_.begin(), free_.end(), std::int64_t{0});
        for (const int a : all) {
            if (application(a).ranks > left) continue;
            left -= application(a).ranks;
            placed_.push_back(a);
        }
        std::ranges::sort(placed_);
        std::ranges::stable_sort(placed_, std::greater<>(), [&](int a) { return application(a).ranks; });
        return placed_;
    }

    void put(int a, Parts parts) {
        for (const Part& part : parts) free_[at(part.system)] -= part.ranks;
        costs_[at(a)] = cost_of(problem_, application(a), parts);
        plan_[at(a)] = std::move(parts);
    }

    Parts take_out(int a) {
        for (const Part& part : plan_[at(a)]) free_[at(part.system)] += part.ranks;
        return std::move(plan_[at(a)]);
    }

    Choice choice(const Application& application, int system, int ranks) const {
        const double moving = application.move * std::max(0, ranks - now_[at(system)]);
        const double spread = has_[at(system)] ? 0 : problem_.spread;
        return {system, ranks, problem_.systems[at(system)].cost * ranks + moving + spread};
    }

    /// Returns the choice that is cheapest per rank, of at most `left` ranks. `last` becomes the cheapest choice of all
    /// of them on one system.
    Choice next_choice(const Application& application, int left, Choice& last) {
        Choice best;
        looks_ += static_cast<std::int64_t>(free_.size());
        for (int system = 0; at(system) < free_.size(); ++system) {
            const int room = std::min(free_[at(system)], left);
            if (room == 0) continue;
            const Choice whole = choice(application, system, room);
            if (room == left && whole.cost < last.cost) last = whole;
            if (best.system < 0 || whole.per_rank() < best.per_rank()) best = whole;
            const int stays = std::min(now_[at(system)], room);
            if (stays == 0 || stays == room) continue;
            const Choice part = choice(application, system, stays);
            if (part.per_rank() < best.per_rank()) best = part;
        }
        return best;
    }

    /// Returns parts on cores that are free: system after system the cheapest per rank, and at the best moment the rest
    /// on one system.
    Parts cheap_parts(int a) {
        const Application& application = this->application(a);
        for (const Part& part : application.now) now_[at(part.system)] = part.ranks;
        std::vector<Choice> chosen;
        std::size_t kept = 0;  // of `chosen`, before `final`
        Choice final;
        double spent = 0, best = kInfinite;
        for (int left = application.ranks; left > 0;) {
            Choice last;
            const Choice next = next_choice(application, left, last);
            if (spent + last.cost < best) {
                best = spent + last.cost;
                final = last;
                kept = chosen.size();
            }
            spent += next.cost;
            left -= next.ranks;
            chosen.push_back(next);
            free_[at(next.system)] -= next.ranks;
            now_[at(next.system)] = std::max(0, now_[at(next.system)] - next.ranks);
            has_[at(next.system)] = 1;
        }
        for (const Choice& c : chosen) {
            free_[at(c.system)] += c.ranks;
            has_[at(c.system)] = 0;
        }
        for (const Part& part : application.now) now_[at(part.system)] = 0;
        chosen.resize(kept);
        chosen.push_back(final);
        return in_order(chosen);
    }

    static Parts in_order(std::vector<Choice>& chosen) {
        std::ranges::sort(chosen, {}, &Choice::system);
        Parts parts;
        for (const Choice& c : chosen) {
            if (parts.empty() || parts.back().system != c.system)
                parts.push_back({c.system, c.ranks});
            else
                parts.back().ranks += c.ranks;
        }
        return parts;
    }

    double cost_of_group() const {
        double cost = 0;
        for (const int a : group_) cost += costs_[at(a)];
        return cost;
    }

    /// Places the group anew in every order, and keeps the cheapest. Returns whether it is cheaper than before.
    bool place_again() {
        double best = cost_of_group();
        std::vector<Parts> parts;
        for (const int a : group_) parts.push_back(take_out(a));
        std::vector<int> order = group_;
        std::ranges::sort(order);
        bool better = false;
        do {
            for (const int a : order) put(a, cheap_parts(a));
            const bool cheaper = lower(cost_of_group(), best);
            if (cheaper) best = cost_of_group();
            better |= cheaper;
            for (std::size_t i = 0; i < group_.size(); ++i) {
                Parts now = take_out(group_[i]);
                if (cheaper) parts[i] = std::move(now);
            }
        } while (std::ranges::next_permutation(order).found);
        for (std::size_t i = 0; i < group_.size(); ++i) put(group_[i], std::move(parts[i]));
        return better;
    }

    /// Completes the group to `size` applications in every way. Returns whether any of them became cheaper.
    bool improve_groups(std::size_t size, std::size_t from) {
        if (looks_ > kMaxLooks) return false;
        if (group_.size() == size) return place_again();
        bool better = false;
        for (std::size_t i = from; i < placed_.size(); ++i) {
            group_.push_back(placed_[i]);
            better |= improve_groups(size, i + 1);
            group_.pop_back();
        }
        return better;
    }

    /// Places groups anew until no few applications have cheaper places together, or the work is done that may be done.
    void improve() {
        for (std::size_t size = 2; size <= kLargestGroup;) size = improve_groups(size, 0) ? 2 : size + 1;
    }

    const Problem& problem_;
    Plan plan_;
    std::vector<double> costs_;  // of applications
    std::vector<int> free_;      // cores of systems
    std::vector<int> now_;       // ranks that the application at hand may still keep on each system
    std::vector<char> has_;      // the application at hand has ranks there already
    std::vector<int> placed_;    // applications, the largest first
    std::vector<int> group_;     // applications that are placed anew together
    std::int64_t looks_ = 0;
};

}  // namespace

Plan place(const Problem& problem) { return Planner(problem).plan(); }

int moved(const Application& application, const Parts& parts) {
    int ranks = 0;
    for (const Part& part : parts) ranks += std::max(0, part.ranks - now_on(application, part.system));
    return ranks;
}

double cost_of(const Problem& problem, const Application& application, const Parts& parts) {
    double cost = problem.spread * static_cast<double>(parts.size()) + application.move * moved(application, parts);
    for (const Part& part : parts) cost += problem.systems[at(part.system)].cost * part.ranks;
    return application.priority * cost;
}

double cost_of(const Problem& problem, const Plan& plan) {
    double cost = 0;
    for (std::size_t a = 0; a < plan.size(); ++a) cost += cost_of(problem, problem.applications[a], plan[a]);
    return cost;
}

Problem after(Problem problem, const Plan& plan) {
    for (std::size_t a = 0; a < plan.size(); ++a) {
        problem.applications[a].now = plan[a];
        problem.applications[a].age = plan[a].empty() ? problem.applications[a].age + 1 : 0;
    }
    return problem;
}

std::string violation(const Problem& problem, const Plan& plan) {
    std::vector<std::int64_t> free;
    for (const System& system : problem.systems) free.push_back(system.cores);
    for (std::size_t a = 0; a < plan.size(); ++a) {
        int ranks = 0, last = -1;
        for (const Part& part : plan[a]) {
            if (part.ranks < 1 || part.system <= last) return "application " + std::to_string(a) + " has odd parts";
            ranks += part.ranks;
            last = part.system;
            free[at(part.system)] -= part.ranks;
        }
        if (ranks != 0 && ranks != problem.applications[a].ranks)
            return "application " + std::to_string(a) + " has not all its ranks";
    }
    std::int64_t left = 0;
    for (std::size_t s = 0; s < free.size(); ++s) {
        if (free[s] < 0) return "system " + std::to_string(s) + " has too few cores";
        left += free[s];
    }
    for (std::size_t a = 0; a < plan.size(); ++a)
        if (plan[a].empty() && problem.applications[a].ranks <= left)
            return "application " + std::to_string(a) + " is dropped and would fit";
    return {};
}

}  // namespace drom::policy::placement
