// SPDX-License-Identifier: BSD-3-Clause
// world.hpp - a table with clients, what can be seen of it from outside, and the operations that are made to fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "child.hpp"
#include "drom/drom.h"

namespace drom::faults {

/// Processes for all tables: a has CPUs 0-3, b has 4-5, c is no client. Numbers count from the first CPU that this
/// process may use.
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
    bool names = true;    ///< whoever registers a client names it; else what the kernel says counts, where it says it
    std::string wrong{};  ///< what the operation itself has to complain about
};

struct Operation {
    const char* name;
    void (*prepare)(World&);
    int (*act)(World&, drom_error*);
    void (*clean_up)(World&);
    enum {
        kNothing,
        kTable,
        kTheDead,
        kAsked
    } lasting = kNothing;     ///< what of it stays done, whatever fails later: a table made, the dead removed, others
                              ///< asked to leave CPUs that come back
    bool joins_late = false;  ///< what it does before it joins moves the heap
};
const std::vector<Operation>& operations();

/// Masks of 8 bits from the first CPU that this process may use.
uint64_t cpus(unsigned bits);
uint32_t table_cpus();

/// Options with a time limit: a long one, or a short one for an operation that fails and of which nobody knows whether
/// it will be answered.
drom_options with(uint64_t flags);
void be_patient(bool now);
/// For a table of those CPUs.
drom_options creating(uint64_t flags);

// What operations begin with, and end with. A failure goes to world.wrong.
void must(World& world, int status, const drom_error& error);
void nothing(World&);
void name_the_table(World& world);
void one_client(World& world);   ///< b
void two_clients(World& world);  ///< a and b
void two_clients_of_a_node(World& world);
void one_died(World& world);  ///< somebody else, with CPUs 6-7, was killed
void finish(World& world);

/// Clients, masks and files of the table, as somebody else sees them: a text without what differs from time to time.
std::string seen_from_outside(const World& world);

/// Whoever has been asked to leave CPUs has left them, and has back what nobody else got.
void let_them_leave(const World& world);

/// Every invariant holds, and nothing is left to be done a second time; else what is wrong.
std::string what_is_broken(const World& world);

}  // namespace drom::faults
