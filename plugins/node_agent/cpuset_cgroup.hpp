// SPDX-License-Identifier: GPL-2.0-or-later
// cpuset_cgroup.hpp - the cpuset that confines a task (ConstrainCores=yes): where it is, and making room in it for CPUs
// that the task gets.
//
// Affinity alone can take CPUs from a task and give them back, but never more than its cpuset allows. Slurm makes the
// cpuset of the cores with which the step began. Widened are only the levels whose CPUs Slurm itself writes: v1 its own
// directory, uid_N, job_N, step_N and task_N; v2 job_N and what is below. A level above that lacks CPUs, or one below a
// step that Slurm did not make, is a limit of another program, and stays. On v2 a cpuset without CPUs of its own
// inherits; one that was made a partition (cpuset.cpus.partition) is not touched. Threads that a program put into
// threaded groups of their own are such groups below a step: what counts is where the process is.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/cpuset.hpp"
#include "cgroup_location.hpp"

namespace drom::slurm {

/// The levels whose CPUs Slurm writes: from `first` to before `end`; none when both are the same. Pure.
struct SlurmLevels {
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t job = 0;  ///< the one called job_N
};
SlurmLevels slurm_levels(const CpusetLocation& location);

// In what follows `root` stands in front of /proc and of every mount point; tests have it elsewhere.

/// Returns the CPUs that its cpuset lets the process have; all where there is no cpuset, or none that can be seen from
/// here.
CpuSet cpus_inside(pid_t task, const std::string& root = {});

/// Makes the cpuset of this process, and those above that lack them, have these CPUs as well. Never narrows, never
/// touches the hierarchy's root, writes nothing where they are there already, and leaves the affinity of all threads as
/// it is. Returns nothing, or a sentence. When it fails half-way, levels above may have been widened; no process has
/// more CPUs by that.
std::string widen_cpuset(pid_t task, const CpuSet& cpus, const std::string& root = {});

/// Makes the cpuset of the process's step have exactly these CPUs, and those above have them as well: of a step into
/// which processes come that Slurm does not tell of. The threads there keep of their affinity what is inside. Returns
/// nothing, or a sentence.
std::string set_cpuset_of_step(pid_t process, const CpuSet& cpus, const std::string& root = {});

/// Takes back, with v1, what was widened below the job's own level. Slurm writes the job's CPUs there again for each
/// new step. Slurm could not do that while a step has others, and would not start the new one. A step with none of the
/// job's CPUs gets them all, until its mask is carried out again. Returns nothing, or a sentence.
std::string narrow_cpuset(pid_t task, const CpuSet& cpus_of_job, const std::string& root = {});

/// Widens the cpuset of a task to its mask. Where that cannot be done the mask becomes what of it is inside, and a
/// sentence says so: CPUs that the task cannot run on must not count as its own, or its program would start more
/// threads than it has CPUs. `has_them`: the table gave them to the task before, and only the cpuset was rewritten
/// since. Its threads get them at once then.
std::string fit_cpuset(pid_t task, CpuSet& mask, bool has_them, const std::string& root = {});

}  // namespace drom::slurm
