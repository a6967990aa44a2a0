// SPDX-License-Identifier: BSD-3-Clause
// mpi_call_test.cpp - whether a thread is still in the call it entered, from what its stack looked like at several
// moments.
#include "program/mpi_call.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>
#include <vector>

namespace {

using namespace drom::command;

const std::vector<Code> kCodes = {
    {0x1000, 0x2000, "/bin/rank"}, {0x7000, 0x8000, "/lib/libmpi.so"}, {0x9000, 0xa000, "/lib/libfabric.so"}};
constexpr uint64_t kCaller = 0x1010;

bool inside(const std::vector<StackWords>& looks, uint64_t caller = kCaller) {
    return runs_inside(looks, kCodes, caller);
}

TEST(MpiCall, ReturnAddressesOfALibraryThatComeAndGoAreItsOwnCode) {
    EXPECT_TRUE(inside({{0x7001, 5, kCaller}, {0x9001, 5, kCaller}}));
    EXPECT_TRUE(inside({{0, 0, kCaller}, {0, 0, kCaller}, {0, 0x7fff, kCaller}}));
}

TEST(MpiCall, WhereTheCallersCodeRunsTheCallIsOver) {
    EXPECT_FALSE(inside({{0x7001, 5, kCaller}, {0x1020, 5, kCaller}}));
    EXPECT_FALSE(inside({{0x7001, 5, kCaller}, {0x9001, 5, kCaller}, {0x1fff, 5, kCaller}}));
}

TEST(MpiCall, AStackThatStaysAsItIsSaysNothing) {
    EXPECT_FALSE(inside({}));
    EXPECT_FALSE(inside({{0x7001, 0x1020, kCaller}}));
    EXPECT_FALSE(inside({{0x7001, 0x1020, kCaller}, {0x7001, 0x1020, kCaller}}));
    EXPECT_FALSE(inside({{0x7001, 4, kCaller}, {0x7001, 5, kCaller}}));  // a number that changes is no code
}

TEST(MpiCall, ACallerThatIsInNoFileSaysNothing) { EXPECT_FALSE(inside({{0x7001, 5}, {0x9001, 5}}, 0x5000)); }

TEST(MpiCall, AFileMayHaveBlanksInItsName) {
    std::istringstream maps(
        "1000-2000 r-xp 00000000 08:01 41                         /opt/my codes/a rank\n"
        "2000-3000 rw-p 00000000 08:01 42                         /opt/my codes/libdrom-mpi.so.0\n"
        "3000-4000 rw-p 00000000 00:00 0 \n"
        "5000-6000 rw-p 00000000 00:00 0                          [heap]\n");
    const Mappings found = mappings_in(maps);
    ASSERT_EQ(found.codes.size(), 1U);
    EXPECT_EQ(found.codes[0].file, "/opt/my codes/a rank");
    ASSERT_EQ(found.writable.size(), 2U);
    EXPECT_EQ(found.writable[1].begin, 0x3000U);
}

TEST(MpiCall, AProcessWithoutTheLibraryIsInNone) {
    EXPECT_EQ(MpiCallWatch(getpid()).conclude().procedure, "");
    EXPECT_EQ(MpiCallWatch(0x3fffffff).conclude().procedure, "");
}

}  // namespace
