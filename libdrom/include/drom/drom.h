/* SPDX-License-Identifier: BSD-3-Clause
 *
 * drom.h - move CPUs between running processes of one node.
 *
 * A table is a directory that belongs to one node. It records which client owns which CPU, and which processes take
 * part.
 * A client is a process with a slot in the table.
 * An administrator is a process that changes masks: the drom command, a resource manager, a program with this
 * interface.
 *
 * A request is a new mask for a client. Its sequence number only grows.
 * A request is released when no thread of the client runs outside its mask any more. Descendants of the client that
 * are no clients themselves count as its threads.
 * A request is resized when the number of the client's OpenMP threads has followed its mask.
 * A client adopts a request at a safe point: an OpenMP region about to start, an MPI call, or a call of drom_poll.
 * Between them the agent's own thread can release CPUs.
 *
 * Masks cross this interface as `words` and `nwords`: bit i of word w is CPU 64 w + i. A call that fills in a mask
 * needs room for the table's highest CPU in it, and returns DROM_E_INVAL otherwise; 64 words are always enough.
 *
 * A call returns DROM_OK (0), a positive status for information, or a negative error. `error` may be NULL.
 * Otherwise it receives the status and one complete sentence: the request, the obstacle, and the remedy. A call
 * that returns an error has changed nothing.
 *
 * A drom_table may be used by one thread at a time, and different tables are independent. Client calls may be made
 * by any thread, but drom_init and drom_finalize by one thread at a time. No call writes to stdout, ends the
 * process, or changes signal handlers. No call allocates memory while it finds nothing new.
 *
 * The model is that of the DROM thesis (M. D'Amico, Universitat Politecnica de Catalunya, 2021), chapter 4.
 *
 * scripts/manual.py makes the manual pages of section 3 from this file. A line "---- page(3): text ----" begins a
 * page. In the comment of a call, "Returns:", "Errors:", "Cost:" and "Threads:" begin paragraphs of their own. */
#ifndef DROM_H
#define DROM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DROM_EXPORT __attribute__((visibility("default")))
#else
#define DROM_EXPORT
#endif

#define DROM_VERSION_MAJOR 0
#define DROM_VERSION_MINOR 1
#define DROM_VERSION_PATCH 0

/* ---- drom_status_name(3): the name and a short text of a status ---- */

enum {
    DROM_UNCHANGED = 2,   /* information: there is nothing to do */
    DROM_PENDING = 1,     /* information: the request is posted and not acknowledged yet */
    DROM_OK = 0,          /* done */
    DROM_E_INVAL = -1,    /* an argument is wrong: an empty or oversize mask, an unknown flag */
    DROM_E_NOTABLE = -2,  /* there is no table, or it was removed while in use */
    DROM_E_VERSION = -3,  /* the table has another layout version */
    DROM_E_PERM = -4,     /* the table or the process belongs to another user, or the table was opened read-only */
    DROM_E_BUSY = -5,     /* a CPU belongs to another client, or the slot is taken */
    DROM_E_NOPROC = -6,   /* there is no such client, or it has ended */
    DROM_E_TIMEOUT = -7,  /* the deadline passed and nothing useful is pending */
    DROM_E_NOCPU = -8,    /* a CPU is unknown, absent, offline or drained, or there are not enough CPUs */
    DROM_E_FULL = -9,     /* no slot is free, the file system has no space, or an output array is too small */
    DROM_E_CORRUPT = -10, /* the table is damaged; drom never repairs one */
    DROM_E_OS = -11,      /* the operating system refused a call; the sentence names it */
    DROM_E_NOINIT = -12   /* this process is not a client */
};

/* Returns a text for a status: drom_status_name its name, "DROM_E_BUSY" for example, and drom_status_text a short
 * phrase. Neither result is ever NULL, and neither may be freed.
 *
 * Threads: safe. */
DROM_EXPORT const char *drom_status_name(int status);
DROM_EXPORT const char *drom_status_text(int status);

typedef struct drom_error {
    int status;     /* what the call returned */
    char text[252]; /* one complete sentence without a newline */
} drom_error;

/* ---- drom_options(3): flags, times and limits of a call ---- */

