// SPDX-License-Identifier: BSD-3-Clause
// env.cpp - the environment, through one table (env.def).
#include "env.hpp"

#include <strings.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
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

enum class Kind : uint8_t { kNumber, kGrace, kFlag, kWord };
struct Rule {
    const char* name;
    Kind kind;
};
constexpr Rule kRules[] = {{"DROM_DISABLE", Kind::kFlag},    {"DROM_FOLLOW", Kind::kFlag},
                           {"DROM_ASYNC", Kind::kFlag},      {"DROM_TIMEOUT_MS", Kind::kNumber},
                           {"DROM_GRACE_MS", Kind::kGrace},  {"DROM_RESIZE", Kind::kWord},
                           {"DROM_PIN", Kind::kWord},        {"DROM_MIN_CPUS", Kind::kNumber},
                           {"DROM_MAX_CPUS", Kind::kNumber}, {"DROM_VERBOSE", Kind::kNumber}};

/// Calls `visit(word, length)` for each word that a variable's doc explains, as "place: ...; bind: ...; none" does.
template <class Visit>
void each_word(const char* doc, Visit&& visit) noexcept {
    for (const char* at = doc; at != nullptr; at = strstr(at, "; ")) {
        if (at != doc) at += 2;
        visit(at, strcspn(at, ":;"));
    }
}

bool is_word_of(const char* doc, const char* value) noexcept {
    bool found = false;
    each_word(doc, [&](const char* word, size_t length) {
        found |= strlen(value) == length && memcmp(value, word, length) == 0;
    });
    return found;
}

bool fits(const Variable& variable, Kind kind) noexcept {
    switch (kind) {
        case Kind::kFlag: return flag(variable.name, true) == flag(variable.name, false);
        case Kind::kGrace:
            if (grace_ms() == kGraceNever) return true;
            [[fallthrough]];
        case Kind::kNumber: return number(variable.name, 0) == number(variable.name, 1);
        default: return is_word_of(variable.doc, text(variable.name));
    }
}

void describe(const Variable& variable, Kind kind, char* out, size_t size) noexcept {
    char words[96] = "";
    size_t length = 0;
    if (kind == Kind::kWord)
        each_word(variable.doc, [&](const char* word, size_t n) {
            if (length + n + 3 > sizeof words) return;
            length += static_cast<size_t>(snprintf(words + length, sizeof words - length, "%s%.*s",
                                                   length > 0 ? ", " : "none of ", static_cast<int>(n), word));
        });
    const char* what = kind == Kind::kWord    ? words
                       : kind == Kind::kFlag  ? "neither 0 nor 1"
                       : kind == Kind::kGrace ? "neither a whole number nor never"
                                              : "not a whole number";
    snprintf(out, size, "%s=%.40s is %s; the default holds (%s)", variable.name, text(variable.name), what,
             variable.fallback);
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

bool wrong_value(const char* name, char* out, size_t size) noexcept {
    if (text(name) == nullptr) return false;
    for (const Rule& rule : kRules) {
        if (strcmp(rule.name, name) != 0) continue;
        const Variable& variable = *find(name, strlen(name));
        if (fits(variable, rule.kind)) return false;
        describe(variable, rule.kind, out, size);
        return true;
    }
    return false;
}

}  // namespace drom::env
