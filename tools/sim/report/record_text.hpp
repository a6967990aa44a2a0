// SPDX-License-Identifier: BSD-3-Clause
// record_text.hpp - a record of passes: the file while it is written, and in words what came of telling it again.
#pragma once

#include "engine/record_replay.hpp"
#include "report/text_file.hpp"

namespace drom::sim {

/// A record that is written line by line.
class RecordFile {
public:
    /// Creates the file. Errors: a finished sentence, "drom-sim: write PATH: ...".
    static tl::expected<RecordFile, std::string> create(const std::string& path);

    void add(const std::string& line);
    /// Closes the file. Call it last. Errors: as create().
    tl::expected<void, std::string> close();

private:
    explicit RecordFile(TextFile file) : file_(std::move(file)) {}

    TextFile file_;
    std::string buffer_;
};

/// Counts, and the first difference.
std::string record_summary(const ReplayedRecord& replayed);

}  // namespace drom::sim
