// SPDX-License-Identifier: BSD-3-Clause
// world.hpp - a table with clients, its description from outside, and the operations that are made to fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "child.hpp"
#include "drom/drom.h"

namespace drom::faults {

/// The processes of all tables: a has CPUs 0-3, b has 4-5, c is no client. CPU numbers count from the first CPU that
/// this process may use.
struct People {
    test::Child a = test::Child::sleeper(), b = test::Child::sleeper(), c = test::Child::sleeper();
};

/// The data of one operation, in a process of its own.
struct World {
    const People& people;
    std::string path;
    drom_table* table = nullptr;
    drom_table* opened = nullptr;  ///< a table that the operation opened
    char** environment = nullptr;  ///< the variables of drom_reserve
    size_t listed = 2;             ///< the number of listed clients
    bool names = true;    ///< clients are registered with a name; else the kernel's name for them counts, if it has one
    std::string wrong{};  ///< the operation's own complaint
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
    } lasting = kNothing;     ///< the part that stays done even if a later call fails: a table made, the dead removed,
                              ///< others asked to leave CPUs that come back
    bool joins_late = false;  ///< its work before joining moves the heap
};
const std::vector<Operation>& operations();

/// Returns a mask whose 8 bits begin at the first CPU that this process may use.
uint64_t cpus(unsigned bits);
uint32_t table_cpus();

/// Returns options with a time limit. It is long, or short for an operation that fails, which perhaps no client
/// answers.
drom_options with(uint64_t flags);
void be_patient(bool now);
/// Returns options that create a table of those CPUs.
drom_options creating(uint64_t flags);

// Operations begin with one of these, and end with finish(). A failure goes to world.wrong.
void must(World& world, int status, const drom_error& error);
void nothing(World&);
void name_the_table(World& world);
void one_client(World& world);   ///< b is a client
void two_clients(World& world);  ///< a and b are clients
void two_clients_of_a_node(World& world);
void one_died(World& world);  ///< another client, with CPUs 6-7, was killed
void finish(World& world);

/// Returns clients, masks and files of the table, as another process sees them, without values that differ each time.
std::string seen_from_outside(const World& world);

/// Lets clients leave the CPUs that they were asked to leave, and returns CPUs that no other client got.
void let_them_leave(const World& world);

/// Returns what is wrong: a broken invariant, or work that a second drom_check() finds again.
std::string what_is_broken(const World& world);

}  // namespace drom::faults
