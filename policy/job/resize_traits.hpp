// SPDX-License-Identifier: BSD-3-Clause
// resize_traits.hpp - what a job says about how its number of nodes may change.
#pragma once

#include "policy/job/legal_sizes.hpp"

namespace drom::policy {

enum class JobClass : std::uint8_t { kGold, kPlatinum };  ///< platinum goes first

struct ResizeTraits {
    LegalSizes sizes;
    JobClass rank = JobClass::kGold;
    bool resizable = true;
};

/// MTCT, the time in MPI over the time outside it.
struct Communication {
    double mean = 0;   ///< since the job's last change of size
    double trend = 0;  ///< over the last quarter of that
    bool known = false;
};

}  // namespace drom::policy
