// SPDX-License-Identifier: BSD-3-Clause
// logout_test.cpp - when a user is told that a logout may remove the table.
#include "table/logout.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "temp_dir.hpp"

namespace {

using drom::command::removal_at_logout;
using drom::test::TempDir;

/// The root of a machine with systemd-logind.
class Logout : public testing::Test {
protected:
    Logout() { std::filesystem::create_directories(root_.path() + "/run/systemd/users"); }

    std::string told(uid_t uid, const std::string& table) { return removal_at_logout(table, uid, "ann", root_.path()); }

    TempDir root_;
};

TEST_F(Logout, APersonWhoseTableIsInSharedMemoryIsTold) {
    EXPECT_NE(told(1000, "").find("may remove the table"), std::string::npos);
    EXPECT_NE(told(1000, "/run/user/1000/drom"), "");
    EXPECT_NE(told(1000, "/dev/shm/mine").find("enable-linger"), std::string::npos);
}

TEST_F(Logout, ATableElsewhereStays) { EXPECT_EQ(told(1000, "/srv/ann/drom"), ""); }

TEST_F(Logout, ASystemUsersTableStays) { EXPECT_EQ(told(999, ""), ""); }

TEST_F(Logout, AUserWhoLingersKeepsTheTable) {
    std::filesystem::create_directories(root_.path() + "/var/lib/systemd/linger");
    std::ofstream(root_.path() + "/var/lib/systemd/linger/ann") << "";
    EXPECT_EQ(told(1000, ""), "");
}

TEST_F(Logout, WithoutLogindNothingIsRemoved) {
    std::filesystem::remove_all(root_.path() + "/run");
    EXPECT_EQ(told(1000, ""), "");
}

}  // namespace
