// SPDX-License-Identifier: BSD-3-Clause
// drain.cpp - the stages of a drain: asked for, running as a region, threads falling asleep.
#include "drain.hpp"

#include "base/clock.hpp"
#include "permission.hpp"
#include "team.hpp"

namespace drom::safe_point {

namespace {
constexpr uint64_t kFallAsleep = 20 * kMillisecond;
}

bool must_drain(uint32_t cpus) noexcept {
    const bool leaves_spinners = team.runtime.waiting.spins_long() && cpus < team.size && judge().follows;
    if (!leaves_spinners || team.drain == Drain::Running) {
        if (team.drain == Drain::Asked) team.drain = Drain::None;
        if (team.drain != Drain::Running) return false;
        team.drain = Drain::FallingAsleep;
        team.asleep_ns = now_ns() + kFallAsleep;
        return false;
    }
    team.runtime.waiting.drain(true);
    team.drain = Drain::Asked;
    return true;
}

void begin_drain() noexcept {
    if (team.drain == Drain::Asked) team.drain = Drain::Running;
}

bool is_drained() noexcept {
    if (team.drain == Drain::FallingAsleep && now_ns() >= team.asleep_ns) team.drain = Drain::None;
    return team.drain == Drain::None;
}

}  // namespace drom::safe_point
