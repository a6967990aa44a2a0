// SPDX-License-Identifier: BSD-3-Clause
// thread_mask.cpp - the mask that the threads of this process may use.
#include "thread_mask.hpp"

#include "base/clock.hpp"
#include "shmem/futex.hpp"

namespace drom {

bool ThreadMask::await_setters() noexcept {
    const uint64_t deadline = deadline_in_ms(10);
    waiters_.fetch_add(1);
    uint32_t busy = setters_.load();
    for (; busy > 0 && now_ns() < deadline; busy = setters_.load()) futex_wait(&setters_, busy, deadline);
    waiters_.fetch_sub(1);
    overtaken_ = busy > 0;
    return busy == 0;
}

bool ThreadMask::publish(uint64_t seq, const CpuSet& mask) noexcept {
    if (overtaken_ && !await_setters()) return false;
    const uint32_t next = 1 - current_.load(std::memory_order_relaxed);
    masks_[next] = mask;
    seqs_[next].store(seq, std::memory_order_relaxed);
    current_.store(next);  // mutant thread-mask
    overtaken_ = true;
    return true;
}

void ThreadMask::end_setting() noexcept {
    if (setters_.fetch_sub(1) == 1 && waiters_.load() > 0) futex_wake(&setters_);
}

}  // namespace drom
