// SPDX-License-Identifier: BSD-3-Clause
// apply.cpp - drom_poll_apply: the program allows its team to change now.
//
// This needs no entry point of the runtime: the program calls, and the runtime is told as the program itself would tell
// it.
#include "apply.hpp"

#include <dlfcn.h>
#include <atomic>

#include "client/client.hpp"
#include "follow.hpp"
#include "runtime.hpp"

namespace drom {

namespace {

struct Applied {
    runtime::Runtime runtime;
    bool known;
    uint32_t own;   ///< the number that the program itself has set, or started with
    uint32_t last;  ///< the number set here; 0: none
};
constinit Applied applied{};

bool find_runtime() noexcept {
    if (applied.known) return true;
    const void* function = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
    applied.known = function != nullptr && runtime::describe(function, applied.runtime);
    return applied.known;
}

void resize(uint32_t cpus) noexcept {
    const auto now = static_cast<uint32_t>(applied.runtime.max_threads());
    if (now != applied.last) applied.own = now;  // the program has set it since
    applied.last = follow::threads_of(applied.own, cpus);
    if (applied.last != now) applied.runtime.set_num_threads(static_cast<int>(applied.last));
}

}  // namespace

bool has_runtime() noexcept { return dlsym(RTLD_DEFAULT, "omp_get_max_threads") != nullptr; }

bool apply_now() noexcept {
    static constinit std::atomic<bool> busy{false};
    Request wanted{};
    if (!find_runtime() || applied.runtime.level() != 0 || busy.exchange(true)) return false;
    const bool ready = client::newest(wanted) && (client::released().seq >= wanted.seq || client::release(wanted));
    if (ready) {
        const Request released = client::released();
        resize(released.mask.count());
        client::page().start_size.store(applied.own);
        client::acknowledge_resize(released.seq, applied.last, DROM_RESIZE_FOLLOWS,
                                   "the team follows the CPUs where the program calls drom_poll_apply");
    }
    busy.store(false);
    return ready && !client::pending();
}

}  // namespace drom