#define DROM_WAIT_RELEASED (1ULL << 0)  /* return when the request is released (default: at once, with DROM_PENDING) */
#define DROM_WAIT_RESIZED  (1ULL << 1)  /* return when the request is resized too, or known to stay confined */
#define DROM_NEVER_CONFINE (1ULL << 2)  /* never move the client's threads from outside */
#define DROM_TAKE          (1ULL << 3)  /* CPUs that other clients own are taken from them */
#define DROM_RETURN        (1ULL << 4)  /* CPUs taken go back when their new owner ends or gives them up */
#define DROM_FAST          (1ULL << 5)  /* the next owner may start before the present one has released */
#define DROM_CREATE        (1ULL << 6)  /* drom_open: create the table if there is none */
#define DROM_READONLY      (1ULL << 7)  /* drom_open: observe only */
#define DROM_ASYNC         (1ULL << 8)  /* drom_init, drom_on_change: adopt requests in the agent's own thread too */
#define DROM_RIGID         (1ULL << 9)  /* drom_init, drom_reserve: CPUs are never taken from this client (E_BUSY) */
#define DROM_NODE          (1ULL << 10) /* drom_open with DROM_CREATE: a table of the node, which only root writes */
#define DROM_ADD           (1ULL << 11) /* drom_set_mask: these CPUs besides those that the client has */
#define DROM_REMOVE        (1ULL << 12) /* drom_set_mask: the client's CPUs without these, which must be among them */
/* drom_open with DROM_CREATE and `cpus`: a node that this machine only plays, for tests of large nodes. Masks are
 * recorded and teams follow them, but no thread is moved. */
#define DROM_VIRTUAL (1ULL << 13)
/* drom_reserve: the caller is the subreaper (prctl) of this client and of no other process. Every process below the
 * caller is the client's, also when its parents have ended. */
#define DROM_TREE (1ULL << 14)

#define DROM_GRACE_AT_ONCE UINT32_MAX /* for grace_ms: threads are moved from outside at once */

/* Initialise the structure with zeros and set `size` to sizeof(drom_options). A NULL pointer to options means all
 * defaults. An unknown flag is refused, and so is a flag that has no meaning for the call, and a reserved field
 * that is not 0. */
typedef struct drom_options {
    size_t size;          /* sizeof(drom_options) */
    uint64_t flags;       /* DROM_TAKE and so on, combined by | */
    uint32_t timeout_ms;  /* how long to wait, in milliseconds; 0: DROM_TIMEOUT_MS of the environment, else 1000 */
    uint32_t grace_ms;    /* how long a client may take to release before its threads are moved from outside, in
                             milliseconds; 0: DROM_GRACE_MS of the environment, else at once for a caller that may
                             have a real-time priority (root) and 20 for others, also while adoption is disabled */
    const char *name;     /* drom_init, drom_reserve: the name of the client; NULL: the name of its program */
    const char *job;      /* drom_init, drom_reserve: the job of the client, "88.0" for example, or NULL */
    uint32_t min_cpus;    /* drom_init, drom_reserve: the client never gets fewer CPUs; 0: 1 */
    uint32_t max_cpus;    /* drom_init, drom_reserve: the client never gets more CPUs; 0: no limit */
    uint32_t cpus;        /* DROM_CREATE with DROM_VIRTUAL: the number of CPUs to play; 0: those of this machine */
    uint32_t clients;     /* DROM_CREATE: the number of slots; 0: 1024 */
    uint64_t reserved[4]; /* 0 */
} drom_options;

/* ---- drom_init(3): become a client, and stop being one ---- */

