// SPDX-License-Identifier: BSD-3-Clause
// same_table.hpp - whether the table that was opened is still the one at its path.
#pragma once

#include <sys/types.h>

#include <string>

#include "drom/drom.hpp"

namespace drom::command {

/// The folder of a table, at the time when this was made. An open table stays readable when its folder is removed or
/// replaced; clients and commands that start afterwards do not use it.
class SameTable {
public:
    explicit SameTable(std::string path);

    /// Looks whether it is still there. Errors: E_NOTABLE, when the folder is gone, or another one is at the path.
    [[nodiscard]] Expected<void> check() const;

private:
    std::string path_;
    dev_t device_ = 0;
    ino_t inode_ = 0;
};

}  // namespace drom::command
