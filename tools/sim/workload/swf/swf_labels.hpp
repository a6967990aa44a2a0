// SPDX-License-Identifier: BSD-3-Clause
// swf_labels.hpp - numbers for the names that a log has where the format has numbers.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "workload/swf/swf_row.hpp"

namespace drom::sim::swf {

/// Names in the order of their first appearance.
class Names {
public:
    /// Returns the index of a name, which is new or not.
    int index(std::string_view name);
    [[nodiscard]] const std::vector<std::string>& list() const { return list_; }

private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    std::unordered_map<std::string, int, Hash, std::equal_to<>> indices_;
    std::vector<std::string> list_;
};

/// One column of numbers or names, or both. While it is read a name is a negative code, because the largest number is
/// not known yet.
class Labels {
public:
    static constexpr int kUnknown = -1;

    enum class Kind : std::uint8_t { kNumber, kName, kOutOfRange, kNoLabel };
    struct Code {
        Kind kind = Kind::kNumber;
        int code = kUnknown;
    };
    /// Reads a label. kNoLabel: control characters, which no name has.
    Code read(std::string_view text);

    /// Returns the code as a number: names come after the largest number of the column.
    [[nodiscard]] int number(int code) const { return code < kUnknown ? largest_ + 1 + (kFirstName - code) : code; }

    /// Returns the number that the name of this index has.
    [[nodiscard]] int number_of_name(int index) const { return largest_ + 1 + index; }

    Names names;
    /// Returns the code as an index of `names`; a number that has no name yet becomes one. `listed`: names of the
    /// numbers 1, 2, ...
    int named(int code, const std::vector<int>& listed);

private:
    static constexpr int kFirstName = kUnknown - 1;
    static constexpr int kLargest = 1'000'000'000;
    int largest_ = 0;
};

}  // namespace drom::sim::swf
