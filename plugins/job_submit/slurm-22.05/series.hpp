// SPDX-License-Identifier: GPL-2.0-or-later
// series.hpp - what differs in Slurm up to 22.05.
#pragma once

#include <cstdint>

extern "C" {
#include <slurm/slurm.h>
}

namespace drom::slurm {

/// Whether Slurm gives a job that says how many tasks it has the CPUs of these only, whatever it asks for on each node.
inline constexpr bool kGivesCpusOfTasksOnly = false;
inline constexpr uint32_t kOneTaskPerCore = CR_ONE_TASK_PER_CORE;

}  // namespace drom::slurm
