// SPDX-License-Identifier: BSD-3-Clause
// repin.cpp - chooses a CPU for each thread of a team whose mask changed.
#include "repin.hpp"

namespace drom {

bool repin(uint16_t* cpu, uint32_t team, const CpuSet& mask) noexcept {
    if (team == 0 || team > mask.count()) return false;
    CpuSet left = mask;
    for (uint32_t thread = 0; thread < team; ++thread) {
        if (left.has(cpu[thread]))
            left.remove(cpu[thread]);
        else
            cpu[thread] = kNoCpu;
    }
    uint32_t next = left.first();
    for (uint32_t thread = 0; thread < team; ++thread) {
        if (cpu[thread] != kNoCpu) continue;
        cpu[thread] = static_cast<uint16_t>(next);
        next = left.next(next + 1);
    }
    return true;
}

}  // namespace drom
