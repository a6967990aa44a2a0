/* SPDX-License-Identifier: BSD-3-Clause
 *
 * drom.h - move CPUs between running processes of one node.
 *
 * Words
 *   table          a directory that belongs to one node: who owns which CPU, which processes take part
 *   client         a process with a slot in the table
 *   administrator  whoever changes masks (the drom command, a resource manager, a test)
 *   request        a new mask for a client, with a sequence number that only grows
 *   released       no thread of the client, nor of a process that it started and that is no client itself, runs outside the
 *                  request's mask any more
 *   resized        the client's thread count follows the request's mask
 *   safe point     where a client adopts a request: an OpenMP region about to start, a query of the team
 *                  size, a drom_poll, or the agent's own thread
 *
 * Masks cross this interface as `const uint64_t *words, size_t nwords`: bit i of word w is CPU 64 w + i.
 * A reader may pass fewer words than the table has CPUs only if the CPUs beyond them are clear (else DROM_E_INVAL).
 *
 * Every function returns DROM_OK (0), good news (> 0) or an error (< 0). `error` may be NULL; otherwise it receives the
 * status and one finished sentence: what was asked, what is in the way, what would help. A call that returns an error
 * has changed nothing.
 *
 * Thread safety: a drom_table may be used by one thread at a time; different tables are independent. The client
 * calls may be made by any thread, drom_init and drom_finalize by one at a time.
 * No call allocates on a safe point's idle path, writes to stdout, ends the process, or touches signal handlers.
 *
 * Source of the model: the DROM interface of the thesis "Towards Malleable Node-Level Resource Management", ch. 4.3.
 */
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

/* ---- status ------------------------------------------------------------------------------------------------ */

enum {
    DROM_UNCHANGED = 2, /* news: nothing to do */
    DROM_PENDING = 1,   /* news: posted, not acknowledged yet */
    DROM_OK = 0,
    DROM_E_INVAL = -1,    /* an argument is wrong: empty, garbled or oversize mask, unknown flag */
    DROM_E_NOTABLE = -2,  /* no table there, or it was removed while in use */
    DROM_E_VERSION = -3,  /* table of another layout version */
    DROM_E_PERM = -4,     /* the table or the process belongs to somebody else */
    DROM_E_BUSY = -5,     /* a CPU belongs to another client; the slot is taken */
    DROM_E_NOPROC = -6,   /* no such client, or it has ended */
    DROM_E_TIMEOUT = -7,  /* the deadline passed and nothing useful is pending */
    DROM_E_NOCPU = -8,    /* unknown, absent or offline CPU, or not enough CPUs */
    DROM_E_FULL = -9,     /* no free slot, no space on the file system, output array too small */
    DROM_E_CORRUPT = -10, /* the table is damaged; it is never repaired silently */
    DROM_E_OS = -11,      /* the operating system refused; the sentence says what */
    DROM_E_NOINIT = -12   /* this process is not a client */
};

/* "DROM_E_BUSY" and a short phrase for a status. Never NULL. Thread-safe, no cost. */
DROM_EXPORT const char *drom_status_name(int status);
DROM_EXPORT const char *drom_status_text(int status);

typedef struct drom_error {
    int status;
    char text[252]; /* one finished sentence, no newline */
} drom_error;

/* ---- options ----------------------------------------------------------------------------------------------- */

#define DROM_WAIT_RELEASED (1ULL << 0) /* return when the request is released (default: return at once, DROM_PENDING) */
#define DROM_WAIT_RESIZED  (1ULL << 1) /* return when it is resized too, or known to stay confined */
#define DROM_NEVER_CONFINE (1ULL << 2) /* cooperative only: never set the affinity of the client's threads from here */
#define DROM_TAKE          (1ULL << 3) /* CPUs that other clients own are taken from them */
#define DROM_RETURN        (1ULL << 4) /* CPUs taken go back to their owner when their new owner ends or gives them up */
#define DROM_FAST          (1ULL << 5)  /* the heir may start before the owner has released (default: strict) */
#define DROM_CREATE        (1ULL << 6)  /* drom_open: create the table if there is none */
#define DROM_READONLY      (1ULL << 7)  /* drom_open: observe only */
#define DROM_ASYNC         (1ULL << 8)  /* drom_init, drom_on_change: adopt in the agent's own thread too */
#define DROM_RIGID         (1ULL << 9)  /* drom_init, drom_reserve: nobody takes CPUs from this client: E_BUSY */
#define DROM_NODE          (1ULL << 10) /* drom_open with DROM_CREATE: a table of the whole node; only root writes it */
#define DROM_ADD           (1ULL << 11) /* drom_set_mask: these CPUs besides those the client has */
#define DROM_REMOVE        (1ULL << 12) /* drom_set_mask: the client's CPUs without these, which must be among them */
/* drom_open with DROM_CREATE and `cpus`: a node that this machine only plays. Masks are recorded and teams follow them, but no thread
 * is moved. For tests of big nodes. */
