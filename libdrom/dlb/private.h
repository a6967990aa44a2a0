/* SPDX-License-Identifier: BSD-3-Clause
 * private.h - private: the functions of libdrom.so that libdlb.so needs besides drom.h. Both come from one build; no
 * other program may rely on them. */
#ifndef DROM_DLB_PRIVATE_H
#define DROM_DLB_PRIVATE_H

#include "drom/drom.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- this process ------------------------------------------------------------------------------------------- */

#define DROM_DLB_NO_RESERVATION (-1)

typedef struct drom_dlb_joining {
    const char* where;     /* the path of the table */
    const uint64_t* words; /* the CPUs it asks for; all clear: none; NULL: its affinity */
    size_t nwords;
    int32_t reserved_for; /* the process whose reservation this one takes over; 0: DROM_SLOT's or its own;
                             DROM_DLB_NO_RESERVATION */
    int32_t async;        /* 1: with the agent's own thread */
} drom_dlb_joining;

/* Joins, and writes the CPUs that the process has then. Returns DROM_UNCHANGED when the agent of this process had
 * joined before; that client is used. */
DROM_EXPORT int drom_dlb_join(const drom_dlb_joining*, uint64_t* has, size_t nwords, drom_error*);

/* Returns 1 when this process is a client; *first is the number of the request at its join (0: none). Returns 0
 * otherwise. */
DROM_EXPORT int drom_dlb_joined(uint64_t* first);

/* Leaves. Returns DROM_UNCHANGED when runtimes of this process use the client too; it stays. */
DROM_EXPORT int drom_dlb_leave(drom_error*);

/* Returns the path of the table that this process has joined. */
DROM_EXPORT const char* drom_dlb_where(void);

/* Reads the newest request. Returns DROM_OK when it is another one than *seen: then every thread is inside its mask,
 * and *seen is its number. Returns DROM_UNCHANGED, DROM_E_NOINIT. Two loads when unchanged. */
DROM_EXPORT int drom_dlb_poll(uint64_t* seen, uint64_t* words, size_t nwords);

/* Notes that the program polls. Region starts leave adoption to it from now on, unless it only has an OpenMP team of
 * the agent's updated. */
DROM_EXPORT void drom_dlb_polls(int updates);

/* Returns DROM_OK when there is a request after `seen`. */
DROM_EXPORT int drom_dlb_pending(uint64_t seen);
/* Serves callers that ask all the time: returns the address of a pointer to the 64-bit number of the newest request.
 * Valid for good; both are atomic. */
DROM_EXPORT const void* drom_dlb_newest(void);

/* Notes that the program follows request `seen` now. `apply`: also resizes an OpenMP team of the agent's, outside
 * parallel regions. */
DROM_EXPORT void drom_dlb_followed(uint64_t seen, int apply);

/* Sets the function that the agent's own thread calls after each release. */
typedef void (*drom_dlb_released_fn)(void);
DROM_EXPORT void drom_dlb_on_release(drom_dlb_released_fn);

/* ---- the table: what DLB's administrators know of it ----------------------------------------------------------- */

/* Writes the path of the user's table: DROM_TABLE, else the default. DROM_E_INVAL: it does not fit. */
DROM_EXPORT int drom_dlb_table(char* path, size_t size);

typedef struct drom_dlb_view drom_dlb_view;
DROM_EXPORT int drom_dlb_open(drom_dlb_view**, const char* where, drom_error*);
DROM_EXPORT void drom_dlb_close(drom_dlb_view*);

typedef struct drom_dlb_client {
    uint32_t slot, generation;
    uint32_t joined;     /* 0: reserved, not joined yet */
    uint32_t pending;    /* 1: its newest request is not released */
    uint64_t pending_ms; /* for how long */
    uint64_t wanted[64]; /* the CPUs that it has once everything posted is done */
} drom_dlb_client;

/* Returns DROM_E_NOPROC when no slot is registered for `pid`. A process that has ended is found until it is reaped. */
DROM_EXPORT int drom_dlb_look(drom_dlb_view*, int32_t pid, drom_dlb_client*);

/* Returns the CPUs that `pid` has once everything posted is done; the number of CPUs; the processes, *n of them (in:
 * room for them). `view` NULL: in the table of this process, which must be a client; its own mask then costs no
 * system call. DROM_E_NOPROC: no such client, or it has ended. */
DROM_EXPORT int drom_dlb_wanted(const drom_dlb_view*, int32_t pid, uint64_t* words, size_t nwords);
DROM_EXPORT uint32_t drom_dlb_cpus(const drom_dlb_view*);
DROM_EXPORT int drom_dlb_pids(const drom_dlb_view*, int32_t* pids, size_t* n);

/* Makes a slot without CPUs for a process that may not exist yet; the caller is its launcher. E_BUSY: registered
 * already. */
DROM_EXPORT int drom_dlb_enrol(drom_dlb_view*, int32_t pid, drom_dlb_client*, drom_error*);

/* Passes CPUs of a reservation that no process has joined to another client at once: no thread runs there by the
 * reservation. */
DROM_EXPORT int drom_dlb_inherit(drom_dlb_view*, int32_t from, int32_t to, const uint64_t* words, size_t nwords);

/* Marks CPUs of `words` that were taken for `pid` with DROM_RETURN as remembered only: they do not come back by
 * themselves. */
DROM_EXPORT void drom_dlb_remember(drom_dlb_view*, int32_t pid, const uint64_t* words, size_t nwords);
/* Does the opposite: CPUs of `words` (NULL: all) that `pid` has go back to the client they were taken from, when
 * `pid` gives them up. */
DROM_EXPORT void drom_dlb_lend(drom_dlb_view*, int32_t pid, const uint64_t* words, size_t nwords);
/* Writes the CPUs that were taken from `pid`, and those of them that are free now. */
DROM_EXPORT void drom_dlb_taken(drom_dlb_view*, int32_t pid, uint64_t* taken, uint64_t* idle, size_t nwords);
/* Clears the records of CPUs that `pid` has again: they count as taken no more. */
DROM_EXPORT void drom_dlb_forget(drom_dlb_view*, int32_t pid);

#ifdef __cplusplus
}
#endif
#endif
