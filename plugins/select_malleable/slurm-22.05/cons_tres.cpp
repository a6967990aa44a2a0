// SPDX-License-Identifier: GPL-2.0-or-later
// cons_tres.cpp - loads Slurm's own select plugin.
#include "cons_tres.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>
#include <string_view>

namespace drom::slurm {

slurm_select_ops_t cons_tres;

namespace {

// In the order of slurm_select_ops_t, which is how Slurm itself fills it.
constexpr const char* kEntryPoints[] = {"plugin_id",
                                        "select_p_state_save",
                                        "select_p_state_restore",
                                        "select_p_job_init",
                                        "select_p_node_init",
                                        "select_p_job_test",
                                        "select_p_job_begin",
                                        "select_p_job_ready",
                                        "select_p_job_expand",
                                        "select_p_job_resized",
                                        "select_p_job_signal",
                                        "select_p_job_fini",
                                        "select_p_job_suspend",
                                        "select_p_job_resume",
                                        "select_p_step_pick_nodes",
                                        "select_p_step_start",
                                        "select_p_step_finish",
                                        "select_p_select_nodeinfo_pack",
                                        "select_p_select_nodeinfo_unpack",
                                        "select_p_select_nodeinfo_alloc",
                                        "select_p_select_nodeinfo_free",
                                        "select_p_select_nodeinfo_set_all",
                                        "select_p_select_nodeinfo_set",
                                        "select_p_select_nodeinfo_get",
                                        "select_p_select_jobinfo_alloc",
                                        "select_p_select_jobinfo_free",
                                        "select_p_select_jobinfo_set",
                                        "select_p_select_jobinfo_get",
                                        "select_p_select_jobinfo_copy",
                                        "select_p_select_jobinfo_pack",
                                        "select_p_select_jobinfo_unpack",
                                        "select_p_select_jobinfo_sprint",
                                        "select_p_select_jobinfo_xstrdup",
                                        "select_p_get_info_from_plugin",
                                        "select_p_update_node_config",
                                        "select_p_reconfigure",
                                        "select_p_resv_test"};
static_assert(std::size(kEntryPoints) * sizeof(void*) == sizeof(slurm_select_ops_t),
              "Slurm has other plugin functions than are forwarded");

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
    void* table[std::size(kEntryPoints)];
    for (std::size_t i = 0; i < std::size(kEntryPoints); ++i) {
        table[i] = dlsym(handle, kEntryPoints[i]);
        if (table[i] == nullptr) return path + " has no " + kEntryPoints[i];
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
