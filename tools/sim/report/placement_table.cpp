// SPDX-License-Identifier: BSD-3-Clause
// placement_table.cpp - aligned columns, as wide as the longest name.
#include "report/placement_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace drom::sim {
namespace {

using namespace policy::placement;

std::size_t widest(const std::vector<std::string>& names, std::string_view heading) {
    std::size_t width = heading.size();
    for (const std::string& name : names) width = std::max(width, name.size());
    return width;
}

std::string systems_text(const PlacementFile& file, const Parts& parts) {
    if (parts.empty()) return "dropped";
    std::string text;
    for (const Part& part : parts)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", file.systems[static_cast<std::size_t>(part.system)],
                            part.ranks);
    return text;
}

}  // namespace

std::vector<int> used_cores(const PlacementFile& file, const Plan& plan) {
    std::vector<int> used(file.systems.size());
    for (const Parts& parts : plan)
        for (const Part& part : parts) used[static_cast<std::size_t>(part.system)] += part.ranks;
    return used;
}

std::string placement_table(const PlacementFile& file, const Plan& plan) {
    const Problem& problem = file.problem;
    const std::size_t width = widest(file.applications, "application");
    std::string text = fmt::format("{:<{}} {:>8} {:>9} {:>5} {:>12} {:>8}  systems\n", "application", width, "ranks",
                                   "priority", "age", "cost", "arrive");
    std::size_t dropped = 0;
    for (std::size_t a = 0; a < plan.size(); ++a) {
        const Application& application = problem.applications[a];
        text += fmt::format("{:<{}} {:>8} {:>9g} {:>5} {:>12.6g} {:>8}  {}\n", file.applications[a], width,
                            application.ranks, application.priority, application.age,
                            cost_of(problem, application, plan[a]), moved(application, plan[a]),
                            systems_text(file, plan[a]));
        if (plan[a].empty()) ++dropped;
    }
    const std::size_t system_width = widest(file.systems, "system");
    text += fmt::format("\n{:<{}} {:>8} {:>8} {:>12}\n", "system", system_width, "cores", "used", "cost per rank");
    const std::vector<int> used = used_cores(file, plan);
    for (std::size_t s = 0; s < used.size(); ++s)
        text += fmt::format("{:<{}} {:>8} {:>8} {:>12g}\n", file.systems[s], system_width, problem.systems[s].cores,
                            used[s], problem.systems[s].cost);
    return text + fmt::format("\ncost {:.6g}; {} of {} applications placed, {} dropped\n", cost_of(problem, plan),
                              plan.size() - dropped, plan.size(), dropped);
}

}  // namespace drom::sim
