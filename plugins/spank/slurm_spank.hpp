// SPDX-License-Identifier: GPL-2.0-or-later
// slurm_spank.hpp - Slurm's header for SPANK plugins, whose callbacks are C but do not say so.
#pragma once

#include <cstdint>
#include <string>

extern "C" {
#include <slurm/slurm.h>
#include <slurm/spank.h>
}
