// SPDX-License-Identifier: BSD-3-Clause
// axis.hpp - from numbers to pixels, and where an axis has its marks.
#pragma once

#include <string>
#include <vector>

#include "workload/workload.hpp"

namespace drom::sim {

/// A linear scale. An empty range of numbers is mapped to the beginning.
struct Scale {
    double from = 0, to = 1;     ///< numbers
    double first = 0, last = 1;  ///< pixels

    double operator()(double number) const noexcept {
        return to > from ? first + (number - from) / (to - from) * (last - first) : first;
    }
};

struct Mark {
    double number = 0;
    std::string text;
};

/// Returns round numbers from 0 up to the first that is not below `max`, in at most `marks` steps.
std::vector<Mark> marks_from_zero(double max, int marks);

/// Returns times as "3 d 14:00"; the day is named where it changes. `marks`: most of them. `zero`: the log's zero in
/// seconds since 1970; where it is known days are dates, as "15 Sep 14:00", in UTC.
std::vector<Mark> time_marks(Seconds from, Seconds to, int marks, Seconds zero = 0);

/// Returns the name of an axis of times: "2010-09-15 to 2010-10-02 (UTC)", or that it is time since the log's zero.
std::string time_label(Seconds from, Seconds to, Seconds zero);

/// Returns whole days as "12", or as dates; days of 24 h since the log's zero, or of the calendar where that is known.
std::vector<Mark> day_marks(Seconds first_day, Seconds last_day, int marks, Seconds zero = 0);

}  // namespace drom::sim
