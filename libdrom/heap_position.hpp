// SPDX-License-Identifier: BSD-3-Clause
// heap_position.hpp - what drom allocates in a program must not move what the program allocates next.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace drom {

/// GCC's OpenMP runtime keeps the words of a team on the heap, aligned to 16 bytes. In one position of four two of them share a cache
/// line and an empty region takes a quarter longer. While one of these lives what is allocated (by us, and by pthread_create) is
/// rounded up to whole cache lines, so that the program's luck stays what it was.
class HeapPosition {
public:
    HeapPosition() noexcept { marks_[0] = malloc(kSmall); }
    ~HeapPosition() {
        marks_[1] = malloc(kSmall);
        const uintptr_t used = address(1) - address(0) + kSmall + kOverhead;
        if (used % kLine != 0) marks_[2] = malloc(2 * kLine - used % kLine - kOverhead);
    }
    HeapPosition(const HeapPosition&) = delete;
    HeapPosition& operator=(const HeapPosition&) = delete;

private:
    static constexpr size_t kLine = 64;
    static constexpr size_t kSmall = 24, kOverhead = 8;  ///< glibc: the smallest piece, and what it adds to each
    static inline constinit void* marks_[3] = {};  ///< never freed; pointed to, so that leak checkers find them in use
    static uintptr_t address(size_t i) noexcept { return reinterpret_cast<uintptr_t>(marks_[i]); }
};

}  // namespace drom
