// SPDX-License-Identifier: BSD-3-Clause
// tasks.hpp - the threads of a process, without opendir, which allocates.
#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace drom {

/// The numbers in a directory of /proc: threads in that of a process, processes in /proc itself.
class Tasks {
public:
    /// Opens the threads of process `pid`; 0: of this one.
    explicit Tasks(uint32_t pid) noexcept {
        char path[32];
        if (pid == 0)
            snprintf(path, sizeof path, "/proc/self/task");
        else
            snprintf(path, sizeof path, "/proc/%u/task", pid);
        keep(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    /// Opens `name` below `directory`. If that is the directory of a process, it stays that process's, even when its
    /// number passes on.
    Tasks(int directory, const char* name) noexcept {
        keep(openat(directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    }
    /// A directory that its owner keeps open.
    struct Kept {
        int descriptor;
    };
    explicit Tasks(Kept kept) noexcept : fd_(kept.descriptor), kept_(true) {}
    ~Tasks() { forget(); }
    Tasks(const Tasks&) = delete;
    Tasks& operator=(const Tasks&) = delete;

    /// Closes the directory, unless it is kept, and forgets the error.
    void forget() noexcept {
        if (fd_ >= 0 && !kept_) close(fd_);
        fd_ = -1;
        error_ = 0;
    }

    /// Leaves the directory open, and to the caller. Returns its descriptor.
    [[nodiscard]] int give() noexcept {
        const int descriptor = fd_;
        fd_ = -1;
        return descriptor;
    }

    [[nodiscard]] bool ok() const noexcept { return fd_ >= 0; }
    [[nodiscard]] int error() const noexcept { return error_; }    ///< why it could not be opened
    [[nodiscard]] int descriptor() const noexcept { return fd_; }  ///< of the directory; -1: none
    void rewind() noexcept { lseek(fd_, 0, SEEK_SET); }

    /// Calls `visit(number)` for each, from the beginning of the directory. Returns false when the directory cannot be
    /// read: the process has ended, or ENOSYS. A directory of the kernel has "." and ".." at least, so an empty one is
    /// the answer of a filter of system calls.
    template <class Visit>
    bool each(Visit&& visit) noexcept {
        alignas(8) char buffer[2048];
        for (bool any = false;; any = true) {
            const long length = syscall(SYS_getdents64, fd_, buffer, sizeof buffer);
            if (length == 0 && !any) errno = ENOSYS;
            if (length <= 0) return length == 0 && any;
            for (long at = 0; at < length;) {
                const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
                const long tid = strtol(entry->d_name, nullptr, 10);
                if (tid > 0) visit(static_cast<uint32_t>(tid));
                at += entry->d_reclen;
            }
        }
    }

private:
    void keep(int fd) noexcept {
        fd_ = fd;
        error_ = fd < 0 ? errno : 0;
    }

    int fd_ = -1;
    int error_ = 0;
    bool kept_ = false;
};

}  // namespace drom
