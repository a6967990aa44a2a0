// SPDX-License-Identifier: BSD-3-Clause
// triad.cpp - a load that is bound by memory, after McCalpin's STREAM: a = b + s c over arrays that no cache holds.
//
// A plain OpenMP program: nothing of drom in it. Beyond a few threads it hardly gets faster, so it loses little when it
// shrinks.
//
//   triad [--megabytes N] [--rounds N]
//
// It prints the bandwidth of the median round to stderr. Exit status 1 when an array has a wrong value.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>

#include "arguments.hpp"

namespace {

constexpr double kScale = 0.5;

struct Options {
    int megabytes = 192;  // all three arrays together
    int rounds = 100;
};

using Array = std::vector<double>;

/// Computes a round. Its result is the next round's input, so the right value of every element is known after any
/// number of rounds.
void triad(Array& target, const Array& sum, const Array& scaled) {
    const auto count = static_cast<std::ptrdiff_t>(target.size());
    double* const out = target.data();
    const double* const left = sum.data();
    const double* const right = scaled.data();
#pragma omp parallel for schedule(static)
    for (std::ptrdiff_t i = 0; i < count; ++i) out[i] = left[i] + kScale * right[i];
}

/// Returns the seconds of each round.
std::vector<double> run(const Options& options, Array& values, const Array& ones) {
    Array next(values.size());
    std::vector<double> seconds;
    for (int round = 0; round < options.rounds; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        triad(next, ones, values);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
        std::swap(next, values);
    }
    return seconds;
}

/// Returns the value of every element after that many rounds: exact, because all of them take the same steps.
double expected(int rounds) {
    double value = 0;
    for (int round = 0; round < rounds; ++round) value = 1 + kScale * value;
    return value;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_arguments(argc, argv, {{"--megabytes", &options.megabytes}, {"--rounds", &options.rounds}})) {
        std::fputs("usage: triad [--megabytes N] [--rounds N]\n", stderr);
        return 2;
    }
    const std::size_t count = static_cast<std::size_t>(options.megabytes) * 1'000'000 / (3 * sizeof(double));
    Array values(count, 0.0);
    const Array ones(count, 1.0);
    std::vector<double> seconds = run(options, values, ones);
    std::nth_element(seconds.begin(), seconds.begin() + options.rounds / 2, seconds.end());
    const double bytes = 3.0 * sizeof(double) * static_cast<double>(count);
    std::fprintf(stderr, "triad: %.0f MB/s\n", bytes / seconds[static_cast<std::size_t>(options.rounds) / 2] / 1e6);
    const double right = expected(options.rounds);
    const auto wrong = std::count_if(values.begin(), values.end(), [=](double value) { return value != right; });
    std::printf("triad: %d MB, %d rounds, %td elements wrong\n", options.megabytes, options.rounds, wrong);
    return wrong == 0 ? 0 : 1;
}
