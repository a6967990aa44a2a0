// SPDX-License-Identifier: BSD-3-Clause
// child_output.cpp - reads a pipe to its end.
#include "program/child_output.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace drom::command {

std::string read_until_end(int fd) {
    std::string text;
    std::array<char, 4096> part{};
    for (;;) {
        const ssize_t got = read(fd, part.data(), part.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return text;
        text.append(part.data(), static_cast<size_t>(got));
    }
}

}  // namespace drom::command
