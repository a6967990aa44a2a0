// SPDX-License-Identifier: GPL-2.0-or-later
// lent_cpus.cpp - corrects job_resrcs->cpus_used, which slurmctld adds to and takes from as steps begin and end.
#include "lent_cpus.hpp"

#include <algorithm>

#include "jobs.hpp"

namespace drom::slurm {
namespace {

/// Returns on which nodes of the job one of its steps runs: scripts and extern steps use none of its CPUs.
std::vector<bool> with_steps(const job_record_t& job) {
    std::vector<bool> nodes(job.job_resrcs->nhosts);
    if (job.step_list == nullptr) return nodes;
    list_itr_t* each = list_iterator_create(job.step_list);
    while (const auto* step = static_cast<const step_record_t*>(list_next(each))) {
        if (step->step_id.step_id > SLURM_MAX_NORMAL_STEP_ID || step->step_node_bitmap == nullptr) continue;
        for (long node = bit_ffs(step->step_node_bitmap); node >= 0 && node <= bit_fls(step->step_node_bitmap); ++node)
            if (const int n = position(*job.job_resrcs, static_cast<int>(node));
                n >= 0 && bit_test(step->step_node_bitmap, node))
                nodes[static_cast<std::size_t>(n)] = true;
    }
    list_iterator_destroy(each);
    return nodes;
}

/// Returns how many of the CPUs that the job was granted on its n-th node others have.
int lent_on(const job_record_t& job, int n) {
    const std::vector<bool> cores = cores_on(*job.job_resrcs, n);
    const int granted = granted_cores(job, n);
    const int lent = granted - static_cast<int>(std::count(cores.begin(), cores.end(), true));
    return granted > 0 && lent > 0 ? job.job_resrcs->cpus[n] * lent / granted : 0;
}

}  // namespace

void LentCpus::count(job_record_t& job) {
    std::erase_if(counted_, [](const auto& entry) { return record_of(entry.first) == nullptr; });
    job_resources_t* resources = job.job_resrcs;
    if (!declared_malleable(job) || resources == nullptr || resources->core_bitmap == nullptr ||
        resources->node_bitmap == nullptr || resources->cpus_used == nullptr)
        return;
    std::vector<uint16_t>& counted = counted_[job.job_id];
    counted.resize(resources->nhosts);
    const std::vector<bool> runs = with_steps(job);
    for (std::size_t n = 0; n < counted.size(); ++n) {
        uint16_t& used = resources->cpus_used[n];
        // Where no step runs there may be some that were counted before slurmctld was started again.
        const int by_steps = runs[n] ? std::max(0, used - counted[n]) : 0;
        const int room = std::max(0, resources->cpus[n] - by_steps);
        counted[n] = static_cast<uint16_t>(by_steps > 0 ? std::min(lent_on(job, static_cast<int>(n)), room) : 0);
        used = static_cast<uint16_t>(by_steps + counted[n]);
    }
    if (std::all_of(counted.begin(), counted.end(), [](uint16_t cpus) { return cpus == 0; }))
        counted_.erase(job.job_id);
}

}  // namespace drom::slurm
