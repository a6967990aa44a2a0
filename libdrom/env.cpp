// SPDX-License-Identifier: BSD-3-Clause
// env.cpp - the environment, through one table (env.def).
#include "env.hpp"

#include <strings.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace drom::env {

namespace {
constexpr Variable kTable[] = {
#define X(name, fallback, secure, doc) {#name, fallback, (secure) != 0, doc},
#include "env.def"
#undef X
};

const Variable* find(const char* name, size_t length) noexcept {
    for (const auto& variable : kTable)
        if (strlen(variable.name) == length && memcmp(variable.name, name, length) == 0) return &variable;
    return nullptr;
}
}  // namespace

const Variable* table(size_t& count) noexcept {
    count = sizeof kTable / sizeof kTable[0];
    return kTable;
}

const char* text(const char* name) noexcept {
    const Variable* variable = find(name, strlen(name));
    const bool harmless = variable != nullptr && variable->secure;
    const char* value = harmless ? getenv(name) : secure_getenv(name);
    return value == nullptr || *value == '\0' ? nullptr : value;
}

long number(const char* name, long fallback) noexcept {
    const char* value = text(name);
    if (value == nullptr) return fallback;
    char* end = nullptr;
    errno = 0;
    const long result = strtol(value, &end, 10);
    return errno != 0 || end == value || *end != '\0' || result < 0 ? fallback : result;
}

bool flag(const char* name, bool fallback) noexcept {
    const char* value = text(name);
    if (value == nullptr) return fallback;
    for (const char* yes : {"1", "yes", "true", "on"})
        if (strcasecmp(value, yes) == 0) return true;
    for (const char* no : {"0", "no", "false", "off"})
        if (strcasecmp(value, no) == 0) return false;
    return fallback;
}

uint32_t milliseconds(const char* name, uint32_t fallback) noexcept {
    const long value = number(name, fallback);
    return value < long{UINT32_MAX} ? static_cast<uint32_t>(value) : UINT32_MAX - 1;
}

uint32_t grace_ms() noexcept {
    const char* value = text("DROM_GRACE_MS");
    if (value != nullptr && strcasecmp(value, "never") == 0) return kGraceNever;
    return milliseconds("DROM_GRACE_MS", 20);
}

const char* unknown_variable() noexcept {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        if (strncmp(*entry, "DROM_", 5) != 0) continue;
        const char* equals = strchr(*entry, '=');
        if (equals != nullptr && find(*entry, static_cast<size_t>(equals - *entry)) == nullptr) return *entry;
    }
    return nullptr;
}

}  // namespace drom::env
