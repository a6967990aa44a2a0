// SPDX-License-Identifier: GPL-2.0-or-later
// select_malleable.cpp - the functions of a select plugin of Slurm 22.05: everything is cons_tres's, but that jobs
// may share.
#include "cons_tres.hpp"
#include "transaction.hpp"

#include <string_view>

#include "common/guarded.hpp"
#include "common/plugin_identity.hpp"

extern "C" {
// Without a declaration C++ would not export it.
extern const uint32_t plugin_id;
const char plugin_name[] = "drom: malleable jobs start beside running ones";
const char plugin_type[] = "select/malleable";
// Goes over the wire. Slurm's own end at 110.
const uint32_t plugin_id = 180;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;
}

namespace {

using namespace drom::slurm;

/// Says an exception of `body` in the log; what was begun is then finished by `otherwise`.
template <class Body, class Otherwise>
auto in_call(const char* where, const Body& body, const Otherwise& otherwise) -> decltype(body()) {
    return guarded(body, [&](const char* error) {
        slurm_error("select/malleable: %s: %s", where, error);
        return otherwise();
    });
}

template <class Body>
void in_call(const char* where, const Body& body) {
    in_call(where, body, [] {});
}

void confirm_guests();

// Never destroyed: slurmctld's other threads may be here while it ends.
Transaction& transaction() {
    static auto* const one = new Transaction(confirm_guests);
    return *one;
}

void confirm_guests() {
    in_call("confirm", [] { transaction().confirm(); });
}

/// Reads the options. Empty: they are understood, and taken over.
std::string read_options() {
    const auto options = read_scheduler_parameters(slurm_conf.sched_params == nullptr ? "" : slurm_conf.sched_params);
    if (!options) return options.error();
    if ((slurm_conf.select_type_param & (CR_CORE | CR_OTHER_CONS_TRES)) == 0 ||
        (slurm_conf.select_type_param & CR_CORE) == 0)
        return "SelectTypeParameters: it has to be CR_Core or CR_Core_Memory, because jobs share nodes core by core";
    if ((slurm_conf.preempt_mode & PREEMPT_MODE_GANG) != 0)
        return "PreemptMode: it must not have GANG or SUSPEND, because jobs that take turns on a core cannot be shrunk";
    transaction().configure(*options);
    return "";
}

void advise() {
    const std::string_view plugins = slurm_conf.task_plugin == nullptr ? "" : slurm_conf.task_plugin;
    if (plugins.find("task/drom") == std::string_view::npos)
        slurm_info(
            "select/malleable: TaskPlugin has no task/drom: a step that starts while its job is shrunk keeps to the "
            "cores that are left, also "
            "when the others are free again");
}

/// Works out anew from slurmctld's own records what was half done.
void start_over() {
    in_call("rebuild", [] { transaction().rebuild(); });
}

int refuse(const std::string& sentence) {
    slurm_error("select/malleable: %s", sentence.c_str());
    return SLURM_ERROR;
}

}  // namespace

