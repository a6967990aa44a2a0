// SPDX-License-Identifier: BSD-3-Clause
// environment.cpp - tells a process that is about to be executed of its reservation.
#include "environment.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/environment_array.hpp"
#include "options.hpp"

namespace drom::dlb {

namespace {

/// The environment to write to: an array of the caller, or that of this process.
class Target {
public:
    explicit Target(char*** array) noexcept : array_(array) {}

    [[nodiscard]] const char* get(const char* name) const noexcept {
        if (array_ == nullptr) return getenv(name);
        char** at = find_variable(*array_, name);
        return at != nullptr ? *at + strlen(name) + 1 : nullptr;
    }

    bool put(const char* name, const char* value) noexcept {
        return array_ == nullptr ? setenv(name, value, 1) == 0 : put_variable(array_, name, value);
    }

private:
    char*** array_;
};

/// Keeps the user's options, and removes those of an earlier reservation.
bool put_args(Target& target, const ReservationVariables& values) noexcept {
    const char* before = target.get("DLB_ARGS");
    char* kept = strdup(before != nullptr ? before : "");
    if (kept == nullptr) return false;
    remove_words(kept, "--preinit-pid=");
    remove_words(kept, "--debug-opts=return-stolen");
    if (*values.args != '\0') remove_words(kept, "--drom=1");
    char* line = nullptr;
    const bool made = asprintf(&line, "%s%s%s%s--preinit-pid=%d", kept, *kept != '\0' ? " " : "", values.args,
                               *values.args != '\0' ? " " : "", values.pid) >= 0;
    const bool put = made && target.put("DLB_ARGS", line);
    if (made) free(line);
    free(kept);
    return put;
}

bool put_threads(Target& target, int threads) noexcept {
    char number[16];
    snprintf(number, sizeof number, "%d", threads);
    return threads <= 0 || target.get("OMP_NUM_THREADS") == nullptr || target.put("OMP_NUM_THREADS", number);
}

}  // namespace

bool write_variables(const ReservationVariables& values, char*** next_environ) noexcept {
    Target target(next_environ);
    return put_args(target, values) && put_threads(target, values.threads) &&
           (values.where == nullptr || target.put("DROM_TABLE", values.where)) &&
           (values.slot == nullptr ||
            (target.put("DROM_SLOT", values.slot) && target.put("DROM_START_CPUS", values.cpus)));
}

}  // namespace drom::dlb
