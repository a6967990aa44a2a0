// SPDX-License-Identifier: BSD-3-Clause
// scene.hpp - the tables from which the walk starts, and the operations of its victims.
#pragma once

#include <string>
#include <vector>

#include "admin/carry_out.hpp"
#include "admin/orders.hpp"
#include "admin/reservations.hpp"
#include "base/process_identity.hpp"
#include "child.hpp"
#include "stepper.hpp"

namespace drom::crash {

/// Processes for all scenes: a, b, c are clients, d is none yet; `dead` was one.
struct People {
    test::Child a = test::Child::sleeper(), b = test::Child::sleeper(), c = test::Child::sleeper(),
                d = test::Child::sleeper();
    ProcessIdentity dead{};
    People();
};

/// A table on disk, opened by the harness.
class Scene {
public:
    Scene(const std::string& path, const People& who);

    [[nodiscard]] const Ledger& ledger() const { return table.ledger; }
    /// Adds a client that joined, knows its mask and has released everything else.
    void client(const ProcessIdentity& identity, const CpuSet& mask, uint32_t min_cpus = 1, bool rigid = false);
    void client(const test::Child& child, const CpuSet& mask) { client(identity(child), mask); }
    /// Makes every living client release its newest request.
    void acknowledge();
    static ProcessIdentity identity(const test::Child& child);

    std::string path;
    const People& people;
    Table table;
};

struct Start {
    const char* name;
    void (*build)(Scene&);
};
const std::vector<Start>& starts();

/// An operation of a victim. `prepare` is not stepped, `act` is; both run in the victim.
struct Operation {
    const char* name;
    void (*prepare)(Scene&);
    void (*act)(Scene&);
};
const std::vector<Operation>& operations();

Options with(uint64_t flags);
CpuSet cpus(const char* text);

}  // namespace drom::crash
