// SPDX-License-Identifier: BSD-3-Clause
// runtime.hpp - the OpenMP runtime of this process: its real functions, and how it waits.
//
// Our entry points (queries.cpp, kmp_entry.S, gomp/) stand in front of those of the runtime. Who is behind them is found at the first
// call: the next object in the global search order; or, when the runtime came in with dlopen(RTLD_LOCAL), what the calling object
// would have been bound to. The latter is looked up by caller, because such processes may have several runtimes.
#pragma once

#include <atomic>
#include <cstdint>

#include "cpuset.hpp"
#include "objects.hpp"

namespace drom::runtime {

enum class Name : uint8_t {
    MaxThreads,
    NumProcs,
    NumThreads,
    SetNumThreads,
    ForkCall,
    ForkCallIf,
    ForkTeams,
    PushNumThreads
};
inline constexpr uint32_t kNames = 8;

/// Functions that are the same for every caller.
extern std::atomic<void*> found[kNames];

/// The function behind ours for a caller at `caller`; nullptr: there is no OpenMP runtime (yet). Slow: takes the loader's lock.
void* find(Name name, const void* caller) noexcept;

template <class Function>
Function* real(Name name, const void* caller) noexcept {
    void* function = found[static_cast<uint32_t>(name)].load(std::memory_order_relaxed);
    if (function == nullptr) function = find(name, caller);
    return reinterpret_cast<Function*>(function);
}

/// True when the function behind ours was found and does not depend on who calls.
inline bool same_for_all(Name name) noexcept {
    return found[static_cast<uint32_t>(name)].load(std::memory_order_relaxed) != nullptr;
}

/// What `caller` would be bound to if we were not here and no object in the global search order had `symbol`.
void* find_behind(const char* symbol, const void* caller) noexcept;

/// True when `function` is in this library. The address of a function of ours that another object may define too does not tell.
bool is_ours(const void* function) noexcept;

enum class Kind : uint8_t { None, Kmp, Gomp };

/// How threads of the runtime wait for work, so that they can be made to yield while they share CPUs.
class Waiting {
public:
    void find(Kind kind, void* handle, const Object& object) noexcept;
    /// Idle threads sleep soon, unless the user asked for something else. By the thread that owns the team, outside regions.
    void begin() noexcept;
    /// Threads that wait give their CPU away at once (`on`), or wait as they did before. As begin().
    void yield(bool on) noexcept;
    /// True when a thread that is left over by a smaller team goes on spinning for long.
    [[nodiscard]] bool spins_long() const noexcept { return long_; }
    [[nodiscard]] bool can_yield() const noexcept { return set_blocktime_ != nullptr || spin_count_ != nullptr; }

private:
    int (*get_blocktime_)() = nullptr;
    void (*set_blocktime_)(int) = nullptr;
    std::atomic<uint64_t>* spin_count_ = nullptr;
    uint64_t saved_ = 0;
    bool yielding_ = false, long_ = false;
};

/// The runtime whose team we resize.
struct Runtime {
    Kind kind;
    Object object;
    int (*max_threads)();
    int (*num_procs)();
    int (*level)();
    int (*thread_num)();
    void (*set_num_threads)(int);
    int (*num_places)();
    int (*place_num_procs)(int);
    void (*place_proc_ids)(int, int*);
    int (*max_active_levels)();  ///< may be missing, as those of places may
    Waiting waiting;
    char name[48];     ///< file name, for people
    bool is_shadowed;  ///< another library stands between us and it
};

/// The CPUs of the runtime's places: with OMP_PROC_BIND it has bound its first thread already, whose affinity says little then.
/// Empty when there are none.
CpuSet places_of(const Runtime& runtime) noexcept;

/// True when the user's environment makes the runtime bind threads by itself.
bool binds_threads() noexcept;

/// Fills in the runtime that `function` belongs to, or, when that is another library in front of a runtime, the one in the global
/// search order. False when it lacks what we need.
bool describe(const void* function, Runtime& runtime) noexcept;

}  // namespace drom::runtime
