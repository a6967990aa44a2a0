// SPDX-License-Identifier: BSD-3-Clause
// name_hash.cpp - numbers in place of names.
#include "workload/name_hash.hpp"

#include <charconv>

#include "workload/sha256.hpp"

namespace drom::sim {

// The lengths stand in front, so that no other column and salt give the same prefix.
NameHash::NameHash(std::string_view column, std::string_view salt)
    : prefix_(std::to_string(column.size()) + ':' + std::string(column) + std::to_string(salt.size()) + ':' +
              std::string(salt)) {}

int NameHash::new_number(std::string_view name) {
    constexpr std::uint64_t kNumbers = 999'999'999;  // the reader of logs takes no larger number
    Sha256 sum;
    sum.add(prefix_);
    sum.add(name);
    const std::string digits = sum.finish();
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + 16, value, 16);
    return static_cast<int>(value % kNumbers) + 1;
}

int NameHash::of(std::string_view name) {
    if (name.empty()) return -1;
    if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
    const int number = new_number(name);
    numbers_.emplace(name, number);
    if (++names_of_[number] > 1) ++collisions_;
    return number;
}

}  // namespace drom::sim
