// SPDX-License-Identifier: BSD-3-Clause
// options.cpp - drom_options, checked and filled in.
#include "options.hpp"

#include <algorithm>

#include "base/env.hpp"
#include "base/error.hpp"

namespace drom {

int read_options(const drom_options* in, uint64_t allowed, const char* verb, Options& out, drom_error* error) noexcept {
    out = Options{};
    if (in != nullptr) {
        if (in->size < offsetof(drom_options, reserved) || in->size > sizeof(drom_options))
            return fail(error, DROM_E_INVAL, "drom: %s: drom_options.size is %zu; set it to sizeof(drom_options)", verb,
                        in->size);
        const auto* const bytes = reinterpret_cast<const unsigned char*>(in);
        if (std::any_of(bytes + offsetof(drom_options, reserved), bytes + in->size, [](unsigned char b) { return b; }))
            return fail(error, DROM_E_INVAL, "drom: %s: drom_options.reserved is not 0; begin with all of it 0", verb);
        if ((in->flags & ~allowed) != 0)
            return fail(error, DROM_E_INVAL, "drom: %s: flag bits 0x%llx are unknown or mean nothing here", verb,
                        static_cast<unsigned long long>(in->flags & ~allowed));
        out = {.flags = in->flags,
               .timeout_ms = in->timeout_ms,
               .grace_ms = in->grace_ms,
               .name = in->name,
               .job = in->job,
               .min_cpus = in->min_cpus,
               .max_cpus = in->max_cpus,
               .cpus = in->cpus,
               .clients = in->clients};
    }
    // Read once per process: searching the environment would cost more than the operation.
    static const uint32_t timeout_ms = env::milliseconds("DROM_TIMEOUT_MS", 1000);
    static const uint32_t grace_ms = env::grace_ms();
    static const bool has_grace = env::text("DROM_GRACE_MS") != nullptr;
    out.grace_chosen = has_grace || out.grace_ms != 0;
    if (out.timeout_ms == 0) out.timeout_ms = timeout_ms;
    if (out.grace_ms == 0) {
        out.grace_ms = grace_ms;
        if (out.grace_ms == env::kGraceNever) out.flags |= DROM_NEVER_CONFINE;
    } else if (out.grace_ms == DROM_GRACE_AT_ONCE) {
        out.grace_ms = 0;
    }
    return DROM_OK;
}

VerbText::VerbText(const char* verb, uint32_t pid) noexcept {
    const int64_t number = static_cast<int32_t>(pid);
    Text(text, sizeof text) << "drom: " << verb << (number < 0 ? " -" : " ")
                            << static_cast<uint32_t>(number < 0 ? -number : number);
}

}  // namespace drom