#define DROM_VIRTUAL (1ULL << 13)
/* drom_reserve: the caller is the subreaper (prctl) of this client and of no other process: what is below the caller is the client's, also
 * when its parents have ended. */
#define DROM_TREE (1ULL << 14)

#define DROM_GRACE_AT_ONCE UINT32_MAX

/* Zero-initialise, set size = sizeof(drom_options). NULL means all defaults. Unknown flag bits are refused, and so is
 * a reserved field that is not 0. */
typedef struct drom_options {
    size_t size;
    uint64_t flags;
    uint32_t timeout_ms;  /* how long to wait; 0: DROM_TIMEOUT_MS, default 1000 */
    uint32_t grace_ms;    /* how long a client may take to release before its threads are confined from outside;
                             0: DROM_GRACE_MS, or else at once if the caller may have a real-time priority
                             (root), which it then has while it waits, and 20 if not, or while the client has
                             adoption disabled; DROM_GRACE_AT_ONCE: at once */
    const char *name;     /* drom_init, drom_reserve: what people call this client; NULL: the command name */
    const char *job;      /* drom_init, drom_reserve: "88.0" or NULL */
    uint32_t min_cpus;    /* drom_init, drom_reserve: never below; 0: 1 */
    uint32_t max_cpus;    /* drom_init, drom_reserve: never above; 0: no limit */
    uint32_t cpus;        /* DROM_CREATE: CPUs of a synthetic node, see DROM_VIRTUAL; 0: those of this machine */
    uint32_t clients;     /* DROM_CREATE: slots; 0: 1024 */
    uint64_t reserved[4]; /* 0 */
} drom_options;

/* ---- client side: this process ------------------------------------------------------------------------------- */

/* Joins the user's table (creating it if needed) and claims the CPUs of `words`; NULL: the process's affinity. CPUs that
 * other clients own are left to them: without any CPU of its own the client runs as before and is listed with none.
 * Inside a reservation (drom_reserve, drom run) the reserved CPUs are the client's and `words` is ignored.
 * May be called again after an error, after drom_finalize (unless a runtime's doors were open: E_BUSY), and in a forked child.
 * Errors: E_BUSY already initialised; E_NOTABLE, E_PERM, E_VERSION, E_CORRUPT, E_FULL, E_OS (also: DROM_ASYNC, and no thread can be
 * created). Cost: below 300 us. */
DROM_EXPORT int drom_init(const uint64_t *words, size_t nwords, const drom_options *, drom_error *);

/* Gives every CPU back and leaves. Errors: E_NOINIT. */
DROM_EXPORT int drom_finalize(drom_error *);

/* DROM_UNCHANGED, or DROM_OK and the new mask. On DROM_OK every thread of the process is inside the mask already
 * (the request is released); the caller adapts its thread count, and its next call acknowledges that as resized.
 * Errors: E_NOINIT, E_INVAL. Cost when unchanged: two loads and the call. No system call, no lock. */
DROM_EXPORT int drom_poll(uint64_t *words, size_t nwords, drom_error *);

/* As drom_poll, then the OpenMP team size and placement as the agent would. Call it outside parallel regions. Errors: E_NOINIT. */
DROM_EXPORT int drom_poll_apply(drom_error *);

typedef void (*drom_mask_fn)(const uint64_t *words, size_t nwords, void *arg);

/* `fn` is called with each new mask after its release: by drom_poll and drom_poll_apply, and with DROM_ASYNC also by
 * the agent's own thread as soon as the request arrives. One function a process; NULL removes it.
 * Errors: E_INVAL; E_OS (that thread cannot be created). */
DROM_EXPORT int drom_on_change(drom_mask_fn fn, void *arg, const drom_options *, drom_error *);

/* No adoption between disable and enable (they nest). An administrator may still confine from outside, after the grace period.
 * Errors: E_NOINIT. */
DROM_EXPORT int drom_disable(void);
DROM_EXPORT int drom_enable(void);

