// SPDX-License-Identifier: BSD-3-Clause
// verify_report.hpp - what a drom verify found out.
#pragma once

#include <string>
#include <vector>

#include "program/verify_verdict.hpp"

namespace drom::command {

struct VerifyReport {
    std::string program;
    std::string objects;  ///< under which it is recorded (objects_id)
    std::string cpus;     ///< the CPUs of the runs
    double undisturbed_s = 0;
    double undisturbed_cpu_s = 0;
    uint64_t seed = 0;
    std::vector<ModeResult> modes;
    Verdict verdict;
    std::string recorded_in;  ///< empty: not recorded
};

}  // namespace drom::command
