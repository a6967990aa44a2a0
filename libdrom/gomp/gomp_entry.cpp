// SPDX-License-Identifier: BSD-3-Clause
// gomp_entry.cpp - the entry points of GCC's OpenMP runtime, in front of libgomp's.
//
// Each one finds out what the team has to run (the outlined function, or a thunk that places the thread first) and calls the real one
// with everything else as it was. Only entry points that start a team are here. The GOMP_*_start functions that GCC before 4.9
// used return inside the region and cannot be followed; a program that uses them is confined only.
#include <dlfcn.h>
#include <atomic>
#include <cstdint>

#include "drom/drom.h"
#include "ompt/gate.hpp"
#include "ompt/runtime.hpp"
#include "ompt/safe_point.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using drom::drom_gate;
using Fn = void (*)(void*);

/// Runs in the outlined function's place on each thread of the team. The data stays as it is: libgomp itself reads it for reductions.
void place_and_run(void* data) {
    drom::safe_point::place_this_thread();
    auto* function = reinterpret_cast<Fn>(reinterpret_cast<uintptr_t>(drom_gate.placing));
    function(data);
}

/// What a region that is to run `fn` with `threads` threads (0: as many as the runtime gives) through the runtime's entry point `real` has
/// to run in its place.
Fn look_at(Fn fn, unsigned threads, const void* real) noexcept {
    const auto* function = reinterpret_cast<const void*>(fn);
    if (fn == place_and_run) return fn;
    const auto* thunk = reinterpret_cast<const void*>(&place_and_run);
    const void* run = drom::safe_point::region_entry(function, {real, thunk, DROM_DOOR_GOMP, threads});
    return run == thunk ? &place_and_run : fn;
}

/// The function behind one of ours. A runtime that came in with dlopen(RTLD_LOCAL) is looked up for each call, because several may be there.
class Real {
public:
    constexpr explicit Real(const char* symbol) noexcept : symbol_(symbol) {}

    template <class Function>
    Function* known() const noexcept {
        return reinterpret_cast<Function*>(found_.load(std::memory_order_relaxed));
    }

    template <class Function>
    Function* get(const void* caller) noexcept {
        void* function = found_.load(std::memory_order_relaxed);
        return reinterpret_cast<Function*>(function != nullptr ? function : find(caller));
    }

private:
    [[gnu::noinline]] void* find(const void* caller) noexcept {
        void* next = dlsym(RTLD_NEXT, symbol_);
        if (next == nullptr) return drom::runtime::find_behind(symbol_, caller);
        found_.store(next, std::memory_order_relaxed);
        return next;
    }
    const char* symbol_;
    std::atomic<void*> found_{nullptr};
};

[[gnu::always_inline]] inline bool pass(Fn fn, unsigned threads) noexcept {
    return threads <= drom_gate.roomy.load(std::memory_order_relaxed) &&
           drom::pass_region(reinterpret_cast<const void*>(fn));
}

/// There is something to do, or the function behind has to be found. Out of line, so that the idle path saves no registers.
template <class Result, class... Rest>
[[gnu::noinline]] Result look_first(Fn fn, void* data, unsigned threads, Rest... rest, Real& real,
                                    const void* caller) noexcept {
    auto* behind = real.get<Result(Fn, void*, unsigned, Rest...)>(caller);
    if (behind == nullptr) return Result();
    if (!pass(fn, threads)) fn = look_at(fn, threads, reinterpret_cast<const void*>(behind));
    return behind(fn, data, threads, rest...);
}

/// Starts a region through the function behind `real`. All of these functions begin with the same three arguments.
template <class Result, class... Rest>
[[gnu::always_inline]] inline Result enter(Real& real, const void* caller, Fn fn, void* data, unsigned threads,
                                           Rest... rest) noexcept {
    auto* behind = real.known<Result(Fn, void*, unsigned, Rest...)>();
    if (behind == nullptr || !pass(fn, threads)) [[unlikely]]
        return look_first<Result, Rest...>(fn, data, threads, rest..., real, caller);
    return behind(fn, data, threads, rest...);
}

}  // namespace

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

#define ENTRY(result, NAME, parameters, ...)                 \
    EXPORT result NAME parameters {                          \
        static constinit Real real(#NAME);                   \
        return enter<result>(real, CALLER, fn, __VA_ARGS__); \
    }

ENTRY(void, GOMP_parallel, (Fn fn, void* data, unsigned threads, unsigned flags), data, threads, flags)
ENTRY(unsigned, GOMP_parallel_reductions, (Fn fn, void* data, unsigned threads, unsigned flags), data, threads, flags)
ENTRY(void, GOMP_parallel_sections, (Fn fn, void* data, unsigned threads, unsigned count, unsigned flags), data,
      threads, count, flags)

#define LOOP(NAME)                                                                                                  \
    ENTRY(void, NAME,                                                                                               \
          (Fn fn, void* data, unsigned threads, long start, long end, long step, long chunk, unsigned flags), data, \
          threads, start, end, step, chunk, flags)
LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)

#define RUNTIME_LOOP(NAME)                                                                                          \
    ENTRY(void, NAME, (Fn fn, void* data, unsigned threads, long start, long end, long step, unsigned flags), data, \
          threads, start, end, step, flags)
RUNTIME_LOOP(GOMP_parallel_loop_runtime)
RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

EXPORT void GOMP_teams_reg(Fn fn, void* data, unsigned teams, unsigned threads, unsigned flags) {
    static constinit Real real("GOMP_teams_reg");
    auto* behind = real.get<void(Fn, void*, unsigned, unsigned, unsigned)>(CALLER);
    if (behind == nullptr) return;
    drom::safe_point::uses_teams(reinterpret_cast<const void*>(behind));
    behind(fn, data, teams, threads, flags);
}
