// SPDX-License-Identifier: BSD-3-Clause
// local_times.cpp - times on the wall as Unix time.
#include "workload/local_times.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>

#include "workload/swf/swf_row.hpp"

namespace drom::sim {
namespace {

constexpr Seconds kQuarter = 900;
constexpr Seconds kLastTime = 253'402'300'799;  // the end of the year 9999
constexpr const char* kZones = "/usr/share/zoneinfo/";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes a number of `digits` digits from the front.
std::optional<int> take(std::string_view& text, std::size_t digits) {
    if (text.size() < digits ||
        !std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(digits), is_digit))
        return std::nullopt;
    const std::string_view taken = text.substr(0, digits);
    int value = 0;
    std::from_chars(taken.data(), taken.data() + taken.size(), value);
    text.remove_prefix(digits);
    return value;
}

/// Takes one of these characters from the front.
bool take_any(std::string_view& text, std::string_view of) {
    if (text.empty() || of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

/// Returns the days since 1 January 1970 (Howard Hinnant's days_from_civil, for years from 0 on).
Seconds days_from_civil(int year, int month, int day) {
    const int y = year - (month <= 2 ? 1 : 0);
    const int era = y / 400, of_era = y - era * 400;
    const int of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return Seconds{era} * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

int days_of_month(int year, int month) {
    constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return kDays[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

/// Takes "2026-11-25" from the front. Returns its seconds since 1970 on the wall.
std::optional<Seconds> take_date(std::string_view& text) {
    const auto year = take(text, 4);
    if (!year || *year < 1970 || !take_any(text, "-")) return std::nullopt;
    const auto month = take(text, 2);
    if (!month || *month < 1 || *month > 12 || !take_any(text, "-")) return std::nullopt;
    const auto day = take(text, 2);
    if (!day || *day < 1 || *day > days_of_month(*year, *month)) return std::nullopt;
    return days_from_civil(*year, *month, *day) * 86400;
}

/// Takes "19:18", "19:18:59" or "19:18:59.25" from the front; the fraction counts nothing.
std::optional<Seconds> take_time(std::string_view& text) {
    const auto hour = take(text, 2);
    if (!hour || *hour > 23 || !take_any(text, ":")) return std::nullopt;
    const auto minute = take(text, 2);
    if (!minute || *minute > 59) return std::nullopt;
    const Seconds whole = *hour * 3600 + *minute * 60;
    if (!take_any(text, ":")) return whole;
    const auto second = take(text, 2);
    if (!second || *second > 60) return std::nullopt;
    if (take_any(text, "."))
        while (take_any(text, "0123456789")) {}
    return whole + *second;
}

/// Takes "Z", "+01:00" or "-0500" from the front. Returns the seconds east of Greenwich.
std::optional<Seconds> take_zone(std::string_view& text) {
    if (take_any(text, "Z")) return 0;
    const bool west = text.starts_with('-');
    if (!take_any(text, "+-")) return std::nullopt;
    const auto hours = take(text, 2);
    if (!hours || *hours > 14) return std::nullopt;
    take_any(text, ":");
    const auto minutes = take(text, 2);
    if (!minutes || *minutes > 59) return std::nullopt;
    return (west ? -1 : 1) * (*hours * 3600 + *minutes * 60);
}

bool is_unknown(std::string_view text) {
    constexpr std::array<std::string_view, 8> kWords = {"",     "Unknown", "unknown", "None",
                                                        "NONE", "N/A",     "(null)",  "Invalid"};
    return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

/// A Unix time, and whether clocks show then what they should.
struct OnWall {
    Seconds at = 0;
    bool shown = false;
};

/// Returns the Unix time of the wall's seconds, by the clock of summer (1), winter (0) or of either (-1).
OnWall unix_time(Seconds wall, int summer) {
    std::tm fields{};
    const std::time_t as_utc = wall;
    gmtime_r(&as_utc, &fields);
    const std::tm wanted = fields;
    fields.tm_isdst = summer;
    const std::time_t found = std::mktime(&fields);
    std::tm back{};
    localtime_r(&found, &back);
    const bool same = back.tm_mday == wanted.tm_mday && back.tm_hour == wanted.tm_hour && back.tm_min == wanted.tm_min;
    return {found, same};
}

void set_zone(const char* zone) {
    if (zone != nullptr)
        setenv("TZ", zone, 1);
    else
        unsetenv("TZ");
    tzset();
}

}  // namespace

std::string zone_here() {
    if (const char* zone = std::getenv("TZ"); zone != nullptr && *zone != '\0') return *zone == ':' ? zone + 1 : zone;
    std::error_code code;
    const std::string target = std::filesystem::read_symlink("/etc/localtime", code).string();
    const std::size_t at = target.find("zoneinfo/");
    return code || at == std::string::npos ? "UTC" : target.substr(at + std::string_view("zoneinfo/").size());
}

namespace {

/// The parts of a zone as POSIX describes it, from the front of a text.
class ZoneText {
public:
    explicit ZoneText(std::string_view text) : rest_(text) {}

    bool is_zone() {
        if (!name() || !hours()) return false;
        if (rest_.empty()) return true;
        if (!name()) return false;
        if (!rest_.empty() && rest_.front() != ',' && !hours()) return false;
        return rest_.empty() || (rule() && rule() && rest_.empty());
    }

private:
    bool name() {
        const std::size_t letters = std::min(rest_.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), rest_.size());
        rest_.remove_prefix(letters);
        return letters >= 3;
    }

    bool number(int min, int max) {
        int value = 0;
        const auto [end, code] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
        if (code != std::errc{} || rest_.front() == '-' || value < min || value > max) return false;
        rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
        return true;
    }

    /// Takes "-1", "5:30" or "+10:00:00".
    bool hours() {
        take_any(rest_, "+-");
        if (!number(0, 24)) return false;
        for (int part = 0; part < 2 && take_any(rest_, ":"); ++part)
            if (!number(0, 59)) return false;
        return true;
    }

    /// Takes ",M3.5.0/2", ",J60" or ",59".
    bool rule() {
        if (!take_any(rest_, ",")) return false;
        bool day = false;
        if (take_any(rest_, "M"))
            day = number(1, 12) && take_any(rest_, ".") && number(1, 5) && take_any(rest_, ".") && number(0, 6);
        else
            day = take_any(rest_, "J") ? number(1, 365) : number(0, 365);
        return day && (!take_any(rest_, "/") || hours());
    }

    std::string_view rest_;
};

}  // namespace

bool describes_zone(std::string_view text) { return ZoneText(text).is_zone(); }

// A name that the C library does not know is UTC for it, without a word.
std::string zone_mistake(const std::string& zone) {
    std::error_code code;
    const bool plain = zone.find("..") == std::string::npos && !zone.empty() && zone.front() != '/';
    if (zone == "UTC" || (plain && std::filesystem::is_regular_file(kZones + zone, code))) return "";
    if (describes_zone(zone)) return "";
    return swf::quoted(zone) + " is no time zone of this machine; zones look like Europe/Madrid or CET-1CEST";
}

LocalTimes::LocalTimes(const std::string& zone) {
    if (const char* before = std::getenv("TZ")) {
        before_ = before;
        had_zone_ = true;
    }
    set_zone(zone.c_str());
}

LocalTimes::~LocalTimes() { set_zone(had_zone_ ? before_.c_str() : nullptr); }

LocalTimes::Twice LocalTimes::of_wall(Seconds wall) {
    const Seconds quarter = wall / kQuarter * kQuarter;
    auto [known, is_new] = offsets_.try_emplace(quarter);
    if (is_new) {
        const OnWall winter = unix_time(quarter, 0), summer = unix_time(quarter, 1), either = unix_time(quarter, -1);
        if (winter.shown || summer.shown) {
            const Seconds cold = winter.shown ? winter.at : summer.at, warm = summer.shown ? summer.at : winter.at;
            known->second = {std::min(cold, warm), std::max(cold, warm)};
        } else {
            const Seconds at = either.shown ? either.at : winter.at;
            known->second = {at, at, !either.shown};
        }
    }
    const Seconds rest = wall - quarter;
    return {known->second.first + rest, known->second.second + rest, known->second.skipped};
}

LocalTimes::Moment LocalTimes::read(std::string_view text, Seconds from) {
    using Form = Moment::Form;
    if (is_unknown(text)) return {Form::kUnknown, 0};
    if (std::all_of(text.begin(), text.end(), is_digit)) {
        Seconds at = 0;
        const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), at);
        if (code != std::errc{} || at > kLastTime) return {};
        return {at == 0 ? Form::kUnknown : Form::kTime, at};
    }
    const auto date = take_date(text);
    if (!date || !take_any(text, "T ")) return {};
    const auto time = take_time(text);
    if (!time) return {};
    const Seconds wall = *date + *time;
    if (text.empty()) {
        const Twice twice = of_wall(wall);
        return {Form::kTime, twice.first >= from ? twice.first : twice.second, twice.skipped};
    }
    const auto east = take_zone(text);
    if (!east || !text.empty()) return {};
    return {Form::kTime, wall - *east};
}

}  // namespace drom::sim
