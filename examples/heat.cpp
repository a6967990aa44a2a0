// SPDX-License-Identifier: BSD-3-Clause
// heat.cpp - a long OpenMP simulation: heat spreads over a square plate, with one parallel loop per time step.
//
// A plain OpenMP program: it includes and links nothing of drom, and any compiler with -fopenmp compiles it. It never
// asks for its number of threads, so it does not notice a change between two steps.
//
//   heat [--size CELLS] [--steps N] [--progress]
//
// The plate starts as one bump, sin(pi x) sin(pi y), cold at its rim. That shape only fades: every step multiplies it
// by the same known factor. So the program knows the right answer and checks itself; exit status 1 when the result
// differs. The checksum covers every bit of the result and does not depend on the number of threads.
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <numbers>
#include <utility>
#include <vector>

#include "arguments.hpp"

namespace {

constexpr double kFlow = 0.2;  // how much heat a cell exchanges with each neighbour in one step; stable below 0.25

struct Options {
    int size = 768;
    int steps = 10000;
    bool progress = false;
};

/// Square grid of cells; the cells on the rim stay at zero.
class Plate {
public:
    explicit Plate(int size) : size_(size), cells_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size)) {}

    [[nodiscard]] int size() const { return size_; }
    double* row(int y) { return cells_.data() + static_cast<std::ptrdiff_t>(y) * size_; }
    [[nodiscard]] const double* row(int y) const { return cells_.data() + static_cast<std::ptrdiff_t>(y) * size_; }

private:
    int size_;
    std::vector<double> cells_;
};

double bump(int at, int size) { return std::sin(std::numbers::pi * at / (size - 1)); }

void fill(Plate& plate) {
    const int size = plate.size();
    for (int y = 1; y < size - 1; ++y)
        for (int x = 1; x < size - 1; ++x) plate.row(y)[x] = bump(x, size) * bump(y, size);
}

/// Makes one time step: each cell moves towards the mean of its four neighbours.
void step(const Plate& now, Plate& next) {
    const int size = now.size();
#pragma omp parallel for schedule(static)
    for (int y = 1; y < size - 1; ++y) {
        const double* above = now.row(y - 1);
        const double* here = now.row(y);
        const double* below = now.row(y + 1);
        double* out = next.row(y);
        for (int x = 1; x < size - 1; ++x)
            out[x] = here[x] + kFlow * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
    }
}

Plate simulate(const Options& options) {
    Plate now(options.size);
    Plate next(options.size);
    fill(now);
    const int tenth = options.steps < 10 ? 1 : options.steps / 10;
    for (int done = 0; done < options.steps; ++done) {
        step(now, next);
        std::swap(now, next);
        if (options.progress && (done + 1) % tenth == 0) std::fprintf(stderr, "heat: step %d\n", done + 1);
    }
    return now;
}

/// Returns the largest difference from the known answer, relative to the height of the rest of the bump.
double largest_error(const Plate& plate, int steps) {
    const int size = plate.size();
    const double wave = std::sin(std::numbers::pi / (2.0 * (size - 1)));
    const double fade = std::pow(1 - 8 * kFlow * wave * wave, steps);
    double worst = 0;
    for (int y = 0; y < size; ++y)
        for (int x = 0; x < size; ++x)
            worst = std::fmax(worst, std::fabs(plate.row(y)[x] - fade * bump(x, size) * bump(y, size)));
    return worst / fade;
}

/// Returns FNV-1a over the bits of every cell.
std::uint64_t checksum(const Plate& plate) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (int y = 0; y < plate.size(); ++y) {
        for (int x = 0; x < plate.size(); ++x) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, plate.row(y) + x, sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3;
        }
    }
    return hash;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_arguments(argc, argv,
                        {{"--size", &options.size, 3, 100'000'000}, {"--steps", &options.steps, 1, 100'000'000}},
                        &options.progress)) {
        std::fputs("usage: heat [--size CELLS] [--steps N] [--progress]\n", stderr);
        return 2;
    }
    const auto begin = std::chrono::steady_clock::now();
    const Plate plate = simulate(options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const double error = largest_error(plate, options.steps);
    std::printf("heat: %d x %d cells, %d steps, checksum %016llx\n", options.size, options.size, options.steps,
                static_cast<unsigned long long>(checksum(plate)));
    std::fprintf(stderr, "heat: %.3f s\n", took.count());
    if (error < 1e-9) return 0;
    std::fprintf(stderr, "heat: wrong result: off by %g of what it should be\n", error);
    return 1;
}
