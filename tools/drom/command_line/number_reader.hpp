// SPDX-License-Identifier: BSD-3-Clause
// number_reader.hpp - numbers of the command line, as typed and as meant; and the first complaint about one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "drom/drom.hpp"
#include "libdrom/base/number_text.hpp"

namespace drom::command {

/// Turns text into values; keeps the first complaint.
class NumberReader {
public:
    /// Reads a whole number. `of_what`: "": it counts nothing. `words`: what may stand in place of a number, "now or
    /// never"; nullptr: nothing may.
    uint64_t whole(const std::string& text, const char* name, const char* of_what, uint64_t min, uint64_t max,
                   const char* words = nullptr) {
        uint64_t value = 0;
        const std::errc error = parse_number(text, value);
        const bool number = error != std::errc::invalid_argument;
        const bool too_large = error == std::errc::result_out_of_range;
        if (!number)
            complain(std::string(name) + " '" + text + "' is not a whole number" + (*of_what == '\0' ? "" : " of ") +
                     of_what + (words == nullptr ? "" : std::string(", nor ") + words));
        if (number && (too_large || value < min || value > max))
            complain(std::string(name) + " " + text + " is out of range; " +
                     (max == UINT64_MAX && !too_large
                          ? std::string(of_what) + " begin with " + std::to_string(min)
                          : std::to_string(min) + " to " + std::to_string(max) + (*of_what == '\0' ? "" : " ") +
                                of_what + (words == nullptr ? "" : std::string(", or ") + words) + " can be meant"));
        return value;
    }
    std::optional<unsigned> cpus(const std::string& text, const char* name) {
        if (text.empty()) return std::nullopt;
        return static_cast<unsigned>(whole(text, name, "CPUs", 1, CpuSet::kMaxCpus));
    }
    void complain(std::string text) {
        if (complaint_.empty()) complaint_ = std::move(text);
    }
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

private:
    std::string complaint_;
};

}  // namespace drom::command
