// SPDX-License-Identifier: GPL-2.0-or-later
// select_malleable.hpp - what the plugin functions of all series, and those of one, have in common.
#pragma once

#include "select_malleable/transaction/transaction.hpp"

#include <string>

#include "common/guarded.hpp"

namespace drom::slurm {

/// Returns the one transaction of slurmctld.
Transaction& transaction();

/// Answers select_p_job_test.
int answer(Question& question);

/// Says an exception of `body` in the log; what was begun is then finished by `otherwise`.
template <class Body, class Otherwise>
auto in_call(const char* where, const Body& body, const Otherwise& otherwise) -> decltype(body()) {
    return guarded(body, [&](const char* error) {
        slurm_error("select/malleable: %s: %s", where, error);
        return otherwise();
    });
}

template <class Body>
void in_call(const char* where, const Body& body) {
    in_call(where, body, [] {});
}

}  // namespace drom::slurm
