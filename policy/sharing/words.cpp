// SPDX-License-Identifier: BSD-3-Clause
// words.cpp - values as words, and back.
#include "policy/sharing/words.hpp"

#include <cmath>

namespace drom::policy::words {

std::string number(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string time(Seconds value) { return value >= kNever ? "never" : std::to_string(value); }

std::string list(const std::vector<JobId>& ids) {
    std::string text;
    for (const JobId id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

bool read(std::string_view text, double& value) { return is_number(text, value) && !std::isnan(value); }

bool read(std::string_view text, bool& value) { return value_in(kYesOrNo, text, value); }

bool read(std::string_view text, NodeSet& nodes) {
    const auto parsed = NodeSet::parse(text);
    if (parsed) nodes = *parsed;
    return parsed.has_value();
}

bool read(std::string_view text, std::vector<JobId>& ids) {
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        if (!read(text.substr(0, comma), ids.emplace_back())) return false;
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return !ids.empty();
}

bool read_time(std::string_view text, Seconds& value) {
    if (text != "never") return read(text, value);
    value = kNever;
    return true;
}

Reader& Reader::take(Job& job) {
    take("submit", job.submit).take("request", job.request).take("count", job.nodes).take("min_cores", job.min_cores);
    constexpr Seconds kMax = Seconds{1} << 40;
    if (job.request < 1 || job.nodes < 1) complain("has a job without time or nodes");
    if (job.request > kMax) complain("has a job that asks for more time than there is");
    return *this;
}

}  // namespace drom::policy::words
