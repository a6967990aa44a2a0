// SPDX-License-Identifier: BSD-3-Clause
// heat_mpi.cpp - the simulation of heat.cpp over several ranks: each rank has a strip of the plate, and works on it
// with its OpenMP threads.
//
// A plain MPI+OpenMP program: nothing of drom in it. Only the main thread calls MPI, between parallel loops.
//
//   mpirun -np RANKS heat_mpi [--size CELLS] [--steps N] [--progress]
//
// Every cell is computed by the same operations on any rank. So the checksum depends neither on the number of ranks nor
// on that of threads. Exit status 1 when the plate differs from the known answer.
#include <mpi.h>

#include <algorithm>
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
    int size = 512;
    int steps = 4000;
    bool progress = false;
};

struct World {
    int rank = 0, ranks = 1;
    [[nodiscard]] int above() const { return rank == 0 ? MPI_PROC_NULL : rank - 1; }
    [[nodiscard]] int below() const { return rank == ranks - 1 ? MPI_PROC_NULL : rank + 1; }
};

/// Rows `first` to `last` of the plate, and a copy of the neighbours' nearest row on either side.
class Strip {
public:
    Strip(int size, const World& world)
        : size_(size),
          first_(size * world.rank / world.ranks),
          last_(size * (world.rank + 1) / world.ranks),
          cells_(static_cast<std::size_t>(last_ - first_ + 2) * static_cast<std::size_t>(size)) {}

    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] int first() const { return first_; }
    [[nodiscard]] int last() const { return last_; }
    double* row(int y) { return cells_.data() + static_cast<std::ptrdiff_t>(y - first_ + 1) * size_; }
    [[nodiscard]] const double* row(int y) const {
        return cells_.data() + static_cast<std::ptrdiff_t>(y - first_ + 1) * size_;
    }

private:
    int size_, first_, last_;
    std::vector<double> cells_;
};

double bump(int at, int size) { return std::sin(std::numbers::pi * at / (size - 1)); }

void fill(Strip& strip) {
    const int size = strip.size();
    for (int y = std::max(1, strip.first()); y < std::min(size - 1, strip.last()); ++y)
        for (int x = 1; x < size - 1; ++x) strip.row(y)[x] = bump(x, size) * bump(y, size);
}

/// Sends the outermost rows to the neighbours and receives theirs.
void exchange(Strip& strip, const World& world) {
    const int count = strip.size();
    double* const top = strip.row(strip.first());
    double* const bottom = strip.row(strip.last() - 1);
    MPI_Sendrecv(top, count, MPI_DOUBLE, world.above(), 0, bottom + count, count, MPI_DOUBLE, world.below(), 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(bottom, count, MPI_DOUBLE, world.below(), 1, top - count, count, MPI_DOUBLE, world.above(), 1,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// Makes one time step: each cell moves towards the mean of its four neighbours. The rim stays cold.
void step(const Strip& now, Strip& next) {
    const int size = now.size();
    const int begin = std::max(1, now.first());
    const int end = std::min(size - 1, now.last());
#pragma omp parallel for schedule(static)
    for (int y = begin; y < end; ++y) {
        const double* above = now.row(y) - size;
        const double* here = now.row(y);
        const double* below = now.row(y) + size;
        double* out = next.row(y);
        for (int x = 1; x < size - 1; ++x)
            out[x] = here[x] + kFlow * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
    }
}

Strip simulate(const Options& options, const World& world) {
    Strip now(options.size, world);
    Strip next(options.size, world);
    fill(now);
    const int tenth = options.steps < 10 ? 1 : options.steps / 10;
    for (int done = 0; done < options.steps; ++done) {
        exchange(now, world);
        step(now, next);
        std::swap(now, next);
        if (options.progress && world.rank == 0 && (done + 1) % tenth == 0)
            std::fprintf(stderr, "heat_mpi: step %d\n", done + 1);
    }
    return now;
}

/// Returns the largest difference from the known answer, relative to the height of the rest of the bump.
double largest_error(const Strip& strip, int steps) {
    const int size = strip.size();
    const double wave = std::sin(std::numbers::pi / (2.0 * (size - 1)));
    const double fade = std::pow(1 - 8 * kFlow * wave * wave, steps);
    double worst = 0;
    for (int y = strip.first(); y < strip.last(); ++y)
        for (int x = 0; x < size; ++x)
            worst = std::fmax(worst, std::fabs(strip.row(y)[x] - fade * bump(x, size) * bump(y, size)));
    double all = 0;
    MPI_Allreduce(&worst, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all / fade;
}

/// Returns a sum over the bits of every cell, weighted by its position: the same for any division of the plate.
std::uint64_t checksum(const Strip& strip) {
    std::uint64_t sum = 0;
    for (int y = strip.first(); y < strip.last(); ++y) {
        for (int x = 0; x < strip.size(); ++x) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, strip.row(y) + x, sizeof bits);
            sum += bits * (2 * static_cast<std::uint64_t>(y * strip.size() + x) + 1);
        }
    }
    std::uint64_t all = 0;
    MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/// Returns the exit status.
int run(const Options& options, const World& world) {
    if (world.ranks > options.size) {
        if (world.rank == 0)
            std::fprintf(stderr, "heat_mpi: %d ranks cannot share %d rows\n", world.ranks, options.size);
        return 2;
    }
    const double begin = MPI_Wtime();
    const Strip strip = simulate(options, world);
    const double took = MPI_Wtime() - begin;
    const double error = largest_error(strip, options.steps);
    const std::uint64_t sum = checksum(strip);
    if (world.rank == 0) {
        std::printf("heat_mpi: %d x %d cells, %d steps, checksum %016llx\n", options.size, options.size, options.steps,
                    static_cast<unsigned long long>(sum));
        std::fprintf(stderr, "heat_mpi: %.3f s\n", took);
        if (error >= 1e-9) std::fprintf(stderr, "heat_mpi: wrong result: off by %g of what it should be\n", error);
    }
    return error < 1e-9 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    int given = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    World world;
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
    Options options;
    int status = 2;
    if (read_arguments(argc, argv, {{"--size", &options.size, 3}, {"--steps", &options.steps}}, &options.progress))
        status = run(options, world);
    else if (world.rank == 0)
        std::fputs("usage: heat_mpi [--size CELLS] [--steps N] [--progress]\n", stderr);
    MPI_Finalize();
    return status;
}
