// SPDX-License-Identifier: BSD-3-Clause
// model.cpp - equations 6.1 to 6.3, and the form for nodes of which only a slope is known.
#include "policy/energy/model.hpp"

#include <algorithm>
#include <cmath>

namespace drom::policy {
namespace {

Prediction by_coefficients(const NodeModel& node, const FrequencyState& state, const Profile& profile) {
    const Coefficients& k = state.from_nominal;
    const double watts = k.a * profile.watts + k.b * profile.tpi + k.c;
    const double cpi = k.d * profile.cpi + k.e * profile.tpi + k.f;
    return {state.ghz, profile.seconds * cpi / profile.cpi * node.nominal_ghz() / state.ghz, watts};
}

/// Returns the share of the run time that follows the frequency, from the slope between the lowest state and the
/// nominal one.
double scaling_share(const NodeModel& node, const Profile& profile) {
    const double low = node.states.front().ghz, nominal = node.nominal_ghz();
    if (low >= nominal) return 0;
    const double longer = profile.slope * (nominal - low) * 10;
    return std::clamp(longer / (profile.seconds * (nominal / low - 1)), 0.0, 1.0);
}

Prediction by_curve(const NodeModel& node, const FrequencyState& state, const Profile& profile) {
    const double share = scaling_share(node, profile);
    const double ratio = state.ghz / node.nominal_ghz();
    const PowerCurve& curve = *node.curve;
    return {state.ghz, profile.seconds * (1 - share + share / ratio),
            profile.watts * (curve.fixed + (1 - curve.fixed) * std::pow(ratio, curve.exponent))};
}

}  // namespace

std::vector<Prediction> predict(const NodeModel& node, const Profile& profile) {
    std::vector<Prediction> predictions;
    for (std::size_t i = 0; i < node.states.size(); ++i) {
        const FrequencyState& state = node.states[i];
        Prediction prediction{state.ghz, profile.seconds, profile.watts};
        if (i != node.nominal)
            prediction = node.curve ? by_curve(node, state, profile) : by_coefficients(node, state, profile);
        if (prediction.seconds > 0 && prediction.watts > 0) predictions.push_back(prediction);
    }
    return predictions;
}

}  // namespace drom::policy