/* Joins the user's table, which is created if needed, and claims the CPUs of `words`. With NULL it claims the
 * process's affinity. CPUs that other clients own stay with them: a client without any CPU of its own runs as
 * before, and is listed with none. Inside a reservation (drom_reserve, drom run) the reserved CPUs are the
 * client's, and `words` is ignored.
 *
 * The call may be repeated after an error, after drom_finalize, and in a forked child. The options may carry
 * DROM_ASYNC, DROM_RIGID, `name`, `job`, `min_cpus` and `max_cpus`.
 *
 * Errors: E_BUSY the process is a client already, or was one at an OpenMP runtime's entry points; E_NOINIT
 * DROM_DISABLE is set, or the program runs with another user's rights; E_INVAL; E_NOCPU a CPU is beyond those of
 * the table; E_NOTABLE the table was removed while other clients use it; E_PERM the table belongs to another user,
 * or others may write to it; E_VERSION; E_CORRUPT; E_FULL no slot is free, or the file system has no space; E_OS
 * also: DROM_ASYNC was given and no thread can be created.
 * Cost: below 300 microseconds.
 * Threads: one thread at a time. */
DROM_EXPORT int drom_init(const uint64_t *words, size_t nwords, const drom_options *, drom_error *);

/* Gives every CPU back and leaves the table. Inside a reservation the CPUs stay reserved until the launcher
 * releases them.
 *
 * Errors: E_NOINIT.
 * Threads: one thread at a time. */
DROM_EXPORT int drom_finalize(drom_error *);

/* ---- drom_poll(3): adopt the newest request ---- */

/* Looks for a request that is newer than the last one adopted, and fills in its mask. `words` may be NULL. By the
 * time of DROM_OK every thread of the process is inside the new mask: the request is released. The caller then
 * adapts its number of threads, and its next call acknowledges the request as resized.
 *
 * Returns: DROM_OK and the new mask, or DROM_UNCHANGED.
 * Errors: E_NOINIT; E_INVAL the mask does not fit in `nwords` words.
 * Cost: two loads when nothing is new; no system call, no lock.
 * Threads: safe. */
DROM_EXPORT int drom_poll(uint64_t *words, size_t nwords, drom_error *);

/* Does as drom_poll, then sets the size of the OpenMP team: as many threads as CPUs, never more than the program's
 * own number. DROM_RESIZE does not change that. Call it outside parallel regions.
 *
 * Returns: DROM_OK when a request was adopted, or DROM_UNCHANGED.
 * Errors: E_NOINIT.
 * Threads: the thread that opens parallel regions. */
DROM_EXPORT int drom_poll_apply(drom_error *);

/* ---- drom_on_change(3): have a function called with each new mask ---- */

typedef void (*drom_mask_fn)(const uint64_t *words, size_t nwords, void *arg);

/* Registers `fn`, which is called with each new mask after its release. The callers are drom_poll and
 * drom_poll_apply. With DROM_ASYNC a thread of the agent calls it too, as soon as the request arrives. A process
 * has one such function, and NULL removes it. The call also allows the OpenMP team to follow the mask.
 *
 * Errors: E_INVAL; E_OS DROM_ASYNC was given and no thread can be created.
 * Threads: safe; with DROM_ASYNC `fn` runs in another thread than the program's. */
DROM_EXPORT int drom_on_change(drom_mask_fn fn, void *arg, const drom_options *, drom_error *);

/* ---- drom_disable(3): postpone adoption, and allow it again ---- */

/* Postpones adoption, or allows it again: between drom_disable and drom_enable the process adopts no request. Pairs
 * of them nest. An administrator may still move the threads from outside after the grace period.
 *
 * Errors: E_NOINIT.
 * Threads: safe. */
DROM_EXPORT int drom_disable(void);
DROM_EXPORT int drom_enable(void);

/* ---- drom_limits(3): how few and how many CPUs are of use ---- */

/* Sets the minimum and the maximum number of CPUs of this client. Administrators are refused anything else. 0
 * leaves a limit as it is.
 *
 * Errors: E_NOINIT; E_INVAL the minimum is above the maximum, or beyond 4096; E_PERM the table is a node table, in
 * which the resource manager sets limits.
 * Threads: safe. */
DROM_EXPORT int drom_limits(uint32_t min_cpus, uint32_t max_cpus, drom_error *);

/* ---- drom_open(3): open a table, and read what it has ---- */

typedef struct drom_table drom_table;

