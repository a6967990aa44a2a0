// SPDX-License-Identifier: GPL-2.0-or-later
// journal_file.hpp - a file to which lines are appended, and which logrotate may rename or empty meanwhile.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace drom::slurm {

class JournalFile {
public:
    /// Opens the file, which is made where there is none. Returns false when it cannot be opened (errno); no file is
    /// open then.
    bool open(const std::string& path);
    void close() { file_.reset(); }
    /// Returns whether the path names another file than the one that is open, or that one was emptied. Cost: two system
    /// calls.
    bool was_rotated() const;
    /// Appends a line, and passes it to the system. Returns false when that failed (errno).
    bool append(const std::string& line);

private:
    std::string path_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
    long size_ = 0;  ///< after the last line
};

}  // namespace drom::slurm
