// SPDX-License-Identifier: BSD-3-Clause
// idle_policy.cpp - the rules of policy/sharing/mates.hpp and policy/sharing/slowdown.hpp, asked for a whole machine.
#include "report/idle_policy.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "policy/registry/energy_rows.hpp"
#include "policy/registry/registry.hpp"
#include "policy/resize/equipartition.hpp"
#include "policy/sharing/mates.hpp"
#include "report/labels.hpp"

namespace drom::sim {
namespace {

double number(const Setting& setting, const char* name) {
    return std::strtod(std::string(parameter(setting, name)).c_str(), nullptr);
}

std::optional<std::string> why_nothing_is_shared(const Setting& setting) {
    if (parameter(setting, "sharing_factor").empty()) return std::nullopt;
    const int cores = setting.cores_per_node, ranks = std::max(1, static_cast<int>(number(setting, "ranks_per_node")));
    policy::SharingRules rules;
    rules.sharing_factor = number(setting, "sharing_factor");
    const int lent = policy::can_lend({0, 0, cores, 1, 1}, rules);
    const int left = policy::can_lend({0, 0, cores, ranks, 1}, rules);
    if (cores <= 1)
        return fmt::format("{} cannot share nodes of one core: no job starts on nodes of others ({}).", setting.policy,
                           setting.partitions.empty() ? "--cores-per-node" : "cores in the file of --machine");
    if (number(setting, "malleable_share") <= 0)
        return fmt::format("{} has no malleable job: no job starts on nodes of others (malleable_share 0).",
                           setting.policy);
    if (lent < 1)
        return fmt::format("{} lends less than one of {} cores: no job starts on nodes of others (sharing_factor {}).",
                           setting.policy, cores, parameter(setting, "sharing_factor"));
    if (left < ranks)
        return fmt::format(
            "{} leaves a guest {} of {} cores: no job starts on nodes of others, because each keeps {} "
            "(ranks_per_node).",
            setting.policy, left, cores, ranks);
    return std::nullopt;
}

}  // namespace

std::optional<std::string> never_started(const Digest& digest) {
    const std::size_t count = digest.metrics.unended;
    if (digest.interrupted || count == 0) return std::nullopt;
    const policy::PolicyRow* row = policy::find_policy(digest.setting.policy);
    const bool chooses = row != nullptr && row->several_partitions;
    return fmt::format("{} never starts {} of {} jobs{}; all numbers leave them out.", digest.setting.policy, count,
                       digest.metrics.jobs + count,
                       chooses ? ": no partition that it allows them has enough nodes and runs their application" : "");
}

std::optional<std::string> without_urgent_jobs(const Digest& digest) {
    const std::string_view qos = parameter(digest.setting, "urgent_qos");
    if (qos.empty() || digest.metrics.urgent > 0) return std::nullopt;
    return fmt::format("{} has no urgent job: it decides as EASY (urgent_qos {}, urgent_share {}).",
                       digest.setting.policy, qos, parameter(digest.setting, "urgent_share"));
}

std::optional<std::string> raised_gap(const Digest& digest) {
    const std::string_view gap = parameter(digest.setting, "min_gap");
    const Seconds least = policy::min_gap_for(digest.longest_shrink);
    if (gap.empty() || gap == "inf" || parameter(digest.setting, "raise_gap") != "yes") return std::nullopt;
    if (number(digest.setting, "min_gap") >= static_cast<double>(least)) return std::nullopt;
    return fmt::format("{} raised min_gap from {} to {} s, ten times the longest shrink (raise_gap).",
                       digest.setting.policy, gap, least);
}

std::optional<std::string> why_idle(const Setting& setting) {
    const policy::PolicyRow* row = policy::find_policy(setting.policy);
    if (row != nullptr && row->resizes && setting.programs == 0)
        return fmt::format(
            "{} changes the size of programs that iterate, and no job is one: each keeps its size "
            "(drom-sim generate -h lists mixes of them).",
            setting.policy);
    const bool chooses = row != nullptr && row->several_partitions && !policy::needs_energy_model(*row);
    if (chooses && setting.partitions.size() < 2)
        return fmt::format("{} chooses among partitions, and this machine has one: it decides as EASY (--machine).",
                           setting.policy);
    const std::string_view by = parameter(setting, "urgent_by");
    if (!by.empty() && !by.starts_with("share")) return std::nullopt;
    if (!parameter(setting, "mold_max").empty() && number(setting, "moldable_share") <= 0)
        return fmt::format("{} has no moldable job: it decides as EASY (moldable_share 0).", setting.policy);
    return why_nothing_is_shared(setting);
}

}  // namespace drom::sim
