// SPDX-License-Identifier: BSD-3-Clause
// two_cpus.hpp - leaves a test where this process may not run on CPUs 0 and 1.
#pragma once

#include "base/confine.hpp"
#include "skip.hpp"

namespace drom::test {

inline bool has_two_cpus() {
    CpuSet mine{};
    get_affinity(0, mine);
    return mine.has(0) && mine.has(1);
}

}  // namespace drom::test

#define NEED_TWO_CPUS()                                                        \
    do {                                                                       \
        if (!drom::test::has_two_cpus()) DROM_SKIP("CPUs 0 and 1 are needed"); \
    } while (false)
