// SPDX-License-Identifier: BSD-3-Clause
// slurm_nodes.hpp - nodes and partitions of a slurm.conf, with their defaults. Pure.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "workload/slurm/slurm_conf.hpp"

namespace drom::sim::slurm {

/// Collects what the lines of nodes, sets of nodes and partitions say.
class Nodes {
public:
    /// Takes a line of NodeName, NodeSet or PartitionName. Returns the keys that mean nothing for a simulation. Errors:
    /// a sentence with the column.
    tl::expected<std::vector<std::string>, std::string> take(const ConfLine& line);

    /// Writes machine and partitions into the site; no nodes where no partition has one. Needs all lines. Errors: a
    /// finished sentence.
    tl::expected<void, std::string> finish(const std::string& only, SlurmSite& site) const;

private:
    using Settings = std::map<std::string, Setting>;  // by the key in small letters
    using Unused = tl::expected<std::vector<std::string>, std::string>;

    struct Node {
        std::int64_t cpus = 0;  // 0: not known
        std::string location;   // of its line
        std::string features;   // separated by commas
    };
    struct Set {
        std::string nodes, feature;
    };
    struct Partition {
        std::string name, nodes, location;
        double factor = 1;
        Seconds max_time = 0;
    };

    Unused take_nodes(const ConfLine& line, const Settings& settings);
    Unused take_partition(const ConfLine& line, const Settings& settings);
    using Names = tl::expected<std::vector<std::string>, std::string>;

    Names names_of(const Partition& partition) const;
    Names names_of(const Set& set) const;
    void set_machine(const std::vector<std::string>& names, SlurmSite& site) const;

    Settings node_defaults_, partition_defaults_;
    std::vector<std::string> order_;  // of the nodes
    std::map<std::string, Node> nodes_;
    std::map<std::string, Set> sets_;
    std::vector<Partition> partitions_;
};

}  // namespace drom::sim::slurm
