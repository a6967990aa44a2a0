// SPDX-License-Identifier: GPL-2.0-or-later
// job_submit_malleable.cpp - slurmctld asks it about each job that is submitted or modified: is a malleable job's
// request in order?
//
// The declaration of the job comes from spank_drom.so, in its SPANK environment. Nothing is thrown into slurmctld,
// which is C.
#include "job_submit_malleable.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>

#include "cluster_nodes.hpp"
#include "common/malleable_range.hpp"
#include "common/plugin_identity.hpp"
#include "common/slurm_text.hpp"
#include "request.hpp"

extern "C" {
#include <slurm/slurm_errno.h>
#include <slurm/spank.h>

// Slurm frees what is in its messages: they come from its allocator.
char* slurm_xstrdup(const char* text);
void slurm_xfree(void** text);

// slurmctld's own.
extern slurm_conf_t slurm_conf;
}

const char plugin_name[] = "drom: requests of malleable jobs";
const char plugin_type[] = "job_submit/malleable";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

namespace {

using namespace drom::slurm;

constexpr uint16_t kExclusive = 0;  // of job_desc_msg_t::shared
constexpr uint16_t kShares = 1;

void assign(char*& field, const std::string& text) {
    slurm_xfree(reinterpret_cast<void**>(&field));
    field = slurm_xstrdup(text.c_str());
}

int refuse(char** message, const std::string& sentence) {
    slurm_info("job_submit/malleable: refused: %s", sentence.c_str());
    if (message != nullptr) assign(*message, sentence);
    return ESLURM_REQUESTED_NODE_CONFIG_UNAVAILABLE;
}

template <class Number>
uint32_t said(Number value, Number nothing) {
    return value == nothing ? 0 : value;
}

CpuRequest request_of(const job_desc_msg_t& job) {
    CpuRequest request;
    request.cpus = said<uint32_t>(job.min_cpus, NO_VAL);
    request.cpus_per_node = said<uint16_t>(job.pn_min_cpus, NO_VAL16);
    request.nodes = said<uint32_t>(job.min_nodes, NO_VAL);
    request.whole_nodes = job.shared == kExclusive;
    // How many CPUs come with them is for Slurm to work out.
    if (job.cpus_per_tres != nullptr) request.cpus = request.cpus_per_node = 0;
    return request;
}

/// Returns whether the job would get the CPUs of its tasks only, whatever it asks for on each node.
/// select/malleable forbids that.
bool gets_cpus_of_tasks(const job_desc_msg_t& job, const CpuRequest& full) {
    if (!kGivesCpusOfTasksOnly || text_of(slurm_conf.select_type) == "select/malleable") return false;
    const uint32_t tasks =
        std::max(said<uint32_t>(job.num_tasks, NO_VAL), full.nodes * said<uint16_t>(job.ntasks_per_node, NO_VAL16));
    return tasks != 0 && tasks * std::max(1U, said<uint16_t>(job.cpus_per_task, NO_VAL16)) < full.cpus;
}

/// Returns how many tasks the job may have on a core, at most; 0: any number.
uint32_t tasks_on_a_core(const job_desc_msg_t& job) {
    if (job.ntasks_per_core != NO_VAL16) return job.ntasks_per_core;
    return (slurm_conf.select_type_param & kOneTaskPerCore) != 0 ? 1 : 0;
}

/// Returns why the job has to stay alone on its nodes; empty: it need not.
std::string stays_alone(const job_desc_msg_t& job, const NodeSizes& nodes, const std::optional<CpuRequest>& full) {
    const std::string end = ", so the job keeps its nodes for itself and is never shrunk; ";
    if (job.threads_per_core < nodes.threads)
        return "--exclusive --malleable: with --threads-per-core or --hint the job uses " +
               std::to_string(job.threads_per_core) + " of the " + std::to_string(nodes.threads) +
               " threads of each core" + end +
               "leave the option out, and let the program use one thread of each core (OMP_PLACES=cores)";
    // Slurm gives such a job the threads of its tasks only, or finds no node that has as many CPUs.
    if (const uint32_t tasks = tasks_on_a_core(job); tasks != 0 && tasks < nodes.threads)
        return "--exclusive --malleable: Slurm puts " + std::to_string(tasks) + " of its tasks on a core of " +
               std::to_string(nodes.threads) + " threads (CR_ONE_TASK_PER_CORE, --ntasks-per-core)" + end +
               "give --ntasks-per-core=" + std::to_string(nodes.threads);
    if (job.core_spec != NO_VAL16)
        return "--exclusive --malleable: with --core-spec not every CPU is asked for" + end + "leave --core-spec out";
    if (nodes.largest == 0)
        return "--exclusive --malleable: slurmctld does not tell the size of the nodes" + end +
               "is the partition's name right? ask for CPUs (-c) otherwise";
    if (nodes.smallest != nodes.largest)
        return "--exclusive --malleable: the nodes of the partition differ in size" + end +
               "name a partition of equal nodes, or ask for CPUs (-c)";
    if (full && gets_cpus_of_tasks(job, *full))
        return "--exclusive --malleable: SelectType is not select/malleable, and this Slurm gives a job the CPUs that "
               "its "
               "tasks ask for, and not all" +
               end + "ask for more CPUs per task (-c)";
    return {};
}

/// Replaces --exclusive, which would keep every other job from its nodes, whatever CPUs it gives up. The job gets all
/// cores instead, and nodes that may be shared.
int share_its_nodes(job_desc_msg_t& job, const CpuRequest& request, const std::optional<NodeSizes>& nodes,
                    char** message) {
    if (!nodes) return EAGAIN;  // srun, sbatch and salloc ask again in a second
    const auto full = full_cores(request, *nodes);
    const std::string alone = stays_alone(job, *nodes, full);
    if (!alone.empty() || !full) {
        if (message != nullptr) assign(*message, alone);
        return SLURM_SUCCESS;
    }
    job.shared = kShares;
    job.pn_min_cpus = static_cast<uint16_t>(full->cpus_per_node);
    job.min_cpus = full->cpus;
    if (job.max_cpus != NO_VAL && job.max_cpus < job.min_cpus) job.max_cpus = job.min_cpus;
    return SLURM_SUCCESS;
}

int submit(job_desc_msg_t& job, char** message) {
    const auto text = declared(job.spank_job_env, job.spank_job_env_size, "DROM_MALLEABLE");
    const auto min_per_rank = declared(job.spank_job_env, job.spank_job_env_size, "DROM_MIN_PER_RANK");
    if (!text) {
        if (!min_per_rank) return SLURM_SUCCESS;
        return refuse(message, "--drom-min-per-rank=" + std::string(*min_per_rank) +
                                   ": the job is not malleable; add --malleable");
    }
    const auto range = parse_malleable(*text);
    if (!range) return refuse(message, range.error());
    if (min_per_rank)
        if (const auto min = parse_min_per_rank(*min_per_rank); !min) return refuse(message, min.error());
    const CpuRequest request = request_of(job);
    const auto nodes = node_sizes(std::string(text_of(job.partition)));
    if (const auto why = misfit(*range, request, nodes.value_or(NodeSizes{})); !why.empty())
        return refuse(message, why);
    if (request.whole_nodes)
        if (const int code = share_its_nodes(job, request, nodes, message); code != SLURM_SUCCESS) return code;
    assign(job.admin_comment, with_range(text_of(job.admin_comment), *range));
    return SLURM_SUCCESS;
}

}  // namespace

int drom::slurm::modify(const job_desc_msg_t& job, char** message) {
    if (job.admin_comment == nullptr) return SLURM_SUCCESS;
    const auto text = range_text(job.admin_comment);
    if (!text) return SLURM_SUCCESS;
    const auto range = parse_malleable(*text);
    return range ? SLURM_SUCCESS : refuse(message, range.error());
}

int drom::slurm::let_through(const char* error) {
    slurm_error("job_submit/malleable: %s; the job goes on as it was submitted", error);
    return SLURM_SUCCESS;
}

extern "C" {

int init(void) { return SLURM_SUCCESS; }
int fini(void) { return SLURM_SUCCESS; }

int job_submit(job_desc_msg_t* job, uint32_t, char** message) {
    return guarded([&] { return submit(*job, message); }, let_through);
}

}  // extern "C"
