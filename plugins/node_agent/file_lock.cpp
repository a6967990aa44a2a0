// SPDX-License-Identifier: GPL-2.0-or-later
// file_lock.cpp - flock, with a limit of time.
#include "file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

#include "base/clock.hpp"
#include "base/error.hpp"

namespace drom::slurm {
namespace {

constexpr uint32_t kLockMs = 10000;  // a call takes milliseconds; a process that holds the lock that long was stopped

}  // namespace

tl::unexpected<Refusal> file_trouble(const char* what, const std::string& path) {
    return refuse(std::string("drom: ") + what + ' ' + path + ": " + errno_text(errno));
}

tl::expected<void, Refusal> FileLock::take(const std::string& path) {
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0) return file_trouble("node agent: open", path);
    const uint64_t deadline = deadline_in_ms(kLockMs);
    while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || now_ns() > deadline) return file_trouble("node agent: lock", path);
        // no event: flock() has no time limit, and a timer's signal would be one more in a process that is Slurm's.
        usleep(500);
    }
    return {};
}

}  // namespace drom::slurm
