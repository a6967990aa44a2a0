// SPDX-License-Identifier: BSD-3-Clause
// storm.cpp - kill-storm: administrators and clients killed at random moments, survivors asked every round.
//
// Clients join a shared table, adopt what they are asked and leave again; administrators set, give, take, shrink, expand, reserve, drain,
// restore and check. All of them are killed by SIGKILL at random moments, often a few hundred microseconds after they started. After every
// round the invariants must hold, a fresh process must be able to join, and whoever survived must answer. At the end every
// CPU is free. Usage: kill_storm [seconds [seed]]; DROM_STORM_SECONDS sets the default of 20.
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "child.hpp"
#include "client.hpp"
#include "clock.hpp"
#include "drom/drom.h"
#include "temp_dir.hpp"
#include "watchdog.hpp"

namespace {

using namespace drom;

constexpr uint32_t kCpus = 16;
constexpr uint32_t kSlots = 64;
constexpr uint64_t kAnswer = 10'000 * kMillisecond;  ///< far beyond every deadline of the library

/// Survives everybody.
struct Shared {
    std::atomic<uint64_t> attaches, failed_attaches, adoptions, operations, refusals;
    std::atomic<uint32_t> call, answered;  ///< survivors copy `call` by adding one to `answered`
    char failure[256];
};
Shared* shared = nullptr;

using Random = std::mt19937_64;

uint64_t any_mask(Random& random) { return (random() & random() & ((1U << kCpus) - 1)) | 1U << random() % kCpus; }

drom_options options_with(uint64_t flags) {
    drom_options options{};
    options.size = sizeof options;
    options.flags = flags;
    options.timeout_ms = 2000;
    return options;
}

void failed_attach(const drom_error& error) {
    shared->failed_attaches.fetch_add(1);
    std::snprintf(shared->failure, sizeof shared->failure, "%s", error.text);
}

// --- what is killed ------------------------------------------------------------------------------------------------------------

/// Joins, adopts whatever is asked, answers the roll call. Never returns by itself unless told to leave.
int client_process(Random random) {
    const bool polls = random() % 2 == 0;
    CpuSet mask{};
    mask.words[0] = any_mask(random);
    const client::JoinOptions options{&mask, DROM_DOOR_EXPLICIT, !polls, nullptr, nullptr, 1, 0, random() % 8 == 0};
    drom_error error{};
    shared->attaches.fetch_add(1);
    if (client::join(options, &error) != DROM_OK) {
        failed_attach(error);
        return 1;
    }
    const uint64_t rounds = random() % 3 == 0 ? random() % 200 : UINT64_MAX;
    uint32_t answered = shared->call.load();
    for (uint64_t i = 0; i < rounds; ++i) {
        client::Wanted wanted{};
        if (polls && client::pending() && client::newest(wanted) && client::release(wanted)) {
            client::acknowledge_resize(wanted.seq, 1, DROM_RESIZE_CALLER, nullptr);
            shared->adoptions.fetch_add(1);
        }
        if (const uint32_t call = shared->call.load(); call != answered) {
            answered = call;
            shared->answered.fetch_add(1);
        }
        usleep(200);
    }
    return client::leave(&error) == DROM_OK ? 0 : 2;
}

int32_t any_client(drom_table* table, Random& random) {
    static std::vector<drom_client_info> list(kSlots);
    for (drom_client_info& info : list) info.size = sizeof info;
    size_t count = list.size();
    if (drom_clients(table, list.data(), &count, nullptr) != DROM_OK || count == 0) return 0;
    return list[random() % count].pid;
}

int operate(drom_table* table, Random& random) {
    const uint64_t mask = any_mask(random);
    uint64_t flags = 0;
    for (const uint64_t flag : {DROM_TAKE, DROM_RETURN, DROM_FAST, DROM_WAIT_RELEASED})
        if (random() % 3 == 0) flags |= flag;
    drom_options options = options_with(flags);
    options.timeout_ms = 50;
    options.grace_ms = random() % 2 == 0 ? DROM_GRACE_AT_ONCE : 5;
    drom_options plain = options_with(0);
    const int32_t pid = any_client(table, random);
    switch (random() % 12) {
        case 0: return drom_shrink(table, pid, 1 + static_cast<uint32_t>(random() % 4), &options, nullptr);
        case 1: return drom_expand(table, pid, 1 + static_cast<uint32_t>(random() % kCpus), &options, nullptr);
        case 2: return drom_drain(table, &mask, 1, &options, nullptr);
        case 3: return drom_restore(table, &mask, 1, &options, nullptr);
        case 4: return drom_check(table, &plain, nullptr);
        case 5: return drom_wait(table, pid, 0, 5, nullptr);
        case 6: return drom_reserve(table, getpid(), &mask, 1, &options, nullptr, nullptr);
        case 7: return drom_release(table, getpid(), &plain, nullptr);
        case 8: options.flags |= DROM_ADD; return drom_set_mask(table, pid, &mask, 1, &options, nullptr);
        case 9: options.flags |= DROM_REMOVE; return drom_set_mask(table, pid, &mask, 1, &options, nullptr);
        default: return drom_set_mask(table, pid, &mask, 1, &options, nullptr);
    }
}

int administrator_process(Random random) {
    drom_table* table = nullptr;
    drom_error error{};
    shared->attaches.fetch_add(1);
    if (drom_open(&table, nullptr, nullptr, &error) != DROM_OK) {
        failed_attach(error);
        return 1;
    }
    for (;;) {
        const int status = operate(table, random);
        shared->operations.fetch_add(1);
        if (status < 0) shared->refusals.fetch_add(1);
        if (status == DROM_E_CORRUPT || status == DROM_E_NOTABLE) return 3;
    }
}

// --- the storm --------------------------------------------------------------------------------------------------------------------

struct Storm {
    explicit Storm(uint64_t seed) : random(seed) {}
    Random random;
    std::vector<test::Child> clients, administrators;
    uint64_t kills = 0, rounds = 0, hung = 0, broken = 0;
    drom_table* table = nullptr;

