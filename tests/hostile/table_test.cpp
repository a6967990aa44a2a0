// SPDX-License-Identifier: BSD-3-Clause
// table_test.cpp - tables that are missing, damaged, foreign, squatted, full or taken away: one status and one sentence
// each.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <fstream>
#include <vector>

#include "base/clock.hpp"
#include "shmem/layout.hpp"
#include "shmem/segment.hpp"
#include "skip.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;
using drom::Header;
using Table = WithTable;

constexpr uid_t kOtherUser = 65534;

/// Tables that are damaged on disk while no process has them open.
struct Damaged : WithTable {
    void SetUp() override {
        WithTable::SetUp();
        drom_close(table_);
        table_ = nullptr;
    }
};

std::vector<char> bytes_of(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::string& path, const std::vector<char>& bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST(NoTable, ObserversAndAdministratorsAreToldAndCreateNothing) {
    const TempDir directory;
    drom_error error{};
    EXPECT_EQ(open_status(directory.table(), 0, error), DROM_E_NOTABLE);
    EXPECT_NE(std::string(error.text).find("there is none"), std::string::npos) << error.text;
    EXPECT_EQ(open_status(directory.table(), DROM_READONLY, error), DROM_E_NOTABLE);
    EXPECT_NE(access(directory.table().c_str(), F_OK), 0) << "an observer created something";
    mkdir(directory.table().c_str(), 0700);
    EXPECT_EQ(open_status(directory.table(), 0, error), DROM_E_NOTABLE);
    EXPECT_NE(std::string(error.text).find("holds no ledger"), std::string::npos) << error.text;
    const std::string long_path(400, 'x');
    EXPECT_EQ(open_status(long_path, 0, error), DROM_E_INVAL);
    EXPECT_EQ(open_status("", 0, error), DROM_E_INVAL);
}

TEST(NoTable, NoneIsMadeAmongOtherFiles) {
    const TempDir directory;
    drom_error error{};
    mkdir(directory.table().c_str(), 0700);
    const std::string precious = directory.table() + "/precious";
    write_bytes(precious, {'d', 'e', 'a', 'r'});
    EXPECT_EQ(open_status(directory.table(), DROM_CREATE, error), DROM_E_INVAL);
    EXPECT_NE(std::string(error.text).find("holds other things (precious)"), std::string::npos) << error.text;
    EXPECT_NE(access((directory.table() + "/ledger").c_str(), F_OK), 0);
    EXPECT_EQ(bytes_of(precious).size(), 4U);
    unlink(precious.c_str());
    // The leavings of a process that died while making a table are no reason to refuse.
    write_bytes(directory.table() + "/ledger.1.new", {'x'});
    EXPECT_EQ(open_status(directory.table(), DROM_CREATE, error), DROM_OK) << error.text;
}

TEST_F(Damaged, EveryByteOfItsHeaderIsChecked) {
    const std::vector<char> good = bytes_of(path_ + "/ledger");
    unsigned refused = 0;
    for (size_t at = 0; at < offsetof(Header, checksum) + 8; ++at) {
        for (const char bit : {char{1}, char{-128}}) {
            std::vector<char> bad = good;
            bad[at] = static_cast<char>(bad[at] ^ bit);
            write_bytes(path_ + "/ledger", bad);
            const int status = open_status(path_, 0, error_);
            EXPECT_TRUE(status == DROM_E_CORRUPT || status == DROM_E_VERSION)
                << "byte " << at << ": " << status << " " << error_.text;
            refused += status < 0 ? 1U : 0U;
        }
    }
    printf("hostile: %u damaged headers refused\n", refused);
    write_bytes(path_ + "/ledger", good);
    EXPECT_EQ(open_status(path_, 0, error_), DROM_OK);
}

TEST_F(Damaged, SizesThatContradictOneAnotherAreRefusedEvenWithARightChecksum) {
    const std::vector<char> good = bytes_of(path_ + "/ledger");
    const auto forged = [&](auto change) {
        std::vector<char> bad = good;
        Header header{};
        std::memcpy(static_cast<void*>(&header), bad.data(), sizeof header);
        change(header);
        header.checksum = drom::header_checksum(header);
        std::memcpy(bad.data(), static_cast<void*>(&header), sizeof header);
        write_bytes(path_ + "/ledger", bad);
        return open_status(path_, 0, error_);
    };
    EXPECT_EQ(forged([](Header& h) { h.cpus = 4096; }), DROM_E_CORRUPT);
    EXPECT_EQ(forged([](Header& h) { h.cpus = 0; }), DROM_E_CORRUPT);
    EXPECT_EQ(forged([](Header& h) { h.cpus = UINT32_MAX; }), DROM_E_CORRUPT);
    EXPECT_EQ(forged([](Header& h) { h.clients = UINT32_MAX; }), DROM_E_CORRUPT);
    EXPECT_EQ(forged([](Header& h) { h.owners_at = UINT64_MAX - 8; }), DROM_E_CORRUPT);
    EXPECT_EQ(forged([](Header& h) { h.requests_at += 8; }), DROM_E_CORRUPT);
    EXPECT_EQ(forged([](Header& h) { h.file_size += 4096; }), DROM_E_CORRUPT);
    EXPECT_EQ(forged([](Header& h) { h.owner_uid += 1; }), DROM_E_PERM);
    EXPECT_EQ(forged([](Header& h) { h.boot_id += 1; }), DROM_E_CORRUPT);
    EXPECT_TRUE(says("earlier boot")) << error_.text;
    EXPECT_EQ(forged([](Header& h) { h.boot_id = 0; }), DROM_E_OS);
    EXPECT_TRUE(says("it was made without /proc")) << error_.text;
    EXPECT_EQ(forged([](Header& h) { h.layout_version += 1; }), DROM_E_VERSION);
    EXPECT_TRUE(says("layout version")) << error_.text;
    EXPECT_EQ(forged([](Header& h) { h.layout_hash += 1; }), DROM_E_VERSION);
    EXPECT_TRUE(says("another version of drom made it, with another layout")) << error_.text;
}

TEST_F(Damaged, OneThatWasCutOrHasGrownIsRefused) {
    const std::string ledger = path_ + "/ledger";
    const std::vector<char> good = bytes_of(ledger);
    for (const size_t size : {size_t{0}, size_t{1}, sizeof(Header) - 1, sizeof(Header), good.size() / 2,
                              good.size() - 1, good.size() + 1}) {
        std::vector<char> bad = good;
        bad.resize(size);
        write_bytes(ledger, bad);
        EXPECT_EQ(open_status(path_, 0, error_), DROM_E_CORRUPT) << size;
    }
    std::vector<char> garbage(good.size());
    for (size_t i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(i * 2654435761U >> 13);
    write_bytes(ledger, garbage);
    EXPECT_EQ(open_status(path_, DROM_CREATE, error_), DROM_E_CORRUPT) << "garbage was replaced silently";
    EXPECT_EQ(bytes_of(ledger), garbage) << "opening repaired or changed it";
}

TEST_F(Damaged, GarbageBehindAGoodHeaderNeitherCrashesNorHangsAReader) {
    const std::vector<char> good = bytes_of(path_ + "/ledger");
    uint64_t random = 88172645463325252ULL;
    unsigned damaged = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<char> bad = good;
        for (int hit = 0; hit < 40; ++hit) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            bad[sizeof(Header) + random % (bad.size() - sizeof(Header)) % 8192] = static_cast<char>(random >> 32);
        }
        write_bytes(path_ + "/ledger", bad);
        drom_table* table = nullptr;
        const drom_options plain = options_with(0);
        if (drom_open(&table, path_.c_str(), &plain, &error_) != DROM_OK) continue;
        std::vector<drom_client_info> list(16);
        list[0].size = sizeof list[0];
        size_t count = list.size();
        drom_clients(table, list.data(), &count, nullptr);
        uint64_t mask = 1;
        drom_table_masks(table, &mask, nullptr, nullptr, 1, nullptr);
        drom_set_mask(table, getpid(), &mask, 1, &plain, nullptr);
        damaged += drom_check(table, &plain, nullptr) == DROM_E_CORRUPT ? 1U : 0U;
        drom_close(table);
    }
    printf("hostile: 200 tables of garbage opened, %u found damaged by drom_check\n", damaged);
    EXPECT_GT(damaged, 20U);
}

