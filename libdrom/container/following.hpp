// SPDX-License-Identifier: BSD-3-Clause
// following.hpp - this process follows its container: it uses as many CPUs as affinity, cpuset and quotas allow, at its
// start and whenever they change. No table, no administrator.
//
// DROM_FOLLOW=1 says so. At the start the process is confined, and runtimes count those CPUs. Later a thread of drom
// looks once per second. When the limits fall, it moves the program's threads to fewer CPUs: a quota that is used up
// stops all threads at once, a shared CPU lets them take turns. A team keeps its size.
#pragma once

#include <cstdint>

#include "base/request.hpp"

namespace drom::container {

/// Returns whether this process follows its container. The first call confines the calling thread, which is the only
/// one then. False in a client's reservation (DROM_SLOT), with DROM_DISABLE=1, and in set-uid programs.
bool follows() noexcept;

/// Starts the thread that looks, and one that outlives it, unless this process has them. Called by a thread of the
/// program, before its first other thread: a program of one thread needs none. About 120 us.
void follow_from_here() noexcept;

/// Returns the CPUs that threads may use now, and the number of the last change; seq 0: nothing is limited at this
/// moment. A thread that sets its affinity looks again afterwards. Thread-safe; about 0.1 us.
Request allowed() noexcept;

/// Returns the CPUs that cpuset and affinity allowed at the last look, with no regard to quotas.
CpuSet usable_cpus() noexcept;

/// Returns the CPUs of the program's start, for runtimes that count them.
CpuSet first_cpus() noexcept;

/// Notes that the program has set its own affinity: its children get no CPU beyond that. Empties DROM_FOLLOW_CPUS.
void forget_base() noexcept;

}  // namespace drom::container
