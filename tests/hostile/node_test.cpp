// SPDX-License-Identifier: BSD-3-Clause
// node_test.cpp - root's table of the whole node: who may read, who may write, and what a job's owner can do to its page.
#include <fcntl.h>
#include <sys/stat.h>
#include <cerrno>
#include <fstream>

#include "clock.hpp"
#include "identity.hpp"
#include "shmem/registry.hpp"
#include "shmem/segment.hpp"
#include "skip.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;

constexpr uid_t kNobody = 65534;

class Node : public WithTable {
protected:
    void SetUp() override {
        if (geteuid() != 0) DROM_SKIP("a node's table is made by root");
        chmod(directory_.path().c_str(), mode_);
        create(8, 16, DROM_NODE);
        job_ = sleeper_of_nobody();
        const uint64_t mask = 0x3;
        const drom_options plain = options_with(0);
        ASSERT_GE(drom_reserve(table_, job_.pid(), &mask, 1, &plain, nullptr, &error_), 0) << error_.text;
        page_ = path_ + "/client.0.1";
        ASSERT_EQ(access(page_.c_str(), F_OK), 0);
    }
    static Child sleeper_of_nobody() {
        Child child = Child::run([] {
            if (setresuid(kNobody, kNobody, kNobody) != 0) return 1;
            for (;;) pause();
            return 0;
        });
        while (drom::uid_of(child.upid()) != kNobody) usleep(1000);
        return child;
    }
    /// Runs as the job's user.
    int as_user(const std::function<int()>& body) {
        Child user = Child::run([&] { return setresuid(kNobody, kNobody, kNobody) != 0 ? 99 : body(); });
        return user.wait();
    }
    mode_t mode_ = 0755;
    Child job_;
    std::string page_;
};

