// SPDX-License-Identifier: BSD-3-Clause
// runtime.hpp - the OpenMP runtime of this process: its real functions, and how it waits.
//
// The entry points of drom (kmp_entry.S, gomp_entry.cpp, own_number.cpp) come before those of the runtimes. The real
// function is the one to which the calling object would be bound without drom: by the version that it needs, in the
// global search order or, when it came in with dlopen(RTLD_LOCAL), among its own libraries. So every object keeps its
// runtime where a process has two.
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

/// Returns the real function for a caller at `caller`; nullptr: there is no OpenMP runtime (yet). Takes the loader's
/// lock at the first call of each object.
void* find(Name name, const void* caller) noexcept;

/// Returns the real function; null: not known yet, or not the same for every caller.
template <class Function>
Function* known(Name name) noexcept {
    return reinterpret_cast<Function*>(found[static_cast<uint32_t>(name)].load(std::memory_order_relaxed));
}

template <class Function>
Function* real(Name name, const void* caller) noexcept {
    Function* function = known<Function>(name);
    return function != nullptr ? function : reinterpret_cast<Function*>(find(name, caller));
}

/// Returns the function to which `caller` would be bound without drom. Slow: takes the loader's lock.
void* find_behind(const char* symbol, const void* caller) noexcept;

/// Returns whether `function` is in this library. Not reliable for the address of a function that another object may
/// define too.
bool is_ours(const void* function) noexcept;

enum class Kind : uint8_t { None, Kmp, Gomp };

/// How threads of the runtime wait for work, so that they can be made to yield while they share CPUs.
class Waiting {
public:
    void find(Kind kind, void* handle) noexcept;
    /// Makes idle threads of a team that follows sleep soon, unless the user asked for something else. Called by the
    /// thread that owns the team, outside regions. The block time of a team that keeps its size is left alone: its
    /// program can ask for it.
    void begin(bool follows) noexcept;
    /// Makes waiting threads give their CPU away at once (`on`), or wait as they did before.
    static void yield(bool on) noexcept;
    /// Makes threads that the next region leaves over sleep after it (`on`). Called as begin().
    void drain(bool on) noexcept;
    /// Returns whether a thread that a smaller team leaves over spins on for long.
    [[nodiscard]] bool spins_long() const noexcept { return long_; }

private:
    int (*get_blocktime_)() = nullptr;
    void (*set_blocktime_)(int) = nullptr;
    int saved_ = 0;
    bool draining_ = false, long_ = false;
};

/// The runtime whose team is resized.
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
    int (*max_active_levels)();  ///< may be missing, as may those of places
    Waiting waiting;
    char name[48];     ///< file name, for messages
    bool is_shadowed;  ///< another library is between drom and it
};

/// Returns the CPUs of the runtime's places; empty when there are none. With OMP_PROC_BIND the runtime has bound its
/// first thread already, so that thread's affinity is too small.
CpuSet places_of(const Runtime& runtime) noexcept;

/// Returns whether the user's environment makes the runtime bind threads by itself.
bool binds_threads() noexcept;

/// Describes the runtime of `function` or, when that belongs to another library in front of a runtime, the runtime in
/// the global search order. Returns false when it lacks a function that drom needs.
bool describe(const void* function, Runtime& runtime) noexcept;

}  // namespace drom::runtime
