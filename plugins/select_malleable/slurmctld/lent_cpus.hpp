// SPDX-License-Identifier: GPL-2.0-or-later
// lent_cpus.hpp - CPUs that a shrunk job has lent, so that none of its steps that asks for some CPUs gets them.
//
// slurmctld looks for a step's place twice: by numbers of CPUs, then by cores. A step that the numbers refuse is woken
// when another step ends. One that they admit, and for which there are no cores, asks again after two minutes only.
#pragma once

#include "nodes.hpp"

#include <cstdint>
#include <map>
#include <vector>

#include "policy/job/job.hpp"

namespace drom::slurm {

/// Counts the CPUs that a job has lent as used by its steps, while such steps run. A step of all that the job has waits
/// for these in any case, and asks for the number that the job was granted.
class LentCpus {
public:
    /// Counts anew. Called before slurmctld looks for the place of a step, with its lock on jobs. Cost:
    /// the job's steps and nodes.
    void count(job_record_t& job);

private:
    std::map<policy::JobId, std::vector<uint16_t>> counted_;  ///< on each node of the job, beside what its steps use
};

}  // namespace drom::slurm
