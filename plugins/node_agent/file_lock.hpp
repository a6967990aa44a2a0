// SPDX-License-Identifier: GPL-2.0-or-later
// file_lock.hpp - one process at a time in the node agent.
#pragma once

#include <unistd.h>

#include <string>

#include <tl/expected.hpp>

#include "state_file.hpp"

namespace drom::slurm {

/// Returns why a file cannot be used, by errno.
tl::unexpected<Refusal> file_trouble(const char* what, const std::string& path);

/// Held by an open file, so that it ends with the process, however that ends.
class FileLock {
public:
    ~FileLock() {
        if (file_ >= 0) close(file_);
    }
    FileLock() = default;
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    /// Waits until no other process holds it. Errors: a sentence.
    tl::expected<void, Refusal> take(const std::string& path);

private:
    int file_ = -1;
};

}  // namespace drom::slurm
