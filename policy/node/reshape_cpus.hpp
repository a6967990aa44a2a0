// SPDX-License-Identifier: BSD-3-Clause
// reshape_cpus.hpp - programs grow on free CPUs as long as that makes them faster (ReSHAPE, chapters 2 and 4). Pure.
#pragma once

#include <memory>

#include "policy/node/adviser.hpp"
#include "policy/resize/scenarios.hpp"

namespace drom::policy {

struct ReshapeCpusRules {
    const Scenario* scenario = scenario_named("pba-q");
    ResizeRules resize{.min_gain = 0.2};  ///< min_gain: of speed per gain of CPUs
    int step = 1;                         ///< CPUs by which a client grows
    Seconds min_gap = 5;                  ///< a program keeps its CPUs for so long after a change
};

/// Returns an adviser that decides as ReSHAPE's scheduler. The end of each round is a resize point of all programs.
/// Their start is where the adviser saw them first, and their useful CPUs stand for their speed.
///
/// Growth that brought too little is undone, and not tried again for a while. It is judged when the difference is
/// larger than twice its standard error, or cannot become surer. No job waits on a node: a waiting drom run takes CPUs
/// by itself. So nothing is harvested, and of a scenario only the allocation counts.
std::unique_ptr<Adviser> reshape_cpus(const ReshapeCpusRules& rules);

}  // namespace drom::policy
