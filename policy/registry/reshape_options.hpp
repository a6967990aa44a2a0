// SPDX-License-Identifier: BSD-3-Clause
// reshape_options.hpp - the options that ReSHAPE has for jobs on nodes and for programs on CPUs, as one table.
#pragma once

#include <array>

#include "policy/registry/registry.hpp"
#include "policy/resize/scenarios.hpp"

namespace drom::policy {

/// Differences between nodes and CPUs.
struct ReshapeUnits {
    const char* scenario;  ///< text of that option
    const char* unit;      ///< of a size
    const char* step;      ///< text of that option
    Range<int> steps;
    const char* min_gain;  ///< text of that option
};

/// Reads one of these options. Errors: what is wrong with the value.
Read read_scenario(const Scenario*& into, std::string_view text);
Read read_estimator(Estimator& into, std::string_view text);
const char* word(Estimator estimator) noexcept;

/// Reads a time, or inf for kNever.
Read read_seconds_or_inf(Seconds& into, std::string_view text);
std::string text_of_seconds(Seconds seconds);

// clang-format off
/// The options of rules with the members `scenario`, `step` and `resize`. `kUnits` outlives them.
template <class Rules, const ReshapeUnits& kUnits>
constexpr std::array<Option<Rules>, 7> kReshapeOptions{{
    {"scenario", "NAME", kUnits.scenario,
     [](Rules& r, std::string_view v) { return read_scenario(r.scenario, v); }, [](const Rules& r) { return std::string(r.scenario->name); }},
    {"step", kUnits.unit, kUnits.step,
     [](Rules& r, std::string_view v) { return read_whole(r.step, v, kUnits.steps); }, [](const Rules& r) { return std::to_string(r.step); }},
    {"expand_threshold", "E", "no growth where one more size promises a smaller gain of speed per gain of size",
     [](Rules& r, std::string_view v) { return read_number(r.resize.expand_threshold, v, -1e6, 1e6); }, [](const Rules& r) { return text_of(r.resize.expand_threshold); }},
    {"remap_window", "N", "changes of size before which the threshold does not count",
     [](Rules& r, std::string_view v) { return read_whole(r.resize.remap_window, v, 0); }, [](const Rules& r) { return std::to_string(r.resize.remap_window); }},
    {"min_gain", "S", kUnits.min_gain,
     [](Rules& r, std::string_view v) { return read_number(r.resize.min_gain, v, 0.0, 1.0); }, [](const Rules& r) { return text_of(r.resize.min_gain); }},
    {"sweet_spot", "SECONDS", "without growth after one that was undone; inf: for ever",
     [](Rules& r, std::string_view v) { return read_seconds_or_inf(r.resize.sweet_spot, v); }, [](const Rules& r) { return text_of_seconds(r.resize.sweet_spot); }},
    {"estimator", "NAME", "of that gain: monotone; thesis, which is its parabola",
     [](Rules& r, std::string_view v) { return read_estimator(r.resize.estimator, v); }, [](const Rules& r) { return std::string(word(r.resize.estimator)); }},
}};
// clang-format on

}  // namespace drom::policy
