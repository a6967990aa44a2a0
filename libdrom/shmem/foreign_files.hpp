// SPDX-License-Identifier: BSD-3-Clause
// foreign_files.hpp - refuses a directory with files that are not a table's.
#pragma once

#include "drom/drom.h"

namespace drom {

/// Refuses a directory that holds files of another kind: removing a table removes its directory with all files in it.
/// `directory`: its descriptor; O_PATH is enough.
int refuse_foreign_files(int directory, const char* path, drom_error* error) noexcept;

}  // namespace drom
