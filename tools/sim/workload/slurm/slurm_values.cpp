// SPDX-License-Identifier: BSD-3-Clause
// slurm_values.cpp - values as Slurm's commands and files write them.
#include "workload/slurm/slurm_values.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "libdrom/base/number_text.hpp"

namespace drom::sim::slurm {
namespace {

constexpr Seconds kLongest = 1'000'000'000'000;
constexpr double kLargest = 1e15;  // of a number with a unit, in that of the result

std::optional<std::int64_t> whole(std::string_view text) {
    std::int64_t value = 0;
    return is_number(text, value) && value >= 0 && value <= kLongest ? std::optional(value) : std::nullopt;
}

/// Takes what stands before the separator, and the separator; everything when it is not there.
std::string_view take_until(std::string_view& text, char separator) {
    const auto at = text.find(separator);
    const std::string_view before = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return before;
}

/// The parts of "hh:mm:ss"; at most three.
struct Parts {
    std::array<Seconds, 3> values{};
    std::size_t count = 0;
};

std::optional<Parts> parts_of(std::string_view text) {
    Parts parts;
    if (text.ends_with(':')) return std::nullopt;
    while (!text.empty()) {
        const auto value = whole(take_until(text, ':'));
        if (!value || parts.count == parts.values.size()) return std::nullopt;
        parts.values[parts.count++] = *value;
    }
    return parts;
}

std::optional<Seconds> in_range(Seconds seconds) {
    return seconds <= kLongest ? std::optional<Seconds>(seconds) : std::nullopt;
}

/// Reads a number with a fraction and a unit of 1024: "1.50K".
std::optional<double> with_unit(std::string_view text, std::string_view units, double first_unit) {
    double unit = first_unit;
    if (!text.empty()) {
        const auto at = units.find(text.back());
        if (at != std::string_view::npos) {
            unit = std::pow(1024.0, static_cast<double>(at));
            text.remove_suffix(1);
        }
    }
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
    if (code != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value * unit <= kLargest))
        return std::nullopt;
    return value * unit;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::optional<Seconds> read_span(std::string_view text) {
    const bool has_days = text.find('-') != std::string_view::npos;
    const auto days = has_days ? whole(take_until(text, '-')) : 0;
    const auto parts = parts_of(text);
    if (!days || !parts || parts->count == 0 || *days > kLongest / 86400) return std::nullopt;
    const auto& v = parts->values;
    if (has_days) return in_range(*days * 86400 + v[0] * 3600 + v[1] * 60 + v[2]);
    if (parts->count == 3) return in_range(v[0] * 3600 + v[1] * 60 + v[2]);
    return in_range(v[0] * 60 + v[1]);
}

bool is_no_limit(std::string_view text) {
    return text.empty() || same_word(text, "UNLIMITED") || same_word(text, "INFINITE") ||
           same_word(text, "Partition_Limit");
}

std::optional<std::int64_t> read_count(std::string_view text) {
    const auto value = with_unit(text, "_KMG", 1);
    if (!value || *value > 1e9) return std::nullopt;
    return std::llround(*value);
}

std::int64_t Memory::per_processor(std::int64_t nodes, std::int64_t processors) const {
    if (kb < 0 || processors <= 0) return -1;
    if (of == Of::kProcessor) return kb;
    const double of_job = static_cast<double>(kb) * (of == Of::kNode ? static_cast<double>(nodes) : 1.0);
    return std::llround(of_job / static_cast<double>(processors));
}

std::optional<Memory> read_memory(std::string_view text) {
    Memory memory;
    if (text.empty()) return memory;
    if (text.back() == 'n' || text.back() == 'c') {
        memory.of = text.back() == 'n' ? Memory::Of::kNode : Memory::Of::kProcessor;
        text.remove_suffix(1);
    }
    const auto kb = with_unit(text, "KMGTP", 1024);
    if (!kb) return std::nullopt;
    if (*kb > 0) memory.kb = std::llround(*kb);
    return memory;
}

std::string_view memory_of_tres(std::string_view text) {
    while (!text.empty()) {
        const std::string_view item = take_until(text, ',');
        if (item.starts_with("mem=")) return item.substr(4);
    }
    return {};
}

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" +")); }

std::string small(std::string text) {
    std::ranges::transform(text, text.begin(), lower);
    return text;
}

bool same_word(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

int status_of(std::string_view state) {
    constexpr int kFailed = 0, kCompleted = 1, kCancelled = 5;
    if (state == "COMPLETED") return kCompleted;
    for (const std::string_view ended : {"CANCELLED", "PREEMPTED", "REVOKED", "DEADLINE"})
        if (state == ended) return kCancelled;
    return kFailed;
}

}  // namespace drom::sim::slurm
