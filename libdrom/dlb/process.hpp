// SPDX-License-Identifier: BSD-3-Clause
// process.hpp - this process as one that takes part.
#pragma once

#include <atomic>
#include <cstdint>

#include "drom/dlb.h"
#include "mask.hpp"
#include "options.hpp"

namespace drom::dlb {

/// The process as DLB_Init found it. Written under the lock; the atomics are what polls read.
struct Process {
    std::atomic<bool> ready{false};  ///< initialised, and not by a parent
    std::atomic<bool> drom{false}, disabled{false};
    std::atomic<bool> quiet{false};  ///< of the things that a poll looks at only the newest request can be news
    std::atomic<int> pid{0};         ///< while it is ready
    std::atomic<bool> polls{false};  ///< it has called DLB_PollDROM, or the other one
    std::atomic<uint64_t> seen{0};   ///< the newest request that the program was told of
    std::atomic<uint64_t> told{0};   ///< one that it was told of by DLB_PollDROM and has not come back from
    const void* newest = nullptr;    ///< drom_dlb_newest()
    Options options;
    bool reserved = false;  ///< its slot is one that DLB_PreInit or DLB_DROM_PreInit made: nobody needs it afterwards
    bool preinitialised = false;
    bool over = false;  ///< the program has called DLB_Finalize, or is a forked child: it takes part when it says so
};
extern Process process;

/// One thread at a time in everything but polls. A forked child begins anew.
class Lock {
public:
    Lock() noexcept;
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
};

/// Whether this process is initialised. A program that has the agent preloaded is from the moment when the agent joins,
/// without DLB_Init, as one is that DLB's library is preloaded into. With the lock held.
bool takes_part(const Lock&) noexcept;
/// The same, without the lock.
bool is_initialised() noexcept;

/// The number of the newest request.
inline uint64_t newest_request() noexcept {
    using Word = std::atomic<uint64_t>;
    const auto* newest = static_cast<const std::atomic<const Word*>*>(process.newest);
    return newest->load(std::memory_order_relaxed)->load(std::memory_order_acquire);
}

/// DLB_SUCCESS and the mask when there is a request that the program has not been told of; DLB_NOUPDT, DLB_ERR_NOPROC.
int adopt(Mask& mask) noexcept;

/// The program follows what it was told of: the callbacks are called, and the request is acknowledged.
void follow(const Mask& mask) noexcept;

}  // namespace drom::dlb
