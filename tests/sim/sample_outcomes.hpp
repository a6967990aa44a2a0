// SPDX-License-Identifier: BSD-3-Clause
// sample_outcomes.hpp - two simulations of three jobs, for tests of what is written about them.
#pragma once

#include <limits>
#include <string>

#include "job_outcome.hpp"

namespace drom::sim {

inline Outcome baseline_outcome() {
    Outcome outcome;
    outcome.setting = {"log", "slurm", "drom-sim --swf log --policy slurm",        2,
                       4,     {},      {{"bf_interval", "30"}, {"model", "ideal"}}};
    outcome.jobs = {job(1, 0, 0, 100, 2), job(2, 10, 100, 150, 2), job(3, 90000, 90000, 90300, 1)};
    return outcome;
}

/// Returns an outcome where job 2 joined job 1.
inline Outcome shared_outcome(const std::string& limit = "10", const std::string& model = "ideal") {
    Outcome outcome = baseline_outcome();
    outcome.setting.policy = "sd";
    outcome.setting.command = "drom-sim --swf log --policy sd --max_slowdown " + limit;
    outcome.setting.parameters = {{"bf_interval", "30"}, {"max_slowdown", limit}, {"model", model}};
    outcome.jobs[0].end = 150;
    outcome.jobs[0].hosted = true;
    outcome.jobs[0].guests = 1;
    JobOutcome& guest = outcome.jobs[1];
    guest.start = 10;
    guest.end = 110;
    guest.how = policy::How::kShared;
    guest.joined.edit() = {{1}, 2, 1.3, std::numeric_limits<double>::infinity(), 240};
    outcome.jobs[2].refusal = policy::Refusal::kNoMates;
    outcome.stretches = {{0, policy::NodeSet(0, 2), 4, 0, 10},
                         {0, policy::NodeSet(0, 2), 2, 10, 110},
                         {1, policy::NodeSet(0, 2), 2, 10, 110},
                         {0, policy::NodeSet(0, 2), 4, 110, 150}};
    return outcome;
}

}  // namespace drom::sim
