// SPDX-License-Identifier: BSD-3-Clause
// process_stat.hpp - what /proc says of a process in one line, without malloc.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom {

/// Fields of /proc/PID/stat, in the order of proc(5).
struct ProcessStat {
    char state = 'X';
    uint32_t parent = 0;
    uint64_t threads = 0;
    uint64_t start = 0;  ///< ticks of the clock after the boot, as this process's time namespace shows them

    /// Returns whether no thread is left. The first thread of a process looks like a zombie once it has ended; the
    /// process lives while another thread does.
    [[nodiscard]] bool has_ended() const noexcept;
};

/// Reads a small file below `directory`, which may be AT_FDCWD. Returns the length of the text, or -errno. A text that
/// does not end with a line is an error: EIO.
int read_text(int directory, const char* path, char* text, size_t size) noexcept;

/// Reads the line of a process or a thread. Returns 0 or errno: ENOENT or ESRCH when it has ended.
int read_stat(int directory, const char* path, ProcessStat&) noexcept;

}  // namespace drom
