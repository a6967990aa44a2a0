// SPDX-License-Identifier: BSD-3-Clause
// thread_pool.cpp - a program with a pool of std::threads that follows drom's requests by itself, by drom_poll.
//
//   thread_pool [--tasks N] [--work THOUSANDS]
//
// Without OpenMP and MPI only the program knows when a worker may rest. So it joins the table, and between two tasks
// each worker looks at how many there may be now. drom_poll is two loads when nothing is new. When it returns a mask,
// every thread of the process has left the other CPUs. The program only has to run fewer workers, or more again.
#include <drom/drom.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "arguments.hpp"

namespace {

struct Options {
    int tasks = 2000;
    int work = 400;
};

unsigned count_cpus(const std::vector<std::uint64_t>& mask) {
    unsigned count = 0;
    for (const std::uint64_t word : mask) count += static_cast<unsigned>(std::popcount(word));
    return count;
}

std::uint64_t piece_of_work(std::uint64_t seed, std::int64_t operations) {
    std::uint64_t state = seed * 2 + 1;
    for (std::int64_t i = 0; i < operations; ++i) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
    }
    return state;
}

/// Workers 0, 1, ... of which the first `allowed_` take tasks, while the others sleep.
class Pool {
public:
    explicit Pool(const Options& options, unsigned workers) : options_(options), workers_(workers), allowed_(workers) {}

    std::uint64_t run() {
        std::vector<std::thread> others;
        for (unsigned worker = 1; worker < workers_; ++worker) others.emplace_back([this, worker] { work(worker); });
        work(0);
        for (std::thread& other : others) other.join();
        return sum_;
    }

private:
    /// Adopts a request. Any thread may poll; the first one that sees the request changes the number for all.
    void follow() {
        std::vector<std::uint64_t> mask(kWords);
        if (drom_poll(mask.data(), mask.size(), nullptr) != DROM_OK) return;
        const std::lock_guard lock(mutex_);
        allowed_ = std::clamp(count_cpus(mask), 1U, workers_);
        changed_.notify_all();
    }

    void work(unsigned worker) {
        for (;;) {
            follow();
            {
                std::unique_lock lock(mutex_);
                changed_.wait(lock, [&] { return worker < allowed_ || next_ >= options_.tasks; });
            }
            const int task = next_.fetch_add(1);
            if (task >= options_.tasks) break;
            sum_ += piece_of_work(static_cast<std::uint64_t>(task), std::int64_t{1000} * options_.work);
        }
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
    }

    static constexpr std::size_t kWords = 64;  // 4,096 CPUs
    const Options options_;
    const unsigned workers_;
    std::mutex mutex_;
    std::condition_variable changed_;
    unsigned allowed_;
    std::atomic<int> next_{0};
    std::atomic<std::uint64_t> sum_{0};
};

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_arguments(argc, argv, {{"--tasks", &options.tasks}, {"--work", &options.work}})) {
        std::fputs("usage: thread_pool [--tasks N] [--work THOUSANDS]\n", stderr);
        return 2;
    }
    const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
    drom_error error;
    // Without a table it runs as before.
    if (drom_init(nullptr, 0, nullptr, &error) < 0) std::fprintf(stderr, "thread_pool: %s\n", error.text);
    const std::uint64_t sum = Pool(options, workers).run();
    drom_finalize(nullptr);
    std::printf("thread_pool: %d tasks, checksum %016llx\n", options.tasks, static_cast<unsigned long long>(sum));
    return 0;
}
