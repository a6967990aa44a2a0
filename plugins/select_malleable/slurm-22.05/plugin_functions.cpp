// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_functions.cpp - the functions that only a select plugin of Slurm 22.05 has.
#include "select_malleable.hpp"
#include "select_malleable/slurmctld/cons_tres.hpp"

using namespace drom::slurm;

int Question::ask_cons_tres() const {
    return cons_tres.job_test(job, nodes, min_nodes, max_nodes, req_nodes, mode, candidates, preempted, excluded);
}

extern "C" {

// Slurm's signature. NOLINTNEXTLINE(readability-function-size)
int select_p_job_test(job_record_t* job, bitstr_t* nodes, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes,
                      uint16_t mode, list_t* candidates, list_t** preempted, bitstr_t* excluded_cores) {
    Question question{job,  nodes,      min_nodes, max_nodes,      req_nodes,
                      mode, candidates, preempted, excluded_cores, nullptr};
    return answer(question);
}

int select_p_job_signal(job_record_t* job, int signal) { return cons_tres.job_signal(job, signal); }
int select_p_update_node_config(int node) { return cons_tres.update_node_config(node); }

char* select_p_select_jobinfo_sprint(select_jobinfo_t* info, char* text, size_t size, int mode) {
    return cons_tres.jobinfo_sprint(info, text, size, mode);
}

char* select_p_select_jobinfo_xstrdup(select_jobinfo_t* info, int mode) {
    return cons_tres.jobinfo_xstrdup(info, mode);
}

bitstr_t* select_p_resv_test(resv_desc_msg_t* reservation, uint32_t nodes, bitstr_t* available, bitstr_t** cores) {
    return cons_tres.resv_test(reservation, nodes, available, cores);
}

}  // extern "C"
