// SPDX-License-Identifier: BSD-3-Clause
// clock.hpp - monotonic time in nanoseconds, and deadlines on it.
#pragma once

#include <cstdint>
#include <ctime>

namespace drom {

inline uint64_t now_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

/// To the kernel's tick (1 to 10 ms late), for a quarter of the price.
inline uint64_t tick_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

inline constexpr uint64_t kMillisecond = 1'000'000;

inline uint64_t deadline_in_ms(uint64_t ms) noexcept { return now_ns() + ms * kMillisecond; }

}  // namespace drom
