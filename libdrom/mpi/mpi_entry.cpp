// SPDX-License-Identifier: BSD-3-Clause
// mpi_entry.cpp - the slow path of the MPI entry points: libdrom-mpi.so, loaded before the MPI library, into ranks
// only.
//
// Programs that ask the loader, launchers among them, take a library that exports MPI_Init for MPI. So this is a
// library of its own.
#include <dlfcn.h>
#include <unistd.h>
#include <atomic>
#include <cstdint>
#include <cstdio>

#include "private.hpp"

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
using Procedure = void (*)();

/// Returns MPI_ERR_OTHER, which is 15 or 16; any number but 0 says that nothing was done.
long not_there() { return 16; }

/// Returns whether the function is in this library: asked for a name that only this library has, the loader returns
/// that.
bool is_ours(const void* function) noexcept {
    Dl_info its{};
    Dl_info own{};
    return dladdr(function, &its) != 0 && dladdr(reinterpret_cast<const void*>(&not_there), &own) != 0 &&
           its.dli_fbase == own.dli_fbase;
}

}  // namespace

extern "C" {

extern std::atomic<Procedure> drom_mpi_real[];
extern const char drom_mpi_names[];

/// 1 once this process is a rank and a client.
std::atomic<uint8_t> drom_mpi_armed{0};
/// The newest request that an MPI call is done with. When two threads come at once, the newest request is looked at,
/// whichever of them wrote last.
std::atomic<uint64_t> drom_mpi_seen{0};
const drom::client::Hot* drom_mpi_hot = nullptr;

/// Finds the real function. Where the MPI library does not have it, no compiled program calls it; only programs that
/// asked the loader for the name do.
Procedure drom_mpi_find(unsigned index, const void* caller) {
    const char* name = drom_mpi_names;
    for (unsigned i = 0; i < index; ++i)
        while (*name++ != '\0') {}
    void* found = dlsym(RTLD_NEXT, name);
    if (found == nullptr) found = drom_mpi_find_behind(name, caller);
    if (found == nullptr || is_ours(found)) {
        dprintf(STDERR_FILENO, "drom: %s is called, and no MPI library of this program has it; its calls fail\n", name);
        found = reinterpret_cast<void*>(&not_there);
    }
    const auto procedure = reinterpret_cast<Procedure>(found);
    drom_mpi_real[index].store(procedure, kRelaxed);
    return procedure;
}

Procedure drom_mpi_deal(unsigned index, const void*) {
    drom_mpi_seen.store(drom_mpi_safe_point(), kRelaxed);
    return drom_mpi_real[index].load(kRelaxed);
}

void drom_mpi_initialised() {
    if (!drom_mpi_join()) return;  // mutant rank-joins
    drom_mpi_hot = drom_mpi_view;
    drom_mpi_armed.store(1, std::memory_order_release);
}

}  // extern "C"
