// SPDX-License-Identifier: GPL-2.0-or-later
// node_door.cpp - what SPANK tells of a step, as the node agent wants it.
#include "node_door.hpp"

#include <unistd.h>

#include "node_agent/step_door.hpp"
#include "options.hpp"
#include "slurm_spank.hpp"
#include "variables.hpp"

namespace drom::slurm {
namespace {

void say(const std::string& sentence) { slurm_info("spank_drom: %s", sentence.c_str()); }
void say_in_detail(const std::string& sentence) { slurm_verbose("spank_drom: %s", sentence.c_str()); }

/// A process serves one step.
StepDoor g_door(say, say_in_detail);

template <class Item>
Item item(spank_handle* spank, spank_item_t which) {
    Item value{};
    spank_get_item(spank, which, &value);
    return value;
}

/// The name of the node, which several slurmd may have on one machine. Slurm tells it to the tasks of srun only: a batch script runs on
/// the first node of its job.
std::string node_of(spank_handle* spank) {
    const std::string_view name = variable(spank, "SLURMD_NODENAME");
    if (!name.empty()) return std::string(name);
    hostlist_t nodes = slurm_hostlist_create(std::string(variable(spank, "SLURM_JOB_NODELIST")).c_str());
    char* first = slurm_hostlist_shift(nodes);
    std::string node = first == nullptr ? "" : first;
    free(first);
    slurm_hostlist_destroy(nodes);
    return node;
}

/// Empty `table`: no CPUs are moved.
AgentSettings settings_of(spank_handle* spank, const Settings& settings) {
    if (settings.table.empty()) return {};
    const std::string node = node_of(spank);
    if (node.empty()) say("Slurm does not tell which node this is; the step runs as without drom");
    return node.empty() ? AgentSettings{} : agent_settings(settings, node);
}

StepName step_of(spank_handle* spank) { return {item<uint32_t>(spank, S_JOB_ID), item<uint32_t>(spank, S_JOB_STEPID)}; }

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

StepOnNode describe(spank_handle* spank) {
    StepOnNode step;
    step.step = step_of(spank);
    step.user = item<uid_t>(spank, S_JOB_UID);
    int argc = 0;
    char** argv = nullptr;
    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS && argc > 0) step.program = argv[0];
    step.cores = text_of(item<char*>(spank, step.step.step == kBatchStep ? S_JOB_ALLOC_CORES : S_STEP_ALLOC_CORES));
    if (options().malleable()) step.range = options().range;
    step.min_per_rank = options().min_per_rank;
    return step;
}

}  // namespace

void task_was_forked(spank_handle* spank, const Settings& settings) {
    g_door.task_was_forked(settings_of(spank, settings), describe(spank), item<pid_t>(spank, S_TASK_PID),
                           item<uint32_t>(spank, S_JOB_LOCAL_TASK_COUNT));
}

void name_reservation(spank_handle* spank, const Settings& settings) {
    if (settings.table.empty() || !options().malleable()) return;
    for (const auto& [name, value] : environment_of(settings_of(spank, settings).table, getpid()))
        set_variable(spank, name.c_str(), value);
}

void task_has_ended(spank_handle* spank) { g_door.task_has_ended(step_of(spank), item<pid_t>(spank, S_TASK_PID)); }

}  // namespace drom::slurm
