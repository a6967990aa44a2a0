// SPDX-License-Identifier: BSD-3-Clause
// last_call.hpp - the MPI call that a rank has entered last: the entry points of libdrom-mpi.so write it, `drom
// explain` reads it from outside.
//
// The return from a call is not recorded: the entry points jump. The thread's stack shows whether it is still inside,
// because the return address stays in its place for so long.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom::mpi {

/// Found in the library's writable memory by its mark, which also names its layout.
struct alignas(64) LastCall {
    char mark[16];
    const char* names;  ///< of all procedures, one after the other, each with its zero byte
    uint64_t thread;    ///< thread pointer of the only thread that writes; 0: none yet
    uint64_t stack;     ///< address of the return address
    uint64_t caller;    ///< the return address
    uint32_t index;     ///< number of the procedure
    uint32_t count;     ///< number of calls
    int32_t tid;        ///< the kernel's number of the thread
    uint32_t reserved;
};

constexpr char kLastCallMark[16] = "drom-mpi-call/1";

static_assert(offsetof(LastCall, names) == 16 && offsetof(LastCall, thread) == 24 && offsetof(LastCall, stack) == 32 &&
                  offsetof(LastCall, caller) == 40 && offsetof(LastCall, index) == 48 &&
                  offsetof(LastCall, count) == 52 && sizeof(LastCall) == 64,
              "mpi_entry.inc writes it");

}  // namespace drom::mpi
