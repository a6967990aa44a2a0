// SPDX-License-Identifier: BSD-3-Clause
// storm.cpp - kill-storm: administrators and clients killed at random moments, survivors checked every round.
//
// Clients join a shared table, adopt requests and leave again. Unmodified OpenMP programs with libdrom preloaded
// compute. Administrators set, add, remove, shrink, expand, reserve, drain, restore and check. All of them are killed
// by SIGKILL at random moments, often a few hundred microseconds after their start.
//
// After every round the invariants must hold, a fresh process must be able to join, and the survivors must answer. The
// OpenMP programs must have continued, with right results. At the end every CPU is free, and no file is left.
//
//   kill_storm [KILLS [SEED]]
//
// DROM_STORM_KILLS sets the number of kills (20000), DROM_STORM_HOSTS names the OpenMP programs, DROM_STORM_AGENT
// libdrom.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "child.hpp"
#include "client/client.hpp"
#include "drom/drom.h"
#include "options.hpp"
#include "temp_dir.hpp"
#include "watchdog.hpp"

namespace {

using namespace drom;

constexpr uint32_t kCpus = 16;
constexpr uint32_t kSlots = 64;
constexpr uint64_t kAnswer = 60'000 * kMillisecond;  ///< far beyond every deadline of the library

/// Outlives every process of the storm.
struct Shared {
    std::atomic<uint64_t> attaches, failed_attaches, adoptions, operations, refusals;
    std::atomic<uint32_t> call, answered;  ///< survivors copy `call` by adding one to `answered`
    char failure[256];
};
Shared* shared = nullptr;

using Random = std::mt19937_64;

uint64_t any_mask(Random& random) { return (random() & random() & ((1U << kCpus) - 1)) | 1U << random() % kCpus; }

drom_options options_with(uint64_t flags) { return test::options_with(flags, 2000); }

void failed_attach(const drom_error& error) {
    shared->failed_attaches.fetch_add(1);
    std::snprintf(shared->failure, sizeof shared->failure, "%s", error.text);
}

// --- the processes that are killed ---------------------------------------------------------------------------------

/// Joins, adopts every request, answers the roll call. Never returns by itself unless told to leave.
int client_process(Random random) {
    const bool polls = random() % 2 == 0;
    CpuSet mask{};
    mask.words[0] = any_mask(random);
    const client::JoinOptions options{&mask, DROM_ENTRY_EXPLICIT, !polls, nullptr, nullptr, 1, 0, random() % 8 == 0};
    drom_error error{};
    uint32_t answered = shared->call.load();  // before it joins: it may be the only living client, and called meanwhile
    shared->attaches.fetch_add(1);
    if (client::join(options, &error) != DROM_OK) {
        failed_attach(error);
        return 1;
    }
    const uint64_t rounds = random() % 3 == 0 ? random() % 200 : UINT64_MAX;
    for (uint64_t i = 0; i < rounds; ++i) {
        Request wanted{};
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

// --- OpenMP programs -----------------------------------------------------------------------------------------------

constexpr std::size_t kHosts = 3;

/// The counts of a program: right and wrong results.
struct Counted {
    std::atomic<uint64_t> right, wrong;
};

/// Programs that run until they are killed, each started again after its end.
class Hosts {
public:
    Hosts(std::vector<std::string> programs, std::string agent, const std::string& folder)
        : programs_(std::move(programs)), agent_(std::move(agent)), file_(folder + "/counted") {
        const int fd = open(file_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || ftruncate(fd, 4096) != 0) std::abort();
        counted_ = static_cast<Counted*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
        close(fd);
    }
    [[nodiscard]] bool any() const { return !programs_.empty(); }

    void start(std::size_t place) {
        const std::string& program = programs_[place % programs_.size()];
        children_[place] = test::Child::run([&, place] {
            setenv("LD_PRELOAD", agent_.c_str(), 1);
            setenv("OMP_NUM_THREADS", "3", 1);
            setenv("OMP_WAIT_POLICY", "passive", 1);
            execl(program.c_str(), program.c_str(), file_.c_str(), std::to_string(place).c_str(), nullptr);
            return 127;
        });
    }
    void start_all() {
        for (std::size_t place = 0; any() && place < kHosts; ++place) start(place);
    }
    void kill_one(std::size_t place) {
        start(place);  // assigning ends the former program
    }
    /// Returns how many have not continued, or have ended, within the deadline.
    [[nodiscard]] uint64_t stuck() const {
        uint64_t found = 0;
        for (std::size_t place = 0; any() && place < kHosts; ++place) {
            const uint64_t before = counted_[place].right.load(), deadline = now_ns() + kAnswer;
            while (counted_[place].right.load() == before && now_ns() < deadline) usleep(500);
            if (counted_[place].right.load() == before) ++found;
        }
        return found;
    }
    void end() {
        for (test::Child& child : children_) child.stop();
    }
    [[nodiscard]] uint64_t right() const { return sum(&Counted::right); }
    [[nodiscard]] uint64_t wrong() const { return sum(&Counted::wrong); }

private:
    [[nodiscard]] uint64_t sum(std::atomic<uint64_t> Counted::* number) const {
        uint64_t all = 0;
        for (std::size_t place = 0; place < kHosts; ++place) all += (counted_[place].*number).load();
        return all;
    }
    std::vector<std::string> programs_;
    std::string agent_, file_;
    Counted* counted_ = nullptr;
    std::array<test::Child, kHosts> children_;
};

std::vector<std::string> words_of(const char* text) {
    std::vector<std::string> words;
    std::istringstream stream(text != nullptr ? text : "");
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

// --- the storm -----------------------------------------------------------------------------------------------------

struct Storm {
    Storm(uint64_t seed, Hosts& programs) : random(seed), hosts(programs) {}
    Random random;
    Hosts& hosts;
    std::vector<test::Child> clients, administrators;
    uint64_t kills = 0, hosts_killed = 0, rounds = 0, hung = 0, broken = 0;
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

    void hangs(const char* who) {
        ++hung;
        std::fprintf(stderr, "kill-storm: round %lu: hung: %s\n", rounds, who);
    }

    /// Lets one moment pass: a process starts, and after a short time a process is killed in the middle of its work.
    void moment() {
        if (administrators.size() < 3) start(administrators, administrator_process);
        if (clients.size() < 6) start(clients, client_process);
        usleep(static_cast<useconds_t>(random() % 1500));
        if (hosts.any() && random() % 50 == 0) {
            hosts.kill_one(random() % kHosts);
            ++hosts_killed;
            ++kills;
        } else {
            kill_one(random() % 3 == 0 ? clients : administrators);
        }
    }

    /// Checks that the survivors can continue.
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
        // A process that leaves by itself may answer no call.
        while (shared->answered.load() == 0 && expected > 0 && now_ns() < deadline && one_lives()) usleep(500);
        if (shared->answered.load() == 0 && expected > 0 && one_lives()) hangs("no client answers");
        if (const uint64_t stuck = hosts.stuck(); stuck > 0) hangs("an OpenMP program");
        newcomer();
    }
    [[nodiscard]] bool one_lives() const {
        return std::any_of(clients.begin(), clients.end(), [](const test::Child& child) {
            siginfo_t info{};
            return waitid(P_PID, static_cast<id_t>(child.pid()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                   info.si_pid == 0;
        });
    }
    /// Lets a fresh process join and leave, within the deadline.
    void newcomer() {
        test::Child fresh = test::Child::run([] {
            alarm(10);
            drom_error error{};
            CpuSet mask = CpuSet::range(0, kCpus);
            shared->attaches.fetch_add(1);
            const client::JoinOptions options{&mask, DROM_ENTRY_EXPLICIT, false, "newcomer", nullptr, 1, 0, false};
            if (client::join(options, &error) != DROM_OK) {
                failed_attach(error);
                return 1;
            }
            return client::leave(&error) == DROM_OK ? 0 : 2;
        });
        if (const int code = fresh.wait(); code == 128 + SIGALRM)
            hangs("a newcomer");
        else if (code != 0)
            fail("a newcomer", shared->failure);
    }
    /// Checks the end: every process dead, every CPU free, nothing pending.
    void check_end(const std::string& folder) {
        clients.clear();
        administrators.clear();
        hosts.end();
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
        for (const auto& file : std::filesystem::directory_iterator(folder))
            if (file.path().filename() != "ledger") fail("a file was left behind", file.path().c_str());
    }
};

uint64_t kills_of(int argc, char** argv) {
    const char* text = argc > 1 ? argv[1] : std::getenv("DROM_STORM_KILLS");
    const uint64_t kills = text != nullptr ? std::strtoull(text, nullptr, 10) : 20'000;
    return std::max<uint64_t>(kills, 20);
}

}  // namespace

int main(int argc, char** argv) {
    const uint64_t kills = kills_of(argc, argv);
    const test::Watchdog watchdog(400);
    const uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : std::random_device{}();
    const test::TempDir directory;
    setenv("DROM_TABLE", directory.table().c_str(), 1);
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = static_cast<Shared*>(memory);
    const char* agent = std::getenv("DROM_STORM_AGENT");
    Hosts hosts(words_of(std::getenv("DROM_STORM_HOSTS")), agent != nullptr ? agent : "", directory.path());
    Storm storm(seed, hosts);
    drom_options create = options_with(DROM_CREATE);
    create.cpus = kCpus;
    create.clients = kSlots;
    drom_error error{};
    if (drom_open(&storm.table, nullptr, &create, &error) != DROM_OK) {
        std::fprintf(stderr, "kill-storm: %s\n", error.text);
        return 1;
    }
    hosts.start_all();
    while (storm.kills < kills && storm.hung < 10 && storm.broken < 10) {
        test::Watchdog::next_step();
        for (int i = 0; i < 20; ++i) storm.moment();
        ++storm.rounds;
        storm.check_survivors();
    }
    storm.check_end(directory.table());
    drom_close(storm.table);
    std::printf(
        "kill-storm: seed %lu, %lu rounds, %lu kills (%lu of OpenMP programs), %lu operations (%lu refused), %lu "
        "adoptions, %lu attaches, "
        "%lu results of OpenMP programs, %lu wrong, %lu failed attaches, %lu hung, %lu broken\n",
        seed, storm.rounds, storm.kills, storm.hosts_killed, shared->operations.load(), shared->refusals.load(),
        shared->adoptions.load(), shared->attaches.load(), hosts.right(), hosts.wrong(), shared->failed_attaches.load(),
        storm.hung, storm.broken);
    if (shared->failed_attaches.load() > 0) std::printf("kill-storm: the last failed attach: %s\n", shared->failure);
    return shared->failed_attaches.load() + hosts.wrong() + storm.hung + storm.broken == 0 ? 0 : 1;
}
