// SPDX-License-Identifier: GPL-2.0-or-later
// older_functions.cpp - functions that select plugins have up to Slurm 24.11: state, steps, and what commands unpack.
#include "select_malleable.hpp"
#include "select_malleable/slurmctld/cons_tres.hpp"
#include "select_malleable/slurmctld/lent_cpus.hpp"
#include "select_malleable/slurmctld/once_unlocked.hpp"

using namespace drom::slurm;

extern "C" {

int select_p_state_restore(char* directory) {
    in_call("restore", [directory] { transaction().restore(directory); });
    return cons_tres.state_restore(directory);
}

int select_p_state_save(char* directory) {
    in_call("state_save", [] { if_control_goes([] { transaction().leave(); }); });
    return cons_tres.state_save(directory);
}

int select_p_job_init(list_t* jobs) { return cons_tres.job_init(jobs); }

bitstr_t* select_p_step_pick_nodes(job_record_t* job, select_jobinfo_t* info, uint32_t nodes, bitstr_t** available) {
    static auto* const lent_cpus = new LentCpus;
    in_call("step_pick_nodes", [job] { lent_cpus->count(*job); });
    return cons_tres.step_pick_nodes(job, info, nodes, available);
}

int select_p_step_start(step_record_t* step) { return cons_tres.step_start(step); }
int select_p_step_finish(step_record_t* step, bool killing) { return cons_tres.step_finish(step, killing); }

int select_p_select_nodeinfo_pack(select_nodeinfo_t* info, buf_t* buffer, uint16_t version) {
    return cons_tres.nodeinfo_pack(info, buffer, version);
}

int select_p_select_nodeinfo_unpack(select_nodeinfo_t** info, buf_t* buffer, uint16_t version) {
    return cons_tres.nodeinfo_unpack(info, buffer, version);
}

select_nodeinfo_t* select_p_select_nodeinfo_alloc(void) { return cons_tres.nodeinfo_alloc(); }
int select_p_select_nodeinfo_free(select_nodeinfo_t* info) { return cons_tres.nodeinfo_free(info); }

int select_p_select_nodeinfo_get(select_nodeinfo_t* info, enum select_nodedata_type type, enum node_states state,
                                 void* data) {
    return cons_tres.nodeinfo_get(info, type, state, data);
}

select_jobinfo_t* select_p_select_jobinfo_alloc(void) { return cons_tres.jobinfo_alloc(); }
int select_p_select_jobinfo_free(select_jobinfo_t* info) { return cons_tres.jobinfo_free(info); }

int select_p_select_jobinfo_set(select_jobinfo_t* info, enum select_jobdata_type type, void* data) {
    return cons_tres.jobinfo_set(info, type, data);
}

int select_p_select_jobinfo_get(select_jobinfo_t* info, enum select_jobdata_type type, void* data) {
    return cons_tres.jobinfo_get(info, type, data);
}

select_jobinfo_t* select_p_select_jobinfo_copy(select_jobinfo_t* info) { return cons_tres.jobinfo_copy(info); }

int select_p_select_jobinfo_pack(select_jobinfo_t* info, buf_t* buffer, uint16_t version) {
    return cons_tres.jobinfo_pack(info, buffer, version);
}

int select_p_select_jobinfo_unpack(select_jobinfo_t** info, buf_t* buffer, uint16_t version) {
    return cons_tres.jobinfo_unpack(info, buffer, version);
}

int select_p_get_info_from_plugin(enum select_plugindata_info info, job_record_t* job, void* data) {
    return cons_tres.get_info_from_plugin(info, job, data);
}

}  // extern "C"
