// SPDX-License-Identifier: BSD-3-Clause
// administrators_test.cpp - two people at two terminals move CPUs of the same client: no move is lost.
#include "command.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;
using Administrators = WithTable;

/// Moves `cpu` in and out, `times` times, and looks each time whether it is there. Returns 0, or the number of the
/// check that failed.
int move_back_and_forth(const std::string& table, int32_t pid, uint32_t cpu, int times) {
    drom_table* opened = nullptr;
    if (drom_open(&opened, table.c_str(), nullptr, nullptr) != DROM_OK) return 10;
    const std::string client = std::to_string(pid);
    for (int i = 0; i < times; ++i)
        for (const bool gives : {true, false}) {
            const int status = run_command(
                {gives ? "add" : "remove", client, std::to_string(cpu), "--no-wait", "--quiet", "--table", table});
            uint64_t wanted = 0;
            if (status != 0) return 11;
            if (drom_get_mask(opened, pid, nullptr, &wanted, 1, nullptr) != DROM_OK) return 12;
            if (((wanted >> cpu & 1) != 0) != gives) return gives ? 13 : 14;  // another administrator has undone it
        }
    drom_close(opened);
    return 0;
}

TEST_F(Administrators, WhatTwoMoveAtOnceIsNotLost) {
    const Child client = reserve(0x03);
    std::vector<Child> people;
    for (const uint32_t cpu : {4U, 5U, 6U})
        people.push_back(Child::run([&] { return move_back_and_forth(path_, client.pid(), cpu, 60); }));
    for (Child& person : people) EXPECT_EQ(person.wait(), 0) << "13, 14: its move was undone by another's";
    EXPECT_EQ(wanted(client.pid()), 0x03U);
    ASSERT_GE(set(client.pid(), 0xf0, DROM_ADD), 0) << error_.text;
    EXPECT_EQ(wanted(client.pid()), 0xf3U);
    printf("hostile: three people, 360 moves, none lost\n");
}

TEST_F(Administrators, CpusThatGoFromClientToClientStayAsManyAsThereAre) {
    const Child one = reserve(0x0f);
    const Child two = reserve(0xf0);
    // Each takes from the other, one CPU at a time: some moves are refused, no CPU is lost and none is there twice.
    const auto swing = [&](const Child& to, const char* cpus) {
        for (int i = 0; i < 60; ++i) {
            const int status = run_command(
                {"add", std::to_string(to.pid()), cpus, "--take", "--no-wait", "--quiet", "--table", path_});
            if (status > 1) return status;
        }
        return 0;
    };
    Child left = Child::run([&] { return swing(one, "3-5"); });
    Child right = Child::run([&] { return swing(two, "2-4"); });
    EXPECT_EQ(left.wait(), 0);
    EXPECT_EQ(right.wait(), 0);
    EXPECT_EQ(wanted(one.pid()) & wanted(two.pid()), 0U);
    EXPECT_EQ(wanted(one.pid()) | wanted(two.pid()), 0xffU);
    EXPECT_EQ(wanted(one.pid()) & 0x03, 0x03U) << "never asked for";
    EXPECT_EQ(wanted(two.pid()) & 0xc0, 0xc0U) << "never asked for";
    const drom_options plain = options_with(0);
    EXPECT_GE(drom_check(table_, &plain, &error_), 0) << error_.text;
}

}  // namespace
