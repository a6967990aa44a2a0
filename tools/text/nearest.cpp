// SPDX-License-Identifier: BSD-3-Clause
// nearest.cpp - the distance between words, in letters changed, added or left out.
#include "text/nearest.hpp"

#include <algorithm>
#include <vector>

namespace drom {

namespace {

size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> known) {
    const std::string* best = nullptr;
    // Half the letters wrong is not a slip any more.
    size_t limit = 1 + std::clamp<size_t>(word.size() / 2, 1, 3);
    for (const std::string& candidate : known) {
        const size_t steps = candidate.starts_with(word) && !word.empty() ? 1 : distance(word, candidate);
        if (steps >= limit) continue;
        best = &candidate;
        limit = steps;
    }
    return best == nullptr ? std::string() : *best;
}

}  // namespace drom
