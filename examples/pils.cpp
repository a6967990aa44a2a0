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
#include "pils.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>

#include "arguments.hpp"

int main(int argc, char** argv) {
    Load load;
    if (!read_arguments(argc, argv, {{"--tasks", &load.tasks}, {"--work", &load.work}, {"--rounds", &load.rounds}})) {
        std::fputs("usage: pils [--tasks N] [--work THOUSANDS] [--rounds N]\n", stderr);
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    std::uint64_t sum = 0;
    for (int round = 0; round < load.rounds; ++round) sum += part_of_round(load, round, 0, load.tasks);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("pils: %d rounds of %d tasks, checksum %016llx\n", load.rounds, load.tasks,
                static_cast<unsigned long long>(sum));
    std::fprintf(stderr, "pils: %.3f s\n", took.count());
    return 0;
}