TEST_F(Node, TheDirectoryIsRootsAndTheLedgerReadable) {
    struct stat info{};
    ASSERT_EQ(stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0711U);
    EXPECT_EQ(info.st_uid, 0U);
    ASSERT_EQ(stat((path_ + "/ledger").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0644U);
    ASSERT_EQ(stat(page_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0600U);
    EXPECT_EQ(info.st_uid, kNobody) << "the job's page is not the job's";
}

TEST_F(Node, AUserCanLookAndNotWrite) {
    EXPECT_EQ(as_user([&] {
                  drom_error error{};
                  if (open_status(path_, DROM_READONLY, error) != DROM_OK) return 1;
                  if (open_status(path_, 0, error) != DROM_E_PERM) return 2;
                  if (open((path_ + "/ledger").c_str(), O_RDWR) >= 0) return 3;
                  if (open((path_ + "/mine").c_str(), O_WRONLY | O_CREAT, 0600) >= 0) return 4;
                  if (unlink((path_ + "/ledger").c_str()) == 0 || unlink(page_.c_str()) == 0) return 5;
                  if (rename(page_.c_str(), (path_ + "/client.1.1").c_str()) == 0) return 6;
                  return 0;
              }),
              0);
}

TEST_F(Node, APageThatItsOwnerTruncatesDoesNotHurtRoot) {
    for (const off_t size : {off_t{0}, off_t{100}, off_t{1} << 20}) {
        ASSERT_EQ(as_user([&] { return truncate(page_.c_str(), size); }), 0);
        std::vector<drom_client_info> list(16);
        list[0].size = sizeof list[0];
        size_t count = list.size();
        EXPECT_EQ(drom_clients(table_, list.data(), &count, &error_), DROM_OK);
        EXPECT_EQ(count, 1U);
        drom_options options = options_with(DROM_WAIT_RELEASED);
        options.grace_ms = DROM_GRACE_AT_ONCE;
        options.timeout_ms = 2000;
        const uint64_t mask = size == 100 ? 0x3 : 0x1;
        EXPECT_GE(drom_set_mask(table_, job_.pid(), &mask, 1, &options, &error_), 0) << error_.text;
        const drom_options plain = options_with(0);
        EXPECT_GE(drom_check(table_, &plain, &error_), 0) << error_.text;
    }
}

TEST_F(Node, ATruncatedPageDoesNotMakeRootSpin) {
    std::vector<drom_client_info> list(16);
    list[0].size = sizeof list[0];
    size_t count = list.size();
    ASSERT_EQ(drom_clients(table_, list.data(), &count, &error_), DROM_OK);  // the page is mapped from here on
    ASSERT_EQ(as_user([&] { return truncate(page_.c_str(), 0); }), 0);
    drom_options options = options_with(DROM_WAIT_RELEASED | DROM_NEVER_CONFINE);
    options.timeout_ms = 500;
    const uint64_t mask = 0x1;
    timespec before{};
    timespec after{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    EXPECT_EQ(drom_set_mask(table_, job_.pid(), &mask, 1, &options, &error_), DROM_PENDING);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    const double used =
        static_cast<double>(after.tv_sec - before.tv_sec) + static_cast<double>(after.tv_nsec - before.tv_nsec) / 1e9;
    EXPECT_LT(used, 0.1) << "it waited on a word that is gone";
}

/// The job cuts each page of slot 1 as soon as the file is its own. It knows name and moment from the ledger.
int cut_pages_of_slot_1(const std::string& table) {
    drom::Ledger ledger;
    if (drom::open_ledger(table.c_str(), true, ledger, nullptr) != DROM_OK) return 1;
    for (;;) {
        const uint32_t generation = drom::state_of(ledger.slot(1)).generation;
        const int file = open((table + "/client.1." + std::to_string(generation)).c_str(), O_RDWR | O_CLOEXEC);
        if (file >= 0 && ftruncate(file, 0) != 0) return 2;
        if (file >= 0) close(file);
    }
}

TEST_F(Node, AJobThatCutsItsPageAtOnceDoesNotKillRootWhoReserves) {
    const Child attacker =
        Child::run([&] { return setresuid(kNobody, kNobody, kNobody) != 0 ? 99 : cut_pages_of_slot_1(path_); });
    const Child other = sleeper_of_nobody();
    Child root = Child::run([&] {
        const uint64_t mask = 0xc;
        const drom_options plain = options_with(0);
        for (int round = 0; round < 3000; ++round) {
            if (drom_reserve(table_, other.pid(), &mask, 1, &plain, nullptr, &error_) < 0) return 1;
            if (drom_release(table_, other.pid(), &plain, &error_) < 0) return 2;
        }
        return 0;
    });
    EXPECT_EQ(root.wait(), 0) << "128 + the signal that killed root's process";
}

TEST_F(Node, LiesInAPageAreBounded) {
    ASSERT_EQ(as_user([&] {
                  const int fd = open(page_.c_str(), O_RDWR);
                  std::string lies(4096, '\xff');
                  return fd >= 0 && pwrite(fd, lies.data(), lies.size(), 0) == 4096 ? 0 : 1;
              }),
              0);
    std::vector<drom_client_info> list(16);
    list[0].size = sizeof list[0];
    size_t count = list.size();
    ASSERT_EQ(drom_clients(table_, list.data(), &count, &error_), DROM_OK);
    EXPECT_LE(list[0].released_seq, list[0].request_seq);
    EXPECT_LE(list[0].resized_seq, list[0].request_seq);
    EXPECT_EQ(list[0].why[sizeof list[0].why - 1], '\0');
    for (const char c : std::string(list[0].why))
        EXPECT_TRUE(c < 0 || c >= ' ') << "control characters reach a terminal";
    const uint64_t mask = 0x1;
    EXPECT_GE(set(job_.pid(), mask), 0);
    uint64_t owned = 0;
    ASSERT_EQ(drom_get_mask(table_, job_.pid(), &owned, nullptr, 1, &error_), DROM_OK);
    EXPECT_EQ(owned, 0x3U) << "a lie released a CPU";
}

/// fs.protected_regular=2: in a directory that is sticky and anybody's, as /dev/shm is, not even root opens another user's file with O_CREAT.
class Sticky : public Node {
protected:
    Sticky() { mode_ = 01777; }
    void SetUp() override {
        before_ = setting();
        if (before_ != '2' && !set_to('2')) DROM_SKIP("fs.protected_regular can be set by the machine's root only");
        Node::SetUp();
    }
    void TearDown() override {
        Node::TearDown();
        if (before_ != '2') set_to(before_);
    }
    static constexpr char kSetting[] = "/proc/sys/fs/protected_regular";
    static char setting() {
        std::ifstream file(kSetting);
        return static_cast<char>(file.get());
    }
    static bool set_to(char value) {
        std::ofstream file(kSetting);
        return !(file << value << std::flush).fail();
    }
    char before_ = '\0';
};

TEST_F(Sticky, RootWorksWhereOtherUsersFilesAreProtected) {
    EXPECT_GE(set(job_.pid(), 0x1), 0) << error_.text;
    EXPECT_EQ(wanted(job_.pid()), 0x1U);
    EXPECT_EQ(open_status(path_, 0, error_), DROM_OK) << error_.text;
    EXPECT_EQ(as_user([&] {
                  drom_error error{};
                  return open_status(path_, DROM_READONLY, error) == DROM_OK ? 0 : 1;
              }),
              0);
    const drom_options plain = options_with(0);
    EXPECT_GE(drom_release(table_, job_.pid(), &plain, &error_), 0) << error_.text;
}

TEST_F(Sticky, WhatAUserPutsThereFirstIsRefusedAndLeftAsItIs) {
    const std::string squatted = directory_.path() + "/squatted";
    ASSERT_EQ(as_user([&] {
                  const int file = open(squatted.c_str(), O_WRONLY | O_CREAT, 0600);
                  const bool written = write(file, "mine", 4) == 4;
                  const std::string empty = squatted + ".d";
                  return written && mkdir(empty.c_str(), 0700) == 0 ? 0 : 1;
              }),
              0);
    EXPECT_EQ(open(squatted.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), -1) << "nothing is protected here";
    for (const std::string& where : {squatted, squatted + ".d"}) {
        EXPECT_LT(open_status(where, DROM_CREATE | DROM_NODE, error_), 0) << where;
        EXPECT_NE(error_.text[0], '\0');
    }
    struct stat info{};
    ASSERT_EQ(stat(squatted.c_str(), &info), 0);
    EXPECT_EQ(info.st_size, 4);
    EXPECT_EQ(info.st_uid, kNobody);
    EXPECT_NE(access((squatted + ".d/ledger").c_str(), F_OK), 0);
}

TEST_F(Node, AUserTableDoesNotServeOtherUsers) {
    drom_close(table_);
    table_ = nullptr;
    path_ = directory_.path() + "/mine";
    create(8, 16, 0);
    const uint64_t mask = 0x4;
    const drom_options plain = options_with(0);
    EXPECT_EQ(drom_reserve(table_, job_.pid(), &mask, 1, &plain, nullptr, &error_), DROM_E_PERM);
    EXPECT_TRUE(says("uid 65534")) << error_.text;
}

}  // namespace
