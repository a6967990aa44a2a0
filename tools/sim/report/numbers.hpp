// SPDX-License-Identifier: BSD-3-Clause
// numbers.hpp - numbers as people read them: sensible digits, thin spaces between thousands, durations in hours and
// days.
#pragma once

#include <cstdint>
#include <string>

namespace drom::sim {

/// Returns 1234567 as "1 234 567" with narrow no-break spaces; up to four digits stand together.
std::string grouped(std::int64_t number);

/// Returns three digits or all before the point, and at most three decimals: "0.314", "12.3", "1 341". Not a finite
/// number: an en dash.
std::string readable(double number);

/// Returns a ratio to two decimals, and from 9.995 on to none: "0.63", "5.70", "120". Beyond what is worth reading:
/// "<0.01", ">999".
std::string ratio_text(double ratio);

/// Returns "45 s", "12 min", "3.4 h", "5.2 d".
std::string duration(double seconds);

/// Returns 0.123 as "12.3 %".
std::string percent(double share);

/// Returns 0.82 as "-18 %" with a minus sign, 1.15 as "+15 %"; below 10 % with a decimal.
std::string change(double ratio);

/// Returns seconds since 1970 as "2010-09-15T06:30:00Z".
std::string date_time(std::int64_t seconds);

}  // namespace drom::sim
