// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.hpp - what a select plugin of Slurm 22.05 has to export.
#pragma once

#include "slurmctld.hpp"

#include <iterator>

namespace drom::slurm {

/// Goes over the wire. Slurm's own end at 110.
inline constexpr uint32_t kPluginId = 180;

using PluginFunctions = slurm_select_ops_t;

/// Their names, in the order of PluginFunctions, which is how Slurm itself fills it.
inline constexpr const char* kPluginFunctions[] = {
    "plugin_id",
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
    "select_p_resv_test",
};
static_assert(std::size(kPluginFunctions) * sizeof(void*) == sizeof(PluginFunctions),
              "Slurm has other plugin functions than are forwarded");

}  // namespace drom::slurm
