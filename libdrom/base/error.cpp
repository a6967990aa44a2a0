// SPDX-License-Identifier: BSD-3-Clause
// error.cpp - statuses, their names, and sentences.
#include "error.hpp"

#include <algorithm>
#include <charconv>
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
    if (error == nullptr) return DROM_OK;
    error->status = DROM_OK;
    error->text[0] = '\0';
    return DROM_OK;
}

Text& Text::add(const char* text, size_t max_length) noexcept {
    const size_t length = strnlen(text, std::min(max_length, static_cast<size_t>(end_ - at_)));
    memcpy(at_, text, length);
    at_ += length;
    *at_ = '\0';
    return *this;
}

Text& Text::operator<<(uint32_t number) noexcept {
    char digits[10];
    return add(digits, static_cast<size_t>(std::to_chars(digits, digits + sizeof digits, number).ptr - digits));
}

CountText::CountText(uint64_t count, const char* what) noexcept {
    const auto shown = static_cast<uint32_t>(std::min<uint64_t>(count, UINT32_MAX));
    Text(text, sizeof text) << shown << " " << what << (shown == 1 ? "" : "s");
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

void copy_text(char* out, size_t size, const char* text) noexcept {
    Text(out, size).add(text != nullptr ? text : "", size - 1);
    for (char* c = out; *c != '\0'; ++c)
        if (static_cast<unsigned char>(*c) < ' ') *c = '?';  // it will be printed on a terminal
}

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
