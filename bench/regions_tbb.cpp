// SPDX-License-Identifier: BSD-3-Clause
// regions_tbb.cpp - a plain oneTBB program to be measured: loops of a chosen length, one after the other. Speaks as
// regions.c does.
//
//   regions-tbb follow STEPS     STEPS of regions.c's work in a loop, all threads together
#include <tbb/parallel_for.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int kParts = 64;  // any number of threads has about the same to do

double steps(long count) {
    double x = 0.5;
    for (long i = 0; i < count; ++i) x = x * 0.999999 + 1e-7;
    return x;
}

void loop(long work) {
    tbb::parallel_for(
        0, kParts, [work](int) { [[maybe_unused]] const volatile double sink = steps(work / kParts); },
        tbb::simple_partitioner());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const long work = std::atol(argv[2]);
    for (int i = 0; i < 20; ++i) loop(work);
    std::puts("ready");
    std::fflush(stdout);
    long count = 0;
    while (std::scanf("%ld", &count) == 1) {
        const auto begin = std::chrono::steady_clock::now();
        for (long i = 0; i < count; ++i) loop(work);
        std::printf("%.0f\n",
                    std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
        std::fflush(stdout);
    }
    return 0;
}
