// SPDX-License-Identifier: BSD-3-Clause
// name_hash.hpp - numbers in place of names, the same number for the same name in every log.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace drom::sim {

/// Numbers of the names of one column. Without the salt, a number does not tell whether a guessed name is right.
class NameHash {
public:
    /// Prepares the numbers of one column: `column` keeps a user apart from an application of the same name.
    NameHash(std::string_view column, std::string_view salt);

    /// Returns the number of the name, 1 to 999,999,999, and -1 for no name.
    int of(std::string_view name);
    /// Returns how many names have the number of an earlier, other name.
    [[nodiscard]] std::size_t collisions() const { return collisions_; }

private:
    struct Hash : std::hash<std::string_view> {
        using is_transparent = void;
    };
    int new_number(std::string_view name);

    std::string prefix_;
    std::unordered_map<std::string, int, Hash, std::equal_to<>> numbers_;
    std::unordered_map<int, std::size_t> names_of_;
    std::size_t collisions_ = 0;
};

}  // namespace drom::sim
