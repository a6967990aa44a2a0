// SPDX-License-Identifier: BSD-3-Clause
// particles_mpi.cpp - particles that attract each other: each rank moves a share of them, each thread a part of that.
//
// A plain MPI+OpenMP program: nothing of drom in it. It computes more than it communicates: one gather of all positions
// per step.
//
//   mpirun -np RANKS particles_mpi [--particles N] [--steps N] [--progress]
//
// The force on a particle is summed over all others in one order. So every bit of the result is the same for any number
// of ranks and threads, and the checksum says so. Moves by leapfrog, which keeps the energy: exit status 1 when it
// drifts.
#include <mpi.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "arguments.hpp"

namespace {

constexpr double kStep = 1e-3;
constexpr double kSoft = 0.05;  // squared; it limits the force between two particles that meet

using Vector = std::array<double, 3>;

struct Options {
    int particles = 1536;
    int steps = 150;
    bool progress = false;
};

/// All positions; the velocities and forces of this rank's particles [first, last).
struct System {
    int rank = 0, ranks = 1, first = 0, last = 0;
    std::vector<Vector> places, velocities, forces;
    std::vector<int> counts, starts;  // in doubles, as MPI_Allgatherv needs them
};

/// Returns a number in [-1, 1) that is made from a counter.
double random_place(std::uint64_t counter) {
    std::uint64_t bits = (counter + 1) * 0x9e3779b97f4a7c15;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
    return static_cast<double>((bits ^ bits >> 31) >> 11) * 0x1p-52 - 1;
}

System set_up(const Options& options) {
    System system;
    MPI_Comm_rank(MPI_COMM_WORLD, &system.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &system.ranks);
    const auto start_of = [&](int rank) {
        return static_cast<int>(static_cast<long>(options.particles) * rank / system.ranks);
    };
    for (int rank = 0; rank < system.ranks; ++rank) {
        system.starts.push_back(3 * start_of(rank));
        system.counts.push_back(3 * (start_of(rank + 1) - start_of(rank)));
    }
    system.first = start_of(system.rank);
    system.last = start_of(system.rank + 1);
    system.places.resize(static_cast<std::size_t>(options.particles));
    for (std::size_t i = 0; i < system.places.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis) system.places[i][axis] = random_place(3 * i + axis);
    system.velocities.resize(static_cast<std::size_t>(system.last - system.first));
    system.forces.resize(system.velocities.size());
    return system;
}

/// Computes the force of all others on a particle; the masses add up to one. Returns its share of the potential energy.
double pull_on(const System& system, std::size_t particle, Vector& force) {
    const double mass = 1.0 / static_cast<double>(system.places.size());
    const Vector here = system.places[particle];
    Vector sum{};
    double potential = 0;
    for (const Vector& other : system.places) {
        const Vector way{other[0] - here[0], other[1] - here[1], other[2] - here[2]};
        const double squared = way[0] * way[0] + way[1] * way[1] + way[2] * way[2] + kSoft;
        const double inverse = 1 / std::sqrt(squared);
        const double pull = mass * inverse * inverse * inverse;
        for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += pull * way[axis];
        potential -= 0.5 * mass * mass * inverse;
    }
    force = sum;
    return potential + 0.5 * mass * mass / std::sqrt(kSoft);  // not on itself
}

/// Computes the forces on this rank's particles. Returns their potential energy.
double pull(System& system) {
    double potential = 0;
    const auto count = static_cast<std::ptrdiff_t>(system.forces.size());
#pragma omp parallel for schedule(static) reduction(+ : potential)
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        const auto own = static_cast<std::size_t>(i);
        potential += pull_on(system, static_cast<std::size_t>(system.first) + own, system.forces[own]);
    }
    return potential;
}

void push(System& system, double time) {
    for (std::size_t i = 0; i < system.forces.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis) system.velocities[i][axis] += time * system.forces[i][axis];
}

/// Moves this rank's particles and receives the positions of all others.
void move(System& system) {
    for (std::size_t i = 0; i < system.velocities.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
            system.places[static_cast<std::size_t>(system.first) + i][axis] += kStep * system.velocities[i][axis];
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, system.places.data(), system.counts.data(), system.starts.data(),
                   MPI_DOUBLE, MPI_COMM_WORLD);
}

double energy(const System& system, double potential) {
    double own = potential;
    for (const Vector& v : system.velocities)
        own += 0.5 / static_cast<double>(system.places.size()) * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

std::uint64_t checksum(const System& system) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a over the bits of all positions, which every rank has
    for (const Vector& place : system.places) {
        for (double axis : place) {
            std::uint64_t bits = 0;
            std::memcpy(&bits, &axis, sizeof bits);
            hash = (hash ^ bits) * 0x100000001b3;
        }
    }
    return hash;
}

/// Returns the exit status.
int simulate(const Options& options) {
    System system = set_up(options);
    const double begin = MPI_Wtime();
    const double before = energy(system, pull(system));
    double potential = 0;
    const int tenth = options.steps < 10 ? 1 : options.steps / 10;
    for (int done = 0; done < options.steps; ++done) {
        push(system, kStep / 2);
        move(system);
        potential = pull(system);
        push(system, kStep / 2);
        if (options.progress && system.rank == 0 && (done + 1) % tenth == 0)
            std::fprintf(stderr, "particles_mpi: step %d\n", done + 1);
    }
    const double drift = std::fabs(energy(system, potential) / before - 1);
    if (system.rank == 0) {
        std::printf("particles_mpi: %d particles, %d steps, checksum %016llx\n", options.particles, options.steps,
                    static_cast<unsigned long long>(checksum(system)));
        std::fprintf(stderr, "particles_mpi: %.3f s\n", MPI_Wtime() - begin);
        if (drift >= 1e-4)
            std::fprintf(stderr, "particles_mpi: wrong result: the energy has drifted by %g of itself\n", drift);
    }
    return drift < 1e-4 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    int given = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
    Options options;
    int status = 2;
    if (read_arguments(argc, argv, {{"--particles", &options.particles}, {"--steps", &options.steps}},
                       &options.progress))
        status = simulate(options);
    else
        std::fputs("usage: particles_mpi [--particles N] [--steps N] [--progress]\n", stderr);
    MPI_Finalize();
    return status;
}
