// SPDX-License-Identifier: BSD-3-Clause
// reshape_options.cpp - values of ReSHAPE's options as text.
#include "policy/registry/reshape_options.hpp"

namespace drom::policy {

Read read_scenario(const Scenario*& into, std::string_view text) {
    if (const Scenario* scenario = scenario_named(text)) {
        into = scenario;
        return {};
    }
    std::string names;
    for (const Scenario& known : scenarios()) names += (names.empty() ? "" : ", ") + std::string(known.name);
    return tl::unexpected("is no scenario; there are " + names);
}

Read read_estimator(Estimator& into, std::string_view text) {
    if (text != "monotone" && text != "thesis") return tl::unexpected(std::string("is neither monotone nor thesis"));
    into = text == "thesis" ? Estimator::kThesis : Estimator::kMonotone;
    return {};
}

const char* word(Estimator estimator) noexcept { return estimator == Estimator::kThesis ? "thesis" : "monotone"; }

Read read_seconds_or_inf(Seconds& into, std::string_view text) {
    if (text == "inf") {
        into = kNever;
        return {};
    }
    if (auto read = read_whole(into, text, 0); !read) return tl::unexpected(read.error() + "; nor inf");
    return {};
}

std::string text_of_seconds(Seconds seconds) { return seconds == kNever ? "inf" : std::to_string(seconds); }

}  // namespace drom::policy