/* Opens the table in the directory `where`. With NULL it opens DROM_TABLE of the environment, else
 * /dev/shm/drom-UID. The options may carry DROM_CREATE, with it DROM_NODE and DROM_VIRTUAL, or else DROM_READONLY.
 * Without DROM_CREATE no table is made. A table that was made stays, also when it cannot be opened afterwards.
 *
 * Errors: E_INVAL the path is empty or too long, a flag has no meaning here, or flags exclude each other; E_NOTABLE
 * there is no table; E_PERM the table belongs to another user, or others may write to it; E_VERSION; E_CORRUPT;
 * E_FULL the file system has no space; E_OS. */
DROM_EXPORT int drom_open(drom_table **, const char *where, const drom_options *, drom_error *);

/* Closes the table and frees what belongs to it. NULL is allowed. Requests that were posted stay posted. */
DROM_EXPORT void drom_close(drom_table *);

/* Returns the directory of the table, the number of its CPUs, or the number of its slots. For NULL: "", 0 and 0. */
DROM_EXPORT const char *drom_table_path(const drom_table *);
DROM_EXPORT uint32_t drom_table_cpus(const drom_table *);
DROM_EXPORT uint32_t drom_table_clients(const drom_table *);

/* Fills in masks of the table itself: CPUs that exist, CPUs that are free, CPUs that are drained. Any may be NULL.
 *
 * Errors: E_INVAL a mask does not fit in `nwords` words. */
DROM_EXPORT int drom_table_masks(drom_table *, uint64_t *present, uint64_t *free_cpus, uint64_t *drained, size_t nwords,
                                 drom_error *);

/* The location of a CPU. CPUs of one package with equal numbers share a core, an L3 cache, a NUMA node. UINT16_MAX:
 * not known. */
typedef struct drom_location {
    uint16_t core, l3, numa, package;
} drom_location;

/* Fills in one element of `out` per CPU of the table, CPU 0 first. `*n` is the room in `out`, and afterwards the
 * number of CPUs.
 *
 * Errors: E_FULL there are more CPUs than fit, and `*n` says how many; E_INVAL a pointer is NULL. */
DROM_EXPORT int drom_table_locations(drom_table *, drom_location *out, size_t *n, drom_error *);

/* ---- drom_clients(3): read the clients, their masks and their processes ---- */

enum {
    DROM_CLIENT_RESERVED = 1, /* CPUs are reserved, and the process has not joined */
    DROM_CLIENT_LIVE = 2      /* the process has joined */
};

#define DROM_ENTRY_KMP      (1u << 1) /* of `entry_points`: entry points of LLVM-derived OpenMP runtimes */
#define DROM_ENTRY_GOMP     (1u << 2) /* of `entry_points`: entry points of GCC's OpenMP runtime */
#define DROM_ENTRY_ASYNC    (1u << 4) /* of `entry_points`: the agent's own thread */
#define DROM_ENTRY_EXPLICIT (1u << 5) /* of `entry_points`: drom_poll */
#define DROM_ENTRY_MPI      (1u << 6) /* of `entry_points`: MPI calls */

enum {
    DROM_RESIZE_NONE = 0,    /* no OpenMP was seen so far */
    DROM_RESIZE_FOLLOWS = 1, /* the team follows the mask */
    DROM_RESIZE_HELD = 2,    /* the team may follow, but the program set its number itself: confined only */
    DROM_RESIZE_KEEPS = 3,   /* neither user nor program allowed a change, or DROM_RESIZE=keep: confined only */
    DROM_RESIZE_CALLER = 4   /* the program adapts where it calls drom_poll */
};