/* Least and most CPUs this client can use; administrators are refused anything else. 0 leaves a limit as it is.
 * Errors: E_NOINIT; E_INVAL (the least is above the most, or beyond 4096). */
DROM_EXPORT int drom_limits(uint32_t min_cpus, uint32_t max_cpus, drom_error *);

/* ---- administrator side ---------------------------------------------------------------------------------------- */

typedef struct drom_table drom_table;

enum { DROM_CLIENT_RESERVED = 1, DROM_CLIENT_LIVE = 2 };

/* doors: where this client's requests can be adopted */
#define DROM_DOOR_KMP      (1u << 1) /* entry points of LLVM-derived OpenMP runtimes */
#define DROM_DOOR_GOMP     (1u << 2) /* entry points of GCC's OpenMP runtime */
#define DROM_DOOR_ASYNC    (1u << 4) /* the agent's own thread */
#define DROM_DOOR_EXPLICIT (1u << 5) /* drom_poll */
#define DROM_DOOR_MPI      (1u << 6) /* MPI calls */

/* resize: how the team size follows, or why it does not */
enum {
    DROM_RESIZE_NONE = 0,    /* no OpenMP seen so far */
    DROM_RESIZE_FOLLOWS = 1, /* the team follows the mask */
    DROM_RESIZE_HELD = 2,    /* its team may follow, but the program set its number itself: confined only */
    DROM_RESIZE_KEEPS = 3,   /* nobody has said that its team may change, or DROM_RESIZE=keep: confined only */
    DROM_RESIZE_CALLER = 4   /* explicit drom_poll: the program does it */
};

typedef struct drom_client_info {
    size_t
        size; /* in: sizeof(drom_client_info), of an older or newer drom.h too; every element of an array has element 0's size */
    int32_t pid;
    uint32_t slot;
    uint64_t request_seq;  /* newest request */
    uint64_t released_seq; /* newest request that is released */
    uint64_t resized_seq;  /* newest request that is resized */
    uint64_t confined_seq; /* newest request that an administrator had to confine */
    uint32_t generation;   /* of the slot */
    uint32_t state;        /* DROM_CLIENT_* */
    uint32_t doors;        /* DROM_DOOR_* */
    uint32_t resize;       /* DROM_RESIZE_* */
    uint32_t owned_cpus, wanted_cpus;
    uint32_t min_cpus, max_cpus;
    uint32_t team_size;                              /* OpenMP threads of the next region; 0: unknown */
    uint32_t start_size;                             /* OpenMP threads the program started with; never exceeded */
    int32_t guardian_pid;                            /* who launched it (drom run), 0: nobody */
    uint32_t flags;                                  /* DROM_RIGID */
    uint32_t limited;                                /* 1: the client's cpuset allows less than its mask */
    uint32_t ranks;                                  /* of its MPI job; 0: not known, or it is no rank */
    uint32_t rank;                                   /* in its MPI job, from 0 */
    uint32_t local_rank;                             /* on this node, from 0 */
    uint64_t posted_ns, released_ns, resized_ns;     /* CLOCK_MONOTONIC of the newest of each; 0: never */
    uint64_t safe_points, queries, polls, adoptions; /* since the client joined */
    char name[32];
    char job[32];
    char why[96]; /* what the agent says about its newest request; may be empty */
} drom_client_info;

/* Opens the table at `where` (a directory); NULL: DROM_TABLE, else /dev/shm/drom-<uid>. Observers never create.
 * Flags: DROM_CREATE, and with it DROM_NODE and DROM_VIRTUAL; or DROM_READONLY. A table that was made stays, also when it cannot be opened then.
 * Errors: E_INVAL, E_NOTABLE, E_PERM, E_VERSION, E_CORRUPT, E_FULL, E_OS. */
DROM_EXPORT int drom_open(drom_table **, const char *where, const drom_options *, drom_error *);
DROM_EXPORT void drom_close(drom_table *);

/* The directory, the number of CPUs and of slots. No cost. */
DROM_EXPORT const char *drom_table_path(const drom_table *);
DROM_EXPORT uint32_t drom_table_cpus(const drom_table *);
DROM_EXPORT uint32_t drom_table_clients(const drom_table *);

/* *n: in, elements of `out`; out, clients found. E_FULL: there are more than fit; *n says how many. The dead are left out.
 * Errors: E_FULL; E_INVAL (the first element's size, or a pointer that is NULL). */
DROM_EXPORT int drom_clients(drom_table *, drom_client_info *out, size_t *n, drom_error *);

