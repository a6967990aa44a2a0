// SPDX-License-Identifier: BSD-3-Clause
// removed.cpp - who still uses a removed table? The kernel tells it of each mapping.
#include "removed.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tasks.hpp"

namespace drom {

namespace {

constexpr size_t kMostName = 4096;

/// The name of the ledger at `path` as /proc/PID/maps would say it once it is removed: its folder may be gone, the one above is there.
/// False: that cannot be told.
bool name_of_removed(const char* path, char (&name)[kMostName]) noexcept {
    char parent[kMostName];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') --length;
    size_t cut = length;
    while (cut > 0 && path[cut - 1] != '/') --cut;
    if (length >= sizeof parent) return false;
    snprintf(parent, sizeof parent, "%.*s", static_cast<int>(cut), path);
    const int fd = open(cut == 0 ? "." : parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t real = readlinkat(AT_FDCWD, link, parent, sizeof parent - 1);
    close(fd);
    if (real <= 0) return false;
    parent[real] = '\0';
    const int written = snprintf(name, sizeof name, " %s/%.*s/ledger (deleted)\n", real == 1 ? "" : parent,
                                 static_cast<int>(length - cut), path + cut);
    return written > 0 && static_cast<size_t>(written) < sizeof name;
}

/// Whether the file names the mapping; it is read piece by piece, and a name may begin in one and end in the next.
bool names(int maps, const char* name) noexcept {
    char piece[2 * kMostName];
    const size_t length = strlen(name);
    size_t kept = 0;
    for (;;) {
        const ssize_t got = read(maps, piece + kept, sizeof piece - kept);
        if (got <= 0) return false;
        const size_t have = kept + static_cast<size_t>(got);
        if (memmem(piece, have, name, length) != nullptr) return true;
        kept = std::min(have, length - 1);
        memmove(piece, piece + have - kept, kept);
    }
}

bool uses(int proc, uint32_t pid, const char* name) noexcept {
    char path[32];
    snprintf(path, sizeof path, "%u/maps", pid);
    const int maps = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (maps < 0) return false;  // it has ended, or belongs to another user, whose table it cannot be
    const bool found = names(maps, name);
    close(maps);
    return found;
}

}  // namespace

uint32_t user_of_removed(const char* path) noexcept {
    char name[kMostName];
    if (!name_of_removed(path, name)) return 0;
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0) return 0;
    const auto self = static_cast<uint32_t>(getpid());
    uint32_t user = 0;
    Tasks all(proc, ".");
    if (all.ok())
        all.each([&](uint32_t pid) {
            if (user == 0 && pid != self && uses(proc, pid, name)) user = pid;
        });
    close(proc);
    return user;
}

}  // namespace drom
