// SPDX-License-Identifier: GPL-2.0-or-later
// task_hooks.cpp - slurmd's and the step daemon's calls of the node agent. It never makes a job fail.
#include "task_hooks.hpp"

#include <unistd.h>

#include <optional>

#include "common/guarded.hpp"
#include "common/malleable_range.hpp"
#include "common/settings.hpp"
#include "common/slurm_text.hpp"
#include "common/small_file.hpp"

namespace drom::slurm::task {
namespace {

std::string g_file;
Log g_log{};
std::optional<StepHooks> g_hooks;

/// Runs the body, and never makes a job fail.
template <class Body>
void never_fails(const Body& body) noexcept {
    guarded(body, [](const char* error) { g_log.news(std::string(error) + "; the job runs as without drom"); });
}

/// Reads the settings anew each time, so that what an administrator writes counts from the next step on. `table` is
/// empty where nothing is to be done.
AgentSettings settings_of(const std::string& node) { return agent_settings(read_file(contents(g_file)), node); }

/// Calls the agent of this node, if there is one.
template <class Body>
void with_agent(const std::string& node, const Body& body) {
    const AgentSettings settings = settings_of(node);
    if (settings.table.empty()) return;
    auto agent = NodeAgent::open(settings);
    if (!agent) return g_log.news(agent.error());
    body(*agent);
}

}  // namespace

void set_up(const std::string& file, const Log& log) noexcept {
    g_log = log;
    never_fails([&] {
        g_file = file;
        const Settings settings = read_file(contents(file));
        for (const std::string& sentence : settings.wrong) log.news(sentence);
        if (settings.table.empty())
            log.news(file + ": it names no table; jobs run as without drom; write table=DIR into it");
        g_hooks.emplace(log.news, log.details);
    });
}

void read_declaration(const std::vector<std::string_view>& environment, std::string_view prefix, StepOnNode& step) {
    bool off = false;
    for (std::string_view entry : environment) {
        if (!entry.starts_with(prefix)) continue;
        entry.remove_prefix(prefix.size());
        const std::string_view name = entry.substr(0, entry.find('='));
        const std::string_view value = option_value(entry.substr(std::min(entry.size(), name.size() + 1)));
        if (name == "DROM_OFF") off = true;
        // A bad value counts as not given: it was refused at submission.
        if (name == "DROM_MALLEABLE")
            if (const auto range = parse_malleable(value)) step.range = *range;
        if (name == "DROM_MIN_PER_RANK")
            if (const auto min = parse_min_per_rank(value)) step.min_per_rank = *min;
    }
    if (off) step.range.reset();
}

void suspend(const std::string& node, uint32_t job) noexcept {
    never_fails([&] {
        with_agent(node, [&](NodeAgent& agent) {
            if (const auto done = agent.suspend(job); !done)
                g_log.news("job " + std::to_string(job) + " is suspended: " + done.error());
        });
    });
}

void resume(const std::string& node, uint32_t job) noexcept {
    never_fails([&] {
        with_agent(node, [&](NodeAgent& agent) {
            if (const auto done = agent.resume(job); !done)
                g_log.news("job " + std::to_string(job) + " goes on: " + done.error());
        });
    });
}

void step_is_about_to_start(const std::string& node, const StepOnNode& step) noexcept {
    never_fails([&] {
        const AgentSettings settings = settings_of(node);
        g_hooks->step_is_about_to_start(settings, step);
        if (step.step.is_extern()) g_hooks->extern_step_starts(settings, step);
    });
}

bool task_was_forked(const std::string& node, const StepOnNode& step, pid_t task, unsigned all) noexcept {
    bool placed = false;
    never_fails([&] { placed = g_hooks->task_was_forked(settings_of(node), step, task, all); });
    return placed;
}

void process_was_adopted(pid_t process) noexcept {
    never_fails([&] { g_hooks->process_was_adopted(process); });
}

void task_has_ended(const StepName& step, pid_t task) noexcept {
    never_fails([&] { g_hooks->task_has_ended(step, task); });
}

Variables variables(const std::string& node) noexcept {
    Variables found;
    never_fails([&] {
        const AgentSettings settings = settings_of(node);
        if (settings.table.empty()) return;
        if (auto named = environment_of(settings.table, getpid()))
            found = std::move(*named);
        else
            g_log.news("its task cannot find its CPUs: " + named.error() + "; it runs as without drom");
        // Neither a library, which spank_drom.so would preload, nor what it may have inherited from its script.
        if (found.empty())
            found = {{"DROM_OFF", "1"}, {"DROM_TABLE", ""}, {"DROM_SLOT", ""}, {"DROM_START_CPUS", ""}};
        else
            found.emplace_back("DROM_OFF", "");  // of a script that had found no room
    });
    return found;
}

}  // namespace drom::slurm::task
