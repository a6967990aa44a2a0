// SPDX-License-Identifier: BSD-3-Clause
// slurm_conf.cpp - what a slurm.conf says about a simulation.
#include "workload/slurm/slurm_conf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>

#include "libdrom/base/number_text.hpp"
#include "workload/slurm/slurm_nodes.hpp"
#include "workload/slurm/slurm_values.hpp"
#include "workload/swf/swf_row.hpp"
#include "workload/swf/swf_source.hpp"

namespace drom::sim {
namespace {

using namespace slurm;

struct Meaning {
    const char* key;        ///< of slurm.conf
    const char* parameter;  ///< of the simulator
};
constexpr Meaning kOptions[] = {{"bf_max_job_test", "bf_max_job_test"},
                                {"bf_interval", "bf_interval"},
                                {"bf_window", "bf_window"},
                                {"bf_resolution", "bf_resolution"}};
/// Of select/malleable; texts are checked where the simulator reads them.
constexpr Meaning kSharing[] = {{"sd_max_slowdown", "max_slowdown"},
                                {"sd_sharing_factor", "sharing_factor"},
                                {"sd_max_mates", "max_mates"},
                                {"sd_max_jobs_per_node", "jobs_per_node"},
                                {"sd_gain", "gain"},
                                {"sd_add_free_nodes", "add_free_nodes"}};
constexpr Meaning kWeights[] = {{"PriorityWeightAge", "weight_age"},
                                {"PriorityWeightJobSize", "weight_size"},
                                {"PriorityWeightPartition", "weight_partition"}};

const Meaning* find(std::span<const Meaning> meanings, std::string_view key) {
    const auto found = std::find_if(meanings.begin(), meanings.end(),
                                    [&](const Meaning& meaning) { return same_word(meaning.key, key); });
    return found == meanings.end() ? nullptr : &*found;
}

constexpr const char* kOthers[] = {"SchedulerParameters", "SchedulerType",      "SelectType",
                                   "PriorityType",        "PriorityFavorSmall", "PriorityMaxAge"};

/// Returns whether a simulation depends on the key.
bool counts(std::string_view key) {
    return find(kWeights, key) != nullptr ||
           std::ranges::any_of(kOthers, [&](const char* other) { return same_word(other, key); });
}

auto wrong(const Setting& setting, const std::string& what) {
    return tl::make_unexpected(fmt::format("column {}: {} {}", setting.column, setting.key, what));
}

bool is_whole(std::string_view text, std::int64_t min) {
    std::int64_t value = 0;
    return is_number(text, value) && value >= min && value <= 1'000'000'000;
}

/// Reads line after line into a site.
class SiteReader {
public:
    /// Takes a line. Errors: a sentence with the column.
    tl::expected<void, std::string> take(const ConfLine& line) {
        const std::string& first = line.settings.front().key;
        std::vector<std::string> unused;
        if (same_word(first, "NodeName") || same_word(first, "NodeSet") || same_word(first, "PartitionName")) {
            auto left = nodes_.take(line);
            if (!left) return tl::make_unexpected(left.error());
            unused = std::move(*left);
        } else {
            for (const Setting& setting : line.settings) {
                if (counts(setting.key)) note_place(setting, line);
                if (auto done = take(setting, unused); !done) return done;
            }
        }
        if (!unused.empty()) site_.unused.push_back(fmt::format("{}: {}", line.location(), fmt::join(unused, ", ")));
        return {};
    }

    /// Returns the site that the lines describe. Errors: a finished sentence.
    tl::expected<SlurmSite, std::string> finish(const std::string& partition) {
        if (auto done = nodes_.finish(partition, site_); !done) return tl::make_unexpected(done.error());
        if (basic_priority_) drop_weights();
        if (builtin_ || no_backfill_) set("bf_max_job_test", "1");  // no job starts before the first that waits
        return std::move(site_);
    }

private:
    using Done = tl::expected<void, std::string>;
    using Unused = std::vector<std::string>;

    /// Lists an earlier line with the same key: Slurm takes the latest.
    void note_place(const Setting& setting, const ConfLine& line) {
        const std::string place = line.location();
        const auto [earlier, is_new] = places_.try_emplace(slurm::small(setting.key), place);
        if (is_new) return;
        site_.unused.push_back(
            fmt::format("{}: {} ({} has it again, and Slurm takes the latest)", earlier->second, setting.key, place));
        earlier->second = place;
    }

    /// Removes the parameters of a priority that the site does not have.
    void drop_weights() {
        std::erase_if(site_.parameters, [&](const auto& parameter) {
            const bool of_priority = parameter.first.starts_with("weight_") || parameter.first == "max_age" ||
                                     parameter.first == "favor_small";
            if (of_priority) site_.unused.push_back(parameter.first + " (PriorityType is priority/basic)");
            return of_priority;
        });
    }

