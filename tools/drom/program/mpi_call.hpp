// SPDX-License-Identifier: BSD-3-Clause
// mpi_call.hpp - whether a rank is inside an MPI call, seen from outside, by its stack.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace drom::command {

/// A file's code in a process.
struct Code {
    uint64_t begin = 0;
    uint64_t end = 0;
    std::string file;
};

struct Mappings {
    std::vector<Code> codes;
    std::vector<Code> writable;  ///< what libdrom-mpi.so may write to
};

/// Of a text as proc_pid_maps(5) has it.
Mappings mappings_in(std::istream& maps);

/// The part of a thread's stack below the return address of an MPI call, at one moment.
using StackWords = std::vector<uint64_t>;

/// True when what changes below is the return addresses of others than the caller's file: while a call lasts no other
/// code runs there.
bool runs_inside(const std::vector<StackWords>& looks, const std::vector<Code>& codes, uint64_t caller);

/// Where a rank is, that keeps its CPU busy.
struct InsideCall {
    pid_t tid = 0;
    std::string procedure;  ///< as the program calls it: "MPI_Recv", "mpi_recv_"; empty: in none, or it cannot be told
};

/// Looks at the thread of `pid` that initialised MPI, from its making until `conclude`. Only reads; needs what a
/// debugger needs.
class MpiCallWatch {
public:
    explicit MpiCallWatch(pid_t pid);
    ~MpiCallWatch();
    MpiCallWatch(const MpiCallWatch&) = delete;
    MpiCallWatch& operator=(const MpiCallWatch&) = delete;

    /// The call that it was in all the while and runs in. One that sleeps in it, or has returned, is in none. Up to 100
    /// ms.
    InsideCall conclude();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace drom::command
