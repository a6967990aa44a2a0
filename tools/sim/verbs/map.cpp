// SPDX-License-Identifier: BSD-3-Clause
// map.cpp - applications on partitions of a machine, by weights, from two files to a table.
#include <cstdio>

#include "cli/simulation.hpp"
#include "report/mapping_table.hpp"
#include "report/summary_json.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::sim {
namespace {

std::vector<double> cores_of(const std::vector<PartitionFile>& machine) {
    std::vector<double> cores;
    for (const PartitionFile& partition : machine)
        cores.push_back(static_cast<double>(partition.nodes) * partition.cores_per_node);
    return cores;
}

std::vector<MappingRow> rows_of(const Input& input, const policy::MappingWeights& weights) {
    const std::vector<double> cores = cores_of(input.machine);
    std::vector<MappingRow> rows;
    for (const policy::Application& application : input.energy->applications)
        rows.push_back({application.name, application.number,
                        policy::rank_partitions(*input.energy, application, cores, weights)});
    return rows;
}

}  // namespace

int verb_map(const SimulationOptions& options) {
    Input input;
    if (const auto read = read_machine(options, input); !read) return fail(read.error());
    for (const std::string& repair : input.provenance.repairs) remark(options, repair);
    const std::vector<MappingRow> rows = rows_of(input, options.weights);
    const std::string result =
        options.json ? mapping_json(input.machine, rows, options.weights) : mapping_table(input.machine, rows);
    std::fputs(result.c_str(), stdout);
    return kDone;
}

}  // namespace drom::sim
