// SPDX-License-Identifier: BSD-3-Clause
// clock.hpp - monotonic time in nanoseconds, and deadlines on it. It is the machine's time, in every time namespace,
// because processes compare times. Code that hands a time to the kernel or to the program adds clock_shift_ns().
#pragma once

#include <cstdint>
#include <ctime>

namespace drom {

/// Returns how far CLOCK_MONOTONIC of this process is ahead of the machine's. In process_identity.cpp.
int64_t clock_shift_ns() noexcept;

inline uint64_t read_clock_ns(clockid_t clock) noexcept {
    timespec now{};
    clock_gettime(clock, &now);
    const uint64_t here = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
    return here - static_cast<uint64_t>(clock_shift_ns());
}

inline uint64_t now_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC); }

/// Converts a time of the machine to this process's CLOCK_MONOTONIC; 0, no time, stays.
inline uint64_t own_clock_ns(uint64_t time) noexcept {
    return time == 0 ? 0 : time + static_cast<uint64_t>(clock_shift_ns());
}

/// Returns the time of the kernel's last tick (1 to 10 ms late), for a quarter of the price.
inline uint64_t tick_ns() noexcept { return read_clock_ns(CLOCK_MONOTONIC_COARSE); }

inline constexpr uint64_t kMillisecond = 1'000'000;

inline uint64_t deadline_in_ms(uint64_t ms) noexcept { return now_ns() + ms * kMillisecond; }

}  // namespace drom
