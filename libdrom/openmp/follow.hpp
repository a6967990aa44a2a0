// SPDX-License-Identifier: BSD-3-Clause
// follow.hpp - may the team of the region that starts have another size than the program's own? Pure.
//
// A program can depend on the size of its team in ways that cannot be seen from outside. So the team keeps its size,
// and CPUs change beneath it, unless the user, the program or a record of tried programs allows another size.
#pragma once

#include <strings.h>
#include <cstdint>
#include <cstring>

namespace drom::follow {

enum class Resize : uint8_t {
    Auto,    ///< keep, unless the program or OMP_DYNAMIC says otherwise
    Keep,    ///< the team keeps its size
    Follow,  ///< the team has as many threads as there are CPUs, and never more than its own
};

struct Facts {
    Resize said;      ///< by the user
    bool dynamic;     ///< OpenMP's own setting: OMP_DYNAMIC=true, or omp_set_dynamic(1)
    bool called_for;  ///< the program called drom_on_change
    bool by_itself;   ///< the program adapts its team itself, by drom_poll or drom_poll_apply
    bool own_number;  ///< the program called omp_set_num_threads, or code with its runtime's address did
    bool leagues;     ///< the program opens leagues of teams, whose sizes follow other rules
    bool blas;        ///< the region is OpenBLAS's; its threads wait for as many threads as it has asked for
};

struct Answer {
    bool follows;
    bool allowed;     ///< the team may change, whether it does or not
    const char* why;  ///< a sentence for people
};

/// Reads DROM_RESIZE; unset or unknown: auto.
inline Resize resize_of(const char* text) noexcept {
    if (text != nullptr && strcmp(text, "keep") == 0) return Resize::Keep;
    return text != nullptr && strcmp(text, "follow") == 0 ? Resize::Follow : Resize::Auto;
}

/// Reads OMP_DYNAMIC.
inline bool is_dynamic(const char* text) noexcept {
    return text != nullptr && (strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

/// Returns whether the environment allows that the team changes, before the program has been started. `resize` is
/// DROM_RESIZE, `dynamic` OMP_DYNAMIC; null: not set.
inline bool is_allowed_from_outside(const char* resize, const char* dynamic) noexcept {
    const Resize said = resize_of(resize);
    return said == Resize::Follow || (said == Resize::Auto && is_dynamic(dynamic));
}

Answer judge(const Facts& facts) noexcept;

/// Returns the threads of a region without a clause: as many as CPUs, never more than the thread's own number.
constexpr uint32_t threads_of(uint32_t own, uint32_t cpus) noexcept { return cpus == 0 || own < cpus ? own : cpus; }

}  // namespace drom::follow
