// SPDX-License-Identifier: BSD-3-Clause
// random_placement.hpp - systems and applications that are the same everywhere for the same seed.
#pragma once

#include <algorithm>
#include <random>

#include "policy/placement/placement.hpp"

namespace drom::test {

/// Draws whole numbers and steps of a quarter.
class Draw {
public:
    explicit Draw(std::uint64_t seed) : generator_(seed) {}
    int whole(int first, int last) {
        return first + static_cast<int>(generator_() % static_cast<std::uint64_t>(last - first + 1));
    }
    double quarters(int first, int last) { return whole(4 * first, 4 * last) / 4.0; }

private:
    std::mt19937_64 generator_;
};

/// Returns a problem that asks for 40 to 110 % of the cores. Some of it runs already: as a plan for other costs says.
inline policy::placement::Problem random_placement(std::uint64_t seed, int systems, int applications) {
    using namespace policy::placement;
    Draw draw(seed);
    Problem problem;
    std::int64_t cores = 0;
    for (int s = 0; s < systems; ++s) {
        problem.systems.push_back({draw.whole(0, 9) == 0 ? 0 : draw.whole(1, 64), draw.quarters(1, 4)});
        cores += problem.systems.back().cores;
    }
    const std::int64_t most = std::max<std::int64_t>(1, cores * draw.whole(40, 110) / 100 * 2 / applications);
    for (int a = 0; a < applications; ++a) {
        Application application;
        application.ranks = draw.whole(1, static_cast<int>(most));
        application.priority = draw.whole(1, 4);
        application.move = draw.quarters(0, 3);
        application.age = draw.whole(0, 3);
        problem.applications.push_back(std::move(application));
    }
    problem.spread = draw.quarters(0, 20);
    const bool runs = draw.whole(0, 2) > 0;
    if (!runs) return problem;
    Problem before = problem;
    for (System& system : before.systems) system.cost = draw.quarters(1, 4);
    const Plan plan = place(before);
    for (std::size_t a = 0; a < plan.size(); ++a)
        if (draw.whole(0, 3) > 0) problem.applications[a].now = plan[a];
    return problem;
}

}  // namespace drom::test
