// SPDX-License-Identifier: BSD-3-Clause
// analytics.cpp - a short OpenMP program that analyses data: a histogram, a mean and a variance, in a few parallel
// loops.
//
// A plain OpenMP program, as heat.cpp is: nothing of drom in it. In the demonstration it arrives while the simulation
// owns every CPU of the node.
//
//   analytics [--samples MILLIONS] [--rounds N]
//
// The data are made up by a counter-based generator, so any thread can make any sample, and every sum is a sum of
// integers: the result has the same bits for any number of threads. Mean and variance are known; the exit status is 1
// if they differ.
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "arguments.hpp"

namespace {

constexpr int kBins = 64;

struct Options {
    int samples = 20;  // millions per round
    int rounds = 20;
};

struct Statistics {
    std::array<std::int64_t, kBins> histogram{};
    std::int64_t count = 0;
    std::int64_t sum = 0;
    std::int64_t squares = 0;
};

/// Returns 64 random-looking bits for each counter: Steele, Lea and Flood's SplitMix64.
std::uint64_t random_bits(std::uint64_t counter) {
    std::uint64_t bits = counter * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return bits ^ bits >> 31;
}

/// Returns a sample 0..1020: the sum of four random bytes, which is bell-shaped.
std::int64_t sample(std::uint64_t counter) {
    const std::uint64_t bits = random_bits(counter);
    return static_cast<std::int64_t>((bits & 0xff) + (bits >> 8 & 0xff) + (bits >> 16 & 0xff) + (bits >> 24 & 0xff));
}

void look_at(std::int64_t first, std::int64_t count, Statistics& found) {
    std::int64_t* histogram = found.histogram.data();
    std::int64_t sum = 0;
    std::int64_t squares = 0;
#pragma omp parallel for schedule(static) reduction(+ : histogram[ : kBins], sum, squares)
    for (std::int64_t at = first; at < first + count; ++at) {
        const std::int64_t value = sample(static_cast<std::uint64_t>(at));
        ++histogram[value * kBins / 1021];
        sum += value;
        squares += value * value;
    }
    found.count += count;
    found.sum += sum;
    found.squares += squares;
}

std::uint64_t checksum(const Statistics& found) {
    std::uint64_t hash = 0xcbf29ce484222325;
    const auto add = [&hash](std::int64_t number) {
        hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x100000001b3;
    };
    for (const std::int64_t bin : found.histogram) add(bin);
    add(found.sum);
    add(found.squares);
    return hash;
}

/// Checks four dice of 256 faces: mean 4 * 127.5, variance 4 * (256^2 - 1) / 12. Five standard errors are allowed.
bool plausible(const Statistics& found, double mean, double variance) {
    constexpr double kVariance = 4 * 65535.0 / 12;
    const auto count = static_cast<double>(found.count);
    std::int64_t counted = 0;
    for (const std::int64_t bin : found.histogram) counted += bin;
    return counted == found.count && std::fabs(mean - 510) < 5 * std::sqrt(kVariance / count) &&
           std::fabs(variance / kVariance - 1) < 5 * std::sqrt(2 / count);
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_arguments(argc, argv, {{"--samples", &options.samples}, {"--rounds", &options.rounds}})) {
        std::fputs("usage: analytics [--samples MILLIONS] [--rounds N]\n", stderr);
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t samples = std::int64_t{options.samples} * 1'000'000;
    Statistics found;
    for (int round = 0; round < options.rounds; ++round) look_at(round * samples, samples, found);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;

    const auto count = static_cast<double>(found.count);
    const double mean = static_cast<double>(found.sum) / count;
    const double variance = static_cast<double>(found.squares) / count - mean * mean;
    std::printf("analytics: %lld samples, mean %.4f, variance %.2f, checksum %016llx\n",
                static_cast<long long>(found.count), mean, variance, static_cast<unsigned long long>(checksum(found)));
    std::fprintf(stderr, "analytics: %.3f s\n", took.count());
    if (plausible(found, mean, variance)) return 0;
    std::fputs("analytics: wrong result: not the mean and variance of this generator\n", stderr);
    return 1;
}