typedef struct drom_client_info {
    size_t size;           /* in: sizeof(drom_client_info), of any drom.h; all elements have that of the first */
    int32_t pid;           /* process id */
    uint32_t slot;         /* place in the table, from 0 */
    uint64_t request_seq;  /* newest request */
    uint64_t released_seq; /* newest request that is released */
    uint64_t resized_seq;  /* newest request that is resized */
    uint64_t confined_seq; /* newest request that an administrator released from outside */
    uint32_t generation;   /* how often the slot was used */
    uint32_t state;        /* DROM_CLIENT_RESERVED or DROM_CLIENT_LIVE */
    uint32_t entry_points; /* the entry points at which the client adopts requests: DROM_ENTRY_KMP and so on */
    uint32_t resize;       /* whether the team follows: DROM_RESIZE_NONE and so on */
    uint32_t owned_cpus, wanted_cpus; /* CPUs until it releases them, and CPUs once everything posted is done */
    uint32_t min_cpus, max_cpus;      /* limits; a maximum of 0 is none */
    uint32_t team_size;               /* OpenMP threads of the next region; 0: unknown */
    uint32_t start_size;              /* OpenMP threads that the program started with, and never exceeds */
    int32_t launcher_pid;             /* the launcher (drom run); 0: none */
    uint32_t flags;                   /* DROM_RIGID, or 0 */
    uint32_t limited;                 /* 1: the client's cpuset allows less than its mask */
    uint32_t ranks;                   /* of its MPI job; 0: not known, or it is no rank */
    uint32_t rank;                    /* in its MPI job, from 0 */
    uint32_t local_rank;              /* on this node, from 0 */
    uint64_t posted_ns, released_ns, resized_ns; /* CLOCK_MONOTONIC of the newest of each, in nanoseconds; 0: never */
    uint64_t safe_points, queries, polls, adoptions; /* how many, since the client joined */
    char name[32];                                   /* name of the client */
    char job[32];                                    /* its job, or "" */
    char why[96];                                    /* what the agent says about its newest request; may be empty */
} drom_client_info;

/* Fills in one element of `out` per client that lives. Set `size` of the first element before the call. `*n` is the
 * room in `out`, and afterwards the number of clients.
 *
 * Errors: E_FULL there are more clients than fit, and `*n` says how many; E_INVAL the first element's size, or a
 * pointer that is NULL.
 * Cost: about 0.3 microseconds per client. */
DROM_EXPORT int drom_clients(drom_table *, drom_client_info *out, size_t *n, drom_error *);

/* Fills in two masks of a client. `owned` has the CPUs that are the client's until it releases them. `wanted` has
 * those that it will own once everything posted is done. Either may be NULL.
 *
 * Errors: E_NOPROC; E_INVAL a mask does not fit in `nwords` words. */
DROM_EXPORT int drom_get_mask(drom_table *, int32_t pid, uint64_t *owned, uint64_t *wanted, size_t nwords,
                              drom_error *);

/* Fills in the client's descendants that are no clients themselves, parents before their children. They are moved
 * with the client. `*n` is the room in `out`, and afterwards the number of processes.
 *
 * Errors: E_FULL there are more processes than fit, and `*n` says how many; E_NOPROC also: the client is in another
 * pid namespace; E_INVAL a pointer is NULL.
 * Cost: about 10 microseconds per process. */
DROM_EXPORT int drom_descendants(drom_table *, int32_t pid, int32_t *out, size_t *n, drom_error *);

/* ---- drom_set_mask(3): give a client other CPUs ---- */

/* Gives the client exactly this mask. With DROM_ADD or DROM_REMOVE only these CPUs move, and changes that other
 * administrators make to the client's other CPUs at the same time are kept. Without DROM_TAKE a CPU that another
 * client owns is refused, and the sentence names that client. A request that is not acknowledged yet is replaced:
 * the last one wins.
 *
 * Returns: DROM_OK when the request is released or resized as the options ask. DROM_PENDING when it is posted only;
 * the error's text then says what is missing. DROM_UNCHANGED when the client has and keeps exactly this mask.
 * Errors: E_INVAL the mask is empty or oversize, or outside the client's limits; E_NOCPU; E_BUSY also: the client
 * or an owner is rigid, or an owner would fall below its minimum; E_NOPROC; E_PERM; E_NOTABLE.
 * Cost: about 1 microsecond without a wait; a release takes about 0.1 ms. */
DROM_EXPORT int drom_set_mask(drom_table *, int32_t pid, const uint64_t *words, size_t nwords, const drom_options *,
                              drom_error *);

typedef struct drom_client_mask {
    int32_t pid;           /* the client */
    uint32_t reserved;     /* 0 */
    const uint64_t *words; /* its mask */
    size_t nwords;         /* number of words */
} drom_client_mask;

