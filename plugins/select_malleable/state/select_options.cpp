// SPDX-License-Identifier: GPL-2.0-or-later
// select_options.cpp - options of select/malleable.
#include "select_options.hpp"

#include <algorithm>

#include "policy/job/option_values.hpp"

namespace drom::slurm {
namespace {

using Limit = policy::SlowdownRules::Limit;

/// Returns what a number has to be that was read; empty: it is.
template <class Number>
std::string within(const policy::Read& read, const policy::Range<Number>& range) {
    const auto text = [](Number bound) { return policy::text_of(static_cast<double>(bound)); };
    return read ? "" : "a number from " + text(range.min) + " to " + text(range.max);
}

/// Reads a value, as the functions below. Returns what the value has to be; empty: it is.
std::string read_max_slowdown(std::string_view value, SelectOptions& options) {
    policy::SlowdownRules& rules = options.rules;
    rules.limit = value == "inf" ? Limit::kInfinite : value == "dynamic" ? Limit::kDynamic : Limit::kNumber;
    if (rules.limit != Limit::kNumber) return "";
    const bool good = policy::read_number(rules.max_slowdown, value, policy::NamedLimit::kSlowdowns).has_value();
    return good ? "" : "a number of 1 or more, inf, or dynamic";
}

std::string read_sharing_factor(std::string_view value, SelectOptions& options) {
    constexpr auto kRange = policy::SharingRules::kFactors;
    return within(policy::read_number(options.rules.sharing.sharing_factor, value, kRange), kRange);
}

std::string read_max_mates(std::string_view value, SelectOptions& options) {
    constexpr auto kRange = policy::SharingRules::kMates;
    return within(policy::read_whole(options.rules.sharing.max_mates, value, kRange), kRange);
}

std::string read_jobs_per_node(std::string_view value, SelectOptions& options) {
    constexpr auto kRange = policy::SharingRules::kJobsPerNode;
    return within(policy::read_whole(options.rules.sharing.jobs_per_node, value, kRange), kRange);
}

std::string read_delay_max(std::string_view value, SelectOptions& options) {
    constexpr policy::Seconds kYear = 365 * 86400;
    policy::Seconds& seconds = options.delay_max;
    if (value == "inf") return seconds = policy::kNever, "";
    const bool good = policy::read_whole(seconds, value, 0, kYear).has_value();
    return good ? "" : "a number of seconds up to a year, or inf";
}

std::string read_gain(std::string_view value, SelectOptions& options) {
    constexpr auto kRange = policy::SlowdownRules::kGains;
    return within(policy::read_number(options.rules.gain, value, kRange), kRange);
}

std::string read_add_free_nodes(std::string_view value, SelectOptions& options) {
    options.rules.sharing.add_free_nodes = value == "yes";
    return value == "yes" || value == "no" ? "" : "yes or no";
}

/// Takes a list over. Returns what it has to be; empty: it is.
std::string one_of_names(const tl::expected<void, std::string>& done, const char* form) {
    return done ? "" : form + std::string("; the list ") + done.error();
}

constexpr const char* kLimits = "NAME:LIMIT/NAME:LIMIT, each limit a number of 1 or more, or inf";

std::string read_partition_limits(std::string_view value, SelectOptions& options) {
    return one_of_names(policy::read_limits(options.rules.sharing.limits.partitions, value), kLimits);
}

std::string read_qos_limits(std::string_view value, SelectOptions& options) {
    return one_of_names(policy::read_limits(options.rules.sharing.limits.qos, value), kLimits);
}

std::string read_qos(std::string_view value, SelectOptions& options) {
    options.rules.sharing.limits.strict = value == "strict";
    return value == "strict" || value == "any" ? "" : "any or strict";
}

std::string read_qos_order(std::string_view value, SelectOptions& options) {
    return one_of_names(policy::read_names(options.rules.sharing.limits.qos_order, value),
                        "NAME/NAME, from the lowest QOS to the highest");
}

/// Reads names of partitions, QOS or accounts.
template <policy::Admission policy::MateLimits::* kOf, std::vector<std::string> policy::Admission::* kList>
std::string read_admission(std::string_view value, SelectOptions& options) {
    return one_of_names(policy::read_names(options.rules.sharing.limits.*kOf.*kList, value), "NAME/NAME");
}

std::string read_same(std::string_view value, SelectOptions& options) {
    return policy::read_same(options.rules.sharing.limits.same, value) ? "" : "any, user or account";
}

std::string read_dry_run(std::string_view value, SelectOptions& options) {
    options.rules.dry_run = value == "yes";
    return value == "yes" || value == "no" ? "" : "yes or no";
}

std::string read_log(std::string_view value, SelectOptions& options) {
    options.log = value;
    return value.starts_with('/') ? "" : "a path that begins with /";
}

std::string read_metrics(std::string_view value, SelectOptions& options) {
    options.metrics = value;
    return value.starts_with('/') ? "" : "a path that begins with /";
}

struct Option {
    std::string_view name;
    std::string (*read)(std::string_view, SelectOptions&);
};

constexpr Option kOptions[] = {
    {"sd_max_slowdown", read_max_slowdown},
    {"sd_sharing_factor", read_sharing_factor},
    {"sd_max_mates", read_max_mates},
    {"sd_max_jobs_per_node", read_jobs_per_node},
    {"sd_delay_max", read_delay_max},
    {"sd_gain", read_gain},
    {"sd_add_free_nodes", read_add_free_nodes},
    {"sd_max_slowdown_partition", read_partition_limits},
    {"sd_max_slowdown_qos", read_qos_limits},
    {"sd_qos", read_qos},
    {"sd_qos_order", read_qos_order},
    {"sd_only_partition", read_admission<&policy::MateLimits::share_partitions, &policy::Admission::only>},
    {"sd_not_partition", read_admission<&policy::MateLimits::share_partitions, &policy::Admission::no>},
    {"sd_only_qos", read_admission<&policy::MateLimits::share_qos, &policy::Admission::only>},
    {"sd_not_qos", read_admission<&policy::MateLimits::share_qos, &policy::Admission::no>},
    {"sd_only_account", read_admission<&policy::MateLimits::share_accounts, &policy::Admission::only>},
    {"sd_not_account", read_admission<&policy::MateLimits::share_accounts, &policy::Admission::no>},
    {"sd_same", read_same},
    {"sd_dry_run", read_dry_run},
    {"sd_log", read_log},
    {"sd_metrics", read_metrics}};

std::string names() {
    std::string text;
    for (const Option& option : kOptions) text.append(text.empty() ? "" : ", ").append(option.name);
    return text;
}

/// Reads an option. Empty: it is understood.
std::string read_option(std::string_view word, SelectOptions& options) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const auto* option =
        std::find_if(std::begin(kOptions), std::end(kOptions), [name](const Option& o) { return o.name == name; });
    const std::string start = "SchedulerParameters: " + std::string(word);
    if (option == std::end(kOptions)) return start + ": there is no such option; there are " + names();
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    const std::string wanted = option->read(value, options);
    return wanted.empty() ? "" : start + ": it has to be " + wanted;
}

}  // namespace

tl::expected<SelectOptions, std::string> read_scheduler_parameters(std::string_view parameters) {
    SelectOptions options;
    while (!parameters.empty()) {
        const std::size_t comma = std::min(parameters.find(','), parameters.size());
        const std::string_view word = parameters.substr(0, comma);
        parameters.remove_prefix(std::min(comma + 1, parameters.size()));
        if (!word.starts_with("sd_")) continue;
        if (std::string wrong = read_option(word, options); !wrong.empty()) return tl::unexpected(std::move(wrong));
    }
    const policy::MateLimits& limits = options.rules.sharing.limits;
    if (limits.strict && limits.qos_order.empty())
        return tl::unexpected<std::string>(
            "SchedulerParameters: sd_qos=strict needs sd_qos_order, which lists the QOS "
            "from the lowest to the highest");
    if (options.rules.dry_run && options.log.empty())
        return tl::unexpected<std::string>(
            "SchedulerParameters: sd_dry_run=yes needs sd_log, which says what would have been shared");
    return options;
}

}  // namespace drom::slurm
