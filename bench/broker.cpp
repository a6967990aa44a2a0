// SPDX-License-Identifier: BSD-3-Clause
// broker.cpp - what a request costs that no process waits for, and the system's floors for one that is waited for.
#include <benchmark/benchmark.h>
#include <drom/drom.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void run_on(int cpu, pid_t thread = 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(cpu), &set);
    sched_setaffinity(thread, sizeof set, &set);
}

// ---- the other process ----------------------------------------------------------------------------------------------

/// Starts a child that runs `body`, and then sleeps until the benchmark is over. The child dies with its parent.
template <class Body>
pid_t start_child(Body&& body) {
    const pid_t child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    body();
    for (;;) pause();
}

void end_child(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
}

/// An idle client on CPUs 0 and 1, and the table it is in.
class IdleClient {
public:
    explicit IdleClient(bool asleep_in_agent) {
        int ready[2];
        if (pipe(ready) != 0) fail("pipe");
        pid_ = start_child([&] {
            drom_options options{};
            options.size = sizeof options;
            options.flags = asleep_in_agent ? DROM_ASYNC : 0;
            const uint64_t both = 3;
            const char joined = drom_init(&both, 1, &options, nullptr) == DROM_OK ? 'y' : 'n';
            if (write(ready[1], &joined, 1) != 1) _exit(1);
        });
        char joined = 'n';
        if (read(ready[0], &joined, 1) != 1 || joined != 'y') fail("the client cannot join");
        close(ready[0]);
        close(ready[1]);
        if (drom_open(&table_, nullptr, nullptr, &error_) != DROM_OK) fail(error_.text);
    }
    ~IdleClient() {
        end_child(pid_);
        drom_check(table_, nullptr, nullptr);
        drom_close(table_);
    }
    IdleClient(const IdleClient&) = delete;
    IdleClient& operator=(const IdleClient&) = delete;

    void set(uint64_t mask) {
        if (drom_set_mask(table_, pid_, &mask, 1, nullptr, &error_) < 0) fail(error_.text);
    }
    void wait() {
        if (drom_wait(table_, pid_, 0, 1000, &error_) < 0) fail(error_.text);
    }

private:
    [[noreturn]] static void fail(const char* what) {
        fprintf(stderr, "broker: %s\n", what);
        exit(1);
    }
    pid_t pid_ = 0;
    drom_table* table_ = nullptr;
    drom_error error_{};
};

// ---- a request that no process waits for ----------------------------------------------------------------------------

void set_async(benchmark::State& state) {
    IdleClient client(false);
    uint64_t mask = 3;
    for ([[maybe_unused]] auto _ : state) client.set(mask ^= 2);
}

/// Measures the call that wakes the agent's sleeping thread, and not what the woken thread does.
void set_async_idle_client(benchmark::State& state) {
    IdleClient client(true);
    uint64_t mask = 3;
    for ([[maybe_unused]] auto _ : state) {
        const auto begin = Clock::now();
        client.set(mask ^= 2);
        state.SetIterationTime(seconds_since(begin));
        client.wait();
        usleep(200);  // it goes back to sleep
    }
}

// ---- floors of the system -------------------------------------------------------------------------------------------

struct Court {
    std::atomic<uint32_t> ball;
};

void futex(std::atomic<uint32_t>* word, int operation, uint32_t value) {
    syscall(SYS_futex, word, operation, value, nullptr, nullptr, 0);
}

void hit(Court& court, uint32_t to) {
    court.ball.store(to);
    futex(&court.ball, FUTEX_WAKE, INT_MAX);
    while (court.ball.load() == to) futex(&court.ball, FUTEX_WAIT, to);
}

/// Measures the way between two sleeping processes, there and back.
void futex_round_trip(benchmark::State& state) {
    void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto& court = *static_cast<Court*>(page);
    const pid_t other = start_child([&] {
        while (court.ball.load() != 1) futex(&court.ball, FUTEX_WAIT, 0);
        for (;;) hit(court, 2);
    });
    for ([[maybe_unused]] auto _ : state) hit(court, 1);
    end_child(other);
    munmap(page, 4096);
}

void set_affinity_same(benchmark::State& state) {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    for ([[maybe_unused]] auto _ : state) sched_setaffinity(0, sizeof set, &set);
}

/// Measures how long it takes to move the running thread of another process to the other CPU.
void set_affinity_moving(benchmark::State& state) {
    const pid_t spinner = start_child([] {
        for (uint64_t i = 0;; ++i) benchmark::DoNotOptimize(i);
    });
    run_on(0, spinner);
    int cpu = 0;
    for ([[maybe_unused]] auto _ : state) {
        usleep(500);
        const auto begin = Clock::now();
        run_on(cpu = 1 - cpu, spinner);
        state.SetIterationTime(seconds_since(begin));
    }
    end_child(spinner);
}

BENCHMARK(set_async);
BENCHMARK(set_async_idle_client)->UseManualTime()->Iterations(100);
BENCHMARK(futex_round_trip)->UseRealTime();
BENCHMARK(set_affinity_same);
BENCHMARK(set_affinity_moving)->UseManualTime()->Iterations(50);

}  // namespace

BENCHMARK_MAIN();
