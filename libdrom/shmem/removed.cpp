// SPDX-License-Identifier: BSD-3-Clause
// removed.cpp - finds the process that still uses a removed table: the kernel lists the table among its mappings.
#include "removed.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>

#include "base/tasks.hpp"

namespace drom {

namespace {

constexpr size_t kMaxName = 4096;

/// The ledger at `path` as /proc/PID/maps names it once it is removed.
struct Removed {
    char name[kMaxName];  ///< the end of a line
    dev_t device;         ///< of the file system that it was in
};

/// Returns false when that cannot be known. The table's directory may be gone; the directory above it is there.
bool describe_removed(const char* path, Removed& removed) noexcept {
    char parent[kMaxName];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') --length;
    size_t cut = length;
    while (cut > 0 && path[cut - 1] != '/') --cut;
    if (length >= sizeof parent) return false;
    snprintf(parent, sizeof parent, "%.*s", static_cast<int>(cut), path);
    const int fd = open(cut == 0 ? "." : parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return false;
    struct stat folder{};
    const bool known = stat(path, &folder) == 0 || fstat(fd, &folder) == 0;
    removed.device = folder.st_dev;
    char link[32];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t real = readlinkat(AT_FDCWD, link, parent, sizeof parent - 1);
    close(fd);
    if (!known || real <= 0) return false;
    parent[real] = '\0';
    const int written = snprintf(removed.name, sizeof removed.name, " %s/%.*s/ledger (deleted)\n",
                                 real == 1 ? "" : parent, static_cast<int>(length - cut), path + cut);
    return written > 0 && static_cast<size_t>(written) < sizeof removed.name;
}

/// Calls `visit(line, length)` for each line, its end included, until a call returns true.
template <class Visit>
bool any_line(int file, const Visit& visit) noexcept {
    char text[2 * kMaxName + 1];
    size_t have = 0;
    for (;;) {
        const ssize_t got = read(file, text + have, sizeof text - 1 - have);
        if (got <= 0) return false;
        have += static_cast<size_t>(got);
        text[have] = '\0';
        size_t begin = 0;
        while (const void* end = memchr(text + begin, '\n', have - begin)) {
            const size_t length = static_cast<size_t>(static_cast<const char*>(end) - text) + 1 - begin;
            if (visit(text + begin, length)) return true;
            begin += length;
        }
        if (begin == 0 && have == sizeof text - 1) begin = have;  // no line of the kernel is that long
        have -= begin;
        memmove(text, text + begin, have);
    }
}

bool ends_with(const char* line, size_t length, const char* name) noexcept {
    const size_t part = strlen(name);
    return length >= part && memcmp(line + length - part, name, part) == 0;
}

bool has_our_mounts(int proc, uint32_t pid) noexcept {
    char path[32];
    snprintf(path, sizeof path, "%u/ns/mnt", pid);
    struct stat its{};
    struct stat ours{};
    return fstatat(proc, path, &its, 0) == 0 && fstatat(proc, "self/ns/mnt", &ours, 0) == 0 &&
           its.st_ino == ours.st_ino;
}

/// Returns whether the mapped file may belong to this user; true where the kernel does not tell. Root sees the mappings
/// of every user, and any user may give a file that name.
bool may_be_ours(int proc, uint32_t pid, unsigned long start, unsigned long end) noexcept {
    char path[64];
    snprintf(path, sizeof path, "%u/map_files/%lx-%lx", pid, start, end);
    struct stat file{};
    return fstatat(proc, path, &file, 0) != 0 || file.st_uid == geteuid();
}

/// Returns whether a line of maps that ends with the ledger's name means the ledger at that path, and not one in a
/// container.
bool means(int proc, uint32_t pid, const char* line, const Removed& removed) noexcept {
    unsigned long start = 0;
    unsigned long end = 0;
    unsigned high = 0;
    unsigned low = 0;
    if (sscanf(line, "%lx-%lx %*s %*x %x:%x", &start, &end, &high, &low) != 4) return true;
    return (makedev(high, low) == removed.device || has_our_mounts(proc, pid)) && may_be_ours(proc, pid, start, end);
}

bool uses(int proc, uint32_t pid, const Removed& removed) noexcept {
    char path[32];
    snprintf(path, sizeof path, "%u/maps", pid);
    const int maps = openat(proc, path, O_RDONLY | O_CLOEXEC);
    if (maps < 0) return false;  // it has ended, or belongs to another user, so the table is not its own
    const bool found = any_line(maps, [&](const char* line, size_t length) {
        return ends_with(line, length, removed.name) && means(proc, pid, line, removed);
    });
    close(maps);
    return found;
}

}  // namespace

uint32_t user_of_removed(const char* path) noexcept {
    Removed removed;
    if (!describe_removed(path, removed)) return 0;
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0) return 0;
    const auto self = static_cast<uint32_t>(getpid());
    uint32_t user = 0;
    Tasks all(proc, ".");
    if (all.ok())
        all.each([&](uint32_t pid) {
            if (user == 0 && pid != self && uses(proc, pid, removed)) user = pid;
        });
    close(proc);
    return user;
}

}  // namespace drom
