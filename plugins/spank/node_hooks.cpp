// SPDX-License-Identifier: GPL-2.0-or-later
// node_hooks.cpp - what SPANK tells of a step, as the node agent wants it.
#include "node_hooks.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "common/slurm_text.hpp"
#include "common/small_file.hpp"
#include "node_agent/step_hooks.hpp"
#include "options.hpp"
#include "slurm_spank.hpp"
#include "variables.hpp"

namespace drom::slurm {
namespace {

void say(const std::string& sentence) { slurm_info("spank_drom: %s", sentence.c_str()); }
void say_in_detail(const std::string& sentence) { slurm_verbose("spank_drom: %s", sentence.c_str()); }

/// A process serves one step.
StepHooks g_hooks{say, say_in_detail};

template <class Item>
Item item(spank_handle* spank, spank_item_t which) {
    Item value{};
    spank_get_item(spank, which, &value);
    return value;
}

/// Returns the settings from the environment of the step daemon. The job's environment cannot be trusted: its variables
/// may come from another node, or from the user. A batch script and a step that srun starts from a shell have none.
AgentSettings settings_of(const Settings& settings) {
    const char* node = std::getenv("SLURMD_NODENAME");
    if (node != nullptr || settings.table.find("%n") == std::string::npos)
        return agent_settings(settings, node == nullptr ? "" : node);
    say("Slurm does not tell which node this is, for table=" + settings.table + "; the step runs as without drom");
    return {};
}

/// Returns the settings of the task plugin, which has no hook for the end of a job. slurmd tells its epilog where its
/// configuration is.
Settings settings_of_task_plugin() {
    const char* slurm_conf = std::getenv("SLURM_CONF");
    if (slurm_conf == nullptr) return {};
    return read_file(contents(std::filesystem::path(slurm_conf).replace_filename("drom.conf")));
}

/// Returns what slurmctld tells the epilog of a job that shared nodes.
std::vector<EarlierSteps> earlier_steps() {
    return read_earlier_steps(text_of(std::getenv(("SPANK_" + std::string(kEarlierSteps)).c_str())));
}

StepName step_of(spank_handle* spank) { return {item<uint32_t>(spank, S_JOB_ID), item<uint32_t>(spank, S_JOB_STEPID)}; }

StepOnNode describe(spank_handle* spank) {
    StepOnNode step;
    step.step = step_of(spank);
    step.user = item<uid_t>(spank, S_JOB_UID);
    int argc = 0;
    char** argv = nullptr;
    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS && argc > 0) step.program = argv[0];
    step.job_cores = text_of(item<char*>(spank, S_JOB_ALLOC_CORES));
    // Of other steps it says how many CPUs they have now.
    if (step.step.step == kBatchStep) step.job_cpus = item<uint16_t>(spank, S_JOB_NCPUS);
    step.cores =
        step.step.step == kBatchStep ? step.job_cores : std::string(text_of(item<char*>(spank, S_STEP_ALLOC_CORES)));
    if (options().malleable()) step.range = options().range;
    step.min_per_rank = options().min_per_rank;
    return step;
}

}  // namespace

void step_is_about_to_start(spank_handle* spank, const Settings& settings) {
    g_hooks.step_is_about_to_start(settings_of(settings), describe(spank));
}

void task_was_forked(spank_handle* spank, const Settings& settings) {
    const StepOnNode step = describe(spank);
    // Slurm does not tell a SPANK plugin whether the job of an extern step is malleable: as one that is not, it keeps
    // its CPUs until another step of the job has them. The task plugin, which can know, has been here before.
    if (step.step.is_extern()) return g_hooks.extern_step_starts(settings_of(settings), step);
    g_hooks.task_was_forked(settings_of(settings), step, item<pid_t>(spank, S_TASK_PID),
                            item<uint32_t>(spank, S_JOB_LOCAL_TASK_COUNT));
}

bool name_reservation(spank_handle* spank, const Settings& settings) {
    // The task plugin was there before, and has found out.
    if (variable(spank, "DROM_OFF") == "1") return false;
    if (settings.table.empty() || !options().malleable() || !describe(spank).has_tasks_of_its_own()) return true;
    const auto variables = environment_of(settings_of(settings).table, getpid());
    if (!variables) say("its task cannot find its CPUs: " + variables.error() + "; it runs as without drom");
    if (!variables || variables->empty()) return false;
    for (const auto& [name, value] : *variables) set_variable(spank, name.c_str(), value);
    return true;
}

void task_has_ended(spank_handle* spank) { g_hooks.task_has_ended(step_of(spank), item<pid_t>(spank, S_TASK_PID)); }

void step_has_ended(spank_handle* spank) {
    if (step_of(spank).is_extern()) g_hooks.task_has_ended(step_of(spank), getpid());
}

void job_has_ended(spank_handle* spank, const Settings& settings) {
    const AgentSettings node = settings_of(settings.table.empty() ? settings_of_task_plugin() : settings);
    if (node.table.empty()) return;
    const auto job = item<uint32_t>(spank, S_JOB_ID);
    const auto failed = [job](const std::string& why) { say("job " + std::to_string(job) + " has ended: " + why); };
    auto agent = NodeAgent::open(node);
    if (!agent) return failed(agent.error());
    if (const auto done = agent->job_has_ended(job, earlier_steps()); !done) failed(done.error());
}

}  // namespace drom::slurm
