// SPDX-License-Identifier: BSD-3-Clause
// gomp_entry.cpp - the entry points of GCC's OpenMP runtime: libdrom-gomp.so, to be loaded before libgomp.
//
// Each one asks libdrom.so what the team has to run (the outlined function, or a thunk that places the thread first) and calls the
// real one with everything else as it was. Only entry points that start a team are here. The GOMP_*_start functions that GCC before 4.9
// used return inside the region and cannot be followed; a program that uses them is confined only.
#include <dlfcn.h>
#include <atomic>
#include <cstdint>

#include "gomp.hpp"

#define EXPORT extern "C" __attribute__((visibility("default")))

/// Tells libdrom.so that regions of GCC-compiled objects come through here.
EXPORT const int drom_gomp_door;
const int drom_gomp_door = 1;

namespace {

using Fn = drom_gomp_fn;

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
        if (next == nullptr) return drom_gomp_find(symbol_, caller);
        found_.store(next, std::memory_order_relaxed);
        return next;
    }
    const char* symbol_;
    std::atomic<void*> found_{nullptr};
};

[[gnu::always_inline]] inline bool pass(Fn fn, unsigned threads) noexcept {
    return threads <= drom_gomp_view.gate->roomy.load(std::memory_order_relaxed) &&
           drom::pass_region(drom_gomp_view, reinterpret_cast<const void*>(fn));
}

/// There is something to do, or the function behind has to be found. Out of line, so that the idle path saves no registers.
template <class Result, class... Rest>
[[gnu::noinline]] Result look_first(Fn fn, void* data, unsigned threads, Rest... rest, Real& real,
                                    const void* caller) noexcept {
    auto* behind = real.get<Result(Fn, void*, unsigned, Rest...)>(caller);
    if (behind == nullptr) return Result();
    if (!pass(fn, threads)) fn = drom_gomp_region(fn, threads, reinterpret_cast<const void*>(behind));
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
    drom_gomp_teams(reinterpret_cast<const void*>(behind));
    behind(fn, data, teams, threads, flags);
}
