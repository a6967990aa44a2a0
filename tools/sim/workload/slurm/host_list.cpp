// SPDX-License-Identifier: BSD-3-Clause
// host_list.cpp - names of nodes as Slurm abbreviates them.
#include "workload/slurm/host_list.hpp"

#include <fmt/format.h>

#include <optional>

#include "libdrom/base/number_text.hpp"

namespace drom::sim::slurm {
namespace {

constexpr std::size_t kMaxNames = 1'000'000;

using Names = std::vector<std::string>;
using Expanded = tl::expected<Names, std::string>;

Expanded too_many() { return tl::make_unexpected(std::string("has more than a million names")); }

std::optional<std::int64_t> whole(std::string_view text) {
    std::int64_t value = 0;
    return is_number(text, value) && value >= 0 && text.size() <= 18 ? std::optional(value) : std::nullopt;
}

/// Takes the part before the next comma that is not in brackets, and the comma.
std::string_view take_item(std::string_view& text) {
    int depth = 0;
    std::size_t at = 0;
    for (; at < text.size() && (depth > 0 || text[at] != ','); ++at)
        depth += text[at] == '[' ? 1 : text[at] == ']' ? -1 : 0;
    const std::string_view item = text.substr(0, at);
    text.remove_prefix(std::min(at + 1, text.size()));
    return item;
}

/// Expands "1-4" or "07".
Expanded range(std::string_view text) {
    const auto dash = text.find('-');
    const std::string_view first = text.substr(0, dash),
                           last = dash == std::string_view::npos ? first : text.substr(dash + 1);
    const auto from = whole(first), to = whole(last);
    if (!from || !to || *to < *from) return tl::make_unexpected(fmt::format("has '{}', which is no range", text));
    if (static_cast<std::uint64_t>(*to - *from) >= kMaxNames) return too_many();
    Names names;
    for (std::int64_t i = *from; i <= *to; ++i) names.push_back(fmt::format("{:0{}}", i, first.size()));
    return names;
}

Expanded ranges(std::string_view text) {
    Names names;
    do {
        const auto expanded = range(take_item(text));
        if (!expanded) return expanded;
        names.insert(names.end(), expanded->begin(), expanded->end());
    } while (!text.empty());
    return names;
}

/// Expands one item, which may have several brackets: "rack[0-1]n[1-4]".
Expanded item(std::string_view text) {
    Names names = {""};
    while (!text.empty()) {
        const auto open = text.find('[');
        const std::string_view plain = text.substr(0, open);
        Names numbers = {""};
        if (open != std::string_view::npos) {
            const auto close = text.find(']', open);
            if (close == std::string_view::npos) return tl::make_unexpected(std::string("has a [ without its ]"));
            auto expanded = ranges(text.substr(open + 1, close - open - 1));
            if (!expanded) return expanded;
            numbers = std::move(*expanded);
            text.remove_prefix(close + 1);
        } else {
            text = {};
        }
        if (names.size() * numbers.size() > kMaxNames) return too_many();
        Names longer;
        for (const std::string& name : names)
            for (const std::string& number : numbers) longer.push_back(name + std::string(plain) + number);
        names = std::move(longer);
    }
    return names;
}

}  // namespace

Expanded read_host_list(std::string_view text) {
    Names all;
    while (!text.empty()) {
        const std::string_view part = take_item(text);
        if (part.empty()) continue;
        auto names = item(part);
        if (!names) return names;
        if (all.size() + names->size() > kMaxNames) return too_many();
        all.insert(all.end(), names->begin(), names->end());
    }
    return all;
}

}  // namespace drom::sim::slurm
