/* SPDX-License-Identifier: BSD-3-Clause
 * dlb_types.h - types, flags and callback numbers of DLB 3's interface. */
#ifndef DLB_TYPES_H
#define DLB_TYPES_H

/* In C, a value that is none of the enumerators may be passed; in C++ only to a type that can hold it. */
#if defined __cplusplus && __cplusplus >= 201103L
#define DLB_OF_INT : int
#else
#define DLB_OF_INT
#endif

typedef void *dlb_handler_t;
typedef void *dlb_cpu_set_t;             /* a cpu_set_t *; see sched.h */
typedef const void *const_dlb_cpu_set_t; /* a const cpu_set_t * */

typedef enum dlb_drom_flags_e DLB_OF_INT {
    DLB_DROM_FLAGS_NONE = 0,
    DLB_STEAL_CPUS = 1 << 0,     /* PreInit: take CPUs that other processes own */
    DLB_RETURN_STOLEN = 1 << 1,  /* they go back when the process ends or gives them up */
    DLB_SYNC_QUERY = 1 << 2,     /* wait until the processes concerned have answered, at most DROM_TIMEOUT_MS (1 s) */
    DLB_SYNC_NOW = 1 << 3,       /* no effect: SetProcessMask on oneself takes effect at once anyhow */
    DLB_NO_SYNC = 1 << 4,        /* SetProcessMask on oneself: only as a request, for the next poll */
    DLB_FREE_CPUS_SLURM = 1 << 5 /* refused with DLB_ERR_NOCOMP: a resource manager's own plugin does that */
} dlb_drom_flags_t;

/* Cast to this; the real signatures follow. */
typedef void (*dlb_callback_t)(void);

typedef enum dlb_callbacks_e DLB_OF_INT {
    dlb_callback_set_num_threads = 1, /* called with a new mask's number of CPUs */
    dlb_callback_set_active_mask = 2,
    dlb_callback_set_process_mask = 3, /* called with a new mask */
    dlb_callback_add_active_mask = 4,
    dlb_callback_add_process_mask = 5,
    dlb_callback_enable_cpu = 6,
    dlb_callback_disable_cpu = 7,
    dlb_callback_enable_cpu_set = 8,
    dlb_callback_disable_cpu_set = 9
} dlb_callbacks_t;

typedef void (*dlb_callback_set_num_threads_t)(int num_threads, void *arg);
typedef void (*dlb_callback_set_active_mask_t)(const_dlb_cpu_set_t mask, void *arg);
typedef void (*dlb_callback_set_process_mask_t)(const_dlb_cpu_set_t mask, void *arg);
typedef void (*dlb_callback_add_active_mask_t)(const_dlb_cpu_set_t mask, void *arg);
typedef void (*dlb_callback_add_process_mask_t)(const_dlb_cpu_set_t mask, void *arg);
typedef void (*dlb_callback_enable_cpu_t)(int cpuid, void *arg);
typedef void (*dlb_callback_disable_cpu_t)(int cpuid, void *arg);
typedef void (*dlb_callback_enable_cpu_set_t)(const_dlb_cpu_set_t mask, void *arg);
typedef void (*dlb_callback_disable_cpu_set_t)(const_dlb_cpu_set_t mask, void *arg);

#endif
