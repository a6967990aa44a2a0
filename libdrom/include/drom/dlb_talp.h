/* SPDX-License-Identifier: BSD-3-Clause
 * dlb_talp.h - monitoring regions in the words of DLB 3: the calls of TALP that a program makes for itself.
 *
 * They need --talp in DLB_ARGS or in the argument of DLB_Init. A monitoring region is a region of drom.h
 * (drom_region_begin), so `drom stats --regions` prints it, too. The figures that drom does not measure are 0; the
 * others are explained below. docs/user/dlb.md has the differences, and says which calls of TALP are not here.
 *
 * Any thread may call these. */
#ifndef DLB_TALP_H
#define DLB_TALP_H

#include <stddef.h>
#include <stdint.h>

#include "dlb.h"

#define DLB_GLOBAL_REGION_NAME "Global"
#define DLB_GLOBAL_REGION      NULL        /* for a handle: the region of the whole program */
#define DLB_MPI_REGION         NULL        /* the same, by an older name */
#define DLB_IMPLICIT_REGION    NULL        /* the same, by an older name */
#define DLB_LAST_OPEN_REGION   ((void *)1) /* for DLB_MonitoringRegionStop: the open region that was started last */

enum { DLB_MONITOR_NAME_MAX = 128 };

#ifdef __cplusplus
extern "C" {
#endif

/* A monitoring region. Times are nanoseconds. The library writes the fields when the region is started, stopped or
 * reset, and in DLB_MonitoringRegionsUpdate. */
typedef struct dlb_monitor_t {
    const char *name;
    int num_cpus;                  /* CPUs of the process at the last of these moments */
    float avg_cpus;                /* their mean over elapsed_time */
    int64_t cycles;                /* 0 */
    int64_t instructions;          /* 0 */
    int num_measurements;          /* times that it was stopped */
    int num_resets;                /* times that it was reset */
    int64_t num_mpi_calls;         /* 0 */
    int64_t num_omp_parallels;     /* 0 */
    int64_t num_omp_tasks;         /* 0 */
    int64_t num_gpu_runtime_calls; /* 0 */
    int64_t start_time;            /* of the last start, on CLOCK_MONOTONIC; 0: never */
    int64_t stop_time;             /* of the last stop; 0: never, or it is open */
    int64_t elapsed_time;          /* in which it was open */
    int64_t useful_time; /* CPU time of all threads meanwhile, which includes time in MPI and in waiting loops */
    int64_t mpi_time;    /* 0 */
    int64_t omp_load_imbalance_time; /* 0 */
    int64_t omp_scheduling_time;     /* 0 */
    int64_t omp_serialization_time;  /* 0 */
    int64_t gpu_runtime_time;        /* 0 */
    int64_t gpu_useful_time;         /* 0 */
    int64_t gpu_communication_time;  /* 0 */
    int64_t gpu_inactive_time;       /* 0 */
    void *_data;                     /* the library's own */
} dlb_monitor_t;

/* Returns the region of the whole program, which DLB_Init starts and DLB_Finalize stops. NULL without --talp, and
 * while the process is not initialised. */
DLB_EXPORT dlb_monitor_t *DLB_MonitoringRegionGetGlobal(void);
DLB_EXPORT dlb_monitor_t *DLB_MonitoringRegionGetImplicit(void);
DLB_EXPORT const dlb_monitor_t *DLB_MonitoringRegionGetMPIRegion(void);

/* Returns the region of this name, new or not; a new one without a name for NULL or "". "Global", in any case, is the
 * region of the whole program. A name is cut at 127 bytes. The handle stays valid to the end of the process. NULL
 * without --talp, for the name "all", and when the process has 64 regions. */
DLB_EXPORT dlb_monitor_t *DLB_MonitoringRegionRegister(const char *name);

/* Sets all figures to 0, except num_resets. A region that is open is closed without a measurement. DLB_ERR_NOTALP;
 * DLB_ERR_NOENT the handle is none. */
DLB_EXPORT int DLB_MonitoringRegionReset(dlb_monitor_t *handle);

/* Starts the region. Costs about a microsecond. DLB_NOUPDT: it is open; DLB_ERR_NOTALP; DLB_ERR_NOENT; DLB_ERR_NOMEM
 * the program has too many regions of drom.h besides. */
DLB_EXPORT int DLB_MonitoringRegionStart(dlb_monitor_t *handle);

/* Stops the region. Costs about two microseconds. DLB_NOUPDT: it is not open; DLB_ERR_NOTALP; DLB_ERR_NOENT also: no
 * region is open (DLB_LAST_OPEN_REGION). */
DLB_EXPORT int DLB_MonitoringRegionStop(dlb_monitor_t *handle);

/* Writes one line about the region to stderr. DLB_ERR_NOTALP, DLB_ERR_NOENT. */
DLB_EXPORT int DLB_MonitoringRegionReport(const dlb_monitor_t *handle);

/* Brings the figures of all open regions up to date. DLB_ERR_NOTALP. */
DLB_EXPORT int DLB_MonitoringRegionsUpdate(void);

#ifdef __cplusplus
}
#endif

#endif
