// SPDX-License-Identifier: GPL-2.0-or-later
// series.hpp - what differs in Slurm from 23.02 on.
#pragma once

#include <cstdint>

extern "C" {
#include <slurm/slurm.h>
}

namespace drom::slurm {

/// Whether Slurm gives a job that says how many tasks it has the CPUs of these only, whatever it asks for on each node.
inline constexpr bool kGivesCpusOfTasksOnly = true;
#ifdef CR_ONE_TASK_PER_CORE
inline constexpr uint32_t kOneTaskPerCore = CR_ONE_TASK_PER_CORE;
#else
inline constexpr uint32_t kOneTaskPerCore = SELECT_ONE_TASK_PER_CORE;  // its name in 26.05
#endif

}  // namespace drom::slurm
