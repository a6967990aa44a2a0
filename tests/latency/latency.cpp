// SPDX-License-Identifier: BSD-3-Clause
// latency.cpp - how long a client takes to leave a CPU, as a distribution: an administrator takes a CPU and gives it
// back, thousands of times.
//
//   latency [REQUESTS]     requests per kind of client; LATENCY_REQUESTS sets the default of 10000;
//                          LATENCY_JSON names a file for the figures
//
// Clients differ by the distance of their safe points: 1 us, 100 us, 1 ms, and one client that comes to none and has
// its agent's thread only. The floor is measured, too: a futex there and back between two processes. The program fails
// when a request is not acknowledged, or a mask is another than was asked for; never because of a time.
#include <drom/drom.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "child.hpp"
#include "options.hpp"
#include "temp_dir.hpp"
#include "watchdog.hpp"

/// Returns no shift: the library that users link has its own clock_shift_ns inside. Here all processes are in one time
/// namespace.
int64_t drom::clock_shift_ns() noexcept { return 0; }

namespace {

using namespace drom;

constexpr uint64_t kNever = 0;  ///< the spacing of a client without safe points
constexpr double kParts[] = {0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1};
const char* const kNames[] = {"p1", "p10", "p50", "p90", "p99", "p99.9", "max"};

struct Kind {
    const char* name;
    uint64_t spacing_ns;
};
constexpr Kind kKinds[] = {{"1 us", 1'000}, {"100 us", 100'000}, {"1 ms", 1'000'000}, {"no safe point", kNever}};

struct Shared {
    std::atomic<uint32_t> ready, turn;
};

drom_options options_with(uint64_t flags) { return test::options_with(flags, 5000); }

[[noreturn]] void give_up(const char* what, const char* why) {
    std::fprintf(stderr, "latency: %s: %s\n", what, why);
    std::exit(1);
}

void wait_on(std::atomic<uint32_t>& word, uint32_t value) {
    syscall(SYS_futex, &word, FUTEX_WAIT, value, nullptr, nullptr, 0);
}
void wake(std::atomic<uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

/// Returns the two lowest CPUs of this process.
uint64_t two_cpus() {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    uint64_t mask = 0;
    for (unsigned cpu = 0; cpu < 64 && __builtin_popcountll(mask) < 2; ++cpu)
        if (CPU_ISSET(cpu, &set)) mask |= 1ULL << cpu;
    return mask;
}

// --- clients -------------------------------------------------------------------------------------------------------

int client(uint64_t both, uint64_t spacing_ns, Shared& shared) {
    const drom_options options = options_with(DROM_ASYNC);
    drom_error error{};
    if (drom_init(&both, 1, &options, &error) != DROM_OK) give_up("a client", error.text);
    shared.ready.store(1);
    wake(shared.ready);
    for (;;) {
        if (spacing_ns == kNever) {
            pause();
            continue;
        }
        for (const uint64_t begin = now_ns(); now_ns() - begin < spacing_ns;) continue;
        drom_poll_apply(nullptr);
    }
}

// --- figures -------------------------------------------------------------------------------------------------------

class Distribution {
public:
    explicit Distribution(std::vector<uint64_t> ns) : ns_(std::move(ns)) { std::sort(ns_.begin(), ns_.end()); }
    [[nodiscard]] double us(double part) const {
        const auto place = static_cast<std::size_t>(part * static_cast<double>(ns_.size() - 1));
        return static_cast<double>(ns_[place]) / 1000;
    }
    [[nodiscard]] std::string text() const {
        std::string all;
        for (std::size_t i = 0; i < std::size(kParts); ++i) {
            char one[48];
            std::snprintf(one, sizeof one, "%s%s %.1f", i == 0 ? "" : ", ", kNames[i], us(kParts[i]));
            all += one;
        }
        return all;
    }
    [[nodiscard]] std::string json() const {
        std::string all = "{\"samples\": " + std::to_string(ns_.size());
        for (std::size_t i = 0; i < std::size(kParts); ++i) {
            char one[48];
            std::snprintf(one, sizeof one, ", \"%s\": %.2f", kNames[i], us(kParts[i]));
            all += one;
        }
        return all + "}";
    }

private:
    std::vector<uint64_t> ns_;
};

// --- what is measured ----------------------------------------------------------------------------------------------

class Administrator {
public:
    Administrator() {
        const drom_options create = options_with(DROM_CREATE);
        if (drom_open(&table_, nullptr, &create, &error_) != DROM_OK) give_up("open", error_.text);
    }
    ~Administrator() { drom_close(table_); }
    Administrator(const Administrator&) = delete;
    Administrator& operator=(const Administrator&) = delete;

    uint64_t set(pid_t pid, uint64_t mask) {
        const drom_options options = options_with(DROM_WAIT_RELEASED);
        const uint64_t begin = now_ns();
        const int status = drom_set_mask(table_, pid, &mask, 1, &options, &error_);
        const uint64_t took = now_ns() - begin;
        if (status != DROM_OK) give_up("a request was not released", status < 0 ? error_.text : "it is pending");
        uint64_t owned = 0, wanted = 0;
        if (drom_get_mask(table_, pid, &owned, &wanted, 1, &error_) != DROM_OK || owned != mask || wanted != mask)
            give_up("a client has other CPUs than it was given", error_.text);
        return took;
    }

private:
    drom_table* table_ = nullptr;
    drom_error error_{};
};

Distribution released(Administrator& administrator, const Kind& kind, Shared& shared, unsigned requests) {
    const uint64_t both = two_cpus();
    shared.ready.store(0);
    const test::Child child = test::Child::run([&] { return client(both, kind.spacing_ns, shared); });
    while (shared.ready.load() == 0) wait_on(shared.ready, 0);
    std::vector<uint64_t> took;
    took.reserve(requests);
    for (unsigned i = 0; i < requests; ++i) {
        // The times between requests differ, so that requests come at every moment between two safe points.
        usleep(50 + static_cast<useconds_t>(std::rand() % 300));
        const uint64_t lowest = both & (0 - both);
        took.push_back(administrator.set(child.pid(), i % 2 == 0 ? lowest : both & ~lowest));
        administrator.set(child.pid(), both);
    }
    return Distribution(std::move(took));
}

/// Measures how long a word takes to another process and back, if both wait in the kernel.
Distribution futex_round_trips(Shared& shared, unsigned rounds) {
    shared.turn.store(0);
    const test::Child child = test::Child::run([&] {
        for (;;) {
            while (shared.turn.load() == 0) wait_on(shared.turn, 0);
            shared.turn.store(0);
            wake(shared.turn);
        }
        return 0;
    });
    std::vector<uint64_t> took;
    for (unsigned i = 0; i < rounds; ++i) {
        usleep(100);  // the other process is asleep then, as a client is when a request comes
        const uint64_t begin = now_ns();
        shared.turn.store(1);
        wake(shared.turn);
        while (shared.turn.load() == 1) wait_on(shared.turn, 1);
        took.push_back(now_ns() - begin);
    }
    return Distribution(std::move(took));
}

}  // namespace

int main(int argc, char** argv) {
    const char* text = argc > 1 ? argv[1] : std::getenv("LATENCY_REQUESTS");
    const auto requests = static_cast<unsigned>(std::max(100, text != nullptr ? std::atoi(text) : 10'000));
    const test::Watchdog watchdog(120 + requests / 20);
    if (__builtin_popcountll(two_cpus()) < 2) {
        std::puts("SKIPPED: there is one CPU only, and none can be taken");
        return 77;
    }
    const test::TempDir directory;
    setenv("DROM_TABLE", directory.table().c_str(), 1);
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Shared& shared = *static_cast<Shared*>(memory);
    Administrator administrator;
    const Distribution floor = futex_round_trips(shared, std::min(requests, 2000U));
    std::string json = "{\"futex round trip\": " + floor.json();
    std::printf("latency: futex there and back, us: %s\n", floor.text().c_str());
    for (const Kind& kind : kKinds) {
        const Distribution found = released(administrator, kind, shared, requests);
        std::printf("latency: safe points every %s: a CPU is released after us: %s\n", kind.name, found.text().c_str());
        json += std::string(", \"") + kind.name + "\": " + found.json();
    }
    if (const char* path = std::getenv("LATENCY_JSON"); path != nullptr) {
        std::FILE* file = std::fopen(path, "w");
        if (file == nullptr || std::fputs((json + "}\n").c_str(), file) < 0 || std::fclose(file) != 0)
            give_up("write", path);
    }
    std::printf("latency: %zu kinds of clients, %u requests each, all released as asked\n", std::size(kKinds),
                requests);
    return 0;
}
