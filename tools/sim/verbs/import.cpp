// SPDX-License-Identifier: BSD-3-Clause
// import.cpp - a site's own log, from the accounting of Slurm to the Standard Workload Format.
#include <fmt/format.h>

#include <cstdio>

#include "cli/simulation.hpp"
#include "report/counted.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::sim {
namespace {

/// Says which machine the log is for, and what of it was not given.
std::string machine_text(const SlurmOptions& given, const Workload& workload) {
    const char* why = "from what jobs used at once; --nodes N and --cores-per-node C say it exactly";
    if (given.nodes > 0) why = "the CPUs from the most that a job had on a node; --cores-per-node C says it exactly";
    if (given.cores > 0) why = "the nodes from what jobs used at once; --nodes N says it exactly";
    return fmt::format("the machine is taken as {} node{} of {} CPUs, {}", workload.nodes,
                       workload.nodes == 1 ? "" : "s", workload.processors / workload.nodes, why);
}

void tell(const SimulationOptions& options, const Log& log) {
    for (const Repair& repair : log.repairs.list())
        std::fprintf(stderr, "drom-sim: import: %s\n", repair.sentence().c_str());
    const Workload& workload = log.workload;
    std::fprintf(stderr, "drom-sim: import: %s; times are of the zone %s\n",
                 counted(workload.jobs.size(), "job", "jobs").c_str(), options.slurm.zone.c_str());
    if (options.slurm.nodes > 0 && options.slurm.cores > 0) return;
    std::fprintf(stderr, "drom-sim: import: %s\n", machine_text(options.slurm, workload).c_str());
}

/// Takes the machine and the limits of partitions from --slurm-conf, where the command line says nothing.
tl::expected<void, Failure> take_site(SimulationOptions& options) {
    if (options.slurm_conf.empty()) return {};
    const auto site = read_slurm_conf(options.slurm_conf);
    if (!site) return tl::unexpected(Failure{kUsage, site.error()});
    if (options.slurm.nodes == 0) options.slurm.nodes = site->nodes;
    if (options.slurm.cores == 0) options.slurm.cores = site->cores;
    for (const SlurmPartition& partition : site->partitions)
        if (partition.max_time > 0) options.slurm.partition_limits.emplace(partition.name, partition.max_time);
    if (!site->no_machine.empty() && !options.quiet)
        std::fprintf(stderr, "drom-sim: import: %s\n", site->no_machine.c_str());
    return {};
}

}  // namespace

int verb_import(const SimulationOptions& typed) {
    SimulationOptions options = typed;
    if (const auto apart = check_apart(options, options.out, "--out"); !apart) return fail(apart.error());
    if (const auto free = check_out(options); !free) return fail(free.error());
    if (const auto taken = take_site(options); !taken) return fail(taken.error());
    const auto log = read_slurm(options.source.log, options.slurm);
    if (!log) return fail({kUsage, log.error()});
    if (const auto written = write_swf(options.out.empty() ? "-" : options.out, log->workload); !written)
        return fail({kRefused, written.error()});
    if (!options.quiet) tell(options, *log);
    return kDone;
}

}  // namespace drom::sim
