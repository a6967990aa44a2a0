// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.hpp - what a select plugin of Slurm 24.11 has to export. Slurm's own table of them is private.
#pragma once

#include "slurmctld.hpp"

#include <iterator>

namespace drom::slurm {

/// Goes over the wire. Slurm's own end at 110.
inline constexpr uint32_t kPluginId = 180;

struct PluginFunctions {
    uint32_t* plugin_id;
    int (*state_save)(char*);
    int (*state_restore)(char*);
    int (*job_init)(list_t*);
    int (*node_init)();
    int (*job_test)(job_record_t*, bitstr_t*, uint32_t, uint32_t, uint32_t, uint16_t, list_t*, list_t**, resv_exc_t*,
                    will_run_data_t*);
    int (*job_begin)(job_record_t*);
    int (*job_ready)(job_record_t*);
    int (*job_expand)(job_record_t*, job_record_t*);
    int (*job_resized)(job_record_t*, node_record_t*);
    int (*job_fini)(job_record_t*);
    int (*job_suspend)(job_record_t*, bool);
    int (*job_resume)(job_record_t*, bool);
    bitstr_t* (*step_pick_nodes)(job_record_t*, select_jobinfo_t*, uint32_t, bitstr_t**);
    int (*step_start)(step_record_t*);
    int (*step_finish)(step_record_t*, bool);
    int (*nodeinfo_pack)(select_nodeinfo_t*, buf_t*, uint16_t);
    int (*nodeinfo_unpack)(select_nodeinfo_t**, buf_t*, uint16_t);
    select_nodeinfo_t* (*nodeinfo_alloc)();
    int (*nodeinfo_free)(select_nodeinfo_t*);
    int (*nodeinfo_set_all)();
    int (*nodeinfo_set)(job_record_t*);
    int (*nodeinfo_get)(select_nodeinfo_t*, enum select_nodedata_type, enum node_states, void*);
    select_jobinfo_t* (*jobinfo_alloc)();
    int (*jobinfo_free)(select_jobinfo_t*);
    int (*jobinfo_set)(select_jobinfo_t*, enum select_jobdata_type, void*);
    int (*jobinfo_get)(select_jobinfo_t*, enum select_jobdata_type, void*);
    select_jobinfo_t* (*jobinfo_copy)(select_jobinfo_t*);
    int (*jobinfo_pack)(select_jobinfo_t*, buf_t*, uint16_t);
    int (*jobinfo_unpack)(select_jobinfo_t**, buf_t*, uint16_t);
    int (*get_info_from_plugin)(enum select_plugindata_info, job_record_t*, void*);
    int (*reconfigure)();
};

/// Their names, in the order of PluginFunctions.
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
    "select_p_get_info_from_plugin",
    "select_p_reconfigure",
};
static_assert(std::size(kPluginFunctions) * sizeof(void*) == sizeof(PluginFunctions),
              "Slurm has other plugin functions than are forwarded");

}  // namespace drom::slurm
