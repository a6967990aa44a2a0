// SPDX-License-Identifier: BSD-3-Clause
// virtual_test.cpp - a table of a node that this machine only plays: masks are handed over as usual, threads stay where
// they are.
#include <string>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;

constexpr uint64_t kFirstPackage = 0xffffff, kSecondPackage = 0xffffff000000;

class Virtual : public WithTable {
protected:
    void SetUp() override { create(48, 16, DROM_VIRTUAL); }

    /// Starts a client of the node's first 24 CPUs that polls until it has the second 24, and ends with the result of
    /// `after`.
    Child client(const std::function<int()>& after) {
        return Child::run([&] {
            setenv("DROM_TABLE", path_.c_str(), 1);
            const drom::CpuSet first = drom::CpuSet::range(0, 24);
            if (drom::client::join({&first, DROM_ENTRY_EXPLICIT, false, "virtual", nullptr, 1, 0, false}, nullptr) !=
                DROM_OK)
                return 1;
            drom::Request wanted{};
            while (!drom::client::newest(wanted) || wanted.mask.words[0] != kSecondPackage) usleep(200);
            while (!drom::client::release(wanted)) usleep(200);  // its own thread may be releasing it
            return after();
        });
    }
    /// Waits until the client has all CPUs that it joins with: a request that comes before adds to its claim.
    void wait_for(pid_t client) {
        uint64_t owned = 0;
        while (drom_get_mask(table_, client, &owned, nullptr, 1, nullptr) != DROM_OK || owned != kFirstPackage)
            usleep(200);
    }
};

TEST_F(Virtual, ARequestForCpusThatThisMachineHasNotIsReleasedAndMovesNoThread) {
    drom::CpuSet mine{};
    ASSERT_TRUE(drom::get_affinity(0, mine));
    Child child = client([&] {
        drom::CpuSet now{};
        return drom::get_affinity(0, now) && now == mine ? 0 : 2;
    });
    wait_for(child.pid());
    drom_options options = options_with(DROM_WAIT_RELEASED);
    options.timeout_ms = 60'000;
    EXPECT_EQ(drom_set_mask(table_, child.pid(), &kSecondPackage, 1, &options, &error_), DROM_OK) << error_.text;
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(Virtual, AnAdministratorConfinesWhoDoesNotAnswerOnPaperOnly) {
    drom::CpuSet mine{};
    ASSERT_TRUE(drom::get_affinity(0, mine));
    Child child = Child::run([] {
        for (;;) pause();
        return 0;
    });
    drom_options options = options_with(0);
    ASSERT_GE(drom_reserve(table_, child.pid(), &kFirstPackage, 1, &options, nullptr, &error_), 0) << error_.text;
    options = options_with(DROM_WAIT_RELEASED);
    options.grace_ms = DROM_GRACE_AT_ONCE;
    options.timeout_ms = 60'000;
    EXPECT_EQ(drom_set_mask(table_, child.pid(), &kSecondPackage, 1, &options, &error_), DROM_OK) << error_.text;
    drom::CpuSet now{};
    ASSERT_TRUE(drom::get_affinity(static_cast<uint32_t>(child.pid()), now));
    EXPECT_EQ(now, mine);
    uint64_t owned = 0;
    EXPECT_EQ(drom_get_mask(table_, child.pid(), &owned, nullptr, 1, &error_), DROM_OK);
    EXPECT_EQ(owned, kSecondPackage);
}

/// A batch system's daemons come and go: the process that made a reservation may be gone when it is called off.
TEST_F(Virtual, AReservationThatNoProcessFollowsCanBeCalledOff) {
    const Child task = Child::sleeper();
    Child launcher = Child::run([&] {
        const drom_options options = options_with(0);
        return drom_reserve(table_, task.pid(), &kFirstPackage, 1, &options, nullptr, nullptr) >= 0 ? pause() : 1;
    });
    wait_for(task.pid());
    const drom_options plain = options_with(0);
    EXPECT_EQ(drom_release(table_, task.pid(), &plain, &error_), DROM_OK) << error_.text;
    EXPECT_EQ(drom_get_mask(table_, task.pid(), nullptr, nullptr, 1, nullptr), DROM_E_NOPROC);
}

/// Slurm's plugins continue to name the task by its pid: a program that it starts through a shell must not become a
/// client in its place.
TEST_F(Virtual, AReservationForOneProcessIsNotTakenOverByWhatItStarts) {
    for (const bool for_it_only : {true, false}) {
        const Child task = Child::sleeper();
        const drom_options options = options_with(0);
        ASSERT_GE(drom_reserve(table_, task.pid(), &kFirstPackage, 1, &options, nullptr, &error_), 0) << error_.text;
        drom_client_info info{};
        info.size = sizeof info;
        std::size_t count = 1;
        ASSERT_EQ(drom_clients(table_, &info, &count, &error_), DROM_OK) << error_.text;
        Child program = Child::run([&] {
            const std::string only = for_it_only ? ":" + std::to_string(task.pid()) : "";
            const std::string slot = std::to_string(info.slot) + ':' + std::to_string(info.generation) + only;
            setenv("DROM_TABLE", path_.c_str(), 1);
            setenv("DROM_SLOT", slot.c_str(), 1);
            return drom::client::join({nullptr, DROM_ENTRY_EXPLICIT, false, "program", nullptr, 1, 0, false},
                                      nullptr) == DROM_OK;
        });
        EXPECT_EQ(program.wait(), for_it_only ? 0 : 1);
        drom_release(table_, task.pid(), &options, nullptr);
    }
}

TEST_F(Virtual, AClientThatRunsIsReleasedOnlyByWhoSaysThatItTakesItsCpus) {
    const Child child = client([] { return 0; });
    wait_for(child.pid());
    drom_client_info info[16];
    info[0].size = sizeof info[0];
    for (std::size_t count = 16; drom_clients(table_, info, &count, nullptr) == DROM_OK; count = 16)
        if (count == 1 && info[0].state == DROM_CLIENT_LIVE) break;
    drom_options options = options_with(0);
    EXPECT_EQ(drom_release(table_, child.pid(), &options, &error_), DROM_E_BUSY);
    EXPECT_NE(std::string(error_.text).find("the process still runs"), std::string::npos) << error_.text;
    EXPECT_EQ(drom_get_mask(table_, child.pid(), nullptr, nullptr, 1, nullptr), DROM_OK);
    options.flags = DROM_TAKE;
    EXPECT_EQ(drom_release(table_, child.pid(), &options, &error_), DROM_OK) << error_.text;
    EXPECT_EQ(drom_get_mask(table_, child.pid(), nullptr, nullptr, 1, nullptr), DROM_E_NOPROC);
}

TEST_F(Virtual, OfThisMachinesOwnCpusThereIsNone) {
    drom_table* table = nullptr;
    drom_options options = options_with(DROM_CREATE | DROM_VIRTUAL);
    EXPECT_EQ(drom_open(&table, (path_ + "2").c_str(), &options, &error_), DROM_E_INVAL);
    EXPECT_NE(access((path_ + "2").c_str(), F_OK), 0);
}

}  // namespace
