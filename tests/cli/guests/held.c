// SPDX-License-Identifier: BSD-3-Clause
// held.c - asks once how many threads there are and keeps the answer: it must never be resized.
//   held [SECONDS]         exit status 1 when a region had another size
#include <omp.h>
#include <signal.h>
#include <stdlib.h>

static volatile sig_atomic_t ended;
static void end(int number) {
    (void)number;
    ended = 1;
}

int main(int argc, char** argv) {
    const double limit = argc > 1 ? atof(argv[1]) : 60;
    const double start = omp_get_wtime();
    const int threads = omp_get_max_threads();
    int wrong = 0;
    signal(SIGTERM, end);
    while (!ended && omp_get_wtime() - start < limit) {
        volatile long sum = 0;
#pragma omp parallel reduction(| : wrong)
        {
            long own = 0;
            for (int i = 0; i < 200000; ++i) own += i % 7;
            if (omp_get_num_threads() != threads) wrong = 1;
            if (omp_get_thread_num() == 0) sum = own;
        }
    }
    return wrong;
}