TEST_F(Table, WhatIsNoDirectoryOrNoFileIsNotFollowed) {
    const std::string link = directory_.path() + "/link";
    ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
    EXPECT_EQ(open_status(link, 0, error_), DROM_E_CORRUPT) << error_.text;
    EXPECT_EQ(open_status(link, DROM_CREATE, error_), DROM_E_CORRUPT) << error_.text;
    const std::string file = directory_.path() + "/file";
    write_bytes(file, {'x'});
    EXPECT_EQ(open_status(file, DROM_CREATE, error_), DROM_E_CORRUPT) << error_.text;
    const std::string ledger = path_ + "/ledger";
    ASSERT_EQ(rename(ledger.c_str(), file.c_str()), 0);
    ASSERT_EQ(symlink(file.c_str(), ledger.c_str()), 0);
    EXPECT_EQ(open_status(path_, 0, error_), DROM_E_CORRUPT) << error_.text;
    unlink(ledger.c_str());
    ASSERT_EQ(mkfifo(ledger.c_str(), 0600), 0);
    const uint64_t before = drom::now_ns();
    EXPECT_EQ(open_status(path_, 0, error_), DROM_E_CORRUPT) << error_.text;
    EXPECT_LT(drom::now_ns() - before, 60'000'000'000U) << "it waited for the other end of a pipe";
    unlink(ledger.c_str());
    mkdir(ledger.c_str(), 0700);
    EXPECT_LT(open_status(path_, 0, error_), 0);
    EXPECT_LT(open_status(path_, DROM_CREATE, error_), 0);
}

TEST_F(Table, OneThatOthersMayWriteIsRefused) {
    for (const mode_t mode : {mode_t{0777}, mode_t{0770}, mode_t{0702}, mode_t{01777}}) {
        chmod(path_.c_str(), mode);
        EXPECT_EQ(open_status(path_, 0, error_), DROM_E_PERM) << std::oct << mode;
        EXPECT_EQ(open_status(path_, DROM_CREATE, error_), DROM_E_PERM) << std::oct << mode;
    }
    chmod(path_.c_str(), 0700);
    chmod((path_ + "/ledger").c_str(), 0666);
    EXPECT_EQ(open_status(path_, 0, error_), DROM_E_PERM);
}

TEST_F(Table, AnotherUsersIsRefusedAlsoToRoot) {
    if (geteuid() != 0) DROM_SKIP("another user's files need root to make");
    ASSERT_EQ(chown(path_.c_str(), kOtherUser, kOtherUser), 0);
    EXPECT_EQ(open_status(path_, 0, error_), DROM_E_PERM);
    EXPECT_TRUE(says("uid 65534")) << error_.text;
    EXPECT_EQ(open_status(path_, DROM_CREATE, error_), DROM_E_PERM);
    ASSERT_EQ(chown(path_.c_str(), 0, 0), 0);
    ASSERT_EQ(chown((path_ + "/ledger").c_str(), kOtherUser, kOtherUser), 0);
    EXPECT_EQ(open_status(path_, 0, error_), DROM_E_PERM);
}

TEST_F(Table, AUsersTableIsClosedToOthers) {
    if (geteuid() != 0) DROM_SKIP("becoming another user needs root");
    chmod(directory_.path().c_str(), 0755);
    Child other = Child::run([&] {
        if (setresuid(kOtherUser, kOtherUser, kOtherUser) != 0) return 9;
        drom_error error{};
        if (open_status(path_, 0, error) != DROM_E_PERM) return 1;
        return open_status(path_, DROM_READONLY, error) == DROM_E_PERM ? 0 : 2;
    });
    EXPECT_EQ(other.wait(), 0);
}

TEST_F(Table, AFullFileSystemIsSaidAtCreation) {
    if (geteuid() != 0) DROM_SKIP("mounting a small file system needs root");
    Child inside = Child::run([&] {
        const std::string small = directory_.path() + "/small";
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
        if (mkdir(small.c_str(), 0700) != 0 || mount("none", small.c_str(), "tmpfs", 0, "size=16k") != 0) return 77;
        drom_error error{};
        if (open_status(small + "/table", DROM_CREATE, error) != DROM_E_FULL) return 1;
        if (std::string(error.text).find("KiB needed") == std::string::npos) return 2;
        // Nothing half-made is left: another try gets the same answer, an observer finds no table.
        if (open_status(small + "/table", DROM_CREATE, error) != DROM_E_FULL) return 3;
        return open_status(small + "/table", 0, error) == DROM_E_NOTABLE ? 0 : 4;
    });
    const int code = inside.wait();
    if (code == 77) DROM_SKIP("this kernel or container allows no mount namespace");
    EXPECT_EQ(code, 0);
}

TEST_F(Table, RemovedWhileInUseIsSaidAndNoSecondOneIsUsed) {
    const Child client = reserve(0x3);
    ASSERT_EQ(unlink((path_ + "/ledger").c_str()), 0);
    int status = DROM_OK;  // an administrator looks once per tick of the kernel
    for (int looks = 0; looks < 1000 && status >= 0; ++looks) {
        status = set(client.pid(), 0x1);
        usleep(1000);
    }
    EXPECT_EQ(status, DROM_E_NOTABLE);
    EXPECT_TRUE(says("removed while in use")) << error_.text;
    const drom_options plain = options_with(0);
    EXPECT_EQ(drom_check(table_, &plain, &error_), DROM_E_NOTABLE);
    const uint64_t mask = 1;
    EXPECT_EQ(drom_drain(table_, &mask, 1, &plain, &error_), DROM_E_NOTABLE);
    EXPECT_EQ(drom_wait(table_, client.pid(), 0, 10, &error_), DROM_E_NOTABLE);
    EXPECT_EQ(open_status(path_, 0, error_), DROM_E_NOTABLE);
}

TEST(Creation, ManyAtOnceMakeOneTable) {
    const TempDir directory;
    std::vector<Child> makers;
    for (int i = 0; i < 24; ++i)
        makers.push_back(Child::run([&] {
            drom_error error{};
            drom_options options = options_with(DROM_CREATE);
            options.cpus = 8;
            drom_table* table = nullptr;
            if (drom_open(&table, directory.table().c_str(), &options, &error) != DROM_OK) return 1;
            const uint64_t mask = 1;
            drom_options plain = options_with(0);
            const int status = drom_reserve(table, getpid(), &mask, 1, &plain, nullptr, &error);
            // One of them gets the CPU; all of them see that.
            return status >= 0 || status == DROM_E_BUSY ? 0 : 2;
        }));
    for (Child& maker : makers) EXPECT_EQ(maker.wait(), 0);
    size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(directory.table()))
        files += entry.path().filename().string().find(".new") != std::string::npos ? 1U : 0U;
    EXPECT_EQ(files, 0U) << "temporary ledgers were left behind";
}

TEST(Creation, MoreThanTheLargestNodeIsRefused) {
    const TempDir directory;
    drom_options options = options_with(DROM_CREATE);
    drom_table* table = nullptr;
    drom_error error{};
    options.cpus = 4097;
    EXPECT_EQ(drom_open(&table, directory.table().c_str(), &options, &error), DROM_E_INVAL);
    options.cpus = 8;
    options.clients = 1025;
    EXPECT_EQ(drom_open(&table, directory.table().c_str(), &options, &error), DROM_E_INVAL);
    EXPECT_EQ(table, nullptr);
    EXPECT_EQ(drom_open(nullptr, directory.table().c_str(), &options, &error), DROM_E_INVAL);
}

}  // namespace
