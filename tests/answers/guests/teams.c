/* SPDX-License-Identifier: BSD-3-Clause
 * teams.c - a library that opens regions for others, and never asks how large they are.
 */
#include "teams.h"

#include <omp.h>

#include "guest.h"

void teams_by_number(uint64_t* partial, long round) {
#pragma omp parallel
    partial[omp_get_thread_num()] = work((uint64_t)(round + omp_get_thread_num()), 90000);
}

void teams_for_each(long round, int n, void (*item)(long round, int i)) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < n; ++i) item(round, i);
}

void teams_once_each(void (*done)(void)) {
#pragma omp parallel
    done();
}
