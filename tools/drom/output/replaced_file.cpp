// SPDX-License-Identifier: BSD-3-Clause
// replaced_file.cpp - write beside, then rename.
#include "output/replaced_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace drom::command {

namespace {

tl::unexpected<Error> cannot_write(const std::string& path, int code) {
    return failure(DROM_E_OS, fmt::format("{}: it cannot be written: {}", path, std::strerror(code)));
}

/// Returns the folder with its "/"; empty: the current one.
std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

/// Returns the file that a symbolic link names: the link stays. A link to nothing is its own target.
std::string target_of(const std::string& path) {
    std::error_code code;
    const auto target = std::filesystem::canonical(path, code);
    return code ? path : target.string();
}

/// Returns 0, or the errno of the first call that failed.
int write_whole(int fd, std::string_view text, mode_t mode) {
    while (!text.empty()) {
        const ssize_t count = write(fd, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : EIO;
        text.remove_prefix(static_cast<size_t>(count));
    }
    return fchmod(fd, mode) == 0 ? 0 : errno;
}

}  // namespace

Expected<void> can_replace(const std::string& path) {
    // rename() would replace a device or a pipe by a file.
    struct stat known{};
    if (stat(path.c_str(), &known) == 0 && !S_ISREG(known.st_mode))
        return failure(DROM_E_OS, fmt::format("{}: it is no regular file; name one that may be replaced", path));
    const std::string folder = folder_of(target_of(path));
    if (access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) != 0) return cannot_write(path, errno);
    return {};
}

mode_t mode_of(const std::string& path) {
    constexpr mode_t kRights = 0777;
    constexpr mode_t kAll = 0666;
    struct stat known{};
    if (stat(path.c_str(), &known) == 0) return known.st_mode & kRights;
    const mode_t mask = umask(0);
    umask(mask);
    return kAll & ~mask;
}

Expected<void> replace_file(const std::string& path, const std::string& text, mode_t mode) {
    if (const auto can = can_replace(path); !can) return can;
    const std::string target = target_of(path);
    // Hidden, and without the ending of the file: collectors take *.prom. The file's own name may be as long as it can.
    std::string beside = folder_of(target) + ".drom.XXXXXX";
    const int fd = mkstemp(beside.data());
    if (fd < 0) return cannot_write(path, errno);
    int code = write_whole(fd, text, mode);
    if (close(fd) != 0 && code == 0) code = errno;
    if (code == 0 && rename(beside.c_str(), target.c_str()) != 0) code = errno;
    if (code == 0) return {};
    unlink(beside.c_str());
    return cannot_write(path, code);
}

}  // namespace drom::command
