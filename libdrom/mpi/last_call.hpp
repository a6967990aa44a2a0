// SPDX-License-Identifier: BSD-3-Clause
// last_call.hpp - the MPI call that a rank has entered last: written by the entry points of libdrom-mpi.so, read from
// outside by `drom explain`.
//
// Nobody writes down that a call has returned: the entry points jump. Whether the thread is still in there shows by its
// stack, because the return address stays where it is for as long.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom::mpi {

/// Found in the library's writable memory by its mark, which also says how it is laid out.
struct alignas(64) LastCall {
    char mark[16];
    const char* names;  ///< of all procedures, one after the other, each with its zero
    uint64_t thread;    ///< of the only thread that writes: its thread pointer; 0: none yet
    uint64_t stack;     ///< where the return address is
    uint64_t caller;    ///< the return address
    uint32_t index;     ///< of the procedure
    uint32_t count;     ///< of calls
    int32_t tid;        ///< the thread, as the kernel numbers it
    uint32_t reserved;
};

constexpr char kLastCallMark[16] = "drom-mpi-call/1";

static_assert(offsetof(LastCall, names) == 16 && offsetof(LastCall, thread) == 24 && offsetof(LastCall, stack) == 32 &&
                  offsetof(LastCall, caller) == 40 && offsetof(LastCall, index) == 48 &&
                  offsetof(LastCall, count) == 52 && sizeof(LastCall) == 64,
              "mpi_entry.inc writes it");

}  // namespace drom::mpi
