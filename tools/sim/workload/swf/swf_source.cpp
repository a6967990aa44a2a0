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
#include <string_view>

namespace drom::sim::swf {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{4} << 30;
constexpr const char* kTooMuch = "holds more than 4 GiB of text; cut it into pieces";

std::string reason(int error) { return std::strerror(error); }

/// Opens the log under a descriptor of its own.
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

/// Appends to `bytes` until the end of the file. Errors: a reason.
tl::expected<void, std::string> read_all(int fd, std::string& bytes) {
    std::size_t used = 0;
    for (;;) {
        if (used == bytes.size()) bytes.resize(std::max<std::size_t>(bytes.size() * 2, std::size_t{1} << 20));
        const ssize_t got = read(fd, bytes.data() + used, std::min(bytes.size() - used, std::size_t{1} << 30));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return tl::make_unexpected(reason(errno));
        used += static_cast<std::size_t>(got);
        if (used > kMaxBytes) return tl::make_unexpected(std::string(kTooMuch));
        if (got == 0) break;
    }
    bytes.resize(used);
    return {};
}

/// Takes away the mark that some editors put in front of UTF-8.
std::string without_mark(std::string text) {
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    return text;
}

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

/// Reads gzip's members, one behind the other.
class Inflation {
public:
    Inflation() { inflateInit2(&stream_, 16 + MAX_WBITS); }
    ~Inflation() { inflateEnd(&stream_); }
    Inflation(const Inflation&) = delete;
    Inflation& operator=(const Inflation&) = delete;

    /// Returns the text of all members. Errors: a reason.
    tl::expected<std::string, std::string> text_of(std::string_view bytes) {
        while (is_gzip(bytes)) {
            if (auto done = add_member(bytes); !done) return tl::make_unexpected(done.error());
            inflateReset(&stream_);
        }
        // Tapes and block devices fill up with zeros, which gzip passes over, too.
        const std::size_t zeros = std::min(bytes.find_first_not_of('\0'), bytes.size());
        if (zeros < bytes.size())
            return tl::make_unexpected(std::to_string(bytes.size() - zeros) +
                                       " bytes behind the compressed text are no part of it; fetch the file again");
        text_.resize(used_);
        return std::move(text_);
    }

private:
    /// Appends the text of the first member, and takes that away from `bytes`.
    tl::expected<void, std::string> add_member(std::string_view& bytes) {
        for (int code = Z_OK; code != Z_STREAM_END;) {
            if (used_ == text_.size()) text_.resize(std::max<std::size_t>(text_.size() * 2, std::size_t{1} << 20));
            const std::size_t in = std::min(bytes.size(), kPart), out = std::min(text_.size() - used_, kPart);
            stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
            stream_.avail_in = static_cast<uInt>(in);
            stream_.next_out = reinterpret_cast<Bytef*>(text_.data() + used_);
            stream_.avail_out = static_cast<uInt>(out);
            code = inflate(&stream_, Z_NO_FLUSH);
            bytes.remove_prefix(in - stream_.avail_in);
            used_ += out - stream_.avail_out;
            if (used_ > kMaxBytes) return tl::make_unexpected(std::string(kTooMuch));
            if (code == Z_BUF_ERROR || (code == Z_OK && bytes.empty() && stream_.avail_out > 0))
                return tl::make_unexpected(std::string("the compressed file ends too early; fetch it again"));
            if (code != Z_OK && code != Z_STREAM_END)
                return tl::make_unexpected(std::string("the compressed file is damaged (") +
                                           (stream_.msg != nullptr ? stream_.msg : zError(code)) + "); fetch it again");
        }
        return {};
    }

    static constexpr std::size_t kPart = std::size_t{1} << 30;
    z_stream stream_{};
    std::string text_;
    std::size_t used_ = 0;
};

}  // namespace

tl::expected<std::string, std::string> read_text(const std::string& path, const char* wanted) {
    const auto fd = open_log(path, wanted);
    if (!fd) return tl::make_unexpected(fd.error());
    std::string bytes;
    const auto done = read_all(*fd, bytes);
    close(*fd);
    if (!done) return tl::make_unexpected(done.error());
    if (!is_gzip(bytes)) return without_mark(std::move(bytes));
    return Inflation().text_of(bytes).map(without_mark);
}

}  // namespace drom::sim::swf
