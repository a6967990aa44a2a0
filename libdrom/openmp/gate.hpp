// SPDX-License-Identifier: BSD-3-Clause
// gate.hpp - the words that an idle region start reads: is this the thread that owns the team, and is there work?
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "client/client.hpp"
#include "kmp_entry.h"

namespace drom {

/// Written by the primary thread (the one whose team is resized), read by every thread at every region. It does not
/// change while there is nothing to do, so the cache line stays shared.
struct alignas(64) Gate {
    std::atomic<const void*>
        primary;                 ///< thread pointer of the primary thread; nullptr: none yet; `no_thread()`: never one
    std::atomic<Word*> regions;  ///< outermost regions so far: page().safe_points
    std::atomic<uint8_t> attention;  ///< 1: the primary thread has something to do at region starts
    std::atomic<uint8_t> claimable;  ///< 1: a thread that opens a region becomes the primary one
    uint8_t pad[14];
    const void* placing;              ///< the function that the threads of the starting team run after they have been
                                      ///< placed
    std::atomic<void (*)()> real[3];  ///< the runtime's __kmpc_fork_call, __kmpc_fork_call_if, __kmpc_fork_teams
};

/// Returns the value of `primary` when no thread will ever be primary.
inline const void* no_thread() noexcept { return reinterpret_cast<const void*>(uintptr_t{1}); }

extern "C" Gate drom_gate;

/// This thread's choices for its team: the num_threads clause of the next region (0: none), and whether it has called
/// omp_set_num_threads. They are in the static room that every program has for the thread-local data of the libraries
/// that it starts with.
extern "C" __thread uint32_t drom_clause;
extern "C" __thread uint32_t drom_own_number;

/// Returns a number of the calling thread at no cost. A later thread may have the same number.
inline const void* this_thread() noexcept {
#if defined(__x86_64__)
    const void* self = nullptr;
    asm("mov %%fs:0, %0" : "=r"(self));
    return self;
#else
    return __builtin_thread_pointer();
#endif
}

/// Returns whether a region may start without a look, and counts it. kmp_entry.S does the same.
inline bool pass_region() noexcept {
    constexpr auto kRelaxed = std::memory_order_relaxed;
    const Gate& gate = drom_gate;
    if (gate.primary.load(kRelaxed) != this_thread()) return gate.claimable.load(kRelaxed) == 0;
    const client::Hot& hot = client::hot;
    // Acquire, as in client::pending(): seeing the number implies seeing the request.
    if (hot.request.load(kRelaxed)->load(std::memory_order_acquire) != hot.seen.load(kRelaxed)) return false;
    if (gate.attention.load(kRelaxed) != 0) return false;
    Word& regions = *gate.regions.load(kRelaxed);
    regions.store(regions.load(kRelaxed) + 1, kRelaxed);
    return true;
}

static_assert(offsetof(Gate, primary) == DROM_GATE_PRIMARY && offsetof(Gate, regions) == DROM_GATE_REGIONS);
static_assert(offsetof(Gate, attention) == DROM_GATE_ATTENTION && offsetof(Gate, claimable) == DROM_GATE_CLAIMABLE);
static_assert(offsetof(Gate, placing) == DROM_GATE_PLACING && offsetof(Gate, real) == DROM_GATE_REAL);
static_assert(sizeof(Gate) == 64);
static_assert(offsetof(client::Hot, request) == DROM_HOT_REQUEST);
static_assert(offsetof(client::Hot, seen) == DROM_HOT_SEEN);

}  // namespace drom
