/* SPDX-License-Identifier: BSD-3-Clause
 * dlb_errors.h - what DLB_* functions return: below zero an error, above zero good news. The values are DLB 3's. */
#ifndef DLB_ERRORS_H
#define DLB_ERRORS_H

enum DLBErrorCodes {
    _DLB_ERROR_UPPER_BOUND = 3,
    DLB_NOUPDT = 2, /* there was nothing to do */
    DLB_NOTED = 1,  /* done, and there was something new as well */
    DLB_SUCCESS = 0,
    DLB_ERR_UNKNOWN = -1, /* the operating system refused, or an argument that must not be NULL is */
    DLB_ERR_NOINIT = -2,  /* DLB_Init has not been called, or DLB_Finalize has */
    DLB_ERR_INIT = -3,    /* initialised or registered already */
    DLB_ERR_DISBLD = -4,  /* between DLB_Disable and DLB_Enable */
    DLB_ERR_NOSHMEM = -5, /* not attached, or there is no usable table */
    DLB_ERR_NOPROC = -6,  /* no such process is registered */
    DLB_ERR_PDIRTY = -7,  /* the process has not answered the request before */
    DLB_ERR_PERM = -8,    /* these CPUs cannot be had: owned by others, needed by others, absent; or not your table */
    DLB_ERR_TIMEOUT = -9, /* the process did not answer in time */
    DLB_ERR_NOCBK = -10,  /* no such callback */
    DLB_ERR_NOENT = -11,  /* no such entry */
    DLB_ERR_NOCOMP = -12, /* not with these options */
    DLB_ERR_REQST = -13,  /* too many requests (LeWI) */
    DLB_ERR_NOMEM = -14,  /* the table has no slot left */
    DLB_ERR_NOPOL = -15,  /* not in this policy (LeWI) */
    DLB_ERR_NOTALP = -16, /* no --talp, or not initialised */
    DLB_ERR_NOLEWI = -17, /* LeWI is not there */
    _DLB_ERROR_LOWER_BOUND = -18
};

#endif
