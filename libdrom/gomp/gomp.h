/* SPDX-License-Identifier: BSD-3-Clause
 * gomp.h - what libdrom-gomp.so needs from libdrom.so. Private: the two are built and installed together. */
#ifndef DROM_GOMP_H
#define DROM_GOMP_H

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*drom_gomp_fn)(void *);

/* A region that runs `fn` is about to start through the runtime's `real` entry point: what has to run in its place. */
drom_gomp_fn drom_gomp_region(drom_gomp_fn fn, const void *real);

/* The program opens a league of teams. */
void drom_gomp_teams(const void *real);

/* The entry point `symbol` that an object at `caller` is bound to when none is in the global search order. */
void *drom_gomp_find(const char *symbol, const void *caller);

#ifdef __cplusplus
}
#endif
#endif
