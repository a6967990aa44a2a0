// SPDX-License-Identifier: BSD-3-Clause
// node_test.cpp - root's table of the whole node: which users may read, which may write, and the harm that a job's
// owner can do by its page.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "base/process_identity.hpp"
#include "shmem/segment.hpp"
#include "shmem/slots.hpp"
#include "skip.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;

constexpr uid_t kOtherUser = 65534;

class Node : public WithTable {
protected:
    void SetUp() override {
        if (geteuid() != 0) DROM_SKIP("a node's table is made by root");
        chmod(directory_.path().c_str(), mode_);
        create(8, 16, DROM_NODE);
        job_ = sleeper_of_other_user();
        const uint64_t mask = 0x3;
        const drom_options plain = options_with(0);
        ASSERT_GE(drom_reserve(table_, job_.pid(), &mask, 1, &plain, nullptr, &error_), 0) << error_.text;
        ASSERT_EQ(drom::open_ledger(path_.c_str(), true, ledger_, &error_), DROM_OK) << error_.text;
        ASSERT_NE(segment_of(ledger_, 0), -1) << "the job has no page";
    }
    void TearDown() override {
        drom::close_ledger(ledger_);
        WithTable::TearDown();
    }
    /// Returns the number of the shared memory that is the page of the client in `slot`; every user can find it out.
    static int segment_of(const drom::Ledger& ledger, uint32_t slot) {
        return shmget(static_cast<key_t>(ledger.slot(slot).page_key.load()), 0, 0);
    }
    /// Attaches the page as the job does; nullptr when that is not allowed.
    static drom::Page* attach(int segment) {
        void* page = shmat(segment, nullptr, 0);
        return page == reinterpret_cast<void*>(-1) ? nullptr : static_cast<drom::Page*>(page);
    }
    /// Returns the only client, as root sees it; root's calls must end as they do with an honest client.
    drom_client_info seen_by_root() {
        std::vector<drom_client_info> list(16);
        list[0].size = sizeof list[0];
        size_t count = list.size();
        EXPECT_EQ(drom_clients(table_, list.data(), &count, &error_), DROM_OK) << error_.text;
        EXPECT_EQ(count, 1U);
        return list[0];
    }
    void root_goes_on(uint64_t mask) {
        seen_by_root();
        drom_options options = options_with(DROM_WAIT_RELEASED);
        options.grace_ms = DROM_GRACE_AT_ONCE;
        options.timeout_ms = 60'000;
        EXPECT_GE(drom_set_mask(table_, job_.pid(), &mask, 1, &options, &error_), 0) << error_.text;
        const drom_options plain = options_with(0);
        EXPECT_GE(drom_check(table_, &plain, &error_), 0) << error_.text;
    }
    static Child sleeper_of_other_user() {
        Child child = Child::run([] {
            if (setresuid(kOtherUser, kOtherUser, kOtherUser) != 0) return 1;
            for (;;) pause();
            return 0;
        });
        while (drom::uid_of(child.upid()) != kOtherUser) usleep(1000);
        return child;
    }
    /// Runs as the job's user.
    int as_user(const std::function<int()>& body) {
        Child user = Child::run([&] { return setresuid(kOtherUser, kOtherUser, kOtherUser) != 0 ? 99 : body(); });
        return user.wait();
    }
    mode_t mode_ = 0755;
    Child job_;
    drom::Ledger ledger_;
};

