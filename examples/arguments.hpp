// SPDX-License-Identifier: BSD-3-Clause
// arguments.hpp - the command lines of these programs: numbers with a name, and --progress. Nothing of drom.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

/// `--name NUMBER`; without it the value stays.
struct Number {
    const char* name;
    int* value;
    int min = 1;
    int max = 1'000'000;
};

inline bool read_number(const char* text, const Number& number) {
    char* end = nullptr;
    const long parsed = std::strtol(text, &end, 10);
    if (end == text || *end != '\0' || parsed < number.min || parsed > number.max) return false;
    *number.value = static_cast<int>(parsed);
    return true;
}

/// Returns false when there is any other argument. `progress`: for programs with --progress.
inline bool read_arguments(int argc, char** argv, std::initializer_list<Number> numbers, bool* progress = nullptr) {
    for (int at = 1; at < argc; ++at) {
        if (progress != nullptr && std::strcmp(argv[at], "--progress") == 0) {
            *progress = true;
            continue;
        }
        const auto* const number = std::find_if(numbers.begin(), numbers.end(), [&](const Number& known) {
            return std::strcmp(argv[at], known.name) == 0;
        });
        if (number == numbers.end() || at + 1 == argc || !read_number(argv[at + 1], *number)) return false;
        ++at;
    }
    return true;
}
