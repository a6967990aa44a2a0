// SPDX-License-Identifier: GPL-2.0-or-later
// guarded.hpp - the border to Slurm, which is C: exceptions end here.
#pragma once

#include <exception>

namespace drom::slurm {

/// Returns what `body` returns; after an exception what `failed` returns for its text. `failed` says it in the log.
template <class Body, class Failed>
auto guarded(const Body& body, const Failed& failed) -> decltype(body()) {
    try {
        return body();
    } catch (const std::exception& error) {
        return failed(error.what());
    }
}

}  // namespace drom::slurm