/* Gives each of `n` clients exactly its mask: all of them, or, with an error, none. So the ranks of a job exchange
 * CPUs in one step. The masks must not overlap. CPUs move among the clients named without DROM_TAKE; those of other
 * clients need it.
 *
 * The call writes one plan down before the first CPU moves. If the caller is killed on the way, the next
 * administrator finishes the plan for those clients that still live. One timeout bounds the wait for all of them.
 *
 * Without DROM_FAST a client leaves its last CPU only for one that is free by then. A mere exchange of A's only CPU
 * for B's only CPU is therefore refused with E_BUSY. DROM_FAST allows it, and for a moment both clients use both
 * CPUs.
 *
 * Returns: DROM_OK, DROM_PENDING or DROM_UNCHANGED, as drom_set_mask.
 * Errors: E_INVAL also where a client or CPU is named twice, no client is named, or `reserved` is not 0; E_NOCPU;
 * E_BUSY; E_NOPROC; E_PERM; E_NOTABLE; E_OS no memory.
 * Cost: about 1.5 microseconds per client on a node of 64 CPUs. */
DROM_EXPORT int drom_set_masks(drom_table *, const drom_client_mask *masks, size_t n, const drom_options *,
                               drom_error *);

/* Leaves the client with `to` CPUs in all, chosen by locality. drom_shrink gives up the farthest. drom_expand takes
 * the nearest free ones, and with DROM_TAKE also those of other clients, never below their minimum: so that clients
 * share few caches, NUMA nodes and packages, then of the client that has most.
 *
 * Returns: DROM_OK, DROM_PENDING or DROM_UNCHANGED, as drom_set_mask.
 * Errors: E_INVAL also where `to` is 0, or above (drom_shrink) or below (drom_expand) what the client has; E_NOCPU not
 * so many CPUs can be given; E_BUSY; E_NOPROC; E_PERM; E_NOTABLE.
 * Cost: as drom_set_mask; drom_expand with DROM_TAKE takes 10 to 50 microseconds more on a node of 64 CPUs. */
DROM_EXPORT int drom_shrink(drom_table *, int32_t pid, uint32_t to, const drom_options *, drom_error *);
DROM_EXPORT int drom_expand(drom_table *, int32_t pid, uint32_t to, const drom_options *, drom_error *);

/* ---- drom_reserve(3): reserve CPUs for a process that is about to start ---- */

/* Reserves CPUs for the process `pid`, usually a child that is about to exec. It need not be a client yet. The
 * caller becomes its launcher: the CPUs stay reserved while either of the two lives. DROM_TAKE shrinks the present
 * owners, never below their minimum, and DROM_RETURN gives the CPUs back to them afterwards. With
 * DROM_WAIT_RELEASED the call returns when the CPUs are free.
 *
 * `environment`, if not NULL, points to a NULL-terminated array that is extended with DROM_TABLE, DROM_SLOT and
 * DROM_START_CPUS. The array and its strings come from malloc, and the caller frees them.
 *
 * Returns: DROM_OK, or DROM_PENDING when CPUs are still in use.
 * Errors: E_INVAL; E_NOCPU; E_NOPROC there is no such process; E_BUSY also: it is a client already; E_FULL no slot
 * is free; E_PERM another user's process, or a table that was opened read-only; E_NOTABLE; E_OS.
 * Cost: about 60 microseconds. */
DROM_EXPORT int drom_reserve(drom_table *, int32_t pid, const uint64_t *words, size_t nwords, const drom_options *,
                             char ***environment, drom_error *);

/* Takes all CPUs from a client that has ended or is about to end, or cancels a reservation whose process has not
 * joined. CPUs that were taken with DROM_RETURN go back, and the others become free. A client that has joined and
 * runs may be released by itself and by its launcher; another administrator needs DROM_TAKE.
 *
 * Returns: DROM_OK, or DROM_PENDING when a process that the client left behind (DROM_TREE) keeps the CPUs until it
 * ends.
 * Errors: E_BUSY the client runs; E_NOPROC; E_INVAL; E_PERM; E_NOTABLE. */
DROM_EXPORT int drom_release(drom_table *, int32_t pid, const drom_options *, drom_error *);

/* ---- drom_drain(3): empty CPUs, and give them back ---- */

