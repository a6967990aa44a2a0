// SPDX-License-Identifier: BSD-3-Clause
// options.hpp - drom_options, checked and filled in.
#pragma once

#include "drom/drom.h"

namespace drom {

/// drom_options with every default filled in.
struct Options {
    uint64_t flags = 0;
    uint32_t timeout_ms = 0;
    uint32_t grace_ms = 0;
    bool grace_chosen = false;  ///< by the caller or DROM_GRACE_MS
    const char* name = nullptr;
    const char* job = nullptr;
    uint32_t min_cpus = 0, max_cpus = 0, cpus = 0, clients = 0;

    [[nodiscard]] bool has(uint64_t flag) const noexcept { return (flags & flag) != 0; }
    [[nodiscard]] bool waits() const noexcept { return has(DROM_WAIT_RELEASED | DROM_WAIT_RESIZED); }
};

/// Returns DROM_OK, or DROM_E_INVAL for a wrong size or bits outside `allowed`.
int read_options(const drom_options* in, uint64_t allowed, const char* verb, Options& out, drom_error*) noexcept;

/// "drom: set 4242", for the beginning of sentences.
struct VerbText {
    char text[48];
    VerbText(const char* verb, uint32_t pid) noexcept;
};

}  // namespace drom