extern "C" {

int init(void) {
    return in_call(
        "init",
        [] {
            if (const std::string wrong = load_cons_tres(); !wrong.empty()) return refuse(wrong);
            if (!running_in_slurmctld()) return SLURM_SUCCESS;
            if (const std::string wrong = read_options(); !wrong.empty()) return refuse(wrong);
            advise();
            return SLURM_SUCCESS;
        },
        [] { return SLURM_ERROR; });
}

// cons_tres is open for Slurm itself, too, which ends it.
int fini(void) { return SLURM_SUCCESS; }

// ---- where sharing comes in ------------------------------------------------------------------------------------

int select_p_state_restore(char* directory) {
    in_call("restore", [directory] { transaction().restore(directory); });
    return cons_tres.state_restore(directory);
}

int select_p_reconfigure(void) {
    const int status = cons_tres.reconfigure();
    if (status != SLURM_SUCCESS) return status;
    in_call("reconfigure", [] {
        if (const std::string wrong = read_options(); !wrong.empty())
            slurm_error("select/malleable: %s; the options that were in force stay so", wrong.c_str());
        transaction().rebuild();
    });
    return status;
}

// Slurm's signature. NOLINTNEXTLINE(readability-function-size)
int select_p_job_test(job_record_t* job, bitstr_t* nodes, uint32_t min_nodes, uint32_t max_nodes, uint32_t req_nodes,
                      uint16_t mode, List candidates, List* preempted, bitstr_t* excluded_cores) {
    Question question{job, nodes, min_nodes, max_nodes, req_nodes, mode, candidates, preempted, excluded_cores};
    return in_call("job_test", [&question] { return transaction().test(question); }, [] { return SLURM_ERROR; });
}

int select_p_job_begin(job_record_t* job) {
    const int status = in_call(
        "job_begin", [job] { return transaction().begin(job); },
        [] {
            start_over();
            return SLURM_ERROR;
        });
    return status == SLURM_SUCCESS ? cons_tres.job_begin(job) : status;
}

int select_p_select_nodeinfo_set(job_record_t* job) {
    const int status = cons_tres.nodeinfo_set(job);
    in_call("nodeinfo_set", [job] { transaction().booked(job); }, start_over);
    return status;
}

int select_p_job_fini(job_record_t* job) {
    const int status = cons_tres.job_fini(job);
    in_call("job_fini", [job] { transaction().ended(job); }, start_over);
    return status;
}

int select_p_job_suspend(job_record_t* job, bool indefinitely) {
    const int status = cons_tres.job_suspend(job, indefinitely);
    if (indefinitely) in_call("job_suspend", [job] { transaction().suspended(job); });
    return status;
}

int select_p_job_resume(job_record_t* job, bool indefinitely) {
    const int status = cons_tres.job_resume(job, indefinitely);
    if (indefinitely) in_call("job_resume", [job] { transaction().resumed(job); });
    return status;
}

int select_p_job_expand(job_record_t* from, job_record_t* to) {
    for (const job_record_t* job : {from, to})
        if (transaction().shares(job))
            return refuse("job " + std::to_string(job->job_id) +
                          " shares nodes and cannot change its allocation now; try again when it is alone");
    const int status = cons_tres.job_expand(from, to);
    in_call("job_expand", [] { transaction().rebuild(); });
    return status;
}

int select_p_job_resized(job_record_t* job, node_record_t* node) {
    const int status = cons_tres.job_resized(job, node);
    in_call("job_resized", [] { transaction().rebuild(); });
    return status;
}

// ---- cons_tres's alone -----------------------------------------------------------------------------------------

int select_p_state_save(char* directory) { return cons_tres.state_save(directory); }
int select_p_job_init(List jobs) { return cons_tres.job_init(jobs); }
int select_p_node_init(void) { return cons_tres.node_init(); }
int select_p_job_ready(job_record_t* job) { return cons_tres.job_ready(job); }
int select_p_job_signal(job_record_t* job, int signal) { return cons_tres.job_signal(job, signal); }

bitstr_t* select_p_step_pick_nodes(job_record_t* job, select_jobinfo_t* info, uint32_t nodes, bitstr_t** available) {
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
int select_p_select_nodeinfo_set_all(void) { return cons_tres.nodeinfo_set_all(); }

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

char* select_p_select_jobinfo_sprint(select_jobinfo_t* info, char* text, size_t size, int mode) {
    return cons_tres.jobinfo_sprint(info, text, size, mode);
}

char* select_p_select_jobinfo_xstrdup(select_jobinfo_t* info, int mode) {
    return cons_tres.jobinfo_xstrdup(info, mode);
}

int select_p_get_info_from_plugin(enum select_plugindata_info info, job_record_t* job, void* data) {
    return cons_tres.get_info_from_plugin(info, job, data);
}

int select_p_update_node_config(int node) { return cons_tres.update_node_config(node); }

bitstr_t* select_p_resv_test(resv_desc_msg_t* reservation, uint32_t nodes, bitstr_t* available, bitstr_t** cores) {
    return cons_tres.resv_test(reservation, nodes, available, cores);
}

}  // extern "C"
