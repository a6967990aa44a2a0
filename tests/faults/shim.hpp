// SPDX-License-Identifier: BSD-3-Clause
// shim.hpp - between libdrom.so and libc: makes the Nth call of one function fail, and counts what the library holds.
//
// The library is the real one. Only the places where it keeps the addresses of other libraries' functions are changed,
// so that other libraries of the process keep their calls.
#pragma once

#include <string>
#include <vector>

namespace drom::faults {

/// A code instead of an errno: the call does half of what was asked for.
inline constexpr int kShort = -1;

struct CallInfo {
    const char* name;
    std::vector<int> codes;
};
/// Returns the rows of calls.def, without functions that never fail.
const std::vector<CallInfo>& calls();

/// Puts hooks into drom's libraries in this process. Returns a sentence for each difference between them and calls.def.
/// Functions that no library calls are differences only if all libraries are loaded.
std::vector<std::string> install();

struct Failure {
    unsigned call;  ///< an index of calls()
    int code;
    unsigned nth;  ///< counts from 1
    bool lasting;  ///< all later calls fail as well
};

void arm(const Failure& failure);
void count_only();
void disarm();
/// Returns the number of failures since arm(); counted() that of calls of `call`.
unsigned injected();
unsigned counted(unsigned call);

/// The memory and mappings that the library has got from the system and not given back.
struct Holdings {
    int memory, mappings;
};
Holdings holdings();
/// Frees memory that the library gave to its caller.
void free_given(void* memory);

}  // namespace drom::faults