    void start(std::vector<test::Child>& into, int (*body)(Random)) {
        const uint64_t seed = random();
        into.push_back(test::Child::run([=] { return body(Random(seed)); }));
    }
    void kill_one(std::vector<test::Child>& from) {
        if (from.empty()) return;
        from.erase(from.begin() + static_cast<long>(random() % from.size()));  // ~Child: SIGKILL and wait
        ++kills;
    }
    void fail(const char* what, const char* text) {
        if (++broken <= 10) std::fprintf(stderr, "kill-storm: round %lu: %s: %s\n", rounds, what, text);
    }

    /// One moment: somebody starts, a little time passes, somebody dies in the middle of what it does.
    void moment() {
        if (administrators.size() < 3) start(administrators, administrator_process);
        if (clients.size() < 6) start(clients, client_process);
        usleep(static_cast<useconds_t>(random() % 1500));
        kill_one(random() % 3 == 0 ? clients : administrators);
    }

    /// Those who are still there must be able to go on.
    void check_survivors() {
        drom_error error{};
        const drom_options plain = options_with(0);
        if (drom_check(table, &plain, &error) < 0) fail("check", error.text);
        std::erase_if(clients, [](const test::Child& child) {
            siginfo_t info{};
            return waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                   info.si_pid != 0;
        });
        const auto expected = static_cast<uint32_t>(clients.size());
        shared->answered.store(0);
        shared->call.fetch_add(1);
        const uint64_t deadline = now_ns() + kAnswer;
        // Those that were still joining answer the next call, and those that leave by themselves none.
        while (shared->answered.load() == 0 && expected > 0 && now_ns() < deadline && anybody_lives()) usleep(500);
        if (shared->answered.load() == 0 && expected > 0 && anybody_lives()) ++hung;
        newcomer();
    }
    [[nodiscard]] bool anybody_lives() const {
        return std::any_of(clients.begin(), clients.end(), [](const test::Child& child) {
            siginfo_t info{};
            return waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                   info.si_pid == 0;
        });
    }
    /// A fresh process joins and leaves, within the deadline.
    void newcomer() {
        test::Child fresh = test::Child::run([] {
            alarm(10);
            drom_error error{};
            CpuSet mask = CpuSet::range(0, kCpus);
            shared->attaches.fetch_add(1);
            const client::JoinOptions options{&mask, DROM_DOOR_EXPLICIT, false, "newcomer", nullptr, 1, 0, false};
            if (client::join(options, &error) != DROM_OK) {
                failed_attach(error);
                return 1;
            }
            return client::leave(&error) == DROM_OK ? 0 : 2;
        });
        if (const int code = fresh.wait(); code == 128 + SIGALRM)
            ++hung;
        else if (code != 0)
            fail("a newcomer", shared->failure);
    }
    /// Everybody dead: everything free, nothing pending.
    void check_end() {
        clients.clear();
        administrators.clear();
        drom_error error{};
        const drom_options plain = options_with(0);
        if (drom_check(table, &plain, &error) < 0) fail("the last check", error.text);
        const uint64_t all = (1U << kCpus) - 1;
        drom_restore(table, &all, 1, &plain, &error);
        uint64_t free_cpus = 0;
        drom_table_masks(table, nullptr, &free_cpus, nullptr, 1, nullptr);
        if (free_cpus != all) fail("CPUs were left behind", std::to_string(all & ~free_cpus).c_str());
        if (drom_check(table, &plain, &error) != DROM_UNCHANGED)
            fail("the last check", "there was still something to do");
        size_t count = 0;
        drom_clients(table, nullptr, &count, nullptr);
        if (count != 0) fail("clients were left behind", std::to_string(count).c_str());
    }
};

unsigned seconds_of(int argc, char** argv) {
    const char* text = argc > 1 ? argv[1] : std::getenv("DROM_STORM_SECONDS");
    const int seconds = text != nullptr ? std::atoi(text) : 20;
    return seconds > 0 ? static_cast<unsigned>(seconds) : 20;
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned seconds = seconds_of(argc, argv);
    const test::Watchdog watchdog(seconds + 120);
    const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
    const test::TempDir directory;
    setenv("DROM_TABLE", directory.table().c_str(), 1);
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = static_cast<Shared*>(memory);
    Storm storm(seed);
    drom_options create = options_with(DROM_CREATE);
    create.cpus = kCpus;
    create.clients = kSlots;
    drom_error error{};
    if (drom_open(&storm.table, nullptr, &create, &error) != DROM_OK) {
        std::fprintf(stderr, "kill-storm: %s\n", error.text);
        return 1;
    }
    const uint64_t end = now_ns() + uint64_t{seconds} * 1000 * kMillisecond;
    while (now_ns() < end) {
        for (int i = 0; i < 20; ++i) storm.moment();
        ++storm.rounds;
        storm.check_survivors();
    }
    storm.check_end();
    drom_close(storm.table);
    std::printf(
        "kill-storm: seed %lu, %lu rounds, %lu kills, %lu operations (%lu refused), %lu adoptions, %lu attaches, "
        "%lu failed attaches, %lu hung, %lu broken\n",
        seed, storm.rounds, storm.kills, shared->operations.load(), shared->refusals.load(), shared->adoptions.load(),
        shared->attaches.load(), shared->failed_attaches.load(), storm.hung, storm.broken);
    if (shared->failed_attaches.load() > 0) std::printf("kill-storm: the last failed attach: %s\n", shared->failure);
    return shared->failed_attaches.load() == 0 && storm.hung == 0 && storm.broken == 0 ? 0 : 1;
}
