// SPDX-License-Identifier: GPL-2.0-or-later
// journal_file.cpp - appends lines, and sees when the file was put aside.
#include "journal_file.hpp"

#include <sys/stat.h>

namespace drom::slurm {

bool JournalFile::open(const std::string& path) {
    path_ = path;
    size_ = 0;
    file_.reset(std::fopen(path.c_str(), "ae"));
    return file_ != nullptr;
}

bool JournalFile::was_rotated() const {
    if (!file_) return false;
    struct stat named{}, open{};
    if (fstat(fileno(file_.get()), &open) != 0) return false;
    if (stat(path_.c_str(), &named) != 0) return true;
    return named.st_ino != open.st_ino || named.st_dev != open.st_dev || open.st_size < size_;
}

bool JournalFile::append(const std::string& line) {
    std::fprintf(file_.get(), "%s\n", line.c_str());
    if (std::fflush(file_.get()) != 0) return false;
    size_ = std::ftell(file_.get());
    return true;
}

}  // namespace drom::slurm
