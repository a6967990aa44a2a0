// SPDX-License-Identifier: BSD-3-Clause
// world.hpp - a table with clients, what can be seen of it from outside, and the operations that are made to fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "child.hpp"
#include "drom/drom.h"

namespace drom::faults {

/// Processes for all tables: a has CPUs 0-3, b has 4-5, c is no client. Numbers count from the first CPU that this process may use.
struct People {
    test::Child a = test::Child::sleeper(), b = test::Child::sleeper(), c = test::Child::sleeper();
};

/// What one operation works with; in a process of its own.
struct World {
    const People& people;
    std::string path;
    drom_table* table = nullptr;
    drom_table* opened = nullptr;  ///< by the operation
    char** environment = nullptr;  ///< by drom_reserve
    size_t listed = 2;             ///< clients
    std::string wrong{};           ///< what the operation itself has to complain about
};

struct Operation {
    const char* name;
    void (*prepare)(World&);
    int (*act)(World&, drom_error*);
    void (*clean_up)(World&);
    enum {
        kNothing,
        kTable,
        kTheDead
    } lasting = kNothing;  ///< what of it stays done, whatever fails later: a table made, the dead removed
};
const std::vector<Operation>& operations();

/// Masks of 8 bits from the first CPU that this process may use.
uint64_t cpus(unsigned bits);
uint32_t table_cpus();

/// Clients, masks and files of the table, as somebody else sees them: a text without what differs from time to time.
std::string seen_from_outside(const World& world);

/// Every invariant holds, and nothing is left to be done a second time; else what is wrong.
std::string what_is_broken(const World& world);

}  // namespace drom::faults
