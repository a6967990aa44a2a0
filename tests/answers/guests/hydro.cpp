// SPDX-License-Identifier: BSD-3-Clause
// hydro.cpp - the calling habits of explicit hydrodynamics proxy codes, on integers.
//
// Every time step has three parts. Some functions ask omp_get_max_threads() and, only if it is more than one, gather by
// thread into a scratch array that a second region reads. Others find minima over the elements, in arrays per thread
// that the first call allocates and no later one, although each call asks. In between are loops over lists of elements.
//
//   steps        all of that, after a line that prints the number of threads
//   constraints  only the minima
//   gather       only the gathering
//   kept         as steps, but the minima use the number that their first call got
//   passed       as steps, and one function asks for a number of parts that functions called by it use, with another
//                asking function in between
#include <omp.h>

#include <memory>
#include <vector>

#include "guest.h"

namespace {

constexpr int kElements = 1000;
constexpr int kCorners = 4;
constexpr int kNodes = kElements + kCorners - 1;

struct Domain {
    std::vector<uint64_t> energy = std::vector<uint64_t>(kElements, 1);
    std::vector<uint64_t> force = std::vector<uint64_t>(kNodes, 0);
    std::vector<int> active;
};

/// Adds the forces of elements on their corners: in one loop with one thread, else by way of a scratch array.
void gather_forces(Domain& domain, long round) {
    const int threads = omp_get_max_threads();
    const size_t length = threads > 1 ? size_t{kElements} * kCorners : 0;
    const std::unique_ptr<uint64_t[]> scratch(length ? new uint64_t[length] : nullptr);
#pragma omp parallel for
    for (int e = 0; e < kElements; ++e) {
        for (int c = 0; c < kCorners; ++c) {
            const uint64_t value = work(domain.energy[size_t(e)] + uint64_t(round + c), 8);
            if (threads > 1) {
                scratch[size_t(e) * kCorners + size_t(c)] = value;
            } else {
                domain.force[size_t(e + c)] += value;
            }
        }
    }
    if (threads <= 1) return;
#pragma omp parallel for
    for (int n = 0; n < kNodes; ++n)
        for (int c = 0; c < kCorners; ++c)
            if (const int e = n - c; e >= 0 && e < kElements)
                domain.force[size_t(n)] += scratch[size_t(e) * kCorners + size_t(c)];
}

void move_energy(Domain& domain, long round) {
#pragma omp parallel
    {
#pragma omp for
        for (int e = 0; e < kElements; ++e) domain.energy[size_t(e)] += domain.force[size_t(e)] >> 8;
#pragma omp for
        for (int n = 0; n < kNodes; ++n) domain.force[size_t(n)] ^= uint64_t(round);
    }
}

void choose_active(Domain& domain, long round) {
    domain.active.clear();
    for (int e = 0; e < kElements; ++e)
        if ((uint64_t(e) * 7 + uint64_t(round)) % 3) domain.active.push_back(e);
}

/// Returns the least value over the active elements. The arrays are as large as the team was at the first call.
uint64_t constraint(const Domain& domain, uint64_t salt, bool keeps) {
    static int first;
    static uint64_t* min_of;
    static int* where_of;
    const int threads = keeps && first ? first : omp_get_max_threads();
    if (!min_of) {
        first = threads;
        min_of = new uint64_t[size_t(threads)];
        where_of = new int[size_t(threads)];
    }
#pragma omp parallel
    {
        const int t = omp_get_thread_num();
        uint64_t min = UINT64_MAX;
        int where = -1;
#pragma omp for nowait
        for (int i = 0; i < int(domain.active.size()); ++i) {
            const int e = domain.active[size_t(i)];
            const uint64_t value = work(domain.energy[size_t(e)] ^ salt, 12);
            if (value < min) {
                min = value;
                where = e;
            }
        }
        min_of[t] = min;
        where_of[t] = where;
    }
    for (int t = 1; t < threads; ++t) {
        if (min_of[t] < min_of[0]) {
            min_of[0] = min_of[t];
            where_of[0] = where_of[t];
        }
    }
    return mix(min_of[0], uint64_t(where_of[0]));
}

/// Computes in `parts` parts: the caller has asked for that number, and this function trusts it.
uint64_t in_parts(const Domain& domain, int parts, std::vector<uint64_t>& partial) {
#pragma omp parallel
    {
        const int t = omp_get_thread_num();
        uint64_t mine = 0;
        for (int e = kElements * t / parts; e < kElements * (t + 1) / parts; ++e)
            mine += work(domain.energy[size_t(e)], 6);
        partial[size_t(t)] = mine;
    }
    uint64_t sum = 0;
    for (int t = 0; t < parts; ++t) sum += partial[size_t(t)];
    return sum;
}

uint64_t balance(const Domain& domain, Domain& other, long round) {
    const int parts = omp_get_max_threads();
    std::vector<uint64_t> partial(static_cast<size_t>(parts));
    uint64_t sum = in_parts(domain, parts, partial);
    gather_forces(other, round);
    sum = mix(sum, in_parts(other, parts, partial));
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const bool keeps = is(given, "kept"), passes = is(given, "passed"), steps = is(given, "steps") || keeps || passes;
    const bool constraints = is(given, "constraints"), gather = is(given, "gather");
    if (!steps && !constraints && !gather) return no_such_mode(given);
    if (steps) std::printf("threads %d\n", omp_get_max_threads());
    Domain domain, other;
    uint64_t sum = 0;
    for (long round = 0; round < rounds(given, steps ? 8000 : 30000); ++round) {
        if (steps || gather) gather_forces(domain, round);
        move_energy(domain, round);
        if (steps || constraints) {
            choose_active(domain, round);
            sum = mix(sum, constraint(domain, 1, keeps));
            sum = mix(sum, constraint(domain, 2, keeps));
        }
        if (passes) sum = mix(sum, balance(domain, other, round));
    }
    for (const uint64_t energy : domain.energy) sum = mix(sum, energy);
    return finish(given, sum);
}
