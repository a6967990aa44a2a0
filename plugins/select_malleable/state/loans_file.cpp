// SPDX-License-Identifier: GPL-2.0-or-later
// loans_file.cpp - writes the list of loans beside the old one, flushes it, and renames it.
#include "loans_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace drom::slurm {
namespace {

constexpr std::string_view kHead = "drom-loans 1 ";

/// Returns FNV-1a (Fowler, Noll, Vo), 64 bits: against damage, not against malice.
std::string digest(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    std::array<char, 17> hex{};
    std::snprintf(hex.data(), hex.size(), "%016llx", static_cast<unsigned long long>(hash));
    return hex.data();
}

std::string why(const char* what, const std::string& path) {
    return std::string(what) + " " + path + ": " + std::strerror(errno);
}

bool write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(fd, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        text.remove_prefix(static_cast<std::size_t>(written));
    }
    return fsync(fd) == 0;
}

}  // namespace

std::string write_loans(const std::string& path, const std::string& text) {
    const std::string beside = path + ".new";
    const int fd = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return why("write", beside);
    std::string wrong = write_all(fd, std::string(kHead) + digest(text) + "\n" + text) ? "" : why("write", beside);
    if (close(fd) != 0 && wrong.empty()) wrong = why("write", beside);
    if (wrong.empty() && rename(beside.c_str(), path.c_str()) != 0) wrong = why("rename to", path);
    if (!wrong.empty()) unlink(beside.c_str());
    return wrong;
}

tl::expected<std::string, std::string> read_loans(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) return std::string();
    if (fd < 0) return tl::unexpected(why("read", path));
    std::string text;
    std::array<char, 65536> block{};
    ssize_t got = 0;
    while ((got = read(fd, block.data(), block.size())) > 0) text.append(block.data(), static_cast<std::size_t>(got));
    const std::string wrong = got < 0 ? why("read", path) : "";
    close(fd);
    if (!wrong.empty()) return tl::unexpected(wrong);
    const std::size_t end = text.find('\n');
    if (end == std::string::npos ||
        text.substr(0, end) != std::string(kHead) + digest(std::string_view(text).substr(end + 1)))
        return tl::unexpected(path + " is damaged");
    return text.substr(end + 1);
}

}  // namespace drom::slurm
