// SPDX-License-Identifier: GPL-2.0-or-later
// node_door.cpp - what SPANK tells of a step, as the node agent wants it.
#include "node_door.hpp"

#include <unistd.h>

#include <string_view>
#include <vector>

#include "node_agent/node_agent.hpp"
#include "options.hpp"
#include "slurm_spank.hpp"
#include "variables.hpp"

namespace drom::slurm {
namespace {

/// Of the step that this process serves, in the order of their local numbers.
std::vector<pid_t> g_tasks;
bool g_arrived = false;

template <class Item>
Item item(spank_handle* spank, spank_item_t which) {
    Item value{};
    spank_get_item(spank, which, &value);
    return value;
}

AgentSettings settings_of(spank_handle* spank, const Arguments& arguments) {
    AgentSettings settings;
    settings.table = table_of(arguments, std::string(variable(spank, "SLURMD_NODENAME")));
    settings.topology = arguments.topology;
    settings.sharing_factor = arguments.sharing_factor;
    return settings;
}

StepName step_of(spank_handle* spank) { return {item<uint32_t>(spank, S_JOB_ID), item<uint32_t>(spank, S_JOB_STEPID)}; }

/// Steps that people start, and batch scripts; not the extern step, an interactive shell or an X11 forwarder.
bool has_tasks_of_its_own(const StepName& step) {
    return step.step <= SLURM_MAX_NORMAL_STEP_ID || step.step == kBatchStep;
}

std::string program_of(spank_handle* spank) {
    int argc = 0;
    char** argv = nullptr;
    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS || argc == 0) return {};
    const std::string_view path(argv[0]);
    return std::string(path.substr(path.rfind('/') + 1));
}

CpuSet granted_to(spank_handle* spank, const StepName& step, const NodeAgent& agent) {
    const char* cores = item<char*>(spank, step.step == kBatchStep ? S_JOB_ALLOC_CORES : S_STEP_ALLOC_CORES);
    CpuSet set{};
    if (cores == nullptr || parse_cpus(cores, set).what != nullptr) return CpuSet::empty();
    return agent.cpus_of_cores(set);
}

Launch launch_of(spank_handle* spank, const NodeAgent& agent) {
    const Options& given = options();
    Launch launch;
    launch.step = step_of(spank);
    launch.user = item<uid_t>(spank, S_JOB_UID);
    launch.name = program_of(spank);
    launch.granted = granted_to(spank, launch.step, agent);
    launch.tasks = g_tasks;
    launch.malleable = given.malleable();
    if (!given.range || !launch.malleable) return launch;
    launch.min_cpus = given.range->min;
    launch.max_cpus = given.range->max;
    launch.min_per_rank = given.min_per_rank.value_or(1);
    return launch;
}

void say(const StepName& step, const std::string& what) {
    slurm_info("spank_drom: step %s: %s", step.text().c_str(), what.c_str());
}

void arrive(spank_handle* spank, const Arguments& arguments) {
    const StepName step = step_of(spank);
    auto agent = NodeAgent::open(settings_of(spank, arguments));
    if (!agent) return say(step, agent.error() + "; it runs as without drom");
    const Launch launch = launch_of(spank, *agent);
    if (launch.granted.none()) return say(step, "Slurm granted it no cores by name; it runs as without drom");
    const auto arrival = agent->arrive(launch);
    if (!arrival) return say(step, arrival.error() + "; it runs as without drom");
    if (!arrival->news.empty()) say(step, arrival->news);
    g_arrived = true;
    for (std::size_t i = 0; i < arrival->masks.size(); ++i)
        slurm_verbose("spank_drom: step %s: task %zu has CPUs %s", step.text().c_str(), i,
                      CpuText(arrival->masks[i]).text);
}

}  // namespace

void task_was_forked(spank_handle* spank, const Arguments& arguments) {
    if (arguments.table.empty() || !has_tasks_of_its_own(step_of(spank))) return;
    g_tasks.push_back(item<pid_t>(spank, S_TASK_PID));
    if (g_tasks.size() == item<uint32_t>(spank, S_JOB_LOCAL_TASK_COUNT)) arrive(spank, arguments);
}

void name_reservation(spank_handle* spank, const Arguments& arguments) {
    if (arguments.table.empty() || !options().malleable()) return;
    for (const auto& [name, value] : environment_of(settings_of(spank, arguments).table, getpid()))
        set_variable(spank, name.c_str(), value);
}

void task_has_ended(spank_handle* spank, const Arguments& arguments) {
    if (!g_arrived) return;
    auto agent = NodeAgent::open(settings_of(spank, arguments));
    const auto left = agent ? agent->leave({item<pid_t>(spank, S_TASK_PID)}) : tl::unexpected(agent.error());
    if (!left) say(step_of(spank), left.error() + "; its CPUs go back at the next call on this node");
}

}  // namespace drom::slurm
