// SPDX-License-Identifier: GPL-2.0-or-later
// credential.hpp - what the controller has signed for a job's part of this node. Include it behind slurmd.hpp of a
// series.
#pragma once

#include <cstdint>

namespace drom::slurm::task {

/// Numbers of CPUs; 0: not known.
struct JobHere {
    uint32_t alone = 0;  ///< that the job has here while it shares with no job
    uint32_t now = 0;    ///< that it has by this credential

    /// Returns whether it shares the node by the controller's plan.
    [[nodiscard]] bool is_shrunk() const { return now < alone; }
};
JobHere job_here(slurm_cred_t* credential);

/// Makes a step of a shrunk job acceptable to other task plugins, as it would be without sharing. They refuse CPUs that
/// the job has lent, and more tasks than it has cores left. A binding that the user gives by CPUs or whole nodes is
/// dropped. Others hold as far as the cores go.
void accept_on_fewer_cores(launch_tasks_request_msg_t& request);

}  // namespace drom::slurm::task
