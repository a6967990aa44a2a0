// SPDX-License-Identifier: BSD-3-Clause
// settings.hpp - everything that has an influence on a simulation, by name: one table for command line, help, reports
// and sweeps.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/engine.hpp"

namespace drom::sim {

/// A policy with its parameters, and how jobs run under it.
struct Parameters {
    std::string policy = "easy";
    policy::BackfillRules backfill;
    policy::SlowdownRules sharing;
    bool easy_base = false;  ///< sd: reservations as EASY instead of as Slurm
    policy::RuntimeModel execution{policy::ModelKind::kIdeal};
    bool kill_at_limit = true;
    double malleable_share = 1;
    int ranks_per_node = 1;
    double overestimate = 1;  ///< request = run + overestimate * (request - run): 0 exact, 1 as in the log
    std::uint64_t seed = 1;
};

/// A policy that can be named.
struct PolicyRow {
    const char* name;
    const char* text;
};

/// A parameter that can be given, as `--name VALUE` or in a setting `policy:name=VALUE,...`.
struct ParameterRow {
    enum class Of { kBase, kBackfill, kSharing, kRun };  ///< which policies have it: sd; slurm and sd; sd and sd+; all
    const char* name;
    const char* label;
    const char* text;
    Of of;
    /// Errors: what is wrong with the value, as the rest of a sentence that begins with it.
    tl::expected<void, std::string> (*set)(Parameters&, std::string_view value);
    std::string (*get)(const Parameters&);
};

std::span<const PolicyRow> policy_rows();
std::span<const ParameterRow> parameter_rows();

/// How a parameter is written on the command line: "--max-slowdown" for max_slowdown.
std::string option_of(std::string_view parameter);

/// A name with its value, in the order in which they were given.
using Assignments = std::vector<std::pair<std::string, std::string>>;

/// A setting "POLICY" or "POLICY:NAME=VALUE,NAME=VALUE". `common` are given to every setting that has such a parameter,
/// before its own. Errors: a sentence about an unknown policy or parameter, or a value that is none.
tl::expected<Parameters, std::string> read_setting(std::string_view text, const Assignments& common);

/// True when a setting of this policy has the parameter.
bool has_parameter(std::string_view policy, const ParameterRow& row);

/// True when the controller's log of decisions tells the parameter, so that another value can be tried on it.
bool in_decision_log(const ParameterRow& row);

/// `rules` with other values. Errors: as read_setting().
tl::expected<policy::SlowdownRules, std::string> with_others(const policy::SlowdownRules& rules,
                                                             const Assignments& others);

/// Name and value of everything that has an influence under this policy.
Assignments values_of(const Parameters& parameters);

std::unique_ptr<policy::Scheduler> scheduler_of(const Parameters& parameters);
EngineRules engine_rules_of(const Parameters& parameters, int nodes, int cores_per_node);
/// The workload with the requests that `parameters` ask for.
Workload with_requests(Workload workload, double overestimate);

}  // namespace drom::sim
