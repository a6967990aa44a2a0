/* SPDX-License-Identifier: BSD-3-Clause
 * headers.c - the smallest program that uses both headers. Compiles as C90 to C11 and as C++; also linked to another
 * library of that name. */
#include <dlb.h>
#include <dlb_drom.h>

#include <stdio.h>

static int failed(const char* what, int error) {
    fprintf(stderr, "%s: %s\n", what, DLB_Strerror(error));
    return 1;
}

static void on_mask(const_dlb_cpu_set_t mask, void* arg) {
    (void)mask;
    (void)arg;
}

int main(void) {
    dlb_drom_flags_t flags = DLB_DROM_FLAGS_NONE;
    dlb_callback_set_process_mask_t callback = on_mask;
    dlb_handler_t handler = NULL;
    int cpus = 0, error;
    (void)handler;
    if (callback == NULL || flags != 0) return 1;
    error = DLB_PollDROM(NULL, NULL);
    if (error != DLB_ERR_NOINIT) return failed("poll before init", error);
    error = DLB_DROM_GetNumCpus(&cpus);
    if (error != DLB_SUCCESS || cpus < 1) return failed("number of CPUs", error);
    error = DLB_CallbackSet(dlb_callback_set_process_mask, (dlb_callback_t)on_mask, NULL);
    if (error != DLB_SUCCESS) return failed("callback", error);
    printf("%d CPUs\n", cpus);
    return 0;
}
