// SPDX-License-Identifier: GPL-2.0-or-later
// step.cpp - slurmstepd: what a step of a malleable job gets on its node.
#include "step.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "openmp/follow.hpp"
#include "options.hpp"
#include "preload.hpp"
#include "slurm_spank.hpp"
#include "variables.hpp"

namespace drom::slurm {

namespace {

/// The libraries that the step can preload; empty: it is not there.
struct Libraries {
    std::string agent;
    std::string omp;
    std::string mpi;
    std::string drom;  ///< which the others need
};
Libraries g_libraries;

std::string readable(const std::string& directory, const char* name) {
    std::string path = directory + "/" + name;
    return access(path.c_str(), R_OK) == 0 ? path : std::string();
}

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// Returns whether an MPI library may make ranks of the tasks of this srun. Not of a batch script: a launcher in it
/// must not be taken for an MPI library.
bool may_be_ranks(spank_handle* spank) {
    uint32_t step = 0;
    uint32_t tasks = 0;
    if (spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS || step > SLURM_MAX_NORMAL_STEP_ID) return false;
    spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &tasks);
    return tasks > 1 || !variable(spank, "PMIX_RANK").empty() || !variable(spank, "PMI_RANK").empty() ||
           !variable(spank, "PMI_FD").empty();
}

/// Returns whether the job's environment lets the team change.
bool may_follow(spank_handle* spank) {
    const std::string resize(variable(spank, "DROM_RESIZE"));
    const std::string dynamic(variable(spank, "OMP_DYNAMIC"));
    return follow::is_allowed_from_outside(resize.c_str(), dynamic.c_str());
}

void preload(spank_handle* spank) {
    if (g_libraries.agent.empty()) return;
    std::vector<std::string> libraries;
    if (!g_libraries.mpi.empty() && may_be_ranks(spank)) libraries.push_back(g_libraries.mpi);
    if (!g_libraries.omp.empty() && may_follow(spank)) libraries.push_back(g_libraries.omp);
    libraries.push_back(g_libraries.agent);
    // Each of them needs it. Named by its path it is there at once, and the loader looks into no other folder.
    if (!g_libraries.drom.empty()) libraries.push_back(g_libraries.drom);
    set_variable(spank, "LD_PRELOAD", with_libraries(variable(spank, "LD_PRELOAD"), libraries));
}

void preload_nothing(spank_handle* spank, const std::string& directory) {
    const std::string_view present = variable(spank, "LD_PRELOAD");
    if (!present.empty()) set_variable(spank, "LD_PRELOAD", without_libraries(present, directory));
}

}  // namespace

std::string library_directory(const Settings& settings) {
    if (!settings.lib.empty()) return settings.lib;
    Dl_info info{};
    if (dladdr(&g_libraries, &info) == 0 || info.dli_fname == nullptr) return {};
    char path[PATH_MAX];
    return realpath(info.dli_fname, path) == nullptr ? std::string() : parent(parent(path));
}

void look_for_libraries(const std::string& directory) {
    if (!options().malleable()) return;
    if (!can_be_preloaded(directory)) {
        slurm_info(
            "spank_drom: '%s' cannot be preloaded: LD_PRELOAD knows no blanks and colons; the job runs without drom",
            directory.c_str());
        return;
    }
    g_libraries.agent = readable(directory, "libdrom-agent.so");
    g_libraries.omp = readable(directory, "libdrom-omp.so");
    g_libraries.mpi = readable(directory, "libdrom-mpi.so");
    g_libraries.drom = readable(directory, "libdrom.so." DROM_SOVERSION);
    if (g_libraries.agent.empty())
        slurm_info(
            "spank_drom: %s/libdrom-agent.so cannot be read: %s; the job runs without drom; does plugstack.conf have "
            "the "
            "right lib=DIR?",
            directory.c_str(), std::strerror(errno));
}

void enter_task(spank_handle* spank, const std::string& directory) {
    const Options& given = options();
    if (given.off) {
        // A step inherits from its job's script what that was given.
        for (const char* name : {"DROM_MALLEABLE", "DROM_MIN_PER_RANK"}) spank_unsetenv(spank, name);
        set_variable(spank, "DROM_OFF", "1");
        return preload_nothing(spank, directory);
    }
    if (!given.range) return;
    set_variable(spank, "DROM_MALLEABLE", given.range->text());
    if (given.min_per_rank) set_variable(spank, "DROM_MIN_PER_RANK", std::to_string(*given.min_per_rank));
    if (given.resize) set_variable(spank, "DROM_RESIZE", *given.resize);
    preload(spank);
}

void leave_alone(spank_handle* spank, const std::string& directory) {
    for (const char* name : {"DROM_TABLE", "DROM_SLOT", "DROM_START_CPUS"}) spank_unsetenv(spank, name);
    preload_nothing(spank, directory);
}

}  // namespace drom::slurm
