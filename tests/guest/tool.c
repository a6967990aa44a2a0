/* SPDX-License-Identifier: BSD-3-Clause
 * tool.c - another OpenMP tool: counts the regions that begin, says so when the runtime ends. */
#include <omp-tools.h>
#include <stdio.h>

static long begun;

static void on_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* data, unsigned int size, int flags,
                     const void* at) {
    (void)task, (void)frame, (void)data, (void)size, (void)flags, (void)at;
    __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
}

static int start(ompt_function_lookup_t lookup, int device, ompt_data_t* data) {
    (void)device, (void)data;
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    set(ompt_callback_parallel_begin, (ompt_callback_t)on_begin);
    return 1;
}

static void end(ompt_data_t* data) {
    (void)data;
    fprintf(stderr, "other tool saw %s\n", begun > 0 ? "regions" : "nothing");
}

ompt_start_tool_result_t* ompt_start_tool(unsigned int version, const char* runtime) {
    static ompt_start_tool_result_t result = {start, end, {0}};
    (void)version, (void)runtime;
    return &result;
}