/* Empties CPUs, or gives them back. drom_drain notifies the owners of these CPUs to leave them, and no client is
 * given them until drom_restore. drom_restore hands them back to their previous owners.
 *
 * Returns: DROM_OK, DROM_PENDING or DROM_UNCHANGED, as drom_set_mask.
 * Errors: E_INVAL the mask is empty or oversize; E_NOCPU; E_BUSY an owner is rigid, or would fall below its
 * minimum; E_PERM; E_NOTABLE. */
DROM_EXPORT int drom_drain(drom_table *, const uint64_t *words, size_t nwords, const drom_options *, drom_error *);
DROM_EXPORT int drom_restore(drom_table *, const uint64_t *words, size_t nwords, const drom_options *, drom_error *);

/* ---- drom_wait(3): wait until a request is released or resized ---- */

/* Waits until request `seq` of the client is released; 0 means the newest. After the grace period the call moves
 * the client's threads from outside. drom_wait takes the default grace period. drom_wait_for takes times from its
 * options, and the flags DROM_WAIT_RESIZED and DROM_NEVER_CONFINE.
 *
 * Returns: DROM_OK, or DROM_PENDING at the deadline; the error's text then says what is missing.
 * Errors: E_NOPROC there is no such client, or it ended meanwhile; E_INVAL also where `seq` was never posted; E_PERM;
 * E_OS. */
DROM_EXPORT int drom_wait(drom_table *, int32_t pid, uint64_t seq, uint32_t timeout_ms, drom_error *);
DROM_EXPORT int drom_wait_for(drom_table *, int32_t pid, uint64_t seq, const drom_options *, drom_error *);

/* ---- drom_check(3): verify a table, and finish what a dead administrator began ---- */

/* Verifies every invariant of the table, finishes what a dead administrator began, and removes dead clients. Damage
 * is reported and never repaired.
 *
 * Returns: DROM_OK when there was something to do, or DROM_UNCHANGED.
 * Errors: E_CORRUPT the sentence names the broken invariant; E_INVAL; E_PERM; E_NOTABLE. */
DROM_EXPORT int drom_check(drom_table *, const drom_options *, drom_error *);

/* ---- drom_events(3): follow what happens in a table ---- */

enum {
    DROM_EVENT_JOIN = 1,      /* a client joined or was reserved */
    DROM_EVENT_LEAVE = 2,     /* a client left */
    DROM_EVENT_REAP = 3,      /* a client was found dead */
    DROM_EVENT_CLAIM = 4,     /* a free CPU became that of `slot` */
    DROM_EVENT_OFFER = 5,     /* the owner `slot` of a CPU was notified to leave it */
    DROM_EVENT_ACCEPT = 6,    /* a CPU was released and is owned by `slot` now */
    DROM_EVENT_FREE = 7,      /* a CPU was released by `slot` and is free now */
    DROM_EVENT_POST = 8,      /* request `seq` was posted to `slot`, with `value` CPUs */
    DROM_EVENT_RELEASED = 9,  /* the client itself released a request */
    DROM_EVENT_CONFINED = 10, /* an administrator released a request from outside */
    DROM_EVENT_RESIZED = 11,  /* a request is resized, to `value` threads */
    DROM_EVENT_CANCEL = 12,   /* the offer of a CPU was withdrawn, and its owner `slot` keeps it */
    DROM_EVENT_KEPT = 13      /* in place of DROM_EVENT_RESIZED: the team keeps its size, of `value` threads */
};

typedef struct drom_event {
    uint64_t index;    /* 0, 1, 2, ... since the table was created */
    uint64_t time_ns;  /* CLOCK_MONOTONIC, in nanoseconds */
    uint64_t seq;      /* the request, if the event is about one */
    uint32_t type;     /* DROM_EVENT_JOIN and so on */
    uint32_t slot;     /* the client's slot */
    uint32_t cpu;      /* the CPU; UINT32_MAX: the event is not about one CPU */
    uint32_t value;    /* a number of CPUs or threads */
    int32_t pid;       /* the client */
    uint32_t reserved; /* 0 */
} drom_event;