    void drop(std::string_view parameter) {
        std::erase_if(site_.parameters, [&](const auto& known) { return known.first == parameter; });
    }

    /// Sets a parameter. The last line counts, as for Slurm.
    void set(const char* parameter, std::string value) {
        drop(parameter);
        site_.parameters.emplace_back(parameter, std::move(value));
    }

    Done take(const Setting& setting, Unused& unused) {
        const std::string_view key = setting.key;
        if (same_word(key, "SchedulerParameters")) return take_options(setting, unused);
        if (same_word(key, "PriorityMaxAge")) return take_max_age(setting);
        if (const Meaning* weight = find(kWeights, key)) {
            if (!is_whole(setting.value, 0)) return wrong(setting, swf::quoted(setting.value) + " is no weight");
            set(weight->parameter, setting.value);
        } else if (same_word(key, "PriorityFavorSmall")) {
            set("favor_small", same_word(setting.value, "YES") ? "yes" : "no");
        } else if (same_word(key, "PriorityType")) {
            basic_priority_ = setting.value == "priority/basic";
        } else if (same_word(key, "SchedulerType")) {
            builtin_ = setting.value == "sched/builtin";
        } else if (same_word(key, "SelectType") && setting.value != "select/linear") {
            unused.push_back(setting.key + " (a simulated job has whole nodes)");
        } else if (!same_word(key, "SelectType")) {
            unused.push_back(setting.key);
        }
        return {};
    }

    /// Forgets the options of an earlier line: none of them counts.
    void drop_options() {
        for (const Meaning& option : kOptions) drop(option.parameter);
        for (const Meaning& option : kSharing) drop(option.parameter);
        no_backfill_ = false;
    }

    // Of two options with one name Slurm takes the first.
    Done take_options(const Setting& setting, Unused& unused) {
        drop_options();
        std::vector<std::string> others, seen;
        for (std::string_view rest = setting.value; !rest.empty();) {
            const auto comma = rest.find(',');
            const std::string_view item = swf::trimmed(rest.substr(0, comma)), name = item.substr(0, item.find('='));
            rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
            if (name.empty() || std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
            seen.emplace_back(name);
            const std::string value(item.substr(std::min(item.size(), name.size() + 1)));
            const Meaning* option = find(kOptions, name);
            const Meaning* sharing = find(kSharing, name);
            if (name == "bf_interval" && value == "-1") {
                no_backfill_ = true;
                continue;
            }
            if (option != nullptr && !is_whole(value, 1))
                return wrong(setting, fmt::format("has {} {}, which is no number from 1 on", name, swf::quoted(value)));
            if (option != nullptr || sharing != nullptr)
                set((option != nullptr ? option : sharing)->parameter, value);
            else
                others.emplace_back(name);
        }
        if (!others.empty()) unused.push_back(fmt::format("{} ({})", setting.key, fmt::join(others, ", ")));
        return {};
    }

    Done take_max_age(const Setting& setting) {
        const auto age = read_span(setting.value);
        if (!age) return wrong(setting, swf::quoted(setting.value) + " is no time like 7-0");
        set("max_age", std::to_string(*age));
        return {};
    }

    Nodes nodes_;
    SlurmSite site_;
    std::map<std::string, std::string> places_;  // of the latest line, by the key in small letters
    bool basic_priority_ = false, builtin_ = false, no_backfill_ = false;
};

}  // namespace

tl::expected<SlurmSite, std::string> read_slurm_conf(const std::string& path, const std::string& partition,
                                                     const ReadFile& read_file) {
    const auto lines = read_conf_lines(path, read_file);
    if (!lines) return tl::make_unexpected(lines.error());
    SiteReader reader;
    for (const ConfLine& line : *lines)
        if (auto done = reader.take(line); !done)
            return tl::make_unexpected(
                fmt::format("drom-sim: read {}: line {}, {}", line.file, line.number, done.error()));
    auto site = reader.finish(partition);
    if (site && site->nodes == 0 && site->no_machine.empty())
        site->no_machine = path + " has no node that a partition has";
    return site;
}

tl::expected<SlurmSite, std::string> read_slurm_conf(const std::string& path, const std::string& partition) {
    return read_slurm_conf(path, partition,
                           [](const std::string& file) { return swf::read_text(file, "a slurm.conf"); });
}

std::string partition_factors(const SlurmSite& site, const std::vector<std::string>& of_log) {
    std::string text;
    for (const std::string& name : of_log) {
        const auto found = std::find_if(site.partitions.begin(), site.partitions.end(),
                                        [&](const SlurmPartition& partition) { return partition.name == name; });
        text += fmt::format("{}{}", text.empty() ? "" : "/", found == site.partitions.end() ? 0.0 : found->factor);
    }
    return text;
}

}  // namespace drom::sim
