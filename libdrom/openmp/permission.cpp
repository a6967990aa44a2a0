// SPDX-License-Identifier: BSD-3-Clause
// permission.cpp - whether the team follows.
#include "permission.hpp"

#include "client/client.hpp"
#include "gate.hpp"
#include "team.hpp"

namespace drom::safe_point {

namespace {

follow::Facts facts() noexcept {
    return {team.said,
            team.runtime.dynamic() != 0,
            client::program_follows(),
            adapts_by_itself(),
            team.own_number || drom_own_number != 0,
            team.leagues,
            false};
}

/// Returns whether the caller is OpenBLAS. It divides a product among its own number of threads, and does not use a
/// clause. Each thread waits for the parts of the others: a smaller team would wait for ever.
bool is_openblas(const void* caller) noexcept {
    if (team.openblas.holds(caller)) return true;
    if (team.other.holds(caller)) return false;
    const bool is_it = may_define(caller, "openblas_get_num_threads");
    (is_it ? team.openblas : team.other) = object_of(caller);
    return is_it;
}

}  // namespace

bool adapts_by_itself() noexcept { return (client::page().entry_points.load(kRelaxed) & DROM_ENTRY_EXPLICIT) != 0; }

follow::Answer judge() noexcept { return follow::judge(facts()); }

follow::Answer judge_region(const void* caller, uint32_t own) noexcept {
    follow::Facts region = facts();
    region.blas = team.cpus < own && follow::judge(region).follows && is_openblas(caller);
    return follow::judge(region);
}

}  // namespace drom::safe_point
