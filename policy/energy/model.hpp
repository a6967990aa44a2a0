// SPDX-License-Identifier: BSD-3-Clause
// model.hpp - run time and power of an application at each frequency of a node (thesis 6.3.1).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace drom::policy {

/// Predicts one frequency from values at the nominal one: power is `a P + b TPI + c`, and CPI is `d CPI + e TPI + f`
/// (equations 6.1 and 6.2).
struct Coefficients {
    double a = 1, b = 0, c = 0;
    double d = 1, e = 0, f = 0;
};

struct FrequencyState {
    double ghz = 0;
    Coefficients from_nominal;
};

/// Power over nominal power where no coefficients are known: fixed + (1 - fixed) (f / nominal)^exponent. The defaults
/// are fitted to partitions p1 and p2 of the thesis, with an error of 1 %.
struct PowerCurve {
    double fixed = 0.475, exponent = 2.4;
};

/// Nodes of one partition.
struct NodeModel {
    int nodes = 0;                       ///< 0: enough for every job
    std::vector<FrequencyState> states;  ///< ascending; those that do not exist are left out
    std::size_t nominal = 0;             ///< state at which applications were measured
    double idle_watts = 0;
    std::optional<PowerCurve> curve;  ///< in place of coefficients

    double nominal_ghz() const { return states[nominal].ghz; }
};

/// An application at the nominal frequency; the power is that of one node.
struct Signature {
    double seconds = 0, watts = 0;
    double cpi = 0, tpi = 0;  ///< cycles and memory transactions per instruction, for coefficients
    double slope = 0;         ///< seconds more per 0.1 GHz less, for a curve
};

struct Prediction {
    double ghz = 0, seconds = 0, watts = 0;

    double joules() const noexcept { return seconds * watts; }
};

/// Returns run time and power at each state at which the model gives positive ones, ascending (equation 6.3). The
/// nominal state is the signature itself, and always there.
std::vector<Prediction> predict(const NodeModel& node, const Signature& signature);

/// By partition; nothing: the application does not run there.
using Signatures = std::vector<std::optional<Signature>>;

/// Measurements on more nodes than one.
struct LargerRuns {
    int nodes = 0;  ///< fewest of the jobs that it is for
    Signatures on;
};

/// The application of a job, as a site knows it.
struct Application {
    int number = 0;  ///< field 14 of a log
    std::string name;
    Signatures on;
    std::vector<LargerRuns> larger{};  ///< ascending in nodes, on the partitions of `on`

    /// Returns what holds for jobs of so many nodes.
    const Signatures& on_with(int nodes) const;
};

/// All that is known of a machine's energy. The first partition is the one that requested times are for.
struct EnergyModel {
    std::vector<NodeModel> partitions;
    std::vector<Application> applications;
};

}  // namespace drom::policy
