// SPDX-License-Identifier: BSD-3-Clause
// numbers.hpp - numbers as people read them: sensible digits, thin spaces between thousands, durations in hours and
// days.
#pragma once

#include <cstdint>
#include <string>

namespace drom::sim {

/// 1234567 -> "1 234 567" with narrow no-break spaces; up to four digits stand together.
std::string grouped(std::int64_t number);

/// Three digits or all before the point: "0.314", "12.3", "1 341". Not a finite number: an en dash.
std::string readable(double number);

/// A ratio to one or two decimals: "0.63", "5.7", "120". Beyond what is worth reading: "<0.01", ">999".
std::string ratio_text(double ratio);

/// "45 s", "12 min", "3.4 h", "5.2 d".
std::string duration(double seconds);

/// 0.123 -> "12.3 %".
std::string percent(double share);

/// 0.82 -> "-18 %" with a minus sign, 1.15 -> "+15 %".
std::string change(double ratio);

/// Seconds since 1970 as "2010-09-15T06:30:00Z".
std::string date_time(std::int64_t seconds);

}  // namespace drom::sim
