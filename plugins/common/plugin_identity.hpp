// SPDX-License-Identifier: GPL-2.0-or-later
// plugin_identity.hpp - the constants by which Slurm knows a plugin: without a declaration C++ would not export them.
#pragma once

#include <cstdint>

extern "C" {
extern const char plugin_name[];
extern const char plugin_type[];
extern const uint32_t plugin_version;
}
