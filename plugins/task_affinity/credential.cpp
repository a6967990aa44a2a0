// SPDX-License-Identifier: GPL-2.0-or-later
// credential.cpp - reads run-length encoded numbers, and the job's cores.
#include "slurmd.hpp"

#include "task_affinity/task_drom.hpp"

#include "task_affinity/credential.hpp"

#include <algorithm>

namespace drom::slurm::task {
namespace {

/// Returns the n-th of run-length encoded numbers.
uint32_t nth(uint32_t n, const uint16_t* values, const uint32_t* repeats, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
        if (n < repeats[i]) return values[i];
        n -= repeats[i];
    }
    return 0;
}

/// Returns how many cores the job has on its n-th node.
uint32_t cores_on(const slurm_cred_arg_t& granted, uint32_t n) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < granted.core_array_size; ++i) {
        const uint32_t cores = uint32_t{granted.sockets_per_node[i]} * granted.cores_per_socket[i];
        const uint32_t nodes = granted.sock_core_rep_count[i];
        if (n < nodes)
            return static_cast<uint32_t>(bit_set_count_range(granted.job_core_bitmap,
                                                             static_cast<int>(first + n * cores),
                                                             static_cast<int>(first + (n + 1) * cores)));
        n -= nodes;
        first += nodes * cores;
    }
    return 0;
}

/// Returns how many CPUs of a core are given to jobs.
uint32_t cpus_of_a_core() {
    const uint32_t cores = uint32_t{conf->sockets} * conf->cores;
    return cores == 0 ? 1 : std::max<uint32_t>(1, conf->cpus / cores);
}

JobHere job_on(const slurm_cred_arg_t& granted, uint32_t n) {
    JobHere job;
    job.alone = nth(n, granted.cpu_array, granted.cpu_array_reps, granted.cpu_array_count);
    job.now = granted.job_core_bitmap == nullptr ? job.alone : cores_on(granted, n) * cpus_of_a_core();
    return job;
}

}  // namespace

JobHere job_here(slurm_cred_t* credential) {
    if (credential == nullptr) return {};
    const slurm_cred_arg_t* granted = slurm_cred_get_args(credential);
    auto* const nodes = hostlist_create(granted->job_hostlist);
    const int here = nodes == nullptr ? -1 : hostlist_find(nodes, conf->node_name);
    if (nodes != nullptr) hostlist_destroy(nodes);
    const JobHere job = here < 0 ? JobHere{} : job_on(*granted, static_cast<uint32_t>(here));
    slurm_cred_unlock_args(credential);
    return job;
}

void accept_on_fewer_cores(launch_tasks_request_msg_t& request) {
    constexpr uint16_t kRank = 0x0040;  // CPU_BIND_RANK, which later series have not
    constexpr auto kExplicit = static_cast<uint16_t>(kRank | CPU_BIND_MAP | CPU_BIND_MASK | CPU_BIND_LDRANK |
                                                     CPU_BIND_LDMAP | CPU_BIND_LDMASK);
    if (!job_here(request.cred).is_shrunk()) return;
    request.flags |= LAUNCH_OVERCOMMIT;
    if ((request.cpu_bind_type & kExplicit) == 0) return;
    request.cpu_bind_type = static_cast<uint16_t>((request.cpu_bind_type & ~kExplicit) | CPU_BIND_NONE);
    xfree(request.cpu_bind);
}

}  // namespace drom::slurm::task
