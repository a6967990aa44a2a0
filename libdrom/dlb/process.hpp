// SPDX-License-Identifier: BSD-3-Clause
// process.hpp - the state of this process, which takes part.
#pragma once

#include <atomic>
#include <cstdint>

#include "drom/dlb.h"
#include "mask.hpp"
#include "options.hpp"

namespace drom::dlb {

/// The process as DLB_Init found it. Written under the lock; polls read the atomics.
struct Process {
    std::atomic<bool> ready{false};  ///< initialised in this process, not in a parent
    std::atomic<bool> drom{false}, disabled{false};
    std::atomic<bool> talp{false};      ///< it may have monitoring regions
    std::atomic<bool> quiet{false};     ///< of all that a poll looks at, only the newest request can be news
    std::atomic<int> pid{0};            ///< while it is ready
    std::atomic<bool> polls{false};     ///< it has called DLB_PollDROM, or DLB_PollDROM_Update
    std::atomic<uint64_t> seen{0};      ///< the newest request that the program knows
    std::atomic<uint64_t> reported{0};  ///< the request that DLB_PollDROM returned last, until the program calls again
    const void* newest = nullptr;       ///< drom_dlb_newest()
    Options options;
    bool reserved = false;  ///< DLB_PreInit or DLB_DROM_PreInit made its slot: no process needs it afterwards
    bool preinitialised = false;
    bool over = false;  ///< the program has called DLB_Finalize, or is a forked child: it takes part when it asks to
};
extern Process process;

/// Admits one thread at a time to everything but polls. A forked child begins anew.
class Lock {
public:
    Lock() noexcept;
    ~Lock();
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
};

/// Returns whether this process is initialised. With a preloaded agent that is so from the agent's join on, without
/// DLB_Init, as with DLB's library preloaded. Needs the lock.
bool takes_part(const Lock&) noexcept;
/// Answers the same without the lock.
bool is_initialised() noexcept;

/// Returns the number of the newest request.
inline uint64_t newest_request() noexcept {
    using Word = std::atomic<uint64_t>;
    const auto* newest = static_cast<const std::atomic<const Word*>*>(process.newest);
    return newest->load(std::memory_order_relaxed)->load(std::memory_order_acquire);
}

/// Returns DLB_SUCCESS and the mask when there is a request that the program does not know yet; DLB_NOUPDT,
/// DLB_ERR_NOPROC.
int adopt(CpuSet& mask) noexcept;

/// Makes the program follow the request: calls the callbacks, and acknowledges.
void follow(const CpuSet& mask) noexcept;

}  // namespace drom::dlb
