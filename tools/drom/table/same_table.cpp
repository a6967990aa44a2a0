// SPDX-License-Identifier: BSD-3-Clause
// same_table.cpp - the inode of the folder.
#include "table/same_table.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

namespace drom::command {

SameTable::SameTable(std::string path) : path_(std::move(path)) {
    struct stat info{};
    if (stat(path_.c_str(), &info) != 0) return;
    device_ = info.st_dev;
    inode_ = info.st_ino;
}

Expected<void> SameTable::check() const {
    struct stat info{};
    if (stat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == inode_) return {};
    return failure(DROM_E_NOTABLE, fmt::format("the table {} was removed or replaced; start again", path_));
}

}  // namespace drom::command
