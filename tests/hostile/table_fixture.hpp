// SPDX-License-Identifier: BSD-3-Clause
// table_fixture.hpp - a table for the test alone, and short forms of the administrator's calls.
#pragma once

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>
#include <string>

#include "child.hpp"
#include "client/client.hpp"
#include "drom/drom.h"
#include "options.hpp"
#include "temp_dir.hpp"

namespace drom::test {

/// Calls drom_open; returns the status, with the sentence in `error`.
inline int open_status(const std::string& where, uint64_t flags, drom_error& error) {
    drom_table* table = nullptr;
    const drom_options options = options_with(flags);
    const int status = drom_open(&table, where.c_str(), &options, &error);
    drom_close(table);
    return status;
}

class WithTable : public testing::Test {
protected:
    void SetUp() override { create(8, 16, 0); }
    void TearDown() override { drom_close(table_); }

    void create(uint32_t cpus, uint32_t clients, uint64_t flags) {
        drom_options options = options_with(DROM_CREATE | flags);
        options.cpus = cpus;
        options.clients = clients;
        ASSERT_EQ(drom_open(&table_, path_.c_str(), &options, &error_), DROM_OK) << error_.text;
    }
    /// Starts a sleeping process with a reservation of these CPUs.
    Child reserve(uint64_t mask, uint64_t flags = 0, uint32_t min_cpus = 0, uint32_t max_cpus = 0) {
        Child child = Child::sleeper();
        drom_options options = options_with(flags);
        options.min_cpus = min_cpus;
        options.max_cpus = max_cpus;
        EXPECT_GE(drom_reserve(table_, child.pid(), &mask, 1, &options, nullptr, &error_), 0) << error_.text;
        return child;
    }
    int set(pid_t pid, uint64_t mask, uint64_t flags = 0, uint32_t timeout_ms = 0) {
        const drom_options options = options_with(flags, timeout_ms);
        return drom_set_mask(table_, pid, &mask, 1, &options, &error_);
    }
    /// Returns the CPUs that the client has once everything is done.
    uint64_t wanted(pid_t pid) {
        uint64_t mask = 0;
        EXPECT_EQ(drom_get_mask(table_, pid, nullptr, &mask, 1, nullptr), DROM_OK);
        return mask;
    }
    [[nodiscard]] bool says(const char* words) const {
        return std::string(error_.text).find(words) != std::string::npos;
    }

    TempDir directory_;
    std::string path_ = directory_.table();
    drom_table* table_ = nullptr;
    drom_error error_{};
};

}  // namespace drom::test
