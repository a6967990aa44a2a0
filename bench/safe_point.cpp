// SPDX-License-Identifier: BSD-3-Clause
// safe_point.cpp - what a safe point costs when there is nothing to do, beside a call that does nothing and a load.
#include <benchmark/benchmark.h>
#include <drom/drom.h>

#include <atomic>
#include <cstdint>
#include <cstdio>

extern "C" void bench_nothing();

namespace {

void idle_poll(benchmark::State& state) {
    uint64_t mask[1];
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(drom_poll(mask, 1, nullptr));
}

void call_floor(benchmark::State& state) {
    for ([[maybe_unused]] auto _ : state) bench_nothing();
}

void load_floor(benchmark::State& state) {
    static std::atomic<uint64_t> word{0};
    for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(word.load(std::memory_order_acquire));
}

BENCHMARK(idle_poll);
BENCHMARK(call_floor);
BENCHMARK(load_floor);

}  // namespace

int main(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    drom_error error{};
    uint64_t mask[64];
    if (drom_init(nullptr, 0, nullptr, &error) != DROM_OK || drom_poll(mask, 64, &error) < 0) {
        fprintf(stderr, "safe_point: %s\n", error.text);
        return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
    return drom_finalize(&error) == DROM_OK ? 0 : 1;
}
