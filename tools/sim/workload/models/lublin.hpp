// SPDX-License-Identifier: BSD-3-Clause
// lublin.hpp - synthetic workloads after Lublin and Feitelson, "The workload on parallel supercomputers: modeling the
// characteristics of rigid jobs" (JPDC 63(11), 2003).
#pragma once

#include <cstdint>
#include <string>

#include "workload/workload.hpp"

namespace drom::sim {

/// The set of parameters: one law for all jobs, the law of one class, or both classes with an arrival process each.
/// Queue 0 is interactive and queue 1 is batch, as in the model's program.
enum class LublinJobs : std::uint8_t { kAll, kBatch, kInteractive, kBoth };

struct LublinParameters {
    std::string name = "lublin";
    std::int64_t jobs = 10000;
    std::int64_t nodes = 128;  ///< of the machine; the largest jobs have as many
    std::int64_t cores_per_node = 1;
    LublinJobs kind = LublinJobs::kAll;
    double max_run_log = 12;  ///< longer run times than e^this are drawn again; 12 is two days
    double start_hour = 0;    ///< time of day of the log's zero

    /// The model has no requests. kExact: the run time. kInaccurate: run time over request is drawn from the accuracy
    /// law of Cirne and Berman (see CirneParameters). No request is above e^max_run_log, as no queue has one.
    enum class Requests : std::uint8_t { kExact, kInaccurate } requests = Requests::kExact;
    double accuracy_shape = 0.6, accuracy_scale = 1 / 0.6;
};

/// Makes jobs with submit, run, request, processors, and queue where there are classes. The same seed gives the same
/// bytes everywhere. Needs at least one job, node and core, at most 10^9 cores, and a max_run_log of 7 to 20.
Workload lublin(const LublinParameters& parameters, std::uint64_t seed);

}  // namespace drom::sim
