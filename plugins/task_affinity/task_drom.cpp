// SPDX-License-Identifier: GPL-2.0-or-later
// task_drom.cpp - the plugin functions that are alike in every series of Slurm: from its structs to the task hooks, and
// nothing else. The structs of the series differ in their layout and not in the names that are used here.
#include "slurmd.hpp"

#include "task_affinity/task_drom.hpp"

#include "task_affinity/credential.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/plugin_identity.hpp"
#include "common/slurm_text.hpp"

const char plugin_name[] = "drom: tasks get and hand back CPUs while they run";
const char plugin_type[] = "task/drom";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

namespace drom::slurm {
namespace {

void say(const std::string& sentence) { slurm_info("task/drom: %s", sentence.c_str()); }
void say_in_detail(const std::string& sentence) { slurm_verbose("task/drom: %s", sentence.c_str()); }

std::string string_of(const char* text) { return std::string(text_of(text)); }

/// Returns up to `count` entries, or to the null that ends them.
std::vector<std::string_view> entries(char** list, size_t count = SIZE_MAX) {
    std::vector<std::string_view> found;
    for (size_t i = 0; list != nullptr && i < count && list[i] != nullptr; ++i) found.emplace_back(list[i]);
    return found;
}

/// Reads the job's declaration: srun hands the SPANK environment over as it is; a batch script finds it among its
/// variables.
void declare(const launch_tasks_request_msg_t* message, char** environment, StepOnNode& on_node) {
    if (message == nullptr) return task::read_declaration(entries(environment), "SLURM_SPANK_", on_node);
    const auto own = entries(message->spank_job_env, message->spank_job_env_size);
    task::read_declaration(own, "SPANK_", on_node);
    task::read_declaration(own, "", on_node);
}

/// Returns the CPUs that the job has on this node while it shares with no job; 0: not known.
uint32_t cpus_alone(const stepd_step_rec_t& job) {
    if (job.batch) return job.cpus;
    return job.msg == nullptr ? 0 : task::job_here(job.msg->cred).alone;
}

StepOnNode describe(stepd_step_rec_t* job) {
    StepOnNode on_node;
    on_node.step = {job->step_id.job_id, job->step_id.step_id};
    on_node.user = job->uid;
    if (job->argc > 0 && job->argv != nullptr) on_node.program = string_of(job->argv[0]);
    on_node.job_cores = string_of(job->job_alloc_cores);
    on_node.cores = job->batch ? on_node.job_cores : string_of(job->step_alloc_cores);
    on_node.job_cpus = cpus_alone(*job);
    declare(job->batch ? nullptr : job->msg, job->env, on_node);
    return on_node;
}

void set_up() {
    char* path = get_extra_conf_path(const_cast<char*>("drom.conf"));
    task::set_up(string_of(path), {say, say_in_detail});
    xfree(path);
}

void before_exec(stepd_step_rec_t* job) {
    const StepOnNode on_node = describe(job);
    if (!on_node.range || !on_node.has_tasks_of_its_own()) return;
    for (const auto& [name, value] : task::variables(task::node_name())) {
        if (value.empty())
            unsetenvp(job->env, name.c_str());
        else
            env_array_overwrite(&job->env, name.c_str(), value.c_str());
    }
}

}  // namespace

std::string task::node_name() { return string_of(conf->node_name); }

bool task::tell_of_fork(stepd_step_rec_t* job, uint32_t task) {
    return task_was_forked(node_name(), describe(job), job->task[task]->pid, job->node_tasks);
}

}  // namespace drom::slurm

using namespace drom::slurm;

extern "C" {

int init(void);
int fini(void);
int task_p_slurmd_batch_request(batch_job_launch_msg_t*);
int task_p_slurmd_launch_request(launch_tasks_request_msg_t*, uint32_t, char**);
int task_p_pre_setuid(stepd_step_rec_t* job);
int task_p_pre_launch(stepd_step_rec_t* job);
int task_p_post_term(stepd_step_rec_t* job, stepd_step_task_info_t* task);
int task_p_post_step(stepd_step_rec_t* job);
int task_p_add_pid(pid_t process);

int init(void) {
    set_up();
    return SLURM_SUCCESS;
}

int fini(void) { return SLURM_SUCCESS; }

// No launch is refused: srun does not ask again after a refusal of a node, and its step has failed then.
int task_p_slurmd_batch_request(batch_job_launch_msg_t*) { return SLURM_SUCCESS; }
int task_p_slurmd_launch_request(launch_tasks_request_msg_t* request, uint32_t, char**) {
    task::accept_on_fewer_cores(*request);
    return SLURM_SUCCESS;
}

int task_p_pre_setuid(stepd_step_rec_t* job) {
    task::step_is_about_to_start(task::node_name(), describe(job));
    return SLURM_SUCCESS;
}

int task_p_pre_launch(stepd_step_rec_t* job) {
    before_exec(job);
    return SLURM_SUCCESS;
}

int task_p_post_term(stepd_step_rec_t* job, stepd_step_task_info_t* task) {
    task::task_has_ended({job->step_id.job_id, job->step_id.step_id}, task->pid);
    return SLURM_SUCCESS;
}

int task_p_post_step(stepd_step_rec_t* job) {
    const StepName name{job->step_id.job_id, job->step_id.step_id};
    if (name.is_extern()) task::task_has_ended(name, getpid());
    return SLURM_SUCCESS;
}
int task_p_add_pid(pid_t process) {
    task::process_was_adopted(process);
    return SLURM_SUCCESS;
}

}  // extern "C"
