// SPDX-License-Identifier: BSD-3-Clause
// say.cpp - sentences for people, and errors: DLB's names for drom's refusals, and DLB_Strerror.
#include "say.hpp"

#include <unistd.h>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "drom/dlb.h"

namespace drom::dlb {

void say(const char* format, ...) noexcept {
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    const size_t length = strlen(line);
    line[length] = '\n';
    if (write(STDERR_FILENO, line, length + 1) < 0) return;  // stderr is closed: there is no other place to report to
}

void write_why(drom_error* error, const char* text) noexcept {
    if (error != nullptr) snprintf(error->text, sizeof error->text, "%s", text);
}

int dlb_error(int status) noexcept {
    switch (status) {
        case DROM_OK:
        case DROM_PENDING:
        case DROM_UNCHANGED: return DLB_SUCCESS;
        case DROM_E_INVAL:
        case DROM_E_PERM:
        case DROM_E_BUSY:
        case DROM_E_NOCPU: return DLB_ERR_PERM;
        case DROM_E_NOTABLE:
        case DROM_E_VERSION:
        case DROM_E_CORRUPT: return DLB_ERR_NOSHMEM;
        case DROM_E_NOPROC: return DLB_ERR_NOPROC;
        case DROM_E_TIMEOUT: return DLB_ERR_TIMEOUT;
        case DROM_E_FULL: return DLB_ERR_NOMEM;
        case DROM_E_NOINIT: return DLB_ERR_NOINIT;
        default: return DLB_ERR_UNKNOWN;
    }
}

namespace {

struct Named {
    int value;
    const char* text;
};

constexpr Named kTexts[] = {
    {DLB_NOUPDT, "DLB_NOUPDT (2): nothing had to be done"},
    {DLB_NOTED, "DLB_NOTED (1): done, and something new was found"},
    {DLB_SUCCESS, "DLB_SUCCESS (0): done"},
    {DLB_ERR_UNKNOWN, "DLB_ERR_UNKNOWN (-1): the system refused, or an argument is NULL"},
    {DLB_ERR_NOINIT, "DLB_ERR_NOINIT (-2): this process has not called DLB_Init"},
    {DLB_ERR_INIT, "DLB_ERR_INIT (-3): the process is initialised or registered already"},
    {DLB_ERR_DISBLD, "DLB_ERR_DISBLD (-4): DLB_Disable is in effect"},
    {DLB_ERR_NOSHMEM, "DLB_ERR_NOSHMEM (-5): no table is attached, or it cannot be used"},
    {DLB_ERR_NOPROC, "DLB_ERR_NOPROC (-6): no such process is registered"},
    {DLB_ERR_PDIRTY, "DLB_ERR_PDIRTY (-7): the process has not answered its last request yet"},
    {DLB_ERR_PERM, "DLB_ERR_PERM (-8): these CPUs or this table cannot be had"},
    {DLB_ERR_TIMEOUT, "DLB_ERR_TIMEOUT (-9): no answer in time"},
    {DLB_ERR_NOCBK, "DLB_ERR_NOCBK (-10): there is no such callback"},
    {DLB_ERR_NOENT, "DLB_ERR_NOENT (-11): there is no such entry"},
    {DLB_ERR_NOCOMP, "DLB_ERR_NOCOMP (-12): not possible with the present options"},
    {DLB_ERR_REQST, "DLB_ERR_REQST (-13): too many requests for one resource"},
    {DLB_ERR_NOMEM, "DLB_ERR_NOMEM (-14): the table has no slot left"},
    {DLB_ERR_NOPOL, "DLB_ERR_NOPOL (-15): not part of the present policy"},
    {DLB_ERR_NOTALP, "DLB_ERR_NOTALP (-16): TALP is not in use"},
    {DLB_ERR_NOLEWI, "DLB_ERR_NOLEWI (-17): LeWI is not in use"},
};

}  // namespace

}  // namespace drom::dlb

extern "C" const char* DLB_Strerror(int errnum) {
    for (const auto& each : drom::dlb::kTexts)
        if (each.value == errnum) return each.text;
    return "unknown error number of DLB";
}
