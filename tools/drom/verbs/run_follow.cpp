// SPDX-License-Identifier: BSD-3-Clause
// run_follow.cpp - drom run --follow: a command that follows its container. This process becomes the command, so that
// it can be the first one of a container: it gets the signals, and its exit status is the container's.
#include "verbs/run_follow.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "container/in_words.hpp"
#include "libdrom/base/env.hpp"
#include "output/format.hpp"
#include "output/messages.hpp"
#include "program/preload.hpp"
#include "program/stack.hpp"
#include "verbs/run_inside.hpp"

namespace drom::command {

namespace {

/// The CPUs of the command's start, and the limits that led to them.
struct Start {
    CpuSet base;  ///< inside which it may grow
    CpuSet cpus;
    unsigned usable = 0;
    unsigned quota = 0;  ///< 0: none
};

/// Returns the first option that is about a table; empty: none is.
std::string option_of_table(const CommandOptions& options) {
    const RunOptions& run = options.run;
    const std::array<std::pair<bool, const char*>, 16> said{{{!options.table.empty(), "--table"},
                                                             {options.json, "--json"},
                                                             {!run.cpus.empty(), "--cpus"},
                                                             {run.ncpus.has_value(), "--ncpus"},
                                                             {run.max_said.starts_with("--"), "--max"},
                                                             {run.min_said.starts_with("--"), "--min"},
                                                             {run.rigid, "--rigid"},
                                                             {!run.resize.empty(), "--resize"},
                                                             {!run.name.empty(), "--name"},
                                                             {!run.job.empty(), "--job"},
                                                             {run.queue, "--queue"},
                                                             {run.wait, "--wait"},
                                                             {options.request.fast, "--fast"},
                                                             {options.request.timeout.has_value(), "--timeout"},
                                                             {options.request.grace.has_value(), "--grace"},
                                                             {options.request.never_confine, "--grace"}}};
    for (const auto& [is_said, option] : said)
        if (is_said) return option;
    return {};
}

std::string wish(const CommandOptions& options) { return options.run.follow ? "--follow" : "DROM_FOLLOW=1"; }

/// Returns why the wish and the rest of the command line contradict each other; empty: they do not.
std::string contradiction(const CommandOptions& options) {
    if (const std::string option = option_of_table(options); !option.empty())
        return fmt::format("{} is without a table, and {} is about one; leave one of them out", wish(options), option);
    if (env::text("DROM_SLOT") != nullptr)
        return wish(options) + " is without a table, and this process runs on CPUs of one (DROM_SLOT); leave it out";
    return {};
}

/// Returns why the folder before the kernel's files cannot be meant; empty: it can.
std::string wrong_root() {
    const char* root = env::text("DROM_CGROUP_ROOT");
    struct stat found{};
    if (root == nullptr || (*root == '/' && stat(root, &found) == 0 && S_ISDIR(found.st_mode))) return {};
    return fmt::format("DROM_CGROUP_ROOT={} is not the path of a folder, from / on; unset it", root);
}

Expected<Start> find_start() {
    Start start;
    if (container::find_start_words(start.base.words(), start.cpus.words(), start.usable, start.quota)) return start;
    return failure(DROM_E_OS, "its affinity cannot be read");
}

void set_variable(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

/// Sets what the agent reads in the command and in the programs that it starts.
void set_environment(const Preload& preload, const Start& start) {
    set_variable("DROM_FOLLOW", "1");
    set_variable("DROM_FOLLOW_CPUS", start.cpus.text() + "/" + start.base.text());
    if (!preload.agent) return;
    const char* present = std::getenv("LD_PRELOAD");
    const std::string list = preload_text(preload, library_directory(), present == nullptr ? "" : present);
    if (!list.empty()) set_variable("LD_PRELOAD", list);
    const char* asan = std::getenv("ASAN_OPTIONS");
    set_variable("ASAN_OPTIONS", asan_options(asan == nullptr ? "" : asan));
}

/// Returns how the program is reached later. No MPI and no OpenMP calls: its team keeps its size.
Preload choose_agent(const CommandOptions& options, const Program& program) {
    if (options.run.no_preload) return {};
    Preload preload = choose_preload(program, false, stack_of_program(options.command));
    preload.mpi = false;
    const std::string directory = library_directory();
    if (directory.find_first_of(" :") != std::string::npos)
        preload = {.remark = "cannot be reached: LD_PRELOAD knows no blanks and colons, and " + directory + " has one"};
    if (!preload.remark.empty())
        warn(options, fmt::format("{} keeps the CPUs of its start, and does not follow later changes: nothing can be "
                                  "preloaded into it",
                                  program.path));
    return preload;
}

/// Sets the affinity, unless it is the same: one that only a cpuset limits grows with that.
bool take(const CpuSet& cpus) {
    const auto now = CpuSet::affinity_of();
    return (now && *now == cpus) || sched_setaffinity(0, CpuSet::kernel_size(), cpus.as_kernel()) == 0;
}

/// Becomes the command where the kernel refuses affinities: a container must not end for that.
int become_as_it_is(const CommandOptions& options, const Program& program, const std::string& why) {
    warn(options,
         fmt::format("{} keeps the CPUs that it has, and does not follow its container: {}", program.path, why));
    return become(options, program);
}

void tell(const CommandOptions& options, const Start& start, const Preload& preload) {
    const std::string quota =
        start.quota == 0 ? "no quota" : fmt::format("a quota for {}", counted(start.quota, "CPU"));
    const auto libraries = libraries_of(preload);
    mention(options, fmt::format("{} on {} of {}, {}; preloaded: {}", options.command.front(), cpus_text(start.cpus),
                                 start.usable, quota,
                                 libraries.empty() ? "nothing" : fmt::format("{}", joined(libraries, ", "))));
}

}  // namespace

bool follows_container(const CommandOptions& options) {
    return options.run.follow || (env::flag("DROM_FOLLOW", false) && env::text("DROM_SLOT") == nullptr);
}

int run_following(const CommandOptions& options, const Program& program) {
    if (const std::string why = contradiction(options); !why.empty()) return misused(options, why);
    if (const std::string why = wrong_root(); !why.empty()) return misused(options, why);
    if (env::flag("DROM_DISABLE", false)) return become(options, program);
    const auto start = find_start();
    if (!start) return become_as_it_is(options, program, start.error().text);
    if (!take(start->cpus)) return become_as_it_is(options, program, std::strerror(errno));
    const Preload preload = choose_agent(options, program);
    set_environment(preload, *start);
    tell(options, *start, preload);
    return become(options, program);
}

}  // namespace drom::command
