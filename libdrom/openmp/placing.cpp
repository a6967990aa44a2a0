// SPDX-License-Identifier: BSD-3-Clause
// placing.cpp - what the team asks of pinning.hpp.
#include "placing.hpp"

#include "pinning.hpp"
#include "team.hpp"

namespace drom::safe_point {

bool is_placing_due(uint32_t size) noexcept {
    return team.adopted.seq != 0 && pinning::is_due(size, team.adopted.mask);
}

bool place(uint32_t size) noexcept {
    if (!is_placing_due(size)) return false;
    pinning::decide_placement(size, team.adopted.mask);
    return true;
}

void prepare_for(uint32_t size) noexcept {
    if (size == team.size) return;
    if (size > team.size && team.runtime.kind == runtime::Kind::Gomp && team.adopted.seq != 0)
        pinning::widen_this_thread();
    pinning::ask_for_placement();
}

}  // namespace drom::safe_point
