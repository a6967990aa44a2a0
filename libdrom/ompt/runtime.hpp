// SPDX-License-Identifier: BSD-3-Clause
// runtime.hpp - the OpenMP runtime of this process: its real functions, and how it waits.
//
// Our entry points (kmp_entry.S, gomp_entry.cpp, own_number.cpp) stand in front of those of the runtimes. Behind one of
// them is the function that the calling object would be bound to if we were not here: by the version that it needs, in
// the global search order or, when it came in with dlopen(RTLD_LOCAL), among its own libraries. So every object keeps
// its runtime where a process has two.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cpuset.hpp"
#include "objects.hpp"

namespace drom::runtime {

enum class Name : uint8_t {
    SetNumThreads,
    SetNumThreadsFortran,
    SetNumThreadsFortran8,
    ForkCall,
    ForkCallIf,
    ForkTeams,
    PushNumThreads,
    GlobalThreadNum,
    Parallel,
    ParallelReductions,
    ParallelSections,
    LoopStatic,
    LoopDynamic,
    LoopGuided,
    LoopNonmonotonicDynamic,
    LoopNonmonotonicGuided,
    LoopRuntime,
    LoopNonmonotonicRuntime,
    LoopMaybeNonmonotonicRuntime,
    TeamsReg
};
inline constexpr uint32_t kNames = 20;

/// Functions that are the same for every caller.
extern std::atomic<void*> found[kNames];

/// The function behind ours for a caller at `caller`; nullptr: there is no OpenMP runtime (yet). Takes the loader's
/// lock the first time that an object calls it.
void* find(Name name, const void* caller) noexcept;

/// Null: not known yet, or not the same for every caller.
template <class Function>
Function* known(Name name) noexcept {
    return reinterpret_cast<Function*>(found[static_cast<uint32_t>(name)].load(std::memory_order_relaxed));
}

template <class Function>
Function* real(Name name, const void* caller) noexcept {
    Function* function = known<Function>(name);
    return function != nullptr ? function : reinterpret_cast<Function*>(find(name, caller));
}

/// The function that `caller` would be bound to if we were not here. Slow: takes the loader's lock.
void* find_behind(const char* symbol, const void* caller) noexcept;

/// True when `function` is in this library. The address of a function of ours that another object may define too does
/// not tell.
bool is_ours(const void* function) noexcept;

enum class Kind : uint8_t { None, Kmp, Gomp };

/// How threads of the runtime wait for work, so that they can be made to yield while they share CPUs.
class Waiting {
public:
    void find(Kind kind, void* handle) noexcept;
    /// Idle threads of a team that follows sleep soon, unless the user asked for something else. By the thread that
    /// owns the team, outside regions. The program can ask for its block time: that of a team that keeps its size is
    /// left alone.
    void begin(bool follows) noexcept;
    /// Threads that wait give their CPU away at once (`on`), or wait as they did before.
    static void yield(bool on) noexcept;
    /// Threads that the next region leaves over sleep after it (`on`). As begin().
    void drain(bool on) noexcept;
    /// True when a thread that is left over by a smaller team goes on spinning for long.
    [[nodiscard]] bool spins_long() const noexcept { return long_; }

private:
    int (*get_blocktime_)() = nullptr;
    void (*set_blocktime_)(int) = nullptr;
    int saved_ = 0;
    bool draining_ = false, long_ = false;
};

/// The runtime whose team we resize.
struct Runtime {
    Kind kind;
    Object object;
    int (*max_threads)();
    int (*dynamic)();
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

/// The CPUs of the runtime's places: with OMP_PROC_BIND it has bound its first thread already, whose affinity says
/// little then. Empty when there are none.
CpuSet places_of(const Runtime& runtime) noexcept;

/// True when the user's environment makes the runtime bind threads by itself.
bool binds_threads() noexcept;

/// Fills in the runtime that `function` belongs to, or, when that is another library in front of a runtime, the one in
/// the global search order. False when it lacks what we need.
bool describe(const void* function, Runtime& runtime) noexcept;

}  // namespace drom::runtime
