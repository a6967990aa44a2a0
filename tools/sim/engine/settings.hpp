// SPDX-License-Identifier: BSD-3-Clause
// settings.hpp - everything that has an influence on a simulation, by name: for command line, help, reports and sweeps.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/engine.hpp"
#include "policy/registry/registry.hpp"

namespace drom::sim {

/// How jobs run, whatever the policy.
struct RunRules {
    policy::RuntimeModel execution{policy::ModelKind::kIdeal};
    bool kill_at_limit = true;
    double malleable_share = 1, moldable_share = 0;
    double resizable_share = 1, platinum_share = 0;  ///< of the programs of a generated mix
    double urgent_share = 0;                         ///< of the jobs, which come into a queue of their own
    int ranks_per_node = 1;
    double overestimate = 1;  ///< request = run + overestimate * (request - run): 0 exact, 1 as in the log
    std::uint64_t seed = 1;
};

/// A policy with its options, and how jobs run under it.
struct Parameters {
    policy::Policy policy{policy::policies().front()};
    RunRules run;
};

/// A parameter that can be given, as `--name VALUE` or in a setting `policy:name=VALUE,...`: an option of a policy, or
/// one of RunRules.
struct ParameterRow {
    std::string name, label, text;
    std::string by_default;  ///< its value when it is not given
};

/// Returns the parameters of settings of that policy.
std::vector<ParameterRow> parameters_of(const policy::PolicyRow& policy);
/// Returns every parameter of any setting once. Where policies differ in a default it is that of the first.
std::vector<ParameterRow> all_parameters();
/// Returns true when settings of this policy have the parameter. `policy` need not exist.
bool has_parameter(std::string_view policy, std::string_view parameter);
/// Returns whether the setting itself gives the parameter a value.
bool gives_value(std::string_view setting, std::string_view parameter);
/// Returns why a parameter that is given to all of these settings has no effect: none has it, or each has a value of
/// its own. Empty: it has one.
std::string why_unused(std::string_view parameter, const std::vector<std::string>& settings);
/// Returns the parameters that the controller's log of decisions tells, so that other values can be tried on it.
std::vector<ParameterRow> parameters_in_decision_log();

/// Returns how a parameter is written on the command line: "--max-slowdown" for max_slowdown.
std::string option_of(std::string_view parameter);

/// A name with its value, in the order in which they were given.
using Assignments = std::vector<std::pair<std::string, std::string>>;

/// Reads a setting "POLICY" or "POLICY:NAME=VALUE,NAME=VALUE". `common` are given to every setting that has such a
/// parameter, before its own. Errors: a sentence about a policy, a parameter or a value that cannot be meant.
tl::expected<Parameters, std::string> read_setting(std::string_view text, const Assignments& common);

/// Returns `rules` with other values. Errors: as read_setting().
tl::expected<policy::SlowdownRules, std::string> with_others(const policy::SlowdownRules& rules,
                                                             const Assignments& others);

/// Returns name and value of everything that has an influence under this policy.
Assignments values_of(const Parameters& parameters);

EngineRules engine_rules_of(const Parameters& parameters, int nodes, int cores_per_node);
/// Returns the workload with requests that exceed run times `overestimate` times as much as they did. With 1 nothing
/// changes. Otherwise a request below the run time becomes the run time, and each is at least 1 s.
Workload with_requests(Workload workload, double overestimate);
/// Returns whether jobs are simulated that differ from those of the log: changed() makes them.
bool changes_workload(const RunRules& run) noexcept;
Workload changed(Workload workload, const RunRules& run);

}  // namespace drom::sim
