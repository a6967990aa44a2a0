// SPDX-License-Identifier: BSD-3-Clause
// file_text.hpp - the text of a file of /proc, whose size is not known, in memory of its own: without malloc.
#pragma once

#include <fcntl.h>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace drom::container {

/// How to open a file, which does not wait whatever another user has put there.
inline constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

class FileText {
public:
    /// Reads the file, up to 4 MiB of it.
    explicit FileText(const char* path) noexcept;
    /// Reads it from its begin by a descriptor, which stays open.
    explicit FileText(int descriptor) noexcept;
    ~FileText();
    FileText(const FileText&) = delete;
    FileText& operator=(const FileText&) = delete;

    [[nodiscard]] bool ok() const noexcept { return error_ == 0; }
    [[nodiscard]] int error() const noexcept { return error_; }
    [[nodiscard]] std::string_view text() const noexcept { return {at_, ok() ? length_ : 0}; }
    [[nodiscard]] uint64_t hash() const noexcept;

private:
    void read_from(int descriptor) noexcept;
    bool grow() noexcept;

    char* at_ = nullptr;
    size_t length_ = 0, capacity_ = 0;
    int error_ = 0;
};

/// Returns the part of `rest` before the separator; `rest` goes on behind it.
inline std::string_view cut(std::string_view& rest, char separator) noexcept {
    const size_t found = rest.find(separator);
    const size_t length = found < rest.size() ? found : rest.size();
    std::string_view part = rest;
    part.remove_suffix(rest.size() - length);
    rest.remove_prefix(length < rest.size() ? length + 1 : length);
    return part;
}

}  // namespace drom::container
