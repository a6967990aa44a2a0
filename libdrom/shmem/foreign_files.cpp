// SPDX-License-Identifier: BSD-3-Clause
// foreign_files.cpp - refuses a directory with files that are not a table's.
#include "foreign_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <initializer_list>

#include "base/error.hpp"

namespace drom {

namespace {

/// Returns whether the file belongs to the table itself, to its clients, to programs that wait for CPUs, or to Slurm's
/// agent on the node.
bool is_ours(const char* name) noexcept {
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) return true;
    for (const char* begin : {"ledger", "client.", "queue", "agent."})
        if (strncmp(name, begin, strlen(begin)) == 0) return true;
    return false;
}

int refuse(const char* path, const char* name, drom_error* error) noexcept {
    return fail(error, DROM_E_INVAL,
                "drom: create table %s: the directory holds other things (%.40s); name one that is new or empty", path,
                name);
}

/// Reads the directory without opendir, which allocates.
int check_entries(int fd, const char* path, drom_error* error) noexcept {
    alignas(8) char buffer[2048];
    for (;;) {
        const long length = syscall(SYS_getdents64, fd, buffer, sizeof buffer);
        if (length < 0) return fail(error, DROM_E_OS, "drom: create table %s: %s", path, errno_text(errno));
        if (length == 0) return DROM_OK;
        for (long at = 0; at < length;) {
            const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
            if (!is_ours(entry->d_name)) return refuse(path, entry->d_name, error);
            at += entry->d_reclen;
        }
    }
}

}  // namespace

int refuse_foreign_files(int directory, const char* path, drom_error* error) noexcept {
    const int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return fail(error, DROM_E_OS, "drom: create table %s: %s", path, errno_text(errno));
    const int status = check_entries(fd, path, error);
    close(fd);
    return status;
}

}  // namespace drom
