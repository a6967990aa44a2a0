// SPDX-License-Identifier: BSD-3-Clause
// journal_file.cpp - appending under a lock, all or nothing.
#include "output/journal_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "journal/advice_journal.hpp"

namespace drom::command {

namespace {

tl::unexpected<Error> not_written(const std::string& path, int code) {
    return failure(DROM_E_OS, fmt::format("{}: it cannot be written: {}; name another file with --journal", path,
                                          std::strerror(code)));
}

tl::unexpected<Error> not_whole(const std::string& path, const char* what) {
    return failure(DROM_E_OS, fmt::format("{}: it was {} while it was written; start drom advise again", path, what));
}

/// Returns the bytes of the file from there on, as many as the array has; fewer at the file's end.
template <size_t kCount>
std::string bytes_at(int fd, off_t from, std::array<char, kCount> bytes) {
    const ssize_t count = pread(fd, bytes.data(), bytes.size(), from);
    return {bytes.data(), static_cast<size_t>(count < 0 ? 0 : count)};
}

/// Returns why lines cannot be appended to the file, as the end of a sentence; empty: they can.
std::string unfit(int fd) {
    struct stat file{};
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode)) return "it is no regular file";
    if (file.st_size != 0 && !journal::is_journal(bytes_at(fd, 0, std::array<char, 64>())))
        return "it is no journal of drom advise";
    return {};
}

}  // namespace

Expected<JournalFile> JournalFile::open(const std::string& path) {
    // A pipe without a reader would be waited for, were it not for O_NONBLOCK.
    constexpr int kFlags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
    constexpr mode_t kForAll = 0644;
    const int fd = ::open(path.c_str(), kFlags, kForAll);
    if (fd < 0) return not_written(path, errno);
    JournalFile file(path, fd);
    if (const std::string why = unfit(fd); !why.empty())
        return failure(DROM_E_INVAL, fmt::format("{}: {}; name another file with --journal", path, why));
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
        return failure(DROM_E_BUSY, fmt::format("{}: another drom advise writes it; end that, or name another file "
                                                "with --journal",
                                                path));
    return file;
}

JournalFile::~JournalFile() {
    if (fd_ >= 0) close(fd_);
}

Expected<void> JournalFile::append(const std::string& lines) {
    struct stat file{};
    struct stat named{};
    if (fstat(fd_, &file) != 0) return not_written(path_, errno);
    if (stat(path_.c_str(), &named) != 0 || named.st_dev != file.st_dev || named.st_ino != file.st_ino)
        return not_whole(path_, "removed or replaced");
    if (file.st_size < end_) return not_whole(path_, "cut");
    const off_t end = file.st_size;
    const bool unended = end > 0 && bytes_at(fd_, end - 1, std::array<char, 1>()) != "\n";
    const std::string text = (unended ? "\n" : "") + lines;
    const ssize_t count = write(fd_, text.data(), text.size());
    end_ = end + count;
    if (count == static_cast<ssize_t>(text.size())) return {};
    end_ = end;
    const int code = count < 0 ? errno : ENOSPC;
    if (count > 0 && ftruncate(fd_, end) != 0) return not_written(path_, errno);
    return not_written(path_, code);
}

}  // namespace drom::command
