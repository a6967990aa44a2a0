// SPDX-License-Identifier: BSD-3-Clause
// states.hpp - the states that a search has been in, and how much it could still spend there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace drom::explorer {

inline uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

/// 60 bits of each hash and 4 of budget in one word: among 10^7 states the probability of a collision is 5e-5.
class States {
public:
    /// Returns false when the state was entered before with as much or more left.
    bool enter(uint64_t hash, uint32_t budget) {
        if (2 * (used_ + 1) > words_.size()) grow();
        uint64_t& word = find(hash);
        const uint64_t mine = (hash & ~uint64_t{15}) | (budget + 1);
        if (word == 0) ++used_;
        if (word != 0 && (word & 15) >= (mine & 15)) return false;
        word = mine;
        return true;
    }
    void clear() {
        words_.assign(words_.size(), 0);
        used_ = 0;
    }
    [[nodiscard]] size_t size() const { return used_; }

private:
    uint64_t& find(uint64_t hash) {
        size_t at = hash >> 4 & (words_.size() - 1);
        while (words_[at] != 0 && words_[at] >> 4 != hash >> 4) at = (at + 1) & (words_.size() - 1);
        return words_[at];
    }
    void grow() {
        std::vector<uint64_t> old(words_.empty() ? 1 << 16 : 2 * words_.size());
        old.swap(words_);
        for (const uint64_t word : old)
            if (word != 0) find(word) = word;
    }
    std::vector<uint64_t> words_;
    size_t used_ = 0;
};

}  // namespace drom::explorer
