// SPDX-License-Identifier: BSD-3-Clause
// tbb_primes.cpp - a program of oneTBB that follows drom's requests by itself, by drom_poll.
//
//   tbb_primes [--exponent N] [--repeat N]
//
// Counts the primes below 10^N, which is known, by a sieve whose blocks are tasks. oneTBB promises nothing about how
// many threads run them, so the number may change at any time, between any two tasks: each task looks at drom_poll,
// two loads when there is nothing new, and the task that sees a request first changes tbb::global_control's limit.
// Every thread has left the CPUs that are gone by then; workers above the limit go to sleep as they finish their tasks.
// Exit status 1 when a count is wrong.
#include <drom/drom.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "arguments.hpp"

namespace {

constexpr std::array<std::int64_t, 10> kPrimesBelow = {0,    4,      25,      168,       1229,
                                                       9592, 78'498, 664'579, 5'761'455, 50'847'534};
constexpr std::int64_t kBlock = 1 << 18;  // numbers per task: half a millisecond or so, in the cache

struct Options {
    int exponent = 8;
    int repeat = 1;
};

/// The number of threads that oneTBB may use in this process.
class Limit {
public:
    void set(int threads) {
        const std::lock_guard lock(mutex_);
        // The smallest of the existing limits counts, so the old one must go before there may be more.
        control_.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(std::max(1, threads)));
    }

    void follow() {
        std::array<std::uint64_t, 64> mask{};  // 4,096 CPUs
        if (drom_poll(mask.data(), mask.size(), nullptr) != DROM_OK) return;
        int cpus = 0;
        for (const std::uint64_t word : mask) cpus += std::popcount(word);
        set(cpus);
    }

private:
    std::mutex mutex_;
    std::optional<tbb::global_control> control_;
};

std::vector<std::int64_t> small_primes(std::int64_t end) {
    std::vector<bool> composite(static_cast<std::size_t>(end));
    std::vector<std::int64_t> primes;
    for (std::int64_t n = 2; n < end; ++n) {
        if (composite[static_cast<std::size_t>(n)]) continue;
        primes.push_back(n);
        for (std::int64_t multiple = n * n; multiple < end; multiple += n)
            composite[static_cast<std::size_t>(multiple)] = true;
    }
    return primes;
}

/// Counts the primes from `first` on, below `end`.
std::int64_t count_block(std::int64_t first, std::int64_t end, const std::vector<std::int64_t>& divisors) {
    std::vector<char> prime(static_cast<std::size_t>(end - first), 1);
    for (const std::int64_t divisor : divisors) {
        if (divisor * divisor >= end) break;
        const std::int64_t begin = std::max(divisor * divisor, (first + divisor - 1) / divisor * divisor);
        for (std::int64_t multiple = begin; multiple < end; multiple += divisor)
            prime[static_cast<std::size_t>(multiple - first)] = 0;
    }
    return std::count(prime.begin(), prime.end(), 1);
}

std::int64_t count_primes(std::int64_t end, Limit& limit) {
    std::int64_t root = 1;
    while (root * root < end) ++root;
    const std::vector<std::int64_t> divisors = small_primes(root + 1);
    const auto body = [&](const tbb::blocked_range<std::int64_t>& blocks, std::int64_t count) {
        for (std::int64_t block = blocks.begin(); block < blocks.end(); ++block) {
            limit.follow();
            const std::int64_t first = std::max<std::int64_t>(2, block * kBlock);
            count += count_block(first, std::min(end, (block + 1) * kBlock), divisors);
        }
        return count;
    };
    const tbb::blocked_range<std::int64_t> blocks(0, (end + kBlock - 1) / kBlock);
    return tbb::parallel_reduce(blocks, std::int64_t{0}, body, std::plus<>());
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_arguments(argc, argv, {{"--exponent", &options.exponent, 1, 9}, {"--repeat", &options.repeat}})) {
        std::fputs("usage: tbb_primes [--exponent 1-9] [--repeat N]\n", stderr);
        return 2;
    }
    drom_error error;
    // Without a table it runs as before.
    if (drom_init(nullptr, 0, nullptr, &error) < 0) std::fprintf(stderr, "tbb_primes: %s\n", error.text);
    std::int64_t end = 1;
    for (int i = 0; i < options.exponent; ++i) end *= 10;
    // Makes room for every CPU of the node, while there may be as many threads. By itself oneTBB makes it for the CPUs
    // that the process was started with, and could not grow beyond.
    const auto online = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    Limit limit;
    limit.set(online);
    tbb::task_arena arena(online);
    arena.initialize();
    limit.set(tbb::info::default_concurrency());
    int wrong = 0;
    for (int round = 0; round < options.repeat; ++round) {
        const std::int64_t count = arena.execute([&] { return count_primes(end, limit); });
        if (count != kPrimesBelow.at(static_cast<std::size_t>(options.exponent))) ++wrong;
    }
    drom_finalize(nullptr);
    std::printf("tbb_primes: 10^%d counted %d times, %d wrong\n", options.exponent, options.repeat, wrong);
    return wrong == 0 ? 0 : 1;
}
