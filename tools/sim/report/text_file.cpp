// SPDX-License-Identifier: BSD-3-Clause
// text_file.cpp - writing through stdio, without its buffer.
#include "report/text_file.hpp"

#include <cerrno>
#include <cstring>

namespace drom::sim {
namespace {

const char* what_helps(int error) {
    switch (error) {
        case ENOSPC:
        case EDQUOT: return "free some space, or ";
        case ENOENT: return "make the folder first, or ";
        default: return "";
    }
}

tl::unexpected<std::string> not_written(const std::string& path, const std::string& option, int error) {
    return tl::make_unexpected("drom-sim: write " + path + ": " + std::strerror(error) + "; " + what_helps(error) +
                               "write somewhere else with " + option);
}

}  // namespace

tl::expected<TextFile, std::string> TextFile::create(const std::string& path, std::string option) {
    TextFile text;
    text.path_ = path;
    text.option_ = std::move(option);
    text.file_.reset(std::fopen(path.c_str(), "wb"));
    if (text.file_ == nullptr) return not_written(path, text.option_, errno);
    std::setvbuf(text.file_.get(), nullptr, _IONBF, 0);  // the writers gather a buffer themselves
    return text;
}

void TextFile::write(std::string_view text) {
    if (error_ != 0 || text.empty()) return;
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) error_ = errno != 0 ? errno : EIO;
}

tl::expected<void, std::string> TextFile::close() {
    if (std::fclose(file_.release()) != 0 && error_ == 0) error_ = errno;
    if (error_ != 0) return not_written(path_, option_, error_);
    return {};
}

tl::expected<void, std::string> write_text(const std::string& path, std::string_view text) {
    auto file = TextFile::create(path);
    if (!file) return tl::make_unexpected(file.error());
    file->write(text);
    return file->close();
}

}  // namespace drom::sim
