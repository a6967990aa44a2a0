// SPDX-License-Identifier: BSD-3-Clause
// starting.cpp - when an unmodified, preloaded program becomes a client: at its start, if it is linked to an OpenMP
// runtime; otherwise when a runtime that came in later creates its first thread. No function of the runtime is called.
#include "starting.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "base/env.hpp"
#include "callers.hpp"
#include "client/client.hpp"
#include "client/unmodified.hpp"
#include "container/following.hpp"
#include "drom/drom.h"
#include "openmp/follow.hpp"
#include "openmp/runtime.hpp"
#include "openmp/thread_count.hpp"

// The linker's: where this library begins and ends.
extern "C" {
[[gnu::visibility("hidden")]] extern const char __ehdr_start[];
[[gnu::visibility("hidden")]] extern const char _end[];
}

namespace drom::starting {

namespace {

enum class State : int { kNotYet, kBusy, kJoined, kNever };
constinit std::atomic<State> state{State::kNotYet};
constinit pid_t owner = 0;  ///< forked children do not take part by themselves

int is_runtime(dl_phdr_info* info, size_t, void*) { return callers::is_openmp_runtime(info->dlpi_name) ? 1 : 0; }

/// Returns the threads that the environment asks for; otherwise one per CPU.
uint32_t first_team() noexcept {
    const uint32_t given = first_thread_count(getenv("OMP_NUM_THREADS"));
    return given != 0 ? given : client::first_mask().count();
}

/// Writes the texts of lists and explanations before the first region, and before any request.
void describe_team() noexcept {
    Page& page = client::page();
    const bool may_follow = dlsym(RTLD_DEFAULT, "drom_omp_loaded") != nullptr;
    const follow::Answer answer =
        follow::judge({follow::resize_of(env::text("DROM_RESIZE")),
                       may_follow && follow::is_dynamic(getenv("OMP_DYNAMIC")), false, false, false, false, false});
    const bool follows = answer.follows && may_follow;
    page.start_size.store(first_team());
    page.team_size.store(first_team());
    page.resize.store(follows ? DROM_RESIZE_FOLLOWS : DROM_RESIZE_KEEPS);
    snprintf(page.why, sizeof page.why, "%s",
             answer.follows && !may_follow ? "libdrom-omp.so is not preloaded; drom run --resize=follow does that"
                                           : answer.why);
}

void join(const CpuSet& places) noexcept {
    State idle = State::kNotYet;
    if (!state.compare_exchange_strong(idle, State::kBusy)) return;
    const bool joined = !client::joined() && unmodified::join({0, places, false});
    if (joined) describe_team();
    state.store(joined ? State::kJoined : State::kNever);
}

/// Returns the runtime's places. Only where the runtime has started: the affinity of a thread that it has bound is too
/// small.
CpuSet places(const void* caller) noexcept {
    runtime::Runtime found{};
    return runtime::binds_threads() && runtime::describe(caller, found) ? runtime::places_of(found) : CpuSet::empty();
}

void start_agent() noexcept {
    if (state.load() == State::kJoined && env::flag("DROM_ASYNC", true)) client::start_agent();
}

/// Whether the agent's threads may be created inside the program's pthread_create. Set at the program's start: later
/// dlsym could wait for a library that is being loaded.
constinit bool starts_beside = true;

/// Returns false in a program that is built with a sanitizer. Its pthread_create is found before drom's, calls that
/// one, and must not be called again by it (clang 19's AddressSanitizer waits for itself). Then the agent's threads are
/// created at the program's start, or not at all.
bool may_start_beside() noexcept {
    // Not by dladdr, which walks through the symbols of an object: every preloaded process comes here.
    const auto* create = static_cast<const char*>(dlsym(RTLD_DEFAULT, "pthread_create"));
    return create == nullptr || (create >= __ehdr_start && create < _end);
}

[[gnu::constructor]] void begin() {
    owner = getpid();
    starts_beside = may_start_beside();
    if (container::follows()) {
        if (!starts_beside) container::follow_from_here();
        return;
    }
    if (runtime::binds_threads() || dl_iterate_phdr(is_runtime, nullptr) == 0) return;
    join(CpuSet::empty());
    if (!starts_beside) start_agent();
}

}  // namespace

bool is_forked_child() noexcept { return owner != 0 && getpid() != owner; }

void before_thread(const void* caller) noexcept {
    if (container::follows()) {
        if (starts_beside) container::follow_from_here();
        return;
    }
    const State now = state.load(std::memory_order_acquire);
    if (now == State::kNever || now == State::kBusy || getpid() != owner) return;
    if (now == State::kNotYet) {
        if (!callers::called_by_runtime(caller)) return;
        join(places(caller));
    }
    if (starts_beside) start_agent();
}

}  // namespace drom::starting
