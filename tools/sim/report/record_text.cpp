// SPDX-License-Identifier: BSD-3-Clause
// record_text.cpp - a record in pieces of some size, and its summary.
#include "report/record_text.hpp"

#include <fmt/format.h>

namespace drom::sim {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;  // bytes

}  // namespace

tl::expected<RecordFile, std::string> RecordFile::create(const std::string& path) {
    auto file = TextFile::create(path, "--record");
    if (!file) return tl::unexpected(file.error());
    return RecordFile(std::move(*file));
}

void RecordFile::add(const std::string& line) {
    buffer_.append(line).append("\n");
    if (buffer_.size() < kPiece) return;
    file_.write(buffer_);
    buffer_.clear();
}

tl::expected<void, std::string> RecordFile::close() {
    file_.write(buffer_);
    return file_.close();
}

std::string record_summary(const ReplayedRecord& replayed) {
    std::string text = fmt::format("{}\n{} lines: {} submits, {} passes, {} starts, {} resizes, {} ends\n",
                                   replayed.setting, replayed.lines, replayed.submits, replayed.passes, replayed.starts,
                                   replayed.resizes, replayed.ends);
    if (const auto& difference = replayed.difference; difference)
        return text + fmt::format("Line {} is not what the policy decides now:\n  record: {}\n  policy: {}\n",
                                  difference->line, difference->recorded, difference->decided);
    return text + (replayed.passes > 0 ? "Every decision is what the policy decides now.\n" : "");
}

}  // namespace drom::sim
