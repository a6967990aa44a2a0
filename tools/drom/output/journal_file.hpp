// SPDX-License-Identifier: BSD-3-Clause
// journal_file.hpp - the file of drom advise's journal, to which whole rounds are appended.
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "drom/drom.hpp"

namespace drom::command {

class JournalFile {
public:
    /// Opens the journal, or makes one, and keeps it from other commands. Errors: E_INVAL for a file that is no
    /// journal, E_BUSY while another command writes it, E_OS; the text says which file, and why.
    static Expected<JournalFile> open(const std::string& path);

    JournalFile(JournalFile&& other) noexcept
        : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)), end_(other.end_) {}
    JournalFile& operator=(JournalFile&&) = delete;
    ~JournalFile();

    /// Appends whole lines with one write, behind the end of a line that a killed command may have begun. Errors: E_OS,
    /// also where the file is no longer the one that was opened, or was cut; the journal is what it was before.
    Expected<void> append(const std::string& lines);

private:
    JournalFile(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

    std::string path_;
    int fd_;
    off_t end_ = 0;  ///< of the file, after the last append
};

}  // namespace drom::command
