// SPDX-License-Identifier: BSD-3-Clause
// gomp_entry.cpp - the entry points of GCC's OpenMP runtime, in front of libgomp's.
//
// Each entry point decides what the team has to run: the outlined function, or a thunk that places the thread first. It
// calls the real function with all other arguments unchanged. Only entry points that start a team are here. The
// GOMP_*_start functions of GCC before 4.9 return inside the region and cannot be followed; a program that uses them is
// only confined.
#include <cstdint>

#include "drom/drom.h"
#include "gate.hpp"
#include "runtime.hpp"
#include "safe_point.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using drom::drom_gate;
using drom::runtime::Name;
using Fn = void (*)(void*);

/// Runs in place of the outlined function on each thread of the team. The data stays as it is: libgomp itself reads it
/// for reductions.
void place_and_run(void* data) {
    drom::safe_point::place_this_thread();
    auto* function = reinterpret_cast<Fn>(reinterpret_cast<uintptr_t>(drom_gate.placing));
    function(data);
}

/// Looks when there is something to do, or the real function must be found. Out of line, so that the idle path saves no
/// registers.
template <class Result, class... Rest>
[[gnu::noinline]] Result look_first(Fn fn, void* data, unsigned threads, Rest... rest, Name name,
                                    const void* caller) noexcept {
    auto* behind = drom::runtime::real<Result(Fn, void*, unsigned, Rest...)>(name, caller);
    if (behind == nullptr) return Result();
    if (fn == place_and_run || drom::pass_region()) return behind(fn, data, threads, rest...);
    const auto address = [](auto* function) { return reinterpret_cast<const void*>(function); };
    const drom::safe_point::Start start = drom::safe_point::region_entry(
        address(fn), {address(behind), address(&place_and_run), DROM_ENTRY_GOMP, threads, caller});
    return behind(start.run == address(fn) ? fn : &place_and_run, data, start.threads, rest...);
}

/// Starts a region through the real function `name`. All of these functions begin with the same three arguments.
template <class Result, class... Rest>
[[gnu::always_inline]] inline Result enter(Name name, const void* caller, Fn fn, void* data, unsigned threads,
                                           Rest... rest) noexcept {
    auto* behind = drom::runtime::known<Result(Fn, void*, unsigned, Rest...)>(name);
    if (behind == nullptr || !drom::pass_region()) [[unlikely]]
        return look_first<Result, Rest...>(fn, data, threads, rest..., name, caller);
    return behind(fn, data, threads, rest...);
}

}  // namespace

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

#define ENTRY(result, FUNCTION, NAME, parameters, ...) \
    EXPORT result FUNCTION parameters { return enter<result>(Name::NAME, CALLER, fn, __VA_ARGS__); }

ENTRY(void, GOMP_parallel, Parallel, (Fn fn, void* data, unsigned threads, unsigned flags), data, threads, flags)
ENTRY(unsigned, GOMP_parallel_reductions, ParallelReductions, (Fn fn, void* data, unsigned threads, unsigned flags),
      data, threads, flags)
ENTRY(void, GOMP_parallel_sections, ParallelSections,
      (Fn fn, void* data, unsigned threads, unsigned count, unsigned flags), data, threads, count, flags)

#define LOOP(FUNCTION, NAME)                                                                                        \
    ENTRY(void, FUNCTION, NAME,                                                                                     \
          (Fn fn, void* data, unsigned threads, long start, long end, long step, long chunk, unsigned flags), data, \
          threads, start, end, step, chunk, flags)
LOOP(GOMP_parallel_loop_static, LoopStatic)
LOOP(GOMP_parallel_loop_dynamic, LoopDynamic)
LOOP(GOMP_parallel_loop_guided, LoopGuided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic, LoopNonmonotonicDynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided, LoopNonmonotonicGuided)

#define RUNTIME_LOOP(FUNCTION, NAME)                                                                             \
    ENTRY(void, FUNCTION, NAME,                                                                                  \
          (Fn fn, void* data, unsigned threads, long start, long end, long step, unsigned flags), data, threads, \
          start, end, step, flags)
RUNTIME_LOOP(GOMP_parallel_loop_runtime, LoopRuntime)
RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime, LoopNonmonotonicRuntime)
RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime, LoopMaybeNonmonotonicRuntime)

EXPORT void GOMP_teams_reg(Fn fn, void* data, unsigned teams, unsigned threads, unsigned flags) {
    auto* behind = drom::runtime::real<void(Fn, void*, unsigned, unsigned, unsigned)>(Name::TeamsReg, CALLER);
    if (behind == nullptr) return;
    drom::safe_point::uses_teams(reinterpret_cast<const void*>(behind));
    behind(fn, data, teams, threads, flags);
}