TEST_F(Node, TheDirectoryIsRootsAndTheLedgerReadable) {
    struct stat info{};
    ASSERT_EQ(stat(path_.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0711U);
    EXPECT_EQ(info.st_uid, 0U);
    ASSERT_EQ(stat((path_ + "/ledger").c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 07777, 0644U);
    shmid_ds page{};
    ASSERT_EQ(shmctl(segment_of(ledger_, 0), IPC_STAT, &page), 0);
    EXPECT_EQ(page.shm_perm.mode & 0777, 0600);
    EXPECT_EQ(page.shm_perm.uid, kOtherUser) << "the job's page is not the job's";
    for (const auto& entry : std::filesystem::directory_iterator(path_))
        EXPECT_EQ(entry.path().filename(), "ledger") << "a job may have a file here that it can cut, or let grow";
}

TEST_F(Node, AUserCanLookAndNotWrite) {
    EXPECT_EQ(as_user([&] {
                  drom_error error{};
                  if (open_status(path_, DROM_READONLY, error) != DROM_OK) return 1;
                  if (open_status(path_, 0, error) != DROM_E_PERM) return 2;
                  if (open((path_ + "/ledger").c_str(), O_RDWR) >= 0) return 3;
                  if (open((path_ + "/mine").c_str(), O_WRONLY | O_CREAT, 0600) >= 0) return 4;
                  if (unlink((path_ + "/ledger").c_str()) == 0) return 5;
                  return 0;
              }),
              0);
}

/// Maps more than the page has and writes there: SIGBUS for the process that does.
TEST_F(Node, APageDoesNotGrow) {
    EXPECT_EQ(as_user([&] {
                  drom::Page* page = attach(segment_of(ledger_, 0));
                  if (page == nullptr) return 1;
                  void* more = mremap(static_cast<void*>(page), drom::kPageSize, 2 * drom::kPageSize, MREMAP_MAYMOVE);
                  if (more == MAP_FAILED) return 128 + SIGBUS;
                  signal(SIGBUS, SIG_DFL);
                  static_cast<volatile char*>(more)[drom::kPageSize] = 1;
                  return 0;
              }),
              128 + SIGBUS);
    root_goes_on(0x1);
}

TEST_F(Node, APageThatItsJobRemovesDoesNotHurtRoot) {
    seen_by_root();  // it is mapped from here on
    ASSERT_EQ(as_user([&] { return shmctl(segment_of(ledger_, 0), IPC_RMID, nullptr); }), 0);
    root_goes_on(0x1);
    drom_close(table_);  // no process has it mapped any more
    ASSERT_EQ(open_status(path_, 0, error_), DROM_OK);
    const drom_options plain = options_with(0);
    ASSERT_EQ(drom_open(&table_, path_.c_str(), &plain, &error_), DROM_OK) << error_.text;
    root_goes_on(0x3);
}

/// Root does not read other memory that a job puts in place of its page: huge pages, of which none are left, would kill
/// root's process.
TEST_F(Node, APageOfTheJobsOwnMakingIsNotRootsToRead) {
    ASSERT_EQ(as_user([&] {
                  const auto key = static_cast<key_t>(ledger_.slot(0).page_key.load());
                  if (shmctl(shmget(key, 0, 0), IPC_RMID, nullptr) != 0) return 1;
                  drom::Page* forged = attach(shmget(key, drom::kPageSize, IPC_CREAT | IPC_EXCL | 0666));
                  if (forged == nullptr) return 2;
                  forged->joined.store(1);
                  return 0;
              }),
              0);
    EXPECT_EQ(seen_by_root().state, static_cast<uint32_t>(DROM_CLIENT_RESERVED)) << "the forged page was believed";
    root_goes_on(0x1);
    EXPECT_EQ(as_user([&] { return shmctl(segment_of(ledger_, 0), IPC_RMID, nullptr); }), 0);
}

TEST_F(Node, ARemovedPageDoesNotMakeRootSpin) {
    seen_by_root();
    ASSERT_EQ(as_user([&] { return shmctl(segment_of(ledger_, 0), IPC_RMID, nullptr); }), 0);
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

TEST_F(Node, PagesGoWithTheirClients) {
    const int page = segment_of(ledger_, 0);
    const drom_options plain = options_with(0);
    ASSERT_GE(drom_release(table_, job_.pid(), &plain, &error_), 0) << error_.text;
    drom_close(table_);  // the last process that has it mapped
    table_ = nullptr;
    shmid_ds info{};
    EXPECT_NE(shmctl(page, IPC_STAT, &info), 0) << "the page of a former client is left";
}

TEST_F(Node, WithoutASegmentLeftAJobIsReservedForAndConfined) {
    const Child other = sleeper_of_other_user();
    const drom_options plain = options_with(0);
    ASSERT_GE(drom_release(table_, job_.pid(), &plain, &error_), 0) << error_.text;
    Child inside = Child::run([&] {
        if (unshare(CLONE_NEWIPC) != 0) return 77;
        std::ofstream limit("/proc/sys/kernel/shmmni");
        if (!(limit << '0' << std::flush)) return 77;
        const uint64_t two = 0x3;
        if (drom_reserve(table_, other.pid(), &two, 1, &plain, nullptr, &error_) < 0) return 1;
        drom_options wait = options_with(DROM_WAIT_RELEASED);
        wait.timeout_ms = 60'000;
        const uint64_t one = 0x1;
        return drom_set_mask(table_, other.pid(), &one, 1, &wait, &error_) == DROM_OK ? 0 : 2;
    });
    const int code = inside.wait();
    if (code == 77) DROM_SKIP("this kernel or container allows no IPC namespace of one's own");
    EXPECT_EQ(code, 0);
}

/// Returns the number of segments in this IPC namespace.
int segments() {
    shm_info all{};
    shmctl(0, SHM_INFO, reinterpret_cast<shmid_ds*>(&all));
    return all.used_ids;
}

/// Makes a table at `path` with a reservation for each process of `jobs`, then removes it beneath them. Returns 0 when
/// done.
int reserve_and_remove(const std::string& path, const std::vector<pid_t>& jobs) {
    drom_options options = options_with(DROM_CREATE | DROM_NODE);
    options.cpus = 8;
    drom_table* table = nullptr;
    if (drom_open(&table, path.c_str(), &options, nullptr) != DROM_OK) return 1;
    const drom_options plain = options_with(0);
    uint64_t mask = 1;
    for (const pid_t job : jobs) {
        if (drom_reserve(table, job, &mask, 1, &plain, nullptr, nullptr) < 0) return 2;
        mask <<= 1;
    }
    drom_close(table);
    std::filesystem::remove_all(path);
    return 0;
}

TEST_F(Node, PagesOfARemovedTableGoOnceTheirJobsHaveEnded) {
    Child inside = Child::run([&] {
        if (unshare(CLONE_NEWIPC) != 0) return 77;
        const Child lives = sleeper_of_other_user();
        Child ended = sleeper_of_other_user();
        const std::string first = directory_.path() + "/first";
        Child launcher = Child::run([&] { return reserve_and_remove(first, {lives.pid(), ended.pid()}); });
        if (launcher.wait() != 0 || segments() != 2) return 1;
        drom_options options = options_with(DROM_CREATE | DROM_NODE);
        options.cpus = 8;
        drom_table* table = nullptr;
        const auto make = [&](const char* name) {
            return drom_open(&table, (directory_.path() + name).c_str(), &options, nullptr) == DROM_OK;
        };
        if (!make("/second") || segments() != 2) return 2;  // both jobs run
        ended.stop();
        return make("/third") && segments() == 1 ? 0 : 3;
    });
    const int code = inside.wait();
    if (code == 77) DROM_SKIP("this kernel or container allows no IPC namespace of one's own");
    EXPECT_EQ(code, 0);
}

TEST_F(Node, PagesThatAreLeftDoNotUseUpWhatTheKernelHas) {
    Child inside = Child::run([&] {
        if (unshare(CLONE_NEWIPC) != 0) return 77;
        std::ofstream limit("/proc/sys/kernel/shmmni");
        if (!(limit << '1' << std::flush)) return 77;
        Child ended = sleeper_of_other_user();
        Child launcher = Child::run([&] { return reserve_and_remove(directory_.path() + "/old", {ended.pid()}); });
        if (launcher.wait() != 0 || segments() != 1) return 1;
        ended.stop();
        const Child next = sleeper_of_other_user();
        const uint64_t mask = 0x4;
        const drom_options plain = options_with(0);
        if (drom_reserve(table_, next.pid(), &mask, 1, &plain, nullptr, nullptr) < 0) return 2;
        return segment_of(ledger_, 1) != -1 ? 0 : 3;
    });
    const int code = inside.wait();
    if (code == 77) DROM_SKIP("this kernel or container allows no IPC namespace of one's own");
    EXPECT_EQ(code, 0);
}

/// A segment of root's that is no page stays, and so does a page that a process has attached.
TEST_F(Node, OnlyPagesThatAreLeftAreRemoved) {
    Child inside = Child::run([&] {
        if (unshare(CLONE_NEWIPC) != 0) return 77;
        const int other = shmget(0x1234001, drom::kPageSize, IPC_CREAT | IPC_EXCL | 0600);
        Child ended = sleeper_of_other_user();
        Child launcher = Child::run([&] { return reserve_and_remove(directory_.path() + "/old", {ended.pid()}); });
        if (other == -1 || launcher.wait() != 0) return 1;
        shmid_ds info{};
        int page = -1;
        for (int index = 0; index < 2; ++index)
            if (const int id = shmctl(index, SHM_STAT, &info); id != other) page = id;
        if (attach(page) == nullptr) return 2;
        ended.stop();
        Child maker = Child::run([&] { return reserve_and_remove(directory_.path() + "/next", {}); });
        return maker.wait() == 0 && segments() == 2 ? 0 : 3;
    });
    const int code = inside.wait();
    if (code == 77) DROM_SKIP("this kernel or container allows no IPC namespace of one's own");
    EXPECT_EQ(code, 0);
}

/// On a small file system of 8 MB, as /run is: the job writes as much as it can to all that it may write to in the
/// table.
TEST_F(Node, AJobDoesNotFillRootsFileSystem) {
    Child inside = Child::run([&] {
        const std::string run = directory_.path() + "/run";
        const std::string table = run + "/drom-n1";
        if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return 77;
        if (mkdir(run.c_str(), 0755) != 0 || mount("none", run.c_str(), "tmpfs", 0, "size=8m,mode=0755") != 0)
            return 77;
        drom_options options = options_with(DROM_CREATE | DROM_NODE);
        options.cpus = 8;
        drom_table* node = nullptr;
        if (drom_open(&node, table.c_str(), &options, nullptr) != DROM_OK) return 1;
        const uint64_t mask = 0x1;
        const drom_options plain = options_with(0);
        if (drom_reserve(node, job_.pid(), &mask, 1, &plain, nullptr, nullptr) < 0) return 2;
        std::vector<std::string> files;
        for (const auto& entry : std::filesystem::directory_iterator(table)) files.push_back(entry.path());
        as_user([&] {
            const std::vector<char> much(1 << 20, 'x');
            for (const std::string& file : files)
                for (const int fd = open(file.c_str(), O_WRONLY | O_APPEND); write(fd, much.data(), much.size()) > 0;) {
                }
            return 0;
        });
        const int file = open((run + "/of-root").c_str(), O_WRONLY | O_CREAT, 0600);
        if (posix_fallocate(file, 0, 1 << 20) != 0) return 3;
        const Child other = sleeper_of_other_user();
        const uint64_t rest = 0x2;
        return drom_reserve(node, other.pid(), &rest, 1, &plain, nullptr, nullptr) >= 0 ? 0 : 4;
    });
    const int code = inside.wait();
    if (code == 77) DROM_SKIP("this kernel or container allows no mount namespace");
    EXPECT_EQ(code, 0);
}

/// Cuts or removes, as the job, each page of slot 1 as soon as that is its own. It knows name, key and moment from the
/// ledger.
int spoil_pages_of_slot_1(const std::string& table) {
    drom::Ledger ledger;
    if (drom::open_ledger(table.c_str(), true, ledger, nullptr) != DROM_OK) return 1;
    for (;;) {
        const uint32_t generation = drom::state_of(ledger.slot(1)).generation;
        const int file = open((table + "/client.1." + std::to_string(generation)).c_str(), O_RDWR | O_CLOEXEC);
        if (file >= 0 && ftruncate(file, 0) != 0) return 2;
        if (file >= 0) close(file);
        const auto key = static_cast<key_t>(ledger.slot(1).page_key.load());
        if (key != 0) shmctl(shmget(key, 0, 0), IPC_RMID, nullptr);
    }
}

TEST_F(Node, AJobThatSpoilsItsPageAtOnceDoesNotKillRootWhoReserves) {
    const Child attacker = Child::run(
        [&] { return setresuid(kOtherUser, kOtherUser, kOtherUser) != 0 ? 99 : spoil_pages_of_slot_1(path_); });
    const Child other = sleeper_of_other_user();
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
                  drom::Page* page = attach(segment_of(ledger_, 0));
                  if (page == nullptr) return 1;
                  memset(static_cast<void*>(page), 0xff, drom::kPageSize);
                  return 0;
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

/// Claims at once to have released every request, and stays where it is.
int lie(const std::string& table) {
    drom::Ledger ledger;
    if (drom::open_ledger(table.c_str(), true, ledger, nullptr) != DROM_OK) return 1;
    const auto key = static_cast<key_t>(ledger.slot(0).page_key.load());
    void* base = shmat(shmget(key, 0, 0), nullptr, 0);
    if (base == reinterpret_cast<void*>(-1)) return 2;
    auto* page = static_cast<drom::Page*>(base);
    page->joined.store(1);
    for (;; usleep(100)) page->released.store(ledger.mailbox(0).newest.load());
}

TEST_F(Node, TheCpuOfAJobThatSaysReleasedAndStaysIsNotGivenAway) {
    drom::CpuSet own{};
    ASSERT_TRUE(drom::get_affinity(0, own));
    const uint32_t one = own.first();
    const uint32_t other = own.next(one + 1, 64);
    if (other >= 64) DROM_SKIP("this needs two CPUs among the first 64");
    path_ = directory_.path() + "/machine";
    drom_options options = options_with(DROM_CREATE | DROM_NODE);
    drom_table* table = nullptr;
    ASSERT_EQ(drom_open(&table, path_.c_str(), &options, &error_), DROM_OK) << error_.text;
    const uint64_t first = uint64_t{1} << one;
    const uint64_t both = first | uint64_t{1} << other;
    const auto mask_of = [](const Child& child) {
        drom::CpuSet mask{};
        EXPECT_TRUE(drom::get_affinity(child.upid(), mask));
        return mask.words[0];
    };
    const Child liar = Child::run([&] {
        if (setresuid(kOtherUser, kOtherUser, kOtherUser) != 0) return 99;
        for (;; usleep(1000)) lie(path_);
    });
    while (drom::uid_of(liar.upid()) != kOtherUser) usleep(1000);
    const drom_options plain = options_with(0);
    ASSERT_GE(drom_reserve(table, liar.pid(), &both, 1, &plain, nullptr, &error_), 0) << error_.text;
    drom_options never = options_with(DROM_WAIT_RELEASED | DROM_NEVER_CONFINE);
    never.timeout_ms = 300;
    EXPECT_EQ(drom_set_mask(table, liar.pid(), &first, 1, &never, &error_), DROM_PENDING);
    EXPECT_EQ(mask_of(liar), both) << "it left by itself, which is not what this test is about";
    drom_options wait = options_with(DROM_WAIT_RELEASED);
    wait.grace_ms = 1;
    wait.timeout_ms = 60'000;
    EXPECT_GE(drom_set_mask(table, liar.pid(), &first, 1, &wait, &error_), 0) << error_.text;
    EXPECT_EQ(mask_of(liar), first) << "a lie released a CPU";
    drom_close(table);
}

/// fs.protected_regular=2: in a sticky directory that every user may write to, as /dev/shm is, not even root opens
/// another user's file with O_CREAT.
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
    EXPECT_EQ(info.st_uid, kOtherUser);
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
