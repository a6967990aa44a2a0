// SPDX-License-Identifier: BSD-3-Clause
// follow.cpp - decides whether a team may change.
#include "follow.hpp"

namespace drom::follow {

namespace {

/// Returns the reason why the team may change; null: none.
const char* reason_to_follow(const Facts& facts) noexcept {
    if (facts.said == Resize::Keep) return nullptr;
    if (facts.said == Resize::Follow) return "the team follows the CPUs: DROM_RESIZE=follow";
    if (facts.called_for) return "the team follows the CPUs: the program calls drom_on_change";
    return facts.dynamic ? "the team follows the CPUs: OMP_DYNAMIC=true, or omp_set_dynamic(1)" : nullptr;
}

}  // namespace

Answer judge(const Facts& facts) noexcept {
    if (facts.by_itself) return {false, true, "the program adapts by itself"};
    const char* allowed = reason_to_follow(facts);
    if (allowed == nullptr && facts.said == Resize::Keep) return {false, false, "DROM_RESIZE=keep"};
    if (allowed == nullptr) return {false, false, "a change of its team was not allowed; --resize=follow allows it"};
    if (facts.leagues) return {false, true, "the program opens leagues of teams"};
    if (facts.own_number) return {false, true, "the program set its thread count itself"};
    if (facts.blas) return {false, true, "OpenBLAS needs as many threads in a region as it has asked for"};
    return {true, true, allowed};
}

}  // namespace drom::follow