/* owned: CPUs that are the client's until it releases them. wanted: those it has once everything posted is done. Either may be NULL.
 * Errors: E_NOPROC; E_INVAL (fewer words than it takes). */
DROM_EXPORT int drom_get_mask(drom_table *, int32_t pid, uint64_t *owned, uint64_t *wanted, size_t nwords,
                              drom_error *);

/* Masks of the table itself: CPUs that exist here, are free, are drained. Any may be NULL. Errors: E_INVAL (fewer words than it takes). */
DROM_EXPORT int drom_table_masks(drom_table *, uint64_t *present, uint64_t *free_cpus, uint64_t *drained, size_t nwords,
                                 drom_error *);

/* Gives the client exactly this mask; with DROM_ADD or DROM_REMOVE, moves only these CPUs: what others do to the client's other CPUs
 * at the same time is kept. Without DROM_TAKE a CPU that another client owns is refused, and that client named.
 * A request that is not acknowledged yet is replaced: the last one wins.
 * Returns DROM_OK when what was asked to wait for has happened, DROM_PENDING when it is posted only (the error's text
 * then says what is missing), DROM_UNCHANGED when the client has and keeps exactly this mask.
 * Errors: E_INVAL (empty, oversize), E_NOCPU (unknown, absent, offline, drained), E_BUSY, E_NOPROC, E_PERM, E_NOTABLE. */
DROM_EXPORT int drom_set_mask(drom_table *, int32_t pid, const uint64_t *words, size_t nwords, const drom_options *,
                              drom_error *);

/* Gives each of `n` clients exactly its mask: all of them, or, with an error, none. Ranks of one job, for example, exchange CPUs in one
 * step. The masks must not overlap. CPUs move among the clients named without DROM_TAKE; others' CPUs need it, as in drom_set_mask.
 * It is one plan, written down before the first CPU moves: when the caller is killed on the way, the next administrator finishes
 * it, for those of the clients that still live. Waits for all of them within one timeout.
 * Without DROM_FAST a client leaves its last CPU only for one that is free by then, so a mere exchange (A's only CPU for B's only CPU)
 * is refused with E_BUSY; DROM_FAST allows it, and for that moment both use both.
 * Errors as drom_set_mask; E_INVAL also when a client or a CPU is named twice, no client is, or `reserved` is not 0. Status of
 * the wait as there.
 * Cost: about 1.5 us a client on a node of 64 CPUs. Thread-safe for different tables; one table: one thread at a time. */
typedef struct drom_client_mask {
    int32_t pid;
    uint32_t reserved; /* 0 */
    const uint64_t *words;
    size_t nwords;
} drom_client_mask;
DROM_EXPORT int drom_set_masks(drom_table *, const drom_client_mask *masks, size_t n, const drom_options *,
                               drom_error *);

/* To `to` CPUs in all, chosen by locality: shrink gives up the farthest, expand takes the nearest free ones
 * (with DROM_TAKE also others'). Errors as drom_set_mask; E_INVAL when `to` is above (shrink) or below (expand) what the
 * client has; DROM_UNCHANGED when it is just that. */
DROM_EXPORT int drom_shrink(drom_table *, int32_t pid, uint32_t to, const drom_options *, drom_error *);
DROM_EXPORT int drom_expand(drom_table *, int32_t pid, uint32_t to, const drom_options *, drom_error *);

/* Reserves CPUs for a process that is about to exec (or for this one's child `pid`): it need not be a client yet. The caller
 * becomes its launcher: the CPUs stay reserved while either lives. DROM_TAKE shrinks the present owners (never below their
 * minimum), DROM_RETURN gives the CPUs back to them afterwards. With DROM_WAIT_RELEASED it returns when the CPUs are free.
 * `environment`, if not NULL, is a malloc'd NULL-terminated array that is extended with DROM_TABLE and DROM_SLOT (both array and
 * strings are malloc'd; the caller frees).
 * Errors: as drom_set_mask; E_NOPROC (no such process), E_BUSY (also: it is a client already), E_FULL (no slot), E_PERM (another
 * user's process, or a table that is only read), E_OS. */
DROM_EXPORT int drom_reserve(drom_table *, int32_t pid, const uint64_t *words, size_t nwords, const drom_options *,
                             char ***environment, drom_error *);

