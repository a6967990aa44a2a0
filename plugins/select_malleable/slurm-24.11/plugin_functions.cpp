// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.cpp - the functions that only a select plugin of Slurm 24.11 has.
#include "select_malleable.hpp"
#include "select_malleable/slurmctld/cons_tres.hpp"
#include "select_malleable/slurmctld/jobs.hpp"

#include <algorithm>

using namespace drom::slurm;

namespace {

/// This series gives a job that says how many tasks it has the CPUs of these tasks only, whatever it asks for on each
/// node. While this lives, a malleable job that asks for more CPUs than its tasks need has no number of tasks.
class WithoutTasks {
public:
    explicit WithoutTasks(job_record_t& job)
        : job_(job), said_(job.bit_flags & JOB_NTASKS_SET), on_each_node_(job.details->ntasks_per_node) {
        const uint64_t needed = uint64_t{job.details->num_tasks} * std::max<uint32_t>(1, job.details->cpus_per_task);
        if (!declared_malleable(job) || job.details->min_cpus <= needed) return;
        job.bit_flags &= ~static_cast<uint64_t>(JOB_NTASKS_SET);
        job.details->ntasks_per_node = 0;
    }
    ~WithoutTasks() {
        job_.bit_flags |= said_;
        job_.details->ntasks_per_node = on_each_node_;
    }
    WithoutTasks(const WithoutTasks&) = delete;
    WithoutTasks& operator=(const WithoutTasks&) = delete;

private:
    job_record_t& job_;
    uint64_t said_;
    uint16_t on_each_node_;
};

}  // namespace

int Question::ask_cons_tres() const {
    const WithoutTasks without(*job);
    return cons_tres.job_test(job, nodes, min_nodes, max_nodes, req_nodes, mode, candidates, preempted, excluded,
                              window);
}

extern "C" {

// Slurm's signature. NOLINTNEXTLINE(readability-function-size)
int select_p_job_test(job_record_t* job, bitstr_t* nodes, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes,
                      uint16_t mode, list_t* candidates, list_t** preempted, resv_exc_t* excluded,
                      will_run_data_t* window) {
    Question question{job, nodes, min_nodes, max_nodes, req_nodes, mode, candidates, preempted, excluded, window};
    return answer(question);
}

}  // extern "C"
