// SPDX-License-Identifier: BSD-3-Clause
// damage_test.cpp - the bytes of an open table are changed at random while processes use it: answers may be wrong, but
// no process crashes or hangs.
#include <fcntl.h>
#include <sys/mman.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <random>
#include <vector>

#include "command.hpp"
#include "shmem/segment.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;

/// A file of the table that its owner may write to, and its original bytes.
class Bytes {
public:
    explicit Bytes(const std::string& path) {
        const int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
        struct stat info{};
        if (fd >= 0 && fstat(fd, &info) == 0) size_ = static_cast<size_t>(info.st_size);
        void* base = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (fd >= 0) close(fd);
        if (base == MAP_FAILED) throw std::runtime_error("cannot map " + path);
        base_ = static_cast<volatile unsigned char*>(base);
        good_.assign(base_, base_ + size_);
    }
    ~Bytes() { munmap(const_cast<unsigned char*>(base_), size_); }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;

    void damage(size_t at, unsigned bits) { base_[at % size_] = static_cast<unsigned char>(base_[at % size_] ^ bits); }
    void restore() { std::copy(good_.begin(), good_.end(), base_); }
    [[nodiscard]] size_t size() const { return size_; }

private:
    volatile unsigned char* base_ = nullptr;
    size_t size_ = 0;
    std::vector<unsigned char> good_;
};

class Damager {
public:
    Damager(const std::string& table, uint64_t seed) : ledger_(table + "/ledger"), random_(seed) {
        drom::Ledger opened;
        EXPECT_EQ(drom::open_ledger(table.c_str(), true, opened, nullptr), DROM_OK);
        shape_ = opened.shape;
        drom::close_ledger(opened);
    }
    /// Changes one byte, mostly in used parts: the whole file is mostly free slots and events.
    void hit() {
        const auto within = [this](uint64_t from, uint64_t to) { return from + random_() % (to - from); };
        constexpr uint64_t kUsed = 4;  // slots and requests of clients that exist
        const uint64_t places[] = {
            within(0, sizeof(drom::Header)),
            within(shape_.owners_at, shape_.locations_at),
            within(shape_.slots_at, shape_.slots_at + kUsed * sizeof(drom::Slot)),
            within(shape_.requests_at, shape_.requests_at + kUsed * shape_.request_stride),
            within(shape_.intent_at, shape_.events_at),
            within(0, ledger_.size()),
        };
        const uint64_t at = places[random_() % std::size(places)];
        ledger_.damage(at, random_() % 2 == 0 ? 1U << random_() % 8 : static_cast<unsigned>(random_() % 256));
        ++hits_;
    }
    void restore() { ledger_.restore(); }
    [[nodiscard]] unsigned hits() const { return hits_; }
    uint64_t number() { return random_(); }

private:
    Bytes ledger_;
    drom::Shape shape_{};
    std::mt19937_64 random_;
    unsigned hits_ = 0;
};

class Damage : public WithTable {
protected:
    /// Runs every operation, with arguments that make sense in the sound table.
    void operate(uint64_t which, int32_t pid, int32_t stranger) {
        drom_options options = options_with(which / 16 % 2 == 0 ? uint64_t{DROM_TAKE} : uint64_t{DROM_WAIT_RELEASED});
        options.timeout_ms = 2;
        options.grace_ms = DROM_GRACE_AT_ONCE;
        drom_options plain = options_with(0);
        plain.timeout_ms = 2;
        const uint64_t mask = which / 64 % 255 + 1;
        uint64_t out[3] = {};
        switch (which % 13) {
            case 0: drom_set_mask(table_, pid, &mask, 1, &options, &error_); break;
            case 1: drom_shrink(table_, pid, 1, &options, &error_); break;
            case 2: drom_expand(table_, pid, 5, &options, &error_); break;
            case 3: drom_get_mask(table_, pid, &out[0], &out[1], 1, &error_); break;
            case 4: drom_table_masks(table_, &out[0], &out[1], &out[2], 1, &error_); break;
            case 5: drom_drain(table_, &mask, 1, &plain, &error_); break;
            case 6: drom_restore(table_, &mask, 1, &plain, &error_); break;
            case 7: drom_check(table_, &plain, &error_); break;
            case 8: drom_wait(table_, pid, 0, 2, &error_); break;
            case 9: drom_reserve(table_, stranger, &mask, 1, &options, nullptr, &error_); break;
            case 10: drom_release(table_, stranger, &plain, &error_); break;
            case 11: look(); break;
            default: follow(); break;
        }
    }
    void look() {
        std::array<drom_client_info, 16> list{};
        list[0].size = sizeof list[0];
        size_t count = list.size();
        drom_clients(table_, list.data(), &count, &error_);
        for (const drom_client_info& info : list) {
            EXPECT_LT(strnlen(info.name, sizeof info.name), sizeof info.name);
            EXPECT_LT(strnlen(info.why, sizeof info.why), sizeof info.why);
        }
    }
    void follow() {
        std::array<drom_event, 32> events{};
        size_t count = events.size();
        uint64_t next = 0;
        drom_events(table_, &next, events.data(), &count, 0, &error_);
        EXPECT_LE(count, events.size());
    }
};

