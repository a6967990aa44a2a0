// SPDX-License-Identifier: BSD-3-Clause
// resize.cpp - decides the size of the team, acknowledges it, and says whether the next region needs a look.
#include "resize.hpp"

#include <unistd.h>
#include <cstdio>

#include "client/client.hpp"
#include "drain.hpp"
#include "gate.hpp"
#include "permission.hpp"
#include "placing.hpp"
#include "team.hpp"

namespace drom::safe_point {

namespace {

uint32_t resize_of(const follow::Answer& answer) noexcept {
    if (answer.follows) return DROM_RESIZE_FOLLOWS;
    return answer.allowed ? DROM_RESIZE_HELD : DROM_RESIZE_KEEPS;
}

void report(const follow::Answer& answer, uint32_t before) noexcept {
    const CpuText cpus(team.adopted.mask);
    dprintf(STDERR_FILENO, "drom: process %d: request %llu, mask %s: team of %u, now of %u: %s\n", getpid(),
            static_cast<unsigned long long>(team.adopted.seq), cpus.text, before, team.size, answer.why);
}

/// Acknowledges a request once; a second time when a team that was kept could follow after all.
void acknowledge(const follow::Answer& answer, uint32_t before) noexcept {
    if (team.verbose > 1) report(answer, before);
    if (team.adopted.seq == 0 || adapts_by_itself()) return;
    if (team.acknowledged == team.adopted.seq && (team.follows || !answer.follows)) return;
    team.acknowledged = team.adopted.seq;
    team.follows = answer.follows;
    client::acknowledge_resize(team.adopted.seq, team.size, resize_of(answer), answer.why);
    if (team.verbose == 1) report(answer, before);
}

/// Returns whether threads share CPUs: those of this team, or those of inner teams, which do not shrink with it.
bool shares_cpus(uint32_t size) noexcept {
    if (size > team.cpus) return true;
    const auto levels = team.runtime.max_active_levels;
    return team.cpus < team.first_cpus && levels != nullptr && levels() > 1;
}

void update_attention(bool follows) noexcept {
    const bool limited = team.cpus < team.first_cpus || (follows && team.cpus < team.start);
    const bool placing = is_placing_due(team.size);
    drom_gate.attention.store(limited || placing || team.drain != Drain::None ? 1 : 0, kRelaxed);
}

}  // namespace

uint32_t decide(uint32_t clause, const void* caller) noexcept {
    const uint32_t own = own_threads();
    // Set by code that has the runtime's address (threadpoolctl has): it counts as the program's own number.
    if (own != team.start) team.own_number = true;  // mutant own-number
    const follow::Answer answer = judge_region(caller, own);
    const uint32_t size = answer.follows ? follow::threads_of(own, team.cpus) : own;  // mutant follows
    prepare_for(size);
    const uint32_t before = team.size;
    team.size = size;
    client::page().team_size.store(size, kRelaxed);
    if (team.adopted.seq == 0 || team.adopted.seq != team.acknowledged || answer.follows != team.follows)
        client::page().resize.store(resize_of(answer), kRelaxed);
    acknowledge(answer, before);
    if (is_drained()) {
        team.runtime.waiting.drain(false);
        runtime::Waiting::yield(shares_cpus(clause != 0 ? clause : size));
    }
    update_attention(judge().follows);
    return clause != 0 || size == own ? clause : size;
}

}  // namespace drom::safe_point
