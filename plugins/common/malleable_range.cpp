// SPDX-License-Identifier: GPL-2.0-or-later
// malleable_range.cpp - what --malleable and --drom-min-per-rank say.
#include "malleable_range.hpp"

#include <algorithm>

namespace drom::slurm {

namespace {

constexpr const char* kForm = "give MIN or MIN-MAX, for instance 2-8";

tl::unexpected<std::string> refusal(std::string_view option, std::string_view text, const std::string& why) {
    std::string sentence(option);
    return tl::make_unexpected(sentence.append("=").append(text).append(": ").append(why));
}

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

/// Returns the number in `text`, or what is wrong with it. Leading zeros are a number's own business.
Parsed<uint32_t> number(std::string_view text, const char* form) {
    const std::string quoted = "'" + std::string(text) + "'";
    if (text.starts_with('-') && is_number(text.substr(1)))
        return tl::make_unexpected(quoted + " is negative; " + form);
    if (!is_number(text)) return tl::make_unexpected(quoted + " is no number of CPUs; " + form);
    uint64_t value = 0;
    for (const char digit : text)
        value = std::min<uint64_t>(value * 10 + static_cast<unsigned>(digit - '0'), UINT32_MAX);
    if (value > kMaxNodeCpus)
        return tl::make_unexpected(std::string(text) + " is more CPUs than a node of Slurm can have (" +
                                   std::to_string(kMaxNodeCpus) + "); " + form);
    if (value == 0) return tl::make_unexpected("at least 1 CPU has to stay; give 1 or more");
    return static_cast<uint32_t>(value);
}

}  // namespace

std::string MalleableRange::text() const {
    return max == 0 ? std::to_string(min) : std::to_string(min) + "-" + std::to_string(max);
}

std::string beyond_node(const MalleableRange& range, uint32_t node_cpus) {
    const uint32_t max = std::max(range.min, range.max);
    if (node_cpus == 0 || max <= node_cpus) return {};
    return "--malleable=" + range.text() + ": no node that the job can get has " + std::to_string(max) +
           " CPUs; give at most " + std::to_string(node_cpus);
}

Parsed<MalleableRange> parse_malleable(std::string_view text, uint32_t node_cpus) {
    constexpr std::string_view kOption = "--malleable";
    MalleableRange range;
    if (text.empty()) return range;
    // From the second character: a dash in front is a sign.
    const size_t dash = text.find('-', 1);
    const auto min = number(text.substr(0, dash), kForm);
    if (!min) return refusal(kOption, text, min.error());
    range.min = *min;
    if (dash != std::string_view::npos) {
        const std::string_view behind = text.substr(dash + 1);
        if (behind.empty()) return refusal(kOption, text, std::string("there is no MAX behind the dash; ") + kForm);
        const auto max = number(behind, kForm);
        if (!max) return refusal(kOption, text, max.error());
        range.max = *max;
        if (range.max < range.min)
            return refusal(kOption, text,
                           "MAX is less than MIN; did you mean " + MalleableRange{*max, *min}.text() + "?");
    }
    if (auto why = beyond_node(range, node_cpus); !why.empty()) return tl::make_unexpected(std::move(why));
    return range;
}

Parsed<uint32_t> parse_min_per_rank(std::string_view text) {
    auto value = number(text, "give a number of CPUs, for instance 2");
    if (!value) return refusal("--drom-min-per-rank", text, value.error());
    return value;
}

Parsed<std::string> parse_resize(std::string_view text) {
    if (text == "keep" || text == "follow" || text == "auto") return std::string(text);
    return refusal("--drom-resize", text, "a team can keep its size or follow the CPUs; give keep, follow or auto");
}

}  // namespace drom::slurm
