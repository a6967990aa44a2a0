// SPDX-License-Identifier: BSD-3-Clause
// slurm_nodes.cpp - nodes and partitions of a slurm.conf, with their defaults.
#include "workload/slurm/slurm_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "libdrom/base/number_text.hpp"
#include "workload/slurm/host_list.hpp"
#include "workload/slurm/slurm_values.hpp"
#include "workload/swf/swf_row.hpp"

namespace drom::sim::slurm {
namespace {

constexpr std::int64_t kMaxCpus = 100'000;

auto wrong(const Setting& setting, const std::string& what) {
    return tl::make_unexpected(
        fmt::format("column {}: {} {} {}", setting.column, setting.key, swf::quoted(setting.value), what));
}

/// Returns the number of a key, or `otherwise` where the line does not have it.
template <class Settings>
tl::expected<std::int64_t, std::string> number(const Settings& settings, const char* key, std::int64_t otherwise) {
    const auto found = settings.find(key);
    if (found == settings.end()) return otherwise;
    const std::string& text = found->second.value;
    std::int64_t value = 0;
    if (is_number(text, value) && value >= 0 && value <= kMaxCpus) return value;
    return wrong(found->second, "is no number from 0 to 100000");
}

/// Returns the CPUs of a node as Slurm counts them, without those that it keeps for itself. 0: the line says nothing.
template <class Settings>
tl::expected<std::int64_t, std::string> cpus_of(const Settings& settings) {
    const auto has = [&](const char* key) { return settings.contains(key); };
    const bool shaped = has("sockets") || has("socketsperboard") || has("corespersocket") || has("threadspercore");
    std::int64_t product = 1, threads = 1;
    for (const char* key : {"boards", "sockets", "socketsperboard", "corespersocket", "threadspercore"}) {
        auto value = number(settings, key, 1);
        if (!value) return value;
        product *= std::max<std::int64_t>(*value, 1);
        if (product > kMaxCpus) return wrong(settings.find(key)->second, "makes more than 100000 CPUs");
        threads = *value;
    }
    const auto cpus = number(settings, has("procs") ? "procs" : "cpus", shaped ? product : 0);
    const auto kept = number(settings, "corespeccount", 0);
    if (!cpus || !kept) return cpus ? kept : cpus;
    return std::max<std::int64_t>(*cpus - *kept * threads, *cpus > 0 ? 1 : 0);
}

/// Returns the keys, as they are written, that are none of `known`.
template <class Settings>
std::vector<std::string> others(const ConfLine& line, const Settings& known) {
    std::vector<std::string> unused;
    for (const Setting& setting : line.settings)
        if (std::find(std::begin(known), std::end(known), small(setting.key)) == std::end(known))
            unused.push_back(setting.key);
    return unused;
}

constexpr std::string_view kNodeKeys[] = {
    "nodename",       "cpus",           "procs",         "boards", "sockets", "socketsperboard",
    "corespersocket", "threadspercore", "corespeccount", "state",  "feature", "features"};
constexpr std::string_view kPartitionKeys[] = {"partitionname", "nodes", "priorityjobfactor", "priority"};
constexpr std::string_view kSetKeys[] = {"nodeset", "nodes", "feature"};

}  // namespace

Nodes::Unused Nodes::take(const ConfLine& line) {
    Settings settings;
    for (const Setting& setting : line.settings) settings.insert_or_assign(small(setting.key), setting);
    const std::string first = small(line.settings.front().key);
    if (first == "nodename") return take_nodes(line, settings);
    if (first == "partitionname") return take_partition(line, settings);
    sets_[settings["nodeset"].value] = {settings["nodes"].value, settings["feature"].value};
    return others(line, kSetKeys);
}

Nodes::Unused Nodes::take_nodes(const ConfLine& line, const Settings& settings) {
    const Setting name = settings.at("nodename");
    if (same_word(name.value, "DEFAULT")) {
        for (const auto& [key, setting] : settings) node_defaults_.insert_or_assign(key, setting);
        return others(line, kNodeKeys);
    }
    Settings all = settings;
    all.insert(node_defaults_.begin(), node_defaults_.end());
    const auto cpus = cpus_of(all);
    if (!cpus) return tl::make_unexpected(cpus.error());
    const auto names = read_host_list(name.value);
    if (!names) return wrong(name, names.error());
    if (all.contains("state") && same_word(all.at("state").value, "FUTURE")) return others(line, kNodeKeys);
    const std::string features = all.contains("features") ? all.at("features").value : all["feature"].value;
    for (const std::string& node : *names) {
        const auto [known, is_new] = nodes_.try_emplace(node, Node{*cpus, line.location(), features});
        if (!is_new) return wrong(name, fmt::format("has node {}, which {} has, too", node, known->second.location));
        order_.push_back(node);
    }
    return others(line, kNodeKeys);
}

Nodes::Unused Nodes::take_partition(const ConfLine& line, const Settings& settings) {
    if (same_word(settings.at("partitionname").value, "DEFAULT")) {
        for (const auto& [key, setting] : settings) partition_defaults_.insert_or_assign(key, setting);
        return others(line, kPartitionKeys);
    }
    Settings all = settings;
    all.insert(partition_defaults_.begin(), partition_defaults_.end());
    const auto factor = number(all, all.contains("priorityjobfactor") ? "priorityjobfactor" : "priority", 1);
    if (!factor) return tl::make_unexpected(factor.error());
    const Setting max_time = all["maxtime"];
    const auto limit = is_no_limit(max_time.value) ? std::optional<Seconds>(0) : read_span(max_time.value);
    if (!limit) return wrong(max_time, "is no limit like 1-12:00:00");
    const Setting name = all.at("partitionname");
    const auto known = std::ranges::find(partitions_, name.value, &Partition::name);
    if (known != partitions_.end()) return wrong(name, fmt::format("is at {}, too", known->location));
    partitions_.push_back({name.value, all["nodes"].value, line.location(), static_cast<double>(*factor), *limit});
    return others(line, kPartitionKeys);
}

/// Returns the nodes of a set that exist. Errors: the rest of a sentence.
Nodes::Names Nodes::names_of(const Set& set) const {
    std::vector<std::string> list;
    if (!set.feature.empty()) {
        for (const std::string& name : order_)
            if (("," + nodes_.at(name).features + ",").find("," + set.feature + ",") != std::string::npos)
                list.push_back(name);
        return list;
    }
    if (same_word(set.nodes, "ALL")) return order_;
    auto names = read_host_list(set.nodes);
    if (!names) return names;
    for (const std::string& name : *names)
        if (nodes_.contains(name)) list.push_back(name);
    return list;
}

/// Returns the nodes of a partition that exist. Errors: the rest of a sentence.
Nodes::Names Nodes::names_of(const Partition& partition) const {
    if (same_word(partition.nodes, "ALL")) return order_;
    auto names = read_host_list(partition.nodes);
    if (!names) return names;
    std::vector<std::string> list;
    for (const std::string& name : *names) {
        const auto set = sets_.find(name);
        auto more = names_of(set == sets_.end() ? Set{name, ""} : set->second);
        if (!more) return more;
        list.insert(list.end(), more->begin(), more->end());
    }
    return list;
}

void Nodes::set_machine(const std::vector<std::string>& names, SlurmSite& site) const {
    const Node* first = nullptr;
    for (const std::string& name : names) {
        const Node& node = nodes_.at(name);
        if (node.cpus == 0) {
            site.no_machine = fmt::format(
                "{}: node {} has no CPUs=, and no Sockets=, CoresPerSocket= or ThreadsPerCore=; slurmd -C prints them",
                node.location, name);
            return;
        }
        if (first == nullptr) first = &node;
        if (node.cpus == first->cpus) continue;
        site.no_machine = fmt::format(
            "{}: nodes of {} CPUs, and at {} of {}; a simulated machine has equal nodes: with --partition NAME "
            "drom-sim run and compare take those of one partition",
            first->location, first->cpus, node.location, node.cpus);
        return;
    }
    site.nodes = static_cast<std::int64_t>(names.size());
    site.cores = first == nullptr ? 0 : first->cpus;
}

tl::expected<void, std::string> Nodes::finish(const std::string& only, SlurmSite& site) const {
    double largest = 1;
    for (const Partition& partition : partitions_) largest = std::max(largest, partition.factor);
    std::set<std::string> used;
    bool found = only.empty();
    for (const Partition& partition : partitions_) {
        auto names = names_of(partition);
        if (!names)
            return tl::make_unexpected(
                fmt::format("drom-sim: read {}: Nodes '{}' {}", partition.location, partition.nodes, names.error()));
        if (only.empty() || only == partition.name) used.insert(names->begin(), names->end());
        found = found || only == partition.name;
        site.partitions.push_back({partition.name, std::move(*names), partition.factor / largest, partition.max_time});
    }
    if (!found) return tl::make_unexpected(fmt::format("drom-sim: there is no partition '{}' in the slurm.conf", only));
    std::vector<std::string> names;
    for (const std::string& name : order_)
        if (partitions_.empty() || used.contains(name)) names.push_back(name);
    set_machine(names, site);
    return {};
}

}  // namespace drom::sim::slurm
