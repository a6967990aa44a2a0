// SPDX-License-Identifier: GPL-2.0-or-later
// cons_tres.cpp - loads Slurm's own select plugin.
#include "cons_tres.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace drom::slurm {

PluginFunctions cons_tres;

namespace {

/// Returns the first of the folders of PluginDir that has the file; empty: none.
std::string in_plugin_dir(std::string_view name) {
    std::string_view folders = slurm_conf.plugindir == nullptr ? "" : slurm_conf.plugindir;
    while (!folders.empty()) {
        const std::size_t colon = std::min(folders.find(':'), folders.size());
        std::string path = std::string(folders.substr(0, colon)).append("/").append(name);
        if (access(path.c_str(), R_OK) == 0) return path;
        folders.remove_prefix(std::min(colon + 1, folders.size()));
    }
    return "";
}

std::string version_text(uint32_t version) {
    return std::to_string(SLURM_VERSION_MAJOR(version)) + "." + std::to_string(SLURM_VERSION_MINOR(version)) + "." +
           std::to_string(SLURM_VERSION_MICRO(version));
}

}  // namespace

std::string load_cons_tres() {
    if (cons_tres.plugin_id != nullptr) return "";
    const std::string path = in_plugin_dir("select_cons_tres.so");
    if (path.empty())
        return std::string("select_cons_tres.so is in no folder of PluginDir (") +
               (slurm_conf.plugindir == nullptr ? "" : slurm_conf.plugindir) +
               "); add the folder of Slurm's own plugins to it";
    // It stays: Slurm may have it open as well, and ends it.
    void* handle = dlopen(path.c_str(), RTLD_LAZY);
    if (handle == nullptr) return path + " cannot be loaded: " + dlerror();
    const auto* version = static_cast<const uint32_t*>(dlsym(handle, "plugin_version"));
    if (version == nullptr || *version != SLURM_VERSION_NUMBER)
        return path + " is of Slurm " + (version == nullptr ? "?" : version_text(*version)) +
               ", and this plugin is for " + version_text(SLURM_VERSION_NUMBER) +
               "; build drom again for the Slurm that is installed";
    void* table[std::size(kPluginFunctions)];
    for (std::size_t i = 0; i < std::size(kPluginFunctions); ++i) {
        table[i] = dlsym(handle, kPluginFunctions[i]);
        if (table[i] == nullptr) return path + " has no " + kPluginFunctions[i];
    }
    if (auto* const init = reinterpret_cast<int (*)()>(dlsym(handle, "init"));
        init != nullptr && init() != SLURM_SUCCESS)
        return path + " cannot be set up; slurmctld's log says why";
    std::memcpy(&cons_tres, table, sizeof cons_tres);
    return "";
}

// Suspending "indefinitely" is how slurmctld says that a job gives up its cores and keeps the rest; job_suspend() and
// job_resume() look at nothing but the job's resources.
WithoutCores::WithoutCores(const std::vector<job_record_t*>& jobs) {
    jobs_.reserve(jobs.size());
    for (job_record_t* job : jobs) {
        if (!IS_JOB_RUNNING(job)) continue;
        cons_tres.job_suspend(job, true);
        jobs_.push_back(job);
    }
}

WithoutCores::~WithoutCores() {
    for (job_record_t* job : jobs_) cons_tres.job_resume(job, true);
}

}  // namespace drom::slurm
