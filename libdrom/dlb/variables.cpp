// SPDX-License-Identifier: BSD-3-Clause
// variables.cpp - the options of a process that takes part, by name. None can be changed any more.
#include <cstdio>
#include <cstring>

#include "process.hpp"

namespace drom::dlb {

namespace {

/// The room that DLB's users give.
constexpr size_t kRoom = 64;

const char* yes_or_no(bool is) noexcept { return is ? "yes" : "no"; }

/// Writes the value of an option. Returns false when there is no such option.
bool describe(const Options& options, const char* name, char* value) noexcept {
    if (strcmp(name, "--drom") == 0)
        snprintf(value, kRoom, "%s", yes_or_no(options.drom));
    else if (strcmp(name, "--mode") == 0)
        snprintf(value, kRoom, "%s", options.async ? "async" : "polling");
    else if (strcmp(name, "--silent") == 0)
        snprintf(value, kRoom, "%s", yes_or_no(options.silent));
    else if (strcmp(name, "--shm-key") == 0)
        snprintf(value, kRoom, "%.63s", options.key);
    else if (strcmp(name, "--preinit-pid") == 0)
        snprintf(value, kRoom, "%d", options.preinit_pid);
    else if (strcmp(name, "--debug-opts") == 0)
        snprintf(value, kRoom, "%s", options.return_stolen ? "return-stolen" : "");
    else if (strcmp(name, "--talp") == 0)
        snprintf(value, kRoom, "%s", yes_or_no(options.talp));
    else if (strcmp(name, "--lewi") == 0)
        snprintf(value, kRoom, "no");
    else
        return false;
    return true;
}

int look_up(const char* name, char* value) noexcept {
    if (name == nullptr || value == nullptr) return DLB_ERR_UNKNOWN;
    const Lock lock;
    if (!takes_part(lock)) return DLB_ERR_NOINIT;
    return describe(process.options, name, value) ? DLB_SUCCESS : DLB_ERR_NOENT;
}

}  // namespace

}  // namespace drom::dlb

extern "C" {

int DLB_GetVariable(const char* variable, char* value) { return drom::dlb::look_up(variable, value); }

int DLB_SetVariable(const char* variable, const char* value) {
    char present[drom::dlb::kRoom];
    const int status = drom::dlb::look_up(variable, present);
    if (status != DLB_SUCCESS) return status;
    if (value == nullptr) return DLB_ERR_UNKNOWN;
    return strcmp(value, present) == 0 ? int{DLB_SUCCESS} : int{DLB_ERR_PERM};
}

}  // extern "C"
