// SPDX-License-Identifier: BSD-3-Clause
// folder.hpp - what a table's directory holds besides the table.
#pragma once

#include "drom/drom.h"

namespace drom {

/// Refuses a directory that holds files of another kind: whoever ends a table removes its directory with all that is in
/// it. `directory`: its descriptor; O_PATH will do.
int check_folder(int directory, const char* path, drom_error* error) noexcept;

}  // namespace drom
