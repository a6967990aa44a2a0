// SPDX-License-Identifier: BSD-3-Clause
// advisers.cpp - rows of policies, and reading "NAME:OPTION=VALUE,...".
#include "policy/node/advisers.hpp"

#include <algorithm>
#include <array>

#include "policy/node/rank_balance.hpp"
#include "policy/node/reshape_cpus.hpp"
#include "policy/node/share_cpus.hpp"
#include "policy/registry/reshape_options.hpp"

namespace drom::policy {
namespace {

constexpr ReshapeUnits kCpus{
    .scenario = "which programs get free CPUs, as in drom-sim: pba-q, fcfs-li-q and fair-r differ here",
    .unit = "CPUS",
    .step = "by which a process grows",
    .steps = {1, 4096},
    .min_gain = "growth that brings no more speed per gain of CPUs is undone",
};

// clang-format off
constexpr Option<EqualCpusRules> kEqual[] = {
    {"min_gap", "SECONDS", "in which a program keeps its CPUs after a change",
     [](EqualCpusRules& r, std::string_view v) { return read_whole(r.min_gap, v, 0); }, [](const EqualCpusRules& r) { return std::to_string(r.min_gap); }},
};

constexpr Option<EfficientCpusRules> kEfficient[] = {
    {"upper", "U", "a program whose lost CPU time is more than this share of the useful one shrinks to half",
     [](EfficientCpusRules& r, std::string_view v) { return read_number(r.upper, v, 0.0, 1e6); }, [](const EfficientCpusRules& r) { return text_of(r.upper); }},
    {"lower", "L", "a program that loses less may grow to double",
     [](EfficientCpusRules& r, std::string_view v) { return read_number(r.lower, v, 0.0, 1e6); }, [](const EfficientCpusRules& r) { return text_of(r.lower); }},
    {"min_gap", "SECONDS", "in which a program keeps its CPUs after a change",
     [](EfficientCpusRules& r, std::string_view v) { return read_whole(r.min_gap, v, 0); }, [](const EfficientCpusRules& r) { return std::to_string(r.min_gap); }},
    {"memory", "SECONDS", "in which a program that had to shrink does not grow beyond that again",
     [](EfficientCpusRules& r, std::string_view v) { return read_whole(r.memory, v, 0); }, [](const EfficientCpusRules& r) { return std::to_string(r.memory); }},
};

constexpr Option<RankBalanceRules> kBalance[] = {
    {"min_gain", "S", "trades are advised when the slowest rank becomes faster by more than this share",
     [](RankBalanceRules& r, std::string_view v) { return read_number(r.min_gain, v, 0.0, 1.0); }, [](const RankBalanceRules& r) { return text_of(r.min_gain); }},
    {"max_moves", "N", "CPUs that are traded in a round",
     [](RankBalanceRules& r, std::string_view v) { return read_whole(r.max_moves, v, 1); }, [](const RankBalanceRules& r) { return std::to_string(r.max_moves); }},
    {"memory", "SECONDS", "for which the speed of a division of the CPUs is remembered",
     [](RankBalanceRules& r, std::string_view v) { return read_whole(r.memory, v, 0); }, [](const RankBalanceRules& r) { return std::to_string(r.memory); }},
};

constexpr Option<ReshapeCpusRules> kReshapeGap[] = {
    {"min_gap", "SECONDS", "in which a program keeps its CPUs after a change",
     [](ReshapeCpusRules& r, std::string_view v) { return read_whole(r.min_gap, v, 0); }, [](const ReshapeCpusRules& r) { return std::to_string(r.min_gap); }},
};

constexpr Option<ShareCpusRules> kShare[] = {
    {"min_gain", "S", "CPUs move when the sum of all slowdowns falls by more than this share",
     [](ShareCpusRules& r, std::string_view v) { return read_number(r.min_gain, v, 0.0, 1.0); }, [](const ShareCpusRules& r) { return text_of(r.min_gain); }},
    {"min_share", "S", "of an equal share of the CPUs, which each program keeps",
     [](ShareCpusRules& r, std::string_view v) { return read_number(r.min_share, v, 0.0, 1.0); }, [](const ShareCpusRules& r) { return text_of(r.min_share); }},
    {"step", "CPUS", "that move in a round",
     [](ShareCpusRules& r, std::string_view v) { return read_whole(r.step, v, 1, 4096); }, [](const ShareCpusRules& r) { return std::to_string(r.step); }},
    {"min_gap", "SECONDS", "in which a program keeps its CPUs after a change",
     [](ShareCpusRules& r, std::string_view v) { return read_whole(r.min_gap, v, 0); }, [](const ShareCpusRules& r) { return std::to_string(r.min_gap); }},
    {"memory", "SECONDS", "for which the speed on other CPUs is remembered",
     [](ShareCpusRules& r, std::string_view v) { return read_whole(r.memory, v, 0); }, [](const ShareCpusRules& r) { return std::to_string(r.memory); }},
};
// clang-format on

template <class Rules>
AdviserRow row(const char* name, const char* text, const char* source,
               std::initializer_list<std::span<const Option<Rules>>> options,
               std::unique_ptr<Adviser> (*make)(const Rules&)) {
    AdviserRow row{name, text,    source,
                   {},   Rules{}, [make](const std::any& rules) { return make(std::any_cast<const Rules&>(rules)); }};
    for (const std::span<const Option<Rules>> table : options)
        for (const Option<Rules>& option : table) row.options.push_back(option_row(option));
    return row;
}

template <class Row>
std::string names_of(std::span<const Row> rows) {
    std::string names;
    for (const Row& row : rows) names += (names.empty() ? "" : ", ") + std::string(row.name);
    return names;
}

/// Sets one "OPTION=VALUE". Returns what is wrong with it; empty: nothing.
std::string set(const AdviserRow& row, std::any& rules, std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto option = std::ranges::find_if(row.options, [&](const OptionRow& known) { return name == known.name; });
    if (option == row.options.end())
        return std::string(row.name) + " has no option '" + std::string(name) + "'; it has " +
               names_of(std::span<const OptionRow>(row.options));
    if (equals == std::string_view::npos) return std::string(name) + " needs a value";
    const std::string_view value = word.substr(equals + 1);
    const Read read = option->set(rules, value);
    return read ? "" : std::string(name) + " '" + std::string(value) + "' " + read.error();
}

/// A policy, and values for its options.
struct Named {
    const AdviserRow* row;
    std::any rules;
};

/// Returns which two options of the policy contradict each other; empty: none do.
std::string contradiction_in(const std::any& rules) {
    const auto* efficient = std::any_cast<EfficientCpusRules>(&rules);
    if (efficient == nullptr || efficient->lower <= efficient->upper) return {};
    return "lower " + text_of(efficient->lower) + " is above upper " + text_of(efficient->upper) +
           "; a program between them would have to shrink and to grow";
}

tl::expected<Named, std::string> named_by(std::string_view text) {
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    const auto found = std::ranges::find_if(advisers(), [&](const AdviserRow& known) { return name == known.name; });
    if (found == advisers().end())
        return tl::unexpected("there is no policy '" + std::string(name) + "'; there are " + names_of(advisers()));
    Named named{&*found, found->defaults};
    std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    if (colon != std::string_view::npos && rest.empty()) return tl::unexpected(std::string("nothing follows the ':'"));
    while (!rest.empty()) {
        const std::size_t comma = rest.find(',');
        if (const std::string wrong = set(*found, named.rules, rest.substr(0, comma)); !wrong.empty())
            return tl::unexpected(wrong);
        rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    if (const std::string wrong = contradiction_in(named.rules); !wrong.empty()) return tl::unexpected(wrong);
    return named;
}

}  // namespace

std::span<const AdviserRow> advisers() {
    static const std::array<AdviserRow, 5> rows{
        row<EqualCpusRules>("equipartition", "equal CPUs for all programs", "HPC in the cloud, sections 6.3 and 6.5.5",
                            {kEqual}, equal_cpus),
        row<EfficientCpusRules>("efficiency", "programs that lose much of their CPU time shrink, others grow",
                                "elastic MPI, section 10.3", {kEfficient}, efficient_cpus),
        row<RankBalanceRules>("balance", "the ranks of a job trade CPUs until they need the same time",
                              "HPC in the cloud, chapter 5", {kBalance}, rank_balance),
        row<ReshapeCpusRules>("reshape", "programs grow on free CPUs as long as that makes them faster",
                              "R. Sudarsan, ReSHAPE, chapters 2 and 4",
                              {kReshapeOptions<ReshapeCpusRules, kCpus>, kReshapeGap}, reshape_cpus),
        row<ShareCpusRules>("share", "programs trade CPUs while that lowers the sum of their slowdowns",
                            "thesis, sections 5.3.3 and 5.5", {kShare}, share_cpus),
    };
    return rows;
}

tl::expected<std::unique_ptr<Adviser>, std::string> adviser_of(std::string_view text) {
    const auto named = named_by(text);
    if (!named) return tl::unexpected(named.error());
    return named->row->make(named->rules);
}

tl::expected<std::string, std::string> whole_name_of(std::string_view text) {
    const auto named = named_by(text);
    if (!named) return tl::unexpected(named.error());
    std::string name = named->row->name;
    for (const OptionRow& option : named->row->options)
        name += (name == named->row->name ? ":" : ",") + std::string(option.name) + '=' + option.get(named->rules);
    return name;
}

}  // namespace drom::policy
