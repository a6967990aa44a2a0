// SPDX-License-Identifier: BSD-3-Clause
// private.cpp - the part of the MPI entry points that is in libdrom.so.
#include <cerrno>
#include <cstdlib>

#include "client/rank.hpp"
#include "client/unmodified.hpp"
#include "openmp/apply.hpp"
#include "openmp/runtime.hpp"
#include "private.hpp"

namespace client = drom::client;

namespace {

/// Records rank 0 of 1 for a process that initialised MPI without a launcher.
void note_singleton() noexcept {
    drom::Rank rank{};
    const auto read = [](const char* name) -> const char* { return getenv(name); };
    if (!drom::rank_of(read, rank)) client::page().ranks.store(1);
}

/// Acknowledges for a rank without a team, which has nothing to resize.
void acknowledge_no_team(uint64_t seq) noexcept {
    if (drom::has_runtime() || (client::page().entry_points.load() & DROM_ENTRY_EXPLICIT) != 0) return;
    client::acknowledge_resize(seq, 0, DROM_RESIZE_NONE, "no OpenMP runtime: it has no team to resize");
}

uint64_t deal() noexcept {
    const uint64_t newest = client::hot.request.load(std::memory_order_relaxed)->load(std::memory_order_acquire);
    drom::Request wanted{};
    // Handled by another entry point, or in a child that is no client.
    if (!client::pending()) return newest;
    if (!client::newest(wanted)) return 0;
    if (client::released().seq < wanted.seq && !client::release(wanted)) return 0;
    acknowledge_no_team(wanted.seq);
    return wanted.seq;
}

}  // namespace

extern "C" {

const client::Hot* const drom_mpi_view = &client::hot;

bool drom_mpi_join() {
    if (client::joined())
        client::add_entry_points(DROM_ENTRY_MPI);
    else if (!drom::unmodified::join({DROM_ENTRY_MPI, drom::CpuSet::empty(), true}))
        return false;
    note_singleton();
    return true;
}

uint64_t drom_mpi_safe_point() {
    const int saved = errno;
    const uint64_t dealt_with = deal();
    errno = saved;
    return dealt_with;
}

void* drom_mpi_find_behind(const char* symbol, const void* caller) {
    return drom::runtime::find_behind(symbol, caller);
}

}  // extern "C"
