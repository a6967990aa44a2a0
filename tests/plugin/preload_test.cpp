// SPDX-License-Identifier: BSD-3-Clause
// preload_test.cpp - LD_PRELOAD of a task: the user's part survives, and drom's part is there once.
#include "spank/preload.hpp"

#include <algorithm>

#include "property.hpp"

namespace {

using namespace drom::slurm;
using drom::test::holds;

const std::string kAgent = "/opt/drom/lib/libdrom-agent.so";
const std::string kDrom = "/opt/drom/lib/libdrom.so.0";
const std::string kMpi = "/opt/drom/lib/libdrom-mpi.so";

TEST(Preload, OursComesBehindTheUsers) {
    EXPECT_EQ(with_libraries("", {kMpi, kAgent}), kMpi + ":" + kAgent);
    EXPECT_EQ(with_libraries("/a.so:/b.so", {kAgent}), "/a.so:/b.so:" + kAgent);
    EXPECT_EQ(with_libraries("/a.so  /b.so", {kAgent}), "/a.so:/b.so:" + kAgent);
}

TEST(Preload, NothingIsNamedTwice) {
    EXPECT_EQ(with_libraries(kAgent, {kAgent}), kAgent);
    EXPECT_EQ(with_libraries("/other/libdrom-agent.so.0", {kAgent}), "/other/libdrom-agent.so.0");
    EXPECT_EQ(with_libraries(kAgent, {kMpi, kAgent}), kAgent + ":" + kMpi);
    EXPECT_EQ(with_libraries("/a/libdromedary.so", {kAgent}), "/a/libdromedary.so:" + kAgent);
}

TEST(Preload, OnlyOursIsTakenOut) {
    EXPECT_EQ(without_libraries("/a.so:" + kMpi + ":" + kAgent, "/opt/drom/lib"), "/a.so");
    EXPECT_EQ(without_libraries(kAgent + ":" + kDrom, "/opt/drom/lib"), "");
    EXPECT_EQ(without_libraries("/mine/libdrom-agent.so", "/opt/drom/lib"), "/mine/libdrom-agent.so");
    EXPECT_EQ(without_libraries("/opt/drom/lib/libdlb.so", "/opt/drom/lib"), "/opt/drom/lib/libdlb.so");
}

TEST(Preload, AddedTwiceIsAddedOnceAndTakenOutIsAsBefore) {
    EXPECT_TRUE(holds("with is idempotent, without undoes it", [] {
        auto users = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 50));
        std::string present;
        for (const int user : users) present += (present.empty() ? "/u" : ":/u") + std::to_string(user) + ".so";
        const std::string once = with_libraries(present, {kMpi, kAgent, kDrom});
        RC_ASSERT(with_libraries(once, {kMpi, kAgent, kDrom}) == once);
        RC_ASSERT(once.starts_with(present));
        RC_ASSERT(without_libraries(once, "/opt/drom/lib") == present);
    }));
}

TEST(Preload, BlanksAndColonsCannotBeNamed) {
    EXPECT_TRUE(can_be_preloaded("/opt/drom/lib"));
    EXPECT_FALSE(can_be_preloaded(""));
    EXPECT_FALSE(can_be_preloaded("/opt/my drom"));
    EXPECT_FALSE(can_be_preloaded("/opt/a:b"));
}

}  // namespace
