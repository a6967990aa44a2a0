// SPDX-License-Identifier: BSD-3-Clause
// follow.hpp - may the team of the region that starts have another size than the program's own? Pure.
//
// A program can observe the size of its team in ways that nobody sees from outside. So the team keeps its size, and
// CPUs change beneath it, unless somebody has said that it may change: the user, the program, or a record of what was
// tried.
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
    bool dynamic;     ///< OpenMP's own word for it: OMP_DYNAMIC=true, or omp_set_dynamic(1)
    bool called_for;  ///< the program called drom_on_change or drom_poll_apply
    bool by_itself;   ///< the program adapts its team itself, by drom_poll
    bool own_number;  ///< the program called omp_set_num_threads, or whoever has its runtime's address
    bool leagues;     ///< the program opens leagues of teams, whose sizes follow other rules
    bool blas;        ///< the region is OpenBLAS's, whose threads wait for as many as it has asked for
};

struct Answer {
    bool follows;
    bool allowed;     ///< somebody said that the team may change, whether it does or not
    const char* why;  ///< a sentence for people
};

/// As DROM_RESIZE says; unset or unknown: auto.
Resize resize_of(const char* text) noexcept;

/// As OMP_DYNAMIC says.
inline bool is_dynamic(const char* text) noexcept {
    return text != nullptr && (strcasecmp(text, "true") == 0 || strcmp(text, "1") == 0);
}

Answer judge(const Facts& facts) noexcept;

/// Threads of a region without a clause: as many as there are CPUs, never more than the thread's own number.
constexpr uint32_t threads_of(uint32_t own, uint32_t cpus) noexcept { return cpus == 0 || own < cpus ? own : cpus; }

}  // namespace drom::follow
