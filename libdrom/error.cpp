// SPDX-License-Identifier: BSD-3-Clause
// error.cpp - statuses, their names, and sentences.
#include "error.hpp"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace drom {

int fail(drom_error* error, int status, const char* format, ...) noexcept {
    if (error == nullptr) return status;
    error->status = status;
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    return status;
}

int succeed(drom_error* error) noexcept {
    if (error != nullptr) *error = {};
    return DROM_OK;
}

const char* errno_text(int number) noexcept {
    const char* text = strerrordesc_np(number);
    return text != nullptr ? text : "unknown error";
}

namespace {
struct StatusRow {
    int status;
    const char* name;
    const char* text;
};
constexpr StatusRow kStatuses[] = {
#define X(name, text) {name, #name, text},
#include "status.def"
#undef X
};
}  // namespace

}  // namespace drom

extern "C" const char* drom_status_name(int status) {
    for (const auto& row : drom::kStatuses)
        if (row.status == status) return row.name;
    return "DROM_E_?";
}

extern "C" const char* drom_status_text(int status) {
    for (const auto& row : drom::kStatuses)
        if (row.status == status) return row.text;
    return "not a status of this version";
}
