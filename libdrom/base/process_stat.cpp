// SPDX-License-Identifier: BSD-3-Clause
// process_stat.cpp - reads one line of /proc.
#include "process_stat.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace drom {

bool ProcessStat::has_ended() const noexcept { return state == 'X' || (state == 'Z' && threads < 2); }  // mutant zombie

int read_text(int directory, const char* path, char* text, size_t size) noexcept {
    const int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    const ssize_t length = read(fd, text, size - 1);
    const int error = length < 0 ? errno : EIO;
    close(fd);
    if (length <= 0 || text[length - 1] != '\n') return -error;
    text[length] = '\0';
    return static_cast<int>(length);
}

int read_stat(int directory, const char* path, ProcessStat& stat) noexcept {
    char text[1024];
    const int length = read_text(directory, path, text, sizeof text);
    if (length < 0) return -length;
    // The command in field 2 may hold anything, so the fields are counted from its last ')'.
    const char* field = strrchr(text, ')');
    if (field == nullptr || field[1] != ' ') return EIO;
    field += 2;
    stat.state = *field;
    for (int number = 4; number <= 22; ++number) {
        field = strchr(field, ' ');
        if (field == nullptr) return EIO;
        ++field;
        if (number == 4) stat.parent = static_cast<uint32_t>(strtoul(field, nullptr, 10));
        if (number == 20) stat.threads = strtoull(field, nullptr, 10);
    }
    stat.start = strtoull(field, nullptr, 10);
    return 0;
}

}  // namespace drom
