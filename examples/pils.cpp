// SPDX-License-Identifier: BSD-3-Clause
// pils.cpp - a load that only computes, after the parallel load simulator of BSC's studies. Rounds of equal work
// alternate with barriers, without memory traffic and communication, so its speed follows its CPUs.
//
// A plain OpenMP program: nothing of drom in it.
//
//   pils [--tasks N] [--work THOUSANDS] [--rounds N]
//
// A round is `tasks` pieces of work of so many thousand operations; threads take them as they become free. The number
// at the end of each piece is known only by computing it. Their sum is the checksum, the same for any number of
// threads.
#include <chrono>
#include <cstdint>
#include <cstdio>

#include "arguments.hpp"

namespace {

struct Options {
    int tasks = 64;
    int work = 200;
    int rounds = 50;
};

/// Computes dependent operations: each needs the one before, so no compiler and no processor takes a short cut.
std::uint64_t piece_of_work(std::uint64_t seed, std::int64_t operations) {
    std::uint64_t state = seed * 2 + 1;
    for (std::int64_t i = 0; i < operations; ++i) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
    }
    return state;
}

std::uint64_t round_of(const Options& options, int round) {
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
    for (int task = 0; task < options.tasks; ++task)
        sum += piece_of_work(static_cast<std::uint64_t>(round) * 1'000'003 + static_cast<std::uint64_t>(task),
                             std::int64_t{1000} * options.work);
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_arguments(argc, argv,
                        {{"--tasks", &options.tasks}, {"--work", &options.work}, {"--rounds", &options.rounds}})) {
        std::fputs("usage: pils [--tasks N] [--work THOUSANDS] [--rounds N]\n", stderr);
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t sum = 0;
    for (int round = 0; round < options.rounds; ++round) sum += round_of(options, round);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("pils: %d rounds of %d tasks, checksum %016llx\n", options.rounds, options.tasks,
                static_cast<unsigned long long>(sum));
    std::fprintf(stderr, "pils: %.3f s\n", took.count());
    return 0;
}
