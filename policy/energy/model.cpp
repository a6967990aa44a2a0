// SPDX-License-Identifier: BSD-3-Clause
// model.cpp - equations 6.1 to 6.3, and the form for nodes of which only a slope is known.
#include "policy/energy/model.hpp"

#include <algorithm>
#include <cmath>

namespace drom::policy {
namespace {

Prediction by_coefficients(const NodeModel& node, const FrequencyState& state, const Signature& signature) {
    const Coefficients& k = state.from_nominal;
    const double watts = k.a * signature.watts + k.b * signature.tpi + k.c;
    const double cpi = k.d * signature.cpi + k.e * signature.tpi + k.f;
    return {state.ghz, signature.seconds * cpi / signature.cpi * node.nominal_ghz() / state.ghz, watts};
}

/// Returns the share of the run time that follows the frequency, from the slope between the lowest state and the
/// nominal one.
double scaling_share(const NodeModel& node, const Signature& signature) {
    const double low = node.states.front().ghz, nominal = node.nominal_ghz();
    if (low >= nominal) return 0;
    const double longer = signature.slope * (nominal - low) * 10;
    return std::clamp(longer / (signature.seconds * (nominal / low - 1)), 0.0, 1.0);
}

Prediction by_curve(const PowerCurve& curve, const NodeModel& node, const FrequencyState& state,
                    const Signature& signature) {
    const double share = scaling_share(node, signature);
    const double ratio = state.ghz / node.nominal_ghz();
    return {state.ghz, signature.seconds * (1 - share + share / ratio),
            signature.watts * (curve.fixed + (1 - curve.fixed) * std::pow(ratio, curve.exponent))};
}

}  // namespace

const Signatures& Application::on_with(int nodes) const {
    const Signatures* known = &on;
    for (const LargerRuns& runs : larger)
        if (runs.nodes <= nodes) known = &runs.on;
    return *known;
}

std::vector<Prediction> predict(const NodeModel& node, const Signature& signature) {
    std::vector<Prediction> predictions;
    for (std::size_t i = 0; i < node.states.size(); ++i) {
        const FrequencyState& state = node.states[i];
        Prediction prediction{state.ghz, signature.seconds, signature.watts};
        if (i != node.nominal)
            prediction =
                node.curve ? by_curve(*node.curve, node, state, signature) : by_coefficients(node, state, signature);
        if (prediction.seconds > 0 && prediction.watts > 0) predictions.push_back(prediction);
    }
    return predictions;
}

}  // namespace drom::policy
