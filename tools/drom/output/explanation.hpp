// SPDX-License-Identifier: BSD-3-Clause
// explanation.hpp - what drom explain knows of one client, and what it says.
#pragma once

#include <string>
#include <vector>

#include "program/threads.hpp"
#include "table/snapshot.hpp"

namespace drom::command {

struct Explanation {
    ClientView client;
    std::vector<ThreadView> threads;
    bool elsewhere = false;                     ///< its process is in another pid namespace: nothing of it can be seen
    std::vector<std::string> descendants = {};  ///< processes that are moved with it, in words
    std::vector<std::string> not_moved = {};    ///< processes with another user's rights, in words
    uint64_t now_ns = 0;                        ///< CLOCK_MONOTONIC
    std::vector<std::string> pools;             ///< libraries in it that keep threads of their own
    double safe_points_per_s = 0;
    double busy = 0;            ///< CPUs' worth of work during the sample
    bool spins = false;         ///< burns its CPUs without passing a safe point, its threads sharing CPUs
    unsigned outside_team = 0;  ///< threads at work besides the team that follows, more than it has CPUs
    std::vector<std::string> sentences;
};

}  // namespace drom::command