/* Takes all CPUs from a client that has ended (or is about to), or calls off a reservation whose process has not joined: home owners get
 * theirs back, the rest becomes free. DROM_PENDING: a process that it left behind (DROM_TREE) keeps them until it ends.
 * One that has joined and runs is E_BUSY for all but itself and its launcher; with DROM_TAKE it stops being a client. Errors: E_BUSY, E_NOPROC, E_INVAL, E_PERM, E_NOTABLE. */
DROM_EXPORT int drom_release(drom_table *, int32_t pid, const drom_options *, drom_error *);

/* Empties CPUs: owners are told to leave, nobody is given them until drom_restore, which hands them back to who had them.
 * Status of the wait as drom_set_mask. Errors: E_INVAL (empty, oversize), E_NOCPU, E_BUSY, E_PERM, E_NOTABLE. */
DROM_EXPORT int drom_drain(drom_table *, const uint64_t *words, size_t nwords, const drom_options *, drom_error *);
DROM_EXPORT int drom_restore(drom_table *, const uint64_t *words, size_t nwords, const drom_options *, drom_error *);

/* Waits until request `seq` of the client (0: the newest) is released. Confines after the default grace period.
 * DROM_PENDING at the deadline; the error's text says what is missing. E_INVAL: `seq` was never posted. drom_wait_for: flags DROM_WAIT_RESIZED,
 * DROM_NEVER_CONFINE, and the options' times. Errors: E_NOPROC (no such client, or it ended meanwhile), E_INVAL, E_PERM, E_OS. */
DROM_EXPORT int drom_wait(drom_table *, int32_t pid, uint64_t seq, uint32_t timeout_ms, drom_error *);
DROM_EXPORT int drom_wait_for(drom_table *, int32_t pid, uint64_t seq, const drom_options *, drom_error *);

/* The client's descendants that are no clients themselves, parents before their children: they are moved with it. *n: in, elements of
 * `out`; out, processes found. Errors: E_FULL (*n says how many there are), E_NOPROC (also: in
 * another pid namespace), E_INVAL. Cost: about 10 us per process. */
DROM_EXPORT int drom_descendants(drom_table *, int32_t pid, int32_t *out, size_t *n, drom_error *);

/* Verifies every invariant, finishes what a dead administrator began, reaps the dead. DROM_UNCHANGED: nothing to do.
 * Errors: E_CORRUPT (which one is broken), E_INVAL, E_PERM, E_NOTABLE. */
DROM_EXPORT int drom_check(drom_table *, const drom_options *, drom_error *);

/* ---- what happened: the table's ring of events -------------------------------------------------------------------- */

enum {
    DROM_EVENT_JOIN = 1,      /* client joined or was reserved */
    DROM_EVENT_LEAVE = 2,     /* client left */
    DROM_EVENT_REAP = 3,      /* client was found dead */
    DROM_EVENT_CLAIM = 4,     /* cpu: nobody's -> slot's */
    DROM_EVENT_OFFER = 5,     /* cpu: its owner `slot` was told to leave it */
    DROM_EVENT_ACCEPT = 6,    /* cpu: released; now owned by `slot` */
    DROM_EVENT_FREE = 7,      /* cpu: released by `slot`; nobody's now */
    DROM_EVENT_POST = 8,      /* request `seq` posted to `slot`, `value` CPUs */
    DROM_EVENT_RELEASED = 9,  /* request released by the client itself */
    DROM_EVENT_CONFINED = 10, /* request released by the administrator's own affinity calls */
    DROM_EVENT_RESIZED = 11,  /* request resized; `value` threads */
    DROM_EVENT_CANCEL = 12    /* cpu: offer withdrawn; its owner `slot` keeps it */
};

typedef struct drom_event {
    uint64_t index;   /* 0, 1, 2, ... since the table was created */
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t seq;
    uint32_t type; /* DROM_EVENT_* */
    uint32_t slot;
    uint32_t cpu; /* UINT32_MAX: not about one CPU */
    uint32_t value;
    int32_t pid;
    uint32_t reserved;
} drom_event;

/* Copies events from index *next on, waiting up to timeout_ms for the first one (0: do not wait). *next advances past
 * what was copied or lost (the ring keeps 4096; a gap in `index` shows the loss). *n: in, capacity; out, copied.
 * DROM_UNCHANGED: none. Start with *next = UINT64_MAX to see only what is new. Errors: E_INVAL (a pointer that is NULL). */
DROM_EXPORT int drom_events(drom_table *, uint64_t *next, drom_event *out, size_t *n, uint32_t timeout_ms,
                            drom_error *);

#ifdef __cplusplus
}
#endif
#endif
