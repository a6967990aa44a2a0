// SPDX-License-Identifier: BSD-3-Clause
// job_labels.cpp - names to numbers, and what no job has.
#include "engine/job_labels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "policy/job/escaped.hpp"
#include "policy/registry/backfill_rows.hpp"
#include "workload/models/urgent_queue.hpp"

namespace drom::sim {
namespace {

using policy::Numbers;
using Checked = tl::expected<void, std::string>;

/// Reads "3 high (for short jobs)": the number, and the word behind it; an empty one where there is none.
std::pair<int, std::string> queue_of(std::string_view line) {
    int number = -1;
    const auto [end, code] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (code != std::errc{}) return {-1, ""};
    std::string_view rest = line.substr(static_cast<std::size_t>(end - line.data()));
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return {number, std::string(rest.substr(0, rest.find_first_of(" \t")))};
}

Numbers qos_of(const Workload& workload) {
    std::set<int> queues;
    Numbers qos;
    for (const LogJob& job : workload.jobs)
        if (job.queue >= 0 && queues.insert(job.queue).second) qos.emplace(std::to_string(job.queue), job.queue);
    for (const auto& [key, value] : workload.header) {
        if (key != "Queue") continue;
        const auto [number, name] = queue_of(value);
        if (!name.empty() && queues.contains(number)) qos.insert_or_assign(name, number);
    }
    return qos;
}

/// Returns the partitions by number and by name. The log's numbers begin with 1, those of jobs with 0.
Numbers partitions_of(const Workload& workload) {
    const std::vector<std::string>& names = workload.partitions;
    std::set<int> indices;
    for (const LogJob& job : workload.jobs) indices.insert(names.empty() ? job.partition - 1 : job.partition);
    Numbers partitions;
    for (const int index : indices)
        if (index >= 0) partitions.emplace(std::to_string(index + 1), index);
    for (const int index : indices)
        if (index >= 0 && static_cast<std::size_t>(index) < names.size())
            partitions.insert_or_assign(names[static_cast<std::size_t>(index)], index);
    return partitions;
}

/// Names as options take them where there are some, else numbers; each partition or QOS once.
std::string list_of(const Numbers& numbers) {
    std::map<int, std::string> names;
    const auto is_number = [](const std::string& text) {
        return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    };
    for (const auto& [name, number] : numbers) {
        const auto [known, is_new] = names.emplace(number, name);
        if (!is_new && is_number(known->second)) known->second = name;
    }
    std::vector<std::string> list;
    for (const auto& [number, name] : names) list.push_back(policy::escaped(name));
    return fmt::format("{}", fmt::join(list, ", "));
}

/// A list of names in an option, of the partitions or the QOS.
struct Named {
    const char* option;
    const char* kind;  ///< "partition", "QOS"
    const Numbers& numbers;
};

/// Checks that no two of the names are the same partition or QOS. Errors: a sentence about two that are.
Checked check_twice(const std::vector<std::string>& names, const Named& of) {
    std::map<int, std::string> seen;
    for (const std::string& name : names) {
        const auto found = of.numbers.find(name);
        if (found == of.numbers.end()) continue;
        const auto [before, is_new] = seen.emplace(found->second, name);
        if (!is_new)
            return tl::unexpected(
                fmt::format("{}: '{}' and '{}' are the same {}", of.option, before->second, name, of.kind));
    }
    return {};
}

Checked check_names(const std::vector<policy::NamedLimit>& limits, const Named& of, const std::string& log) {
    std::vector<std::string> names;
    for (const policy::NamedLimit& limit : limits) {
        names.push_back(limit.name);
        if (of.numbers.contains(limit.name)) continue;
        return tl::unexpected(fmt::format("{}: {} has no jobs of {} '{}'; {}", of.option, log, of.kind, limit.name,
                                          of.numbers.empty()
                                              ? fmt::format("its jobs have no {}", of.kind)
                                              : fmt::format("it has jobs of {} {}", of.kind, list_of(of.numbers))));
    }
    return check_twice(names, of);
}

/// Checks the QOS of urgent jobs. The default, "urgent", may be the QOS of no job.
Checked check_urgent(const std::vector<std::string>& names, const Numbers& qos, const std::string& log) {
    std::vector<policy::NamedLimit> named;
    for (const std::string& name : names)
        if (name != policy::kUrgentQos) named.push_back({name, 1});
    return check_names(named, {"urgent_qos", "QOS", qos}, log);
}

Checked check_order(const policy::MateLimits& limits, const Numbers& qos, const std::string& log) {
    if (limits.strict && limits.qos_order.empty())
        return tl::unexpected(
            std::string("qos=strict needs qos_order, which lists every QOS from the lowest to the highest"));
    if (limits.qos_order.empty()) return {};
    Numbers missing;
    for (const auto& [name, number] : qos)
        if (limits.place(number) < 0) missing.emplace(name, number);
    if (missing.empty()) return check_twice(limits.qos_order, {"qos_order", "QOS", qos});
    return tl::unexpected(fmt::format("qos_order lacks QOS {} of jobs of {}; it has to list every QOS of the jobs",
                                      list_of(missing), log));
}

/// Checks that an admission names partitions, QOS or accounts that jobs have.
Checked check_admission(const policy::Admission& admission, const char* kind, const Numbers& numbers,
                        const std::string& log) {
    const std::string of = std::string(kind) == "QOS" ? "qos" : kind;
    for (const auto* names : {&admission.only, &admission.no}) {
        const std::string option = (names == &admission.only ? "only_" : "not_") + of;
        std::vector<policy::NamedLimit> named;
        for (const std::string& name : *names) named.push_back({name, 1});
        if (auto good = check_names(named, {option.c_str(), kind, numbers}, log); !good) return good;
    }
    return {};
}

/// Checks that jobs have what has to be the same. A log has no accounts.
Checked check_same(policy::Same same, bool users, const std::string& log) {
    if (same == policy::Same::kAccount)
        return tl::unexpected(
            fmt::format("same=account: jobs of {} have no account; there are same=user and same=any", log));
    if (same != policy::Same::kUser || users) return {};
    return tl::unexpected(
        fmt::format("same=user: jobs of {} have no user, so that none would share; leave it out", log));
}

Checked check_admissions(const policy::MateLimits& limits, const JobLabels& labels, const std::string& log) {
    if (auto good = check_admission(limits.share_partitions, "partition", labels.partitions, log); !good) return good;
    if (auto good = check_admission(limits.share_qos, "QOS", labels.qos, log); !good) return good;
    if (auto good = check_admission(limits.share_accounts, "account", {}, log); !good) return good;
    return check_same(limits.same, labels.users, log);
}

}  // namespace

JobLabels labels_of(const Workload& workload) {
    const bool users = std::ranges::any_of(workload.jobs, [](const LogJob& job) { return job.user >= 0; });
    return {partitions_of(workload), qos_of(workload), users};
}

Checked check_limits(const policy::MateLimits& limits, const JobLabels& labels, const std::string& log) {
    policy::MateLimits numbered = limits;
    numbered.set_numbers(labels.partitions, labels.qos);
    if (auto good = check_names(limits.partitions, {"partition_max_slowdown", "partition", labels.partitions}, log);
        !good)
        return good;
    if (auto good = check_names(limits.qos, {"qos_max_slowdown", "QOS", labels.qos}, log); !good) return good;
    if (auto good = check_urgent(limits.urgent, labels.qos, log); !good) return good;
    if (auto good = check_admissions(limits, labels, log); !good) return good;
    return check_order(numbered, labels.qos, log);
}

Checked set_job_numbers(policy::Policy& policy, const Workload& workload) {
    policy::MateLimits* limits = policy::mate_limits(policy);
    if (limits == nullptr) return {};
    const JobLabels labels = labels_of(workload);
    if (auto good = check_limits(*limits, labels, workload.name); !good) return good;
    limits->set_numbers(labels.partitions, labels.qos);
    return {};
}

Checked set_job_numbers(Parameters& parameters, const Workload& workload) {
    if (parameters.run.urgent_share <= 0) return set_job_numbers(parameters.policy, workload);
    return set_job_numbers(parameters.policy, with_urgent(workload, parameters.run.urgent_share, parameters.run.seed));
}

}  // namespace drom::sim
