/* SPDX-License-Identifier: BSD-3-Clause
 * dlb_drom.h - an administrator, in the words of DLB 3's DROM module. Differences are listed in docs/user/dlb.md. */
#ifndef DLB_DROM_H
#define DLB_DROM_H

#include "dlb_errors.h"
#include "dlb_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DLB_DROM_EXPORT __attribute__((visibility("default")))
#else
#define DLB_DROM_EXPORT
#endif

/* Opens the table that DLB_ARGS names, creating it if needed. It is closed by as many calls of Detach as of Attach.
 * Detach: DLB_ERR_NOSHMEM when not attached. */
DLB_DROM_EXPORT int DLB_DROM_Attach(void);
DLB_DROM_EXPORT int DLB_DROM_Detach(void);

DLB_DROM_EXPORT int DLB_DROM_GetNumCpus(int *ncpus);

/* Writes at most `max_len` of the registered processes, reserved ones included. DLB_ERR_NOSHMEM when neither
 * attached nor initialised. */
DLB_DROM_EXPORT int DLB_DROM_GetPidList(int *pidlist, int *nelems, int max_len);

/* Returns the mask that the process has once it has answered its pending request. DLB_SYNC_QUERY: waits for the
 * answer; DLB_ERR_TIMEOUT. pid 0 or one's own: adopts a pending request, without callbacks, and returns DLB_NOTED.
 * DLB_ERR_NOPROC. */
DLB_DROM_EXPORT int DLB_DROM_GetProcessMask(int pid, dlb_cpu_set_t mask, dlb_drom_flags_t flags);

/* Requests a mask, taking CPUs from their owners. pid 0 or one's own: takes effect at once, callbacks included,
 * unless DLB_NO_SYNC. Errors: DLB_ERR_PDIRTY the process has not answered its last request, and has had less than
 * twice the time limit to do so; after that the request is replaced. DLB_ERR_PERM empty, or CPUs that do not exist
 * or that another process cannot lose. DLB_ERR_TIMEOUT no answer in time, with DLB_SYNC_QUERY; the request stays.
 * DLB_ERR_NOPROC. */
DLB_DROM_EXPORT int DLB_DROM_SetProcessMask(int pid, const_dlb_cpu_set_t mask, dlb_drom_flags_t flags);

/* Requests a mask by a text: "0,5-7", "0xe1" (highest CPU first), "0b1010" (CPU 0 first). DLB_ERR_PERM also for any
 * other text. */
DLB_DROM_EXPORT int DLB_DROM_SetProcessMaskStr(int pid, const char *mask, dlb_drom_flags_t flags);

/* Reserves CPUs for process `pid`, which need not exist yet. Writes the reservation into *next_environ (malloc'd, as
 * its strings), or into the present environment when that is NULL. Errors: DLB_ERR_NOSHMEM not attached;
 * DLB_ERR_INIT registered already; DLB_ERR_PERM other processes own the CPUs, and DLB_STEAL_CPUS is not set, or they
 * need them; DLB_ERR_TIMEOUT the CPUs were not given up in time, with DLB_SYNC_QUERY: nothing is reserved;
 * DLB_ERR_NOMEM. */
DLB_DROM_EXPORT int DLB_DROM_PreInit(int pid, const_dlb_cpu_set_t mask, dlb_drom_flags_t flags, char ***next_environ);

/* Unregisters a process that has ended. DLB_ERR_NOPROC when it has done so itself; DLB_ERR_PERM while it runs, unless
 * the caller is the process or its launcher. */
DLB_DROM_EXPORT int DLB_DROM_PostFinalize(int pid, dlb_drom_flags_t flags);

/* Gives a process the CPUs that were taken from it and are idle now. DLB_NOUPDT when none were taken. */
DLB_DROM_EXPORT int DLB_DROM_RecoverStolenCpus(int pid);

#ifdef __cplusplus
}
#endif

#endif
