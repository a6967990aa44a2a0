// SPDX-License-Identifier: BSD-3-Clause
// crowd_test.cpp - a table with every slot taken: one client more is refused, and all others are still listed.
#include <array>
#include <cstring>
#include <vector>

#include "base/clock.hpp"
#include "command.hpp"
#include "skip.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;

constexpr uint32_t kClients = 1024;
constexpr uint32_t kManyCpus = 2048;
using Mask = std::array<uint64_t, kManyCpus / 64>;

Mask one_cpu(uint32_t cpu) {
    Mask mask{};
    mask[cpu / 64] = 1ULL << cpu % 64;
    return mask;
}

class Crowd : public WithTable {
protected:
    void SetUp() override { create(kManyCpus, kClients, 0); }

    int reserve_one(const Child& child, uint32_t cpu) {
        const Mask mask = one_cpu(cpu);
        const drom_options plain = options_with(0);
        return drom_reserve(table_, child.pid(), mask.data(), mask.size(), &plain, nullptr, &error_);
    }
};

TEST_F(Crowd, A1025thIsRefusedAndAThousandAndTwentyFourAreListed) {
    std::vector<Child> children;
    for (uint32_t i = 0; i <= kClients; ++i) {
        children.push_back(Child::sleeper());
        if (children.back().pid() <= 0) DROM_SKIP("this machine does not let us start 1025 processes");
    }
    for (uint32_t i = 0; i < kClients; ++i) ASSERT_GE(reserve_one(children[i], i), 0) << i << ": " << error_.text;

    EXPECT_EQ(reserve_one(children[kClients], kClients), DROM_E_FULL);
    EXPECT_TRUE(says("is free; it has 1024 slots")) << error_.text;
    EXPECT_EQ(run_command({"run", "--table", path_, "--no-preload", "--cpus", "1500", "--", "true"}), 1);
    Child joining = Child::run([&] {
        setenv("DROM_TABLE", path_.c_str(), 1);
        drom_error error{};
        const drom::client::JoinOptions options{nullptr, DROM_ENTRY_EXPLICIT, false, "late", nullptr, 1, 0, false};
        if (drom::client::join(options, &error) != DROM_E_FULL) return 1;
        return std::strstr(error.text, "1024 slots") != nullptr ? 0 : 2;
    });
    EXPECT_EQ(joining.wait(), 0) << "a program that joins by itself";

    std::vector<drom_client_info> list(kClients);
    list[0].size = sizeof list[0];
    size_t count = list.size();
    uint64_t start = drom::now_ns();
    ASSERT_EQ(drom_clients(table_, list.data(), &count, &error_), DROM_OK) << error_.text;
    const double api_ms = static_cast<double>(drom::now_ns() - start) / 1e6;
    ASSERT_EQ(count, kClients);
    for (uint32_t i = 0; i < kClients; ++i) {
        EXPECT_EQ(list[i].pid, children[i].pid());
        EXPECT_EQ(list[i].wanted_cpus, 1U);
    }
    start = drom::now_ns();
    EXPECT_EQ(run_command({"list", "--table", path_}), 0);
    EXPECT_EQ(run_command({"list", "--table", path_, "--json"}), 0);
    const double command_ms = static_cast<double>(drom::now_ns() - start) / 2e6;
    printf("hostile: 1024 clients: drom_clients %.1f ms, drom list %.1f ms\n", api_ms, command_ms);

    // One client leaves: the next one has room.
    const pid_t gone = children[500].pid();
    children[500].stop();
    const drom_options plain = options_with(0);
    EXPECT_EQ(drom_release(table_, gone, &plain, &error_), DROM_OK) << error_.text;
    EXPECT_GE(reserve_one(children[kClients], kClients), 0) << error_.text;
    EXPECT_GE(drom_check(table_, &plain, &error_), 0) << error_.text;
}

}  // namespace
