// SPDX-License-Identifier: BSD-3-Clause
// verify_records.cpp - what drom verify has found out about programs.
#include "program/verify_records.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace drom::command {

namespace {

tl::unexpected<Error> cannot_write(const std::string& path, int code) {
    return failure(DROM_E_OS, fmt::format("the result cannot be recorded in {}: {}; set XDG_STATE_HOME", path,
                                          std::strerror(code)));
}

std::string today() {
    const time_t now = time(nullptr);
    tm parts{};
    gmtime_r(&now, &parts);
    char text[16];
    strftime(text, sizeof text, "%Y-%m-%d", &parts);
    return text;
}

/// One writer at a time; the kernel gives the lock back when this ends, in whatever way.
class Lock {
public:
    explicit Lock(const std::string& path) : fd_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
        if (fd_ >= 0) flock(fd_, LOCK_EX);
    }
    ~Lock() {
        if (fd_ >= 0) close(fd_);
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    [[nodiscard]] bool held() const { return fd_ >= 0; }

private:
    int fd_;
};

std::string other_lines(const std::string& path, const std::string& build_id) {
    std::ifstream file(path);
    std::string kept;
    for (std::string line; std::getline(file, line);)
        if (!line.starts_with(build_id + " ")) kept += line + '\n';
    return kept;
}

bool write_file(const std::string& path, const std::string& text) {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    const bool whole = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(fd) == 0;
    const int code = errno;
    close(fd);
    errno = code;
    return whole;
}

}  // namespace

bool is_mode(const std::string& word) { return word == "keep" || word == "follow" || word == "rigid"; }

std::string modes_path() {
    const char* state = std::getenv("XDG_STATE_HOME");
    if (state != nullptr && *state == '/') return std::string(state) + "/drom/modes";
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? std::string(home) + "/.local/state/drom/modes" : std::string();
}

std::optional<std::string> recorded_mode(const std::string& build_id) {
    std::ifstream file(modes_path());
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string id;
        std::string mode;
        if (words >> id >> mode && id == build_id && is_mode(mode)) return mode;
    }
    return std::nullopt;
}

Expected<std::string> record_mode(const std::string& build_id, const std::string& mode, const std::string& program) {
    std::string path = modes_path();
    if (path.empty())
        return failure(DROM_E_OS, "the result cannot be recorded: neither XDG_STATE_HOME nor HOME is set");
    std::error_code code;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), code);
    if (code) return cannot_write(path, code.value());
    const Lock lock(path + ".lock");
    if (!lock.held()) return cannot_write(path, errno);
    std::string name = program;
    std::ranges::replace_if(name, [](unsigned char c) { return c <= ' '; }, '_');
    const std::string beside = path + ".new";
    const std::string text = other_lines(path, build_id) + fmt::format("{} {} {} {}\n", build_id, mode, today(), name);
    if (!write_file(beside, text) || rename(beside.c_str(), path.c_str()) != 0) {
        const int reason = errno;
        unlink(beside.c_str());
        return cannot_write(path, reason);
    }
    return path;
}

}  // namespace drom::command
