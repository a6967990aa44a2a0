// SPDX-License-Identifier: BSD-3-Clause
// other_names.cpp - functions that programs call by names that no header has. DLB's Python module needs texts of masks,
// and misspells one function. DLB's Fortran header has callbacks without their argument.
#include <atomic>
#include <cstdio>

#include "drom/dlb.h"
#include "drom/dlb_drom.h"
#include "mask.hpp"

namespace drom::dlb {

namespace {

/// Returns the last CPU of a run that begins with `first`.
unsigned last_of_run(const CpuSet& mask, unsigned first) noexcept {
    while (first + 1 < CPU_SETSIZE && mask.has(first + 1)) ++first;
    return first;
}

/// Writes "3", "0,1" or "4-7", as DLB does: two CPUs are no range.
char* write_run(char* out, unsigned first, unsigned last) noexcept {
    constexpr size_t kRoom = 12;
    if (first == last) return out + snprintf(out, kRoom, "%u", first);
    return out + snprintf(out, kRoom, "%u%c%u", first, last == first + 1 ? ',' : '-', last);
}

}  // namespace

}  // namespace drom::dlb

using drom::CpuSet;

extern "C" {

DLB_DROM_EXPORT void mu_parse_mask(const char* text, void* set);
DLB_DROM_EXPORT const char* mu_to_str(const void* set);
DLB_DROM_EXPORT int DROM_GetPidList(int* pidlist, int* nelems, int max_len);
DLB_EXPORT int DLBF_CallbackSet(dlb_callbacks_t which, dlb_callback_t callback);
DLB_EXPORT int DLBF_CallbackGet(dlb_callbacks_t which, dlb_callback_t* callback);

/// Parses a mask; a text that is no mask is an empty one. The call that uses it is refused then, or is for a process
/// without CPUs.
void mu_parse_mask(const char* text, void* set) {
    CpuSet mask{};
    if (!drom::dlb::parse_mask(text, mask)) mask = CpuSet{};
    drom::dlb::to_mask(mask, set);
}

/// Returns a text that stays valid for the next seven calls.
const char* mu_to_str(const void* set) {
    constexpr size_t kTexts = 8;
    static char texts[kTexts][CPU_SETSIZE * 4];  // the longest has two of every three CPUs
    static constinit std::atomic<size_t> calls{0};
    char* const text = texts[calls.fetch_add(1) % kTexts];
    const CpuSet mask = drom::dlb::from_mask(set);
    char* out = text;
    *out++ = '[';
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!mask.has(cpu)) continue;
        if (out != text + 1) *out++ = ',';
        const unsigned last = drom::dlb::last_of_run(mask, cpu);
        out = drom::dlb::write_run(out, cpu, last);
        cpu = last;
    }
    *out++ = ']';
    *out = '\0';
    return text;
}

int DROM_GetPidList(int* pidlist, int* nelems, int max_len) { return DLB_DROM_GetPidList(pidlist, nelems, max_len); }

int DLBF_CallbackSet(dlb_callbacks_t which, dlb_callback_t callback) {
    return DLB_CallbackSet(which, callback, nullptr);
}
int DLBF_CallbackGet(dlb_callbacks_t which, dlb_callback_t* callback) {
    return DLB_CallbackGet(which, callback, nullptr);
}

}  // extern "C"
