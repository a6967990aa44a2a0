// SPDX-License-Identifier: GPL-2.0-or-later
// select_malleable.cpp - the functions that select plugins of every series of Slurm have: everything is cons_tres's,
// but that jobs may share.
#include "select_malleable.hpp"

#include "select_malleable/slurmctld/cons_tres.hpp"

#include <string_view>

#include "common/plugin_identity.hpp"
#include "common/slurm_text.hpp"

extern "C" {
// Without a declaration C++ would not export it.
extern const uint32_t plugin_id;
const char plugin_name[] = "drom: malleable jobs start beside running ones";
const char plugin_type[] = "select/malleable";
const uint32_t plugin_id = drom::slurm::kPluginId;
const uint32_t plugin_version = SLURM_VERSION_NUMBER;
}

// Never destroyed: slurmctld's other threads may be here while it ends.
drom::slurm::Transaction& drom::slurm::transaction() {
    static auto* const one = new Transaction([] { in_call("confirm", [] { transaction().confirm(); }); });
    return *one;
}

int drom::slurm::answer(Question& question) {
    return in_call("job_test", [&question] { return transaction().test(question); }, [] { return SLURM_ERROR; });
}

namespace {

using namespace drom::slurm;

/// Reads the options. Empty: they are understood, and taken over.
std::string read_options() {
    const auto options = read_scheduler_parameters(slurm_conf.sched_params == nullptr ? "" : slurm_conf.sched_params);
    if (!options) return options.error();
    if ((slurm_conf.select_type_param & CR_CORE) == 0)
        return "SelectTypeParameters: it has to be CR_Core or CR_Core_Memory, because jobs share nodes core by core";
    if ((slurm_conf.preempt_mode & PREEMPT_MODE_GANG) != 0)
        return "PreemptMode: it must not have GANG or SUSPEND, because jobs that take turns on a core cannot be shrunk";
    if (text_of(slurm_conf.slurmctld_params).find("enable_stepmgr") != std::string_view::npos)
        return "SlurmctldParameters: it must not have enable_stepmgr, because slurmctld cannot shrink a job whose "
               "steps "
               "are managed on a node";
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

int select_p_node_init(void) { return cons_tres.node_init(); }
int select_p_job_ready(job_record_t* job) { return cons_tres.job_ready(job); }
int select_p_select_nodeinfo_set_all(void) { return cons_tres.nodeinfo_set_all(); }

}  // extern "C"
