// SPDX-License-Identifier: BSD-3-Clause
// pinning.cpp - puts the threads of a team on the CPUs they have now.
#include "pinning.hpp"

#include <sched.h>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/confine.hpp"
#include "base/env.hpp"
#include "client/client.hpp"
#include "repin.hpp"

namespace drom::pinning {

namespace {

enum class Mode : uint8_t { None, Place, Bind };

struct State {
    Mode mode;
    bool overrule;  ///< the runtime binds threads by itself
    bool due;
    uint32_t team;       ///< threads that are placed; 0: no thread is moved
    uint64_t placement;  ///< the number of it
    CpuSet first_mask;
    uint16_t cpu[kMaxCpus];                ///< the CPU to which each thread of the team goes
    std::atomic<uint64_t> done[kMaxCpus];  ///< the placement that was carried out; each by its own thread
};
constinit State state{};

Mode mode_of(const char* text, bool bound) noexcept {
    if (text == nullptr) return bound ? Mode::Bind : Mode::Place;
    if (strcmp(text, "none") == 0) return Mode::None;
    return strcmp(text, "bind") == 0 ? Mode::Bind : Mode::Place;
}

CpuSet only(uint32_t cpu) noexcept {
    CpuSet set{};
    set.add(cpu);
    return set;
}

void set_if_other(const CpuSet& wanted) noexcept {
    CpuSet now{};
    if (!get_affinity(0, now) || !(now == wanted)) set_affinity(0, wanted);
}

/// Moves the thread to its CPU. The mask may have shrunk since the placement was decided; then the CPU is no longer
/// this client's, and the next placement is due.
void move(uint32_t cpu, const CpuSet& mask) noexcept {
    if (!mask.has(cpu)) return;
    if (state.mode == Mode::Bind) return set_if_other(only(cpu));
    if (sched_getcpu() != static_cast<int>(cpu)) set_affinity(0, only(cpu));
    set_if_other(mask);
}

/// Takes this thread off CPUs that were given away: the runtime may have bound it to them.
void keep_inside(const CpuSet& mask) noexcept {
    CpuSet now{};
    if (!get_affinity(0, now) || mask.contains(now)) return;
    const CpuSet rest = now & mask;
    set_affinity(0, rest.none() ? mask : rest);
}

void place(uint32_t index, const CpuSet& mask) noexcept {
    const bool placed = index < state.team;
    if (placed && state.done[index].load(std::memory_order_relaxed) != state.placement) {
        state.done[index].store(state.placement, std::memory_order_relaxed);
        move(state.cpu[index], mask);
    } else if (placed && state.mode == Mode::Bind && mask.has(state.cpu[index])) {
        set_if_other(only(state.cpu[index]));
    } else {
        keep_inside(mask);
    }
}

}  // namespace

void begin(const CpuSet& mask, bool runtime_binds) noexcept {
    state.overrule = runtime_binds;
    state.mode = client::moves_threads() ? mode_of(env::text("DROM_PIN"), state.overrule) : Mode::None;
    state.first_mask = mask;
    // With DROM_PIN=bind the threads are bound from the start; the runtime's own binding stays until CPUs move.
    state.due = state.mode == Mode::Bind && !state.overrule;
    for (uint16_t& cpu : state.cpu) cpu = kNoCpu;
}

void ask_for_placement() noexcept { state.due = state.mode != Mode::None; }

bool is_due(uint32_t team, const CpuSet& mask) noexcept {
    if (state.due && team <= mask.count() && team <= kMaxCpus) return true;
    return state.overrule && state.mode != Mode::None && !(mask == state.first_mask);
}

void decide_placement(uint32_t team, const CpuSet& mask) noexcept {
    if (!state.due || team > kMaxCpus) return;
    state.cpu[0] = static_cast<uint16_t>(sched_getcpu());
    state.team = repin(state.cpu, team, mask) ? team : 0;
    if (state.team == 0) return;
    state.due = false;
    ++state.placement;
}

void place_thread(uint32_t index) noexcept {
    const int saved = errno;
    client::set_allowed([index](const Request& allowed) {
        if (!allowed.mask.none()) place(index, allowed.mask);
        return true;
    });
    errno = saved;
}

void widen_this_thread() noexcept {
    client::set_allowed([](const Request& allowed) {
        if (!allowed.mask.none()) set_if_other(allowed.mask);
        return true;
    });
}

}  // namespace drom::pinning
