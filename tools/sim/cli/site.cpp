// SPDX-License-Identifier: BSD-3-Clause
// site.cpp - --slurm-conf: the machine and the parameters of a site's own slurm.conf.
#include "cli/site.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "report/counted.hpp"

namespace drom::sim {
namespace {

void tell(const SimulationOptions& options) {
    const SlurmSite& site = options.site;
    std::string text = fmt::format("drom-sim: {}: {}: {} nodes of {} CPUs", options.verb, options.slurm_conf,
                                   options.nodes, options.cores_per_node);
    for (const auto& [name, value] : site.parameters) text += fmt::format(", {}={}", name, value);
    if (!site.unused.empty())
        text += fmt::format("; {} of its lines have settings that mean nothing for a simulation:\n  {}",
                            site.unused.size(), fmt::join(site.unused, "\n  "));
    std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace

tl::expected<SimulationOptions, Failure> with_site(SimulationOptions options) {
    if (options.slurm_conf.empty()) return options;
    auto site = read_slurm_conf(options.slurm_conf, options.partition);
    if (!site) return tl::unexpected(Failure{kUsage, site.error()});
    options.site = std::move(*site);
    if (options.nodes == 0) options.nodes = static_cast<int>(options.site.nodes);
    if (options.cores_per_node == 0) options.cores_per_node = static_cast<int>(options.site.cores);
    if (options.nodes == 0 || options.cores_per_node == 0)
        return tl::unexpected(
            Failure{kUsage, fmt::format("drom-sim: {}: {}; --nodes N and --cores-per-node C say it, too", options.verb,
                                        options.site.no_machine)});
    if (!options.quiet) tell(options);
    return options;
}

tl::expected<void, Failure> keep_partition(const SimulationOptions& options, Input& input) {
    if (options.partition.empty()) return {};
    const std::vector<std::string>& names = input.workload.partitions;
    const auto found = std::find(names.begin(), names.end(), options.partition);
    if (found == names.end())
        return tl::unexpected(Failure{
            kUsage,
            fmt::format("drom-sim: {}: {} has no jobs of a partition '{}'; it has those of {}", options.verb,
                        input.workload.name, options.partition,
                        names.empty() ? "partitions without names" : fmt::format("{}", fmt::join(names, ", ")))});
    const auto number = static_cast<int>(found - names.begin());
    const std::size_t others =
        std::erase_if(input.workload.jobs, [&](const LogJob& job) { return job.partition != number; });
    if (others > 0)
        input.provenance.repairs.push_back(
            fmt::format("{} of other partitions: left out", counted(others, "job is", "jobs are")));
    return {};
}

Assignments common_parameters(const SimulationOptions& options, const Workload* workload) {
    Assignments all = options.site.parameters;
    const auto weight = [](const auto& parameter) { return parameter.first == "weight_partition"; };
    if (workload != nullptr && !workload->partitions.empty() && std::any_of(all.begin(), all.end(), weight))
        all.emplace_back("partition_factors", partition_factors(options.site, workload->partitions));
    all.insert(all.end(), options.parameters.begin(), options.parameters.end());
    return all;
}

}  // namespace drom::sim
