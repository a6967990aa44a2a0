// SPDX-License-Identifier: BSD-3-Clause
// process_setup.cpp - the one set-up of a process, and what undoes it.
#include "process_setup.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <cstdlib>

#include "base/env.hpp"
#include "client/client.hpp"
#include "client/unmodified.hpp"
#include "gate.hpp"
#include "pinning.hpp"
#include "team.hpp"

/// Tells that these entry points are in this process; a second copy of the library sees the first one's.
extern "C" DROM_EXPORT const int drom_omp_loaded;
extern "C" const int drom_omp_loaded = 1;

namespace drom::safe_point {

namespace {

/// Returns whether this is the first copy of the library: there may be a second one.
bool is_first() noexcept { return dlsym(RTLD_DEFAULT, "drom_omp_loaded") == &drom_omp_loaded; }

/// Lets every thread pass from now on.
void retire() noexcept {
    drom_gate.primary.store(no_thread(), kRelaxed);
    drom_gate.claimable.store(0, kRelaxed);
    drom_gate.attention.store(0, kRelaxed);
}

void after_fork_in_child() {
    retire();
    busy.store(false, kRelaxed);
}

/// Allows another primary thread when the present one ends: the next thread that opens a region may become it.
void after_primary(void*) {
    const void* self = this_thread();
    if (drom_gate.primary.compare_exchange_strong(self, nullptr)) drom_gate.claimable.store(1, kRelaxed);
}

/// Returns whether the program has one thread. libc's allocator and streams take locks once a process has a second
/// thread, so such a program gets none: it has no team to resize, and an administrator can move one thread from
/// outside. A rank without a team is different: it may wait in MPI for long.
bool has_one_thread() noexcept {
    constexpr nlink_t kLinksOfOne = 3;  // a directory has two links, and one more per directory in it: here, per thread
    struct stat tasks{};
    return team.runtime.max_threads() == 1 && stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == kLinksOfOne;
}

bool join(uint32_t entry_point) noexcept {
    if (client::joined()) {
        client::add_entry_points(entry_point);
        return true;
    }
    const CpuSet places = runtime::binds_threads() ? runtime::places_of(team.runtime) : CpuSet::empty();
    return unmodified::join({entry_point, places, !has_one_thread()});
}

}  // namespace

bool set_up_process(const void* function, uint32_t entry_point) noexcept {
    if (team.ready.load(kRelaxed)) return true;
    if (!is_first() || !runtime::describe(function, team.runtime) || !join(entry_point)) {
        retire();
        return false;
    }
    team.verbose = env::number("DROM_VERBOSE", 0);
    team.said = follow::resize_of(env::text("DROM_RESIZE"));
    team.cpus = team.first_cpus = UINT32_MAX;
    pinning::begin(client::released().mask, runtime::binds_threads());
    pthread_atfork(nullptr, nullptr, after_fork_in_child);
    pthread_key_create(&team.key, after_primary);
    atexit(retire);
    team.ready.store(true, std::memory_order_release);
    return true;
}

}  // namespace drom::safe_point