TEST_F(Damage, NoOperationOnAnOpenTableCrashesOrHangs) {
    const Child a = reserve(0x03);
    const Child b = reserve(0x1c);
    const Child stranger = Child::sleeper();
    constexpr uint64_t kRounds = 150;
    // In a process of its own, so that a crash is a failure with a seed and does not end the suite.
    for (uint64_t seed = 1; seed <= kRounds; ++seed) {
        Child victim = Child::run([&] {
            alarm(60);
            Damager damager(path_, seed);
            while (damager.hits() < 100) {
                for (uint64_t more = damager.number() % 3 + 1; more > 0; --more) damager.hit();
                operate(damager.number(), damager.number() % 2 == 0 ? a.pid() : b.pid(), stranger.pid());
            }
            damager.restore();
            return testing::Test::HasFailure() ? 1 : 0;
        });
        EXPECT_EQ(victim.wait(), 0) << "seed " << seed << " (128 + signal; SIGALRM: it hung)";
    }
    EXPECT_EQ(open_status(path_, 0, error_), DROM_OK) << "the test itself did not put the table back: " << error_.text;
    printf("hostile: %lu times 100 bytes changed under an open table\n", kRounds);
}

// --- all processes at once -----------------------------------------------------------------------------------------

struct Shared {
    std::atomic<bool> stop;
    std::atomic<uint64_t> commands, polls, bad;
};

/// Joins, and follows requests as long as it is a client.
int client_loop(Shared& shared, const Gate& joined) {
    drom::CpuSet mask = drom::CpuSet::range(5, 2);
    const drom::client::JoinOptions options{&mask, DROM_ENTRY_EXPLICIT, true, "client", nullptr, 1, 0, false};
    const int status = drom::client::join(options, nullptr);
    joined.open();
    for (; status == DROM_OK && !shared.stop.load(); shared.polls.fetch_add(1)) {
        drom::Request wanted{};
        if (drom::client::pending() && drom::client::newest(wanted) && drom::client::release(wanted))
            drom::client::acknowledge_resize(wanted.seq, 1, DROM_RESIZE_CALLER, "follows");
        usleep(100);
    }
    if (drom::client::joined()) drom::client::leave(nullptr);
    return status;
}

/// Runs `drom list --json`, `set`, `explain` and `check`, again and again.
int command_loop(Shared& shared, const std::string& pid) {
    const std::vector<std::vector<std::string>> lines{{"list", "--json"},
                                                      {"set", pid, "5", "--timeout", "5"},
                                                      {"list"},
                                                      {"check"},
                                                      {"set", pid, "5-6", "--timeout", "5", "--take"},
                                                      {"explain", pid, "--sample", "1"}};
    for (size_t i = shared.commands.load(); !shared.stop.load(); ++i) {
        const int status = run_command(lines[i % lines.size()]);
        shared.commands.fetch_add(1);
        if (status > 4) shared.bad.store(static_cast<uint64_t>(status) << 8 | i % lines.size());
    }
    return 0;
}

TEST_F(Damage, NoProcessCrashesOrHangsWhileBytesChange) {
    setenv("DROM_TABLE", path_.c_str(), 1);
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto& shared = *static_cast<Shared*>(memory);
    const Child reserved = reserve(0x0c);
    unsigned hits = 0;
    constexpr uint64_t kCommandsPerSeed = 3;
    constexpr unsigned kHitsPerSeed = 1000;
    for (uint64_t seed = 1; seed <= 8; ++seed) {
        shared.stop.store(false);
        const Gate joined;
        Child client = Child::run([&] {
            alarm(60);
            return client_loop(shared, joined);
        });
        joined.pass();
        const pid_t followed = client.pid();
        Child commands = Child::run([&] { return command_loop(shared, std::to_string(followed)); });
        Damager damager(path_, seed);
        // By commands, not by a clock: under a sanitizer on a busy machine one takes a second.
        const uint64_t enough = seed * kCommandsPerSeed;
        while (shared.commands.load() < enough || damager.hits() < kHitsPerSeed) {
            damager.hit();
            if (damager.hits() % 16 == 0) damager.restore();  // otherwise no process can open it any more
            usleep(300);
        }
        hits += damager.hits();
        damager.restore();
        shared.stop.store(true);
        EXPECT_EQ(client.wait(), 0) << "the client, seed " << seed;
        EXPECT_EQ(commands.wait(), 0);
        EXPECT_EQ(shared.bad.load(), 0U) << "seed " << seed << ": {status, which command} of drom";
        const drom_options plain = options_with(0);
        drom_check(table_, &plain, &error_);
    }
    printf("hostile: %u bytes changed under %lu commands and %lu polls of a client\n", hits, shared.commands.load(),
           shared.polls.load());
    unsetenv("DROM_TABLE");
    munmap(memory, sizeof(Shared));
}

}  // namespace
