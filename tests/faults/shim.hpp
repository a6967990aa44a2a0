// SPDX-License-Identifier: BSD-3-Clause
// shim.hpp - between libdrom.so and libc: makes the Nth call of one function fail, and counts what the library holds.
//
// The library is the real one. Only the places where it keeps the addresses of other libraries' functions are changed,
// so that nobody else in the process is concerned.
#pragma once

#include <string>
#include <vector>

namespace drom::faults {

/// Instead of an errno: half of what was asked for.
inline constexpr int kShort = -1;

struct CallInfo {
    const char* name;
    std::vector<int> codes;
};
/// calls.def, without what never fails.
const std::vector<CallInfo>& calls();

/// Puts itself into drom's libraries in this process. Returns a sentence for everything that calls.def and they do not
/// agree on; what none of them calls only where all are loaded.
std::vector<std::string> install();

struct Failure {
    unsigned call;  ///< of calls()
    int code;
    unsigned nth;  ///< from 1
    bool lasting;  ///< all later ones as well
};

void arm(const Failure& failure);
void count_only();
void disarm();
/// Since arm(): failures made; calls of `call` made.
unsigned injected();
unsigned counted(unsigned call);

/// What the library has had from the system and not given back.
struct Holdings {
    int memory, mappings;
};
Holdings holdings();
/// Memory that the library gave to its caller, to be freed here.
void free_given(void* memory);

}  // namespace drom::faults
