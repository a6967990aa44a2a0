// SPDX-License-Identifier: BSD-3-Clause
// placement.hpp - which application has how many ranks on which system, when they can be moved (DistRib).
//
// An application costs priority * (cost of its ranks' systems + spread * number of systems + move * ranks that arrive).
// Each rank has a core of its own. Applications are dropped only where all cores together are too few.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drom::policy::placement {

struct System {
    int cores = 0;    ///< 0: nothing may run here, so that whatever does moves away
    double cost = 0;  ///< of a rank on it
};

/// Ranks of one application on one system.
struct Part {
    int system = 0;  ///< index
    int ranks = 0;

    friend bool operator==(const Part&, const Part&) = default;
};

/// By increasing system.
using Parts = std::vector<Part>;

struct Application {
    int ranks = 1;
    double priority = 1;  ///< weight of its cost; the highest is dropped last
    double move = 0;      ///< cost of a rank that arrives on a system
    int age = 0;          ///< how often it was dropped since it last ran: counts for dropping only
    Parts now;            ///< where it runs
};

struct Problem {
    std::vector<System> systems;
    std::vector<Application> applications;
    double spread = 0;  ///< cost of each system that an application is on
    double ageing = 1;  ///< priority for dropping that each age adds
};

/// Parts of each application, in the order of the problem. None: the application is dropped.
using Plan = std::vector<Parts>;

/// Returns a plan that has no application dropped that would still fit. Places the largest applications first, each on
/// few and cheap systems. Then two to four at a time are placed anew, as long as that lowers the cost. Bounded work:
/// below 0.5 s of a CPU for 1,000 applications on 1,000 systems. The same problem gives the same plan.
Plan place(const Problem& problem);

/// Returns the cost of these parts of `application`, with its priority.
double cost_of(const Problem& problem, const Application& application, const Parts& parts);
double cost_of(const Problem& problem, const Plan& plan);

/// Returns the ranks that arrive on a system beyond those that run there.
int moved(const Application& application, const Parts& parts);

/// Returns the problem as it is once the plan is carried out: where applications run, and their ages.
Problem after(Problem problem, const Plan& plan);

/// Returns a sentence that says which constraint the plan breaks, empty when none: for tests.
std::string violation(const Problem& problem, const Plan& plan);

}  // namespace drom::policy::placement
