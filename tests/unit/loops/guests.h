/* SPDX-License-Identifier: BSD-3-Clause
 * guests.h - functions with OpenMP loops, compiled by GCC at several levels; and whether each keeps its thread count. */
#ifndef GUESTS_H
#define GUESTS_H

#ifdef __cplusplus
extern "C" {
#endif

struct guest {
    const char* name;
    void (*run)(int n); /* NULL: the end */
    int keeps;          /* 1: omp_get_num_threads()'s answer may outlive the loop; 0: GCC's own use of it only */
};

extern const struct guest guests_og[], guests_o1[], guests_o2[], guests_o3[], guests_os[], guests_no_plt[], guests_v3[];
extern const struct guest guests_throw_o1[], guests_throw_o2[], guests_throw_o3[], guests_throw_no_plt[];

extern int kept;
extern int per_thread[64];
extern double data[4096];
void sink(int value);
void sink_at(double* where);
void may_throw(int value);

#ifdef __cplusplus
}
#endif
#endif
