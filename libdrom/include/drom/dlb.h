/* SPDX-License-Identifier: BSD-3-Clause
 * dlb.h - a process that takes part, in the words of DLB 3: the part of its interface that its DROM module needs.
 *
 * Source-compatible with programs that use DLB's DROM module; libdlb.so replaces DLB's library of that name. LeWI and
 * barriers are not here, and neither are their functions. Of TALP the monitoring regions are in dlb_talp.h.
 * Differences are listed in docs/user/dlb.md.
 *
 * Options come from `dlb_args` and from DLB_ARGS, which wins: --drom, --shm-key=KEY (a table of its own),
 * --preinit-pid=PID, --mode=async, --talp.
 *
 * Any thread may call these. DLB_PollDROM costs two loads and the call while there is nothing new. */
#ifndef DLB_H
#define DLB_H

#include <stdbool.h>
#include <stddef.h>

#include "dlb_errors.h"
#include "dlb_types.h"

/* The DLB version whose interface this is: major << 16 | minor << 8 | patch. */
#define DLB_VERSION 0x030700

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DLB_EXPORT __attribute__((visibility("default")))
#else
#define DLB_EXPORT
#endif

/* Registers this process as the owner of `mask`, else of its affinity; `ncpus` is not used. With a reservation by an
 * administrator (DLB_DROM_PreInit), that is its mask, or `mask` is a part of it. After an error it may be called
 * again. Errors: DLB_ERR_INIT initialised already, perhaps by the agent (drom run); DLB_ERR_PERM some of these CPUs
 * belong to other processes or do not exist; DLB_ERR_NOMEM the table is full; DLB_ERR_NOCOMP an option is not
 * supported; DLB_ERR_NOSHMEM the table cannot be used. */
DLB_EXPORT int DLB_Init(int ncpus, const_dlb_cpu_set_t mask, const char *dlb_args);

/* Gives the CPUs back. After DLB_PreInit and DLB_Init by one process, a second call ends the reservation.
 * DLB_NOUPDT when not initialised. */
DLB_EXPORT int DLB_Finalize(void);

/* Reserves `mask` for the program that this process is about to execute. Writes the reservation into *next_environ
 * (malloc'd, as its strings), or into the present environment when that is NULL. DLB_ERR_INIT, DLB_ERR_PERM,
 * DLB_ERR_NOMEM. */
DLB_EXPORT int DLB_PreInit(const_dlb_cpu_set_t mask, char ***next_environ);

/* Allows adoption, or postpones it. DLB_NOUPDT when that is so already; DLB_ERR_NOINIT. */
DLB_EXPORT int DLB_Enable(void);
DLB_EXPORT int DLB_Disable(void);

/* Sets the function for an event; of these, set_process_mask and set_num_threads are called. NULL removes it.
 * DLB_ERR_NOCBK: unknown. */
DLB_EXPORT int DLB_CallbackSet(dlb_callbacks_t which, dlb_callback_t callback, void *arg);
DLB_EXPORT int DLB_CallbackGet(dlb_callbacks_t which, dlb_callback_t *callback, void **arg);

/* Returns DLB_SUCCESS, the new mask and its size, either of which may be NULL; DLB_NOUPDT when there is none. From
 * then on no thread of the process runs outside the mask; the caller adapts their number. DLB_ERR_NOINIT;
 * DLB_ERR_NOCOMP without --drom; DLB_ERR_DISBLD. */
DLB_EXPORT int DLB_PollDROM(int *ncpus, dlb_cpu_set_t mask);

/* Does the same, and calls the callbacks, set_process_mask before set_num_threads. */
DLB_EXPORT int DLB_PollDROM_Update(void);

/* Writes an option's value, as "yes", "polling", "return-stolen", in at most 64 bytes: --drom, --mode, --silent,
 * --shm-key, --preinit-pid, --debug-opts, --talp; --lewi is "no". DLB_ERR_NOENT: another option; DLB_ERR_NOINIT. */
DLB_EXPORT int DLB_GetVariable(const char *variable, char *value);

/* Returns DLB_ERR_PERM when the option has another value: none can be changed after DLB_Init. DLB_ERR_NOENT,
 * DLB_ERR_NOINIT. */
DLB_EXPORT int DLB_SetVariable(const char *variable, const char *value);

/* Returns a text as "DLB_ERR_PERM (-8): ...", never NULL. */
DLB_EXPORT const char *DLB_Strerror(int errnum);

DLB_EXPORT int DLB_GetVersion(int *major, int *minor, int *patch);

#ifdef __cplusplus
}
#endif

#endif
