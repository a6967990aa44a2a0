// SPDX-License-Identifier: BSD-3-Clause
// axis.cpp - round numbers and round times.
#include "report/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "report/numbers.hpp"

namespace drom::sim {
namespace {

constexpr Seconds kMinute = 60, kHour = 3600, kDay = 86400;
constexpr std::array<Seconds, 21> kTimeSteps = {
    1,        2,           5,           10,           15,           30,
    kMinute,  2 * kMinute, 5 * kMinute, 10 * kMinute, 15 * kMinute, 30 * kMinute,
    kHour,    2 * kHour,   3 * kHour,   6 * kHour,    12 * kHour,   kDay,
    2 * kDay, 7 * kDay,    14 * kDay};

/// Returns 1, 2 or 5 times a power of ten, at least `step`.
double round_step(double step) {
    const double power = std::pow(10, std::floor(std::log10(step)));
    for (const double digit : {1.0, 2.0, 5.0})
        if (digit * power >= step * (1 - 1e-9)) return digit * power;
    return 10 * power;
}

Seconds round_up(Seconds time, Seconds step) {
    const Seconds over = ((time % step) + step) % step;
    return over == 0 ? time : time + step - over;
}

/// Returns "15 Sep"; "Sep 2010" where marks are so far apart that the day says nothing.
std::string date_text(Seconds since_1970, Seconds step) {
    using namespace std::chrono;
    constexpr std::array<const char*, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const year_month_day date(floor<days>(sys_seconds(seconds(since_1970))));
    const char* month = kMonths[static_cast<unsigned>(date.month()) - 1];
    if (step > 60 * kDay) return fmt::format("{} {}", month, static_cast<int>(date.year()));
    return fmt::format("{} {}", static_cast<unsigned>(date.day()), month);
}

std::string time_text(Seconds time, Seconds step, bool with_day, Seconds zero) {
    const Seconds of_day = ((time % kDay) + kDay) % kDay;
    std::string day = zero > 0 ? date_text(time, step) : fmt::format("{} d", grouped((time - of_day) / kDay));
    if (step % kDay == 0) return day;
    std::string clock = fmt::format("{:02}:{:02}", of_day / kHour, of_day % kHour / kMinute);
    if (step < kMinute) clock += fmt::format(":{:02}", of_day % kMinute);
    return with_day ? day + " " + clock : clock;
}

}  // namespace

std::vector<Mark> marks_from_zero(double max, int marks) {
    if (!(max > 0) || !std::isfinite(max)) return {{0, "0"}, {1, "1"}};
    const double step = round_step(max / marks);
    std::vector<Mark> found;
    for (int i = 0; found.empty() || found.back().number < max * (1 - 1e-9); ++i) {
        const double number = step * i;
        found.push_back({number, step >= 1 ? readable(std::round(number)) : fmt::format("{:g}", number)});
        if (step >= 1 && number < 1000) found.back().text = fmt::format("{:.0f}", number);
    }
    return found;
}

std::vector<Mark> time_marks(Seconds from, Seconds to, int marks, Seconds zero) {
    Seconds step = kTimeSteps.back();
    for (const Seconds candidate : kTimeSteps)
        if ((to - from) / candidate <= marks) {
            step = candidate;
            break;
        }
    while ((to - from) / step > marks) step *= 2;
    std::vector<Mark> found;
    for (Seconds time = round_up(zero + from, step); time <= zero + to; time += step) {
        const bool new_day = found.empty() || time % kDay == 0;
        found.push_back({static_cast<double>(time - zero), time_text(time, step, new_day, zero)});
    }
    return found;
}

std::string time_label(Seconds from, Seconds to, Seconds zero) {
    if (zero <= 0) return "time since the log's zero";
    constexpr std::size_t kDate = std::string_view("2010-09-15").size();
    return fmt::format("{} to {} (UTC)", date_time(zero + from).substr(0, kDate),
                       date_time(zero + to).substr(0, kDate));
}

std::vector<Mark> day_marks(Seconds first_day, Seconds last_day, int marks, Seconds zero) {
    const auto step =
        static_cast<Seconds>(round_step(std::max(1.0, static_cast<double>(last_day - first_day) / marks)));
    std::vector<Mark> found;
    for (Seconds day = round_up(first_day, step); day <= last_day; day += step)
        found.push_back(
            {static_cast<double>(day), zero > 0 ? date_text(zero + day * kDay, step * kDay) : grouped(day)});
    return found;
}

}  // namespace drom::sim
