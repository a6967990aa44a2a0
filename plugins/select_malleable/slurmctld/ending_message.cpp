// SPDX-License-Identifier: GPL-2.0-or-later
// ending_message.cpp - writes one variable into the SPANK environment of a job's record.
#include "ending_message.hpp"

#include <string_view>

#include "common/slurm_text.hpp"

namespace drom::slurm {
namespace {

/// The epilog sees variables with this prefix only; slurmd adds it where it is missing.
constexpr std::string_view kPrefix = "SPANK_";

/// An epilog cannot be started with a far longer variable, and the node would be drained. Further jobs are left out.
constexpr std::size_t kMostJobs = 1000;

bool is_ours(std::string_view entry) {
    if (entry.starts_with(kPrefix)) entry.remove_prefix(kPrefix.size());
    return entry.starts_with(kEarlierSteps) && entry.substr(kEarlierSteps.size()).starts_with('=');
}

void take_away(job_record_t& job) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < job.spank_job_env_size; ++i) {
        char* entry = job.spank_job_env[i];
        if (is_ours(text_of(entry)))
            xfree(entry);
        else
            job.spank_job_env[kept++] = entry;
    }
    if (kept < job.spank_job_env_size) job.spank_job_env[kept] = nullptr;
    job.spank_job_env_size = kept;
}

}  // namespace

EarlierSteps steps_until_now(const job_record_t& job) {
    EarlierSteps steps{job.job_id, job.next_step_id, {}};
    if (job.step_list == nullptr) return steps;
    list_itr_t* each = list_iterator_create(job.step_list);
    while (const auto* step = static_cast<const step_record_t*>(list_next(each)))
        if (step->step_id.step_id > SLURM_MAX_NORMAL_STEP_ID) steps.others.push_back(step->step_id.step_id);
    list_iterator_destroy(each);
    return steps;
}

std::vector<EarlierSteps> steps_of_sole_jobs(const std::vector<policy::JobId>& jobs, const policy::NodeSet& nodes) {
    std::vector<EarlierSteps> steps;
    for (const job_record_t* job : records_of(jobs))
        if (steps.size() < kMostJobs && job->job_resrcs != nullptr && has_all_cores(*job, nodes))
            steps.push_back(steps_until_now(*job));
    return steps;
}

void tell_nodes(job_record_t& ended, const std::vector<EarlierSteps>& jobs) {
    take_away(ended);
    if (jobs.empty()) return;
    const std::string entry = std::string(kPrefix).append(kEarlierSteps).append("=").append(to_text(jobs));
    const uint32_t last = ended.spank_job_env_size++;
    xrealloc(ended.spank_job_env, (last + 2) * sizeof(char*));
    ended.spank_job_env[last] = xstrdup(entry.c_str());
    ended.spank_job_env[last + 1] = nullptr;
}

}  // namespace drom::slurm
