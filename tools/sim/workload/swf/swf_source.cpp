// SPDX-License-Identifier: BSD-3-Clause
// swf_source.cpp - the text of a log, plain or compressed, as one piece of memory.
#include "workload/swf/swf_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace drom::sim::swf {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{4} << 30;

std::string reason(int error) { return std::strerror(error); }

/// Opens the log under a descriptor of its own, which gzclose may close.
tl::expected<int, std::string> open_log(const std::string& path, const char* wanted) {
    const int fd = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return tl::make_unexpected(reason(errno) + "; name " + wanted);
    struct stat status{};
    if (fstat(fd, &status) == 0 && S_ISDIR(status.st_mode)) {
        close(fd);
        return tl::make_unexpected(std::string("is a folder; name a file in it"));
    }
    return fd;
}

std::string why_not_read(gzFile file) {
    int code = Z_OK;
    const char* text = gzerror(file, &code);
    if (code == Z_ERRNO) return reason(errno);
    if (code == Z_BUF_ERROR) return "the compressed file ends too early; fetch it again";
    return std::string("the compressed file is damaged (") + text + "); fetch it again";
}

/// Appends to `text` until the end of the file. Errors: a reason.
tl::expected<void, std::string> read_all(gzFile file, std::string& text) {
    std::size_t used = 0;
    for (;;) {
        if (used == text.size()) text.resize(std::max<std::size_t>(text.size() * 2, std::size_t{1} << 20));
        const auto room = static_cast<unsigned>(std::min<std::size_t>(text.size() - used, std::size_t{1} << 30));
        const int got = gzread(file, text.data() + used, room);
        if (got < 0) return tl::make_unexpected(why_not_read(file));
        used += static_cast<std::size_t>(got);
        if (used > kMaxBytes)
            return tl::make_unexpected(std::string("holds more than 4 GiB of text; cut it into pieces"));
        if (got == 0) break;
    }
    text.resize(used);
    return {};
}

}  // namespace

tl::expected<std::string, std::string> read_text(const std::string& path, const char* wanted) {
    const auto fd = open_log(path, wanted);
    if (!fd) return tl::make_unexpected(fd.error());
    gzFile file = gzdopen(*fd, "rb");  // plain files are passed through
    if (file == nullptr) {
        close(*fd);
        return tl::make_unexpected(reason(ENOMEM));
    }
    gzbuffer(file, 1U << 18);
    std::string text;
    const auto done = read_all(file, text);
    // zlib tells only here of a file that ends within its last block.
    const int closed = gzclose_r(file);
    if (!done) return tl::make_unexpected(done.error());
    if (closed == Z_BUF_ERROR)
        return tl::make_unexpected(std::string("the compressed file ends too early; fetch it again"));
    return text;
}

}  // namespace drom::sim::swf
