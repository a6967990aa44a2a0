// SPDX-License-Identifier: BSD-3-Clause
// tool.cpp - the OMPT door, for processes whose region starts do not come through our entry points.
//
// An active tool costs an LLVM runtime some 25 to 45 ns a region even if it registers nothing, and keeps other tools out. So
// the tool is declined where the entry points are in place: then whoever is next in line is asked.
#include <dlfcn.h>
#include <omp-tools.h>

#include <cstring>

#include "drom/drom.h"
#include "env.hpp"
#include "gate.hpp"
#include "kmp_entry.hpp"
#include "objects.hpp"
#include "runtime.hpp"
#include "safe_point.hpp"

namespace {

struct Tool {
    ompt_set_callback_t set_callback;
    const void* runtime;  ///< a function of the runtime
    bool placing;         ///< on_implicit_task is registered
};
constinit Tool tool{};

void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t*, ompt_data_t*, unsigned, unsigned index, int flags) {
    const bool initial = (static_cast<unsigned>(flags) & unsigned{ompt_task_initial}) != 0;
    if (endpoint == ompt_scope_begin && !initial) drom::safe_point::place_thread(index);
}

/// The regions of a program are told apart by where they start.
void on_parallel_begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t*, unsigned threads, int, const void* code) {
    if (code == nullptr) code = &tool;
    if (drom::pass_region(code) && !tool.placing) return;
    const void* thunk = &tool.placing;
    const bool place = drom::safe_point::region_entry(code, {tool.runtime, thunk, DROM_DOOR_OMPT, threads}) == thunk;
    if (place == tool.placing) return;
    // Registered only while it is needed: idle regions pay for one callback.
    tool.placing = place;
    tool.set_callback(ompt_callback_implicit_task,
                      place ? reinterpret_cast<ompt_callback_t>(on_implicit_task) : nullptr);
}

void on_parallel_end(ompt_data_t*, ompt_data_t*, int, const void*) { drom::safe_point::between_regions(); }

int initialize(ompt_function_lookup_t lookup, int, ompt_data_t*) {
    tool.set_callback = reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"));
    if (tool.set_callback == nullptr) return 0;
    tool.runtime = reinterpret_cast<const void*>(lookup);
    drom::safe_point::use_callbacks();
    tool.set_callback(ompt_callback_parallel_begin, reinterpret_cast<ompt_callback_t>(on_parallel_begin));
    const char* resize = drom::env::text("DROM_RESIZE");
    if (!drom::safe_point::queries_are_seen() && resize != nullptr && strcmp(resize, "eager") == 0)
        tool.set_callback(ompt_callback_parallel_end, reinterpret_cast<ompt_callback_t>(on_parallel_end));
    return 1;
}

void finalize(ompt_data_t*) {}

/// Regions of objects that GCC compiled come through our entry points, unless libgomp's are in front of them.
bool gcc_regions_are_seen() noexcept {
    return !drom::is_loaded("libgomp.so.1") || drom::runtime::is_ours(dlsym(RTLD_DEFAULT, "GOMP_parallel"));
}

ompt_start_tool_result_t* next_tool(unsigned version, const char* runtime) noexcept {
    using StartTool = ompt_start_tool_result_t*(unsigned, const char*);
    void* next = dlsym(RTLD_NEXT, "ompt_start_tool");
    if (next == nullptr || drom::runtime::is_ours(next)) return nullptr;
    return reinterpret_cast<StartTool*>(next)(version, runtime);
}

}  // namespace

extern "C" DROM_EXPORT ompt_start_tool_result_t* ompt_start_tool(unsigned version, const char* runtime) {
    static constinit ompt_start_tool_result_t result{initialize, finalize, {0}};
    if (!drom::safe_point::is_only_agent()) return nullptr;
    if (drom::kmp::in_place() && gcc_regions_are_seen()) return next_tool(version, runtime);
    return &result;
}
