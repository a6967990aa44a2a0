/* SPDX-License-Identifier: BSD-3-Clause
 * stand_in.c - a library with the name of DLB's, to link programs to: nothing in it works. */
#include <dlb.h>
#include <dlb_drom.h>

int DLB_PollDROM(int* ncpus, dlb_cpu_set_t mask) {
    (void)ncpus, (void)mask;
    return DLB_ERR_UNKNOWN;
}

int DLB_DROM_GetNumCpus(int* ncpus) {
    (void)ncpus;
    return DLB_ERR_UNKNOWN;
}

int DLB_CallbackSet(dlb_callbacks_t which, dlb_callback_t callback, void* arg) {
    (void)which, (void)callback, (void)arg;
    return DLB_ERR_UNKNOWN;
}

const char* DLB_Strerror(int errnum) {
    (void)errnum;
    return "the stand-in";
}
