// SPDX-License-Identifier: BSD-3-Clause
// numbers.cpp - formatting of numbers, independent of the locale.
#include "report/numbers.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace drom::sim {
namespace {

constexpr const char* kThinSpace = "\u202f";
constexpr const char* kMinus = "\u2212";
constexpr const char* kNothing = "\u2013";

}  // namespace

std::string grouped(std::int64_t number) {
    std::string digits =
        fmt::format("{}", number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number));
    if (digits.size() > 4)
        for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, kThinSpace);
    return number < 0 ? kMinus + digits : digits;
}

std::string readable(double number) {
    if (!std::isfinite(number)) return kNothing;
    const double size = std::abs(number);
    const char* sign = number < 0 ? kMinus : "";
    if (size >= 1e18) return fmt::format("{}{:.2e}", sign, size);
    if (size >= 999.5) return grouped(std::llround(number));
    if (size >= 99.95) return fmt::format("{}{:.0f}", sign, size);
    if (size >= 9.995) return fmt::format("{}{:.1f}", sign, size);
    if (size >= 0.9995) return fmt::format("{}{:.2f}", sign, size);
    return size == 0 ? "0" : fmt::format("{}{:.3f}", sign, size);
}

std::string ratio_text(double ratio) {
    if (!std::isfinite(ratio)) return kNothing;
    if (ratio > 0 && ratio < 0.01) return "<0.01";
    if (ratio > 999) return ">999";
    return fmt::format(ratio < 9.995 ? fmt::runtime("{:.2f}") : fmt::runtime("{:.0f}"), ratio);
}

std::string duration(double seconds) {
    if (!std::isfinite(seconds)) return kNothing;
    if (seconds < 0) return kMinus + duration(-seconds);
    const auto with = [](double number, const char* unit) {
        return fmt::format("{}\u00a0{}", number < 9.95 ? fmt::format("{:.1f}", number) : grouped(std::llround(number)),
                           unit);
    };
    if (seconds < 99.5) return fmt::format("{:.0f}\u00a0s", seconds);
    if (seconds < 99.5 * 60) return with(seconds / 60, "min");
    if (seconds < 99.5 * 3600) return with(seconds / 3600, "h");
    return with(seconds / 86400, "d");
}

std::string percent(double share) {
    return std::isfinite(share) ? fmt::format("{:.1f}\u00a0%", 100 * share) : kNothing;
}

std::string change(double ratio) {
    if (!std::isfinite(ratio)) return kNothing;
    const double difference = 100 * (ratio - 1);
    const std::string size = fmt::format(std::abs(difference) < 9.95 ? fmt::runtime("{:.1f}") : fmt::runtime("{:.0f}"),
                                         std::abs(difference));
    if (size == "0.0") return "\u00b10\u00a0%";
    return (difference < 0 ? kMinus : "+") + size + "\u00a0%";
}

std::string date_time(std::int64_t seconds) {
    using namespace std::chrono;
    const sys_seconds moment{std::chrono::seconds(seconds)};
    const sys_days day = floor<days>(moment);
    const year_month_day date(day);
    const hh_mm_ss clock(moment - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock.hours().count(),
                       clock.minutes().count(), clock.seconds().count());
}

}  // namespace drom::sim
