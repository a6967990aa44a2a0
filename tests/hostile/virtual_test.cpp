// SPDX-License-Identifier: BSD-3-Clause
// virtual_test.cpp - a table of a node that this machine only plays: masks are handed over as anywhere, threads stay where they are.
#include "clock.hpp"
#include "confine.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;

constexpr uint64_t kFirstPackage = 0xffffff, kSecondPackage = 0xffffff000000;

class Virtual : public WithTable {
protected:
    void SetUp() override { create(48, 16, DROM_VIRTUAL); }

    /// A client of the node's first 24 CPUs that polls until it has the second 24, and ends with what `after` finds then.
    Child client(const std::function<int()>& after) {
        return Child::run([&] {
            setenv("DROM_TABLE", path_.c_str(), 1);
            const drom::CpuSet first = drom::CpuSet::range(0, 24);
            if (drom::client::join({&first, DROM_DOOR_EXPLICIT, false, "virtual", nullptr, 1, 0, false}, nullptr) !=
                DROM_OK)
                return 1;
            drom::client::Wanted wanted{};
            while (!drom::client::newest(wanted) || wanted.mask.words[0] != kSecondPackage) usleep(200);
            return drom::client::release(wanted) ? after() : 3;
        });
    }
    void wait_for(pid_t client) {
        while (drom_get_mask(table_, client, nullptr, nullptr, 1, nullptr) != DROM_OK) usleep(200);
    }
};

TEST_F(Virtual, ARequestForCpusThatThisMachineHasNotIsReleasedAndMovesNobody) {
    drom::CpuSet mine{};
    ASSERT_TRUE(drom::get_affinity(0, mine));
    Child child = client([&] {
        drom::CpuSet now{};
        return drom::get_affinity(0, now) && now == mine ? 0 : 2;
    });
    wait_for(child.pid());
    drom_options options = options_with(DROM_WAIT_RELEASED);
    options.timeout_ms = 20000;
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
    options.timeout_ms = 20000;
    EXPECT_EQ(drom_set_mask(table_, child.pid(), &kSecondPackage, 1, &options, &error_), DROM_OK) << error_.text;
    drom::CpuSet now{};
    ASSERT_TRUE(drom::get_affinity(static_cast<uint32_t>(child.pid()), now));
    EXPECT_EQ(now, mine);
    uint64_t owned = 0;
    EXPECT_EQ(drom_get_mask(table_, child.pid(), &owned, nullptr, 1, &error_), DROM_OK);
    EXPECT_EQ(owned, kSecondPackage);
}

TEST_F(Virtual, OfThisMachinesOwnCpusThereIsNone) {
    drom_table* table = nullptr;
    drom_options options = options_with(DROM_CREATE | DROM_VIRTUAL);
    EXPECT_EQ(drom_open(&table, (path_ + "2").c_str(), &options, &error_), DROM_E_INVAL);
    EXPECT_NE(access((path_ + "2").c_str(), F_OK), 0);
}

}  // namespace
