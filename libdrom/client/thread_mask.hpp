// SPDX-License-Identifier: BSD-3-Clause
// thread_mask.hpp - the mask that the threads of this process may use, while some of them set their own affinity from
// it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cpuset.hpp"
#include "shmem/layout.hpp"

namespace drom {

/// Two copies; `current_` selects the valid one. A release fills the other copy, and switches. Before it verifies, it
/// waits until no thread sets an affinity from the old copy. No constructor, so that it may be used until the process
/// has ended.
class ThreadMask {
public:
    void begin(const CpuSet& mask) noexcept {
        masks_[0] = mask;
        seqs_[0].store(0, std::memory_order_relaxed);
        current_.store(0);
    }

    /// Publishes `mask` as what threads may use from now on. Threads that read the old mask before may set it until
    /// await_setters(). One releasing thread at a time. Returns false when a thread is still setting an affinity from
    /// the copy to be filled.
    bool publish(uint64_t seq, const CpuSet& mask) noexcept;

    /// Waits, asleep, for threads between begin_setting() and end_setting(): they may have to run on this CPU. Returns
    /// false when one of them does not finish within 10 ms (it makes one system call there).
    bool await_setters() noexcept;

    void begin_setting() noexcept { setters_.fetch_add(1); }
    void end_setting() noexcept;

    /// Returns the present mask, between begin_setting() and end_setting() only.
    [[nodiscard]] const CpuSet& mask() const noexcept { return masks_[current_.load()]; }
    [[nodiscard]] uint64_t seq() const noexcept { return seqs_[current_.load()].load(std::memory_order_relaxed); }

    /// Forgets threads that set masks, in a forked child: it has none of its parent's threads.
    void forget_setters() noexcept {
        setters_.store(0);
        waiters_.store(0);
    }

private:
    alignas(64) std::atomic<uint32_t> current_{0};
    Half setters_{0}, waiters_{0};
    bool overtaken_ = false;  ///< some setters may still use the copy that is filled next
    std::atomic<uint64_t> seqs_[2] = {};
    CpuSet masks_[2] = {};
};

}  // namespace drom
