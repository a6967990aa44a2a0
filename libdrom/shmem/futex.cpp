// SPDX-License-Identifier: BSD-3-Clause
// futex.cpp - sleeping on a shared word, with a deadline, between processes.
#include "futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <bit>
#include <climits>
#include <ctime>

#include "base/clock.hpp"

namespace drom {

Half* futex_half(const Word& word) noexcept {
    auto* bytes = const_cast<char*>(reinterpret_cast<const char*>(&word));
    constexpr size_t kLow = std::endian::native == std::endian::little ? 0 : 4;
    return reinterpret_cast<Half*>(bytes + kLow);
}

void futex_wait(const Half* word, uint32_t expected, uint64_t deadline_ns) noexcept {
    // The kernel is told how long the wait lasts, not when it ends: a library in this process may answer clock_gettime
    // with another time than the kernel's, as libfaketime does. An absolute deadline would be over at once, or never.
    const uint64_t now = now_ns();
    const uint64_t left = deadline_ns > now ? deadline_ns - now : 0;
    const timespec limit{static_cast<time_t>(left / 1'000'000'000), static_cast<long>(left % 1'000'000'000)};
    syscall(SYS_futex, word, FUTEX_WAIT, expected, &limit, nullptr, 0);
}

void futex_wake(const Half* word) noexcept { syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

}  // namespace drom
