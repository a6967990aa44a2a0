// SPDX-License-Identifier: BSD-3-Clause
// clock.hpp - monotonic time in nanoseconds, and deadlines on it: the machine's, whatever time namespace the process is
// in, because times are compared between processes. Code that hands one to the kernel or to the program adds
// clock_shift_ns().
#pragma once

#include <cstdint>
#include <ctime>

namespace drom {

/// How far CLOCK_MONOTONIC is ahead of the machine's in this process. In identity.cpp.
int64_t clock_shift_ns() noexcept;

inline uint64_t read_clock_ns(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    const uint64_t here = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
    return here - static_cast<uint64_t>(clock_shift_ns());
}

inline uint64_t now_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC); }

/// A time of the machine's as this process's CLOCK_MONOTONIC has it; 0, which is none, stays.
inline uint64_t own_clock_ns(uint64_t time) noexcept {
    return time == 0 ? 0 : time + static_cast<uint64_t>(clock_shift_ns());
}

/// To the kernel's tick (1 to 10 ms late), for a quarter of the price.
inline uint64_t tick_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC_COARSE); }

inline constexpr uint64_t kMillisecond = 1'000'000;

inline uint64_t deadline_in_ms(uint64_t ms) noexcept { return now_ns() + ms * kMillisecond; }

}  // namespace drom
