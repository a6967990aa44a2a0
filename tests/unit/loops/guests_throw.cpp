// SPDX-License-Identifier: BSD-3-Clause
// guests_throw.cpp - loops that throw and catch: GCC's own question, and answers that only a handler keeps.
#include <omp.h>

#include <cstdlib>
#include <stdexcept>

#include "guests.h"

namespace {

// ---- the loop's question only ----

void throws(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        if (data[i] < 0) throw 1;
        data[i] *= 2;
    }
}

void throws_objects(int n) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; i++) {
        if (data[i] < 0) throw std::runtime_error("negative");
        sink_at(data + i);
    }
}

void catches(int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        try {
            may_throw(i);
        } catch (const std::exception&) {
            std::exit(1);
        } catch (...) {
            data[i] = 0;
        }
    }
}

// ---- answers that are kept ----

void keeps_in_a_handler(int n) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < n; i++) {
            try {
                may_throw(i);
            } catch (int) {
                kept = threads;
            }
        }
    }
}

struct Keeper {
    explicit Keeper(int threads) : threads_(threads) {}
    ~Keeper() { sink(threads_); }
    int threads_;
};

void keeps_in_a_destructor(int n) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < n; i++) {
            const Keeper keeper(threads);
            may_throw(i);
        }
    }
}

void throws_the_answer(int n) {
#pragma omp parallel
    {
        const int threads = omp_get_num_threads();
#pragma omp for
        for (int i = 0; i < n; i++) {
            try {
                if (data[i] < 0) throw threads;
                sink_at(data + i);
            } catch (int value) {
                kept = value;
            }
        }
    }
}

}  // namespace

#define ROW(function, keeps) {#function, function, keeps}
const guest GUESTS[] = {
    ROW(throws, 0),
    ROW(throws_objects, 0),
    ROW(catches, 0),
    ROW(keeps_in_a_handler, 1),
    ROW(keeps_in_a_destructor, 1),
    ROW(throws_the_answer, 1),
    {nullptr, nullptr, 0},
};