/* Copies events from index `*next` on, and waits up to `timeout_ms` milliseconds for the first one; 0 means no
 * wait. `*next` advances past events that were copied or lost. The table keeps 4096 events, and a gap in `index`
 * shows a loss. `*n` is the room in `out`, and afterwards the number of events. Start with UINT64_MAX in `*next` to
 * see only what is new.
 *
 * Returns: DROM_OK, or DROM_UNCHANGED when there is no event.
 * Errors: E_INVAL a pointer is NULL. */
DROM_EXPORT int drom_events(drom_table *, uint64_t *next, drom_event *out, size_t *n, uint32_t timeout_ms,
                            drom_error *);

/* ---- drom_region_begin(3): measure a part of the program by a name ---- */

#define DROM_REGION_NAME 128 /* room for the name of a region: 127 bytes and the end */

enum {
    DROM_REGION_FINE = 0,   /* the figures are there */
    DROM_REGION_BUSY = 1,   /* the client changed the region at each look: no figures and no name here */
    DROM_REGION_DAMAGED = 2 /* the client's page has impossible figures: none of them and no name here */
};

typedef struct drom_region_info {
    size_t size;                 /* in: sizeof(drom_region_info), of any drom.h; all elements have that of the first */
    uint64_t count;              /* how often the region began */
    uint64_t elapsed_ns;         /* time in which it was open, in nanoseconds of CLOCK_MONOTONIC */
    uint64_t cpu_ns;             /* CPU time of all threads of the process meanwhile; UINT64_MAX: not known */
    uint64_t available_ns;       /* number of CPUs in the mask that the client had adopted, summed over that time */
    uint32_t open;               /* begins without their end; not 0: the figures are those until now */
    uint32_t state;              /* DROM_REGION_FINE and so on */
    char name[DROM_REGION_NAME]; /* as the program gave it, with any bytes but 0 */
} drom_region_info;

/* Begins a region, or ends it. A region is a part of the program with a name, and belongs to the whole process. It is
 * open from its first begin to as many ends, whichever threads call. Time in which several threads are inside counts
 * once. Regions may nest and overlap, each with figures of its own. The process need be no client: then there is no
 * table, and `available_ns` does not grow. The regions of a forked child begin anew.
 *
 * CPU time is that of all threads, also of those outside the region, and includes threads that spin. The kernel
 * counts a thread that runs elsewhere up to its last tick. So each opening and each closing may lack one tick of time,
 * 1 to 10 ms, per such thread. Time in MPI is not told apart: drom stats samples it.
 *
 * Returns: DROM_OK. From drom_region_end also DROM_UNCHANGED: the region is not open, and nothing has changed.
 * Errors: E_INVAL the name is NULL, empty, or longer than 127 bytes; E_FULL the process has 64 regions, or 65,535
 * begins of this one have no end; E_OS no memory to watch forks.
 * Cost: about 0.6 microseconds to open or close, and 20 nanoseconds per thread of the process; 0.2 microseconds
 * inside. No lock, no wait.
 * Threads: safe. In a signal handler, too, once the name has begun before. */
DROM_EXPORT int drom_region_begin(const char *name);
DROM_EXPORT int drom_region_end(const char *name);

/* Fills in the figures of a region of this process. Set `size` before the call.
 *
 * Errors: E_INVAL the name is wrong as above, `out` is NULL, or its size is too small; E_NOPROC no region of this name
 * has begun in this process; E_BUSY other threads changed the region at each look.
 * Cost: about 0.5 microseconds.
 * Threads: safe. */
DROM_EXPORT int drom_region_get(const char *name, drom_region_info *out, drom_error *);

/* Fills in one element of `out` per region of a client, in no order. Set `size` of the first element before the call.
 * `*n` is the room in `out`, and afterwards the number of regions. A client whose process has left the table has none.
 *
 * Errors: E_NOPROC; E_FULL there are more regions than fit, and `*n` says how many; E_INVAL the first element's size,
 * or a pointer that is NULL.
 * Cost: about 0.2 microseconds per region, and 1 for one that is open. */
DROM_EXPORT int drom_regions(drom_table *, int32_t pid, drom_region_info *out, size_t *n, drom_error *);

#ifdef __cplusplus
}
#endif
#endif
