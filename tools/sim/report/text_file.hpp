// SPDX-License-Identifier: BSD-3-Clause
// text_file.hpp - a file that is written from its beginning to its end, and says so when that did not work.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace drom::sim {

class TextFile {
public:
    /// Makes the file, or empties it. `option` is the one that names another file. Errors: a finished sentence,
    /// "drom-sim: write PATH: ...".
    static tl::expected<TextFile, std::string> create(const std::string& path, std::string option = "--out");

    /// Writes a text. Errors show at close().
    void write(std::string_view text);

    /// Closes the file. Call it last. A file system may notice only now that it is full.
    tl::expected<void, std::string> close();

private:
    struct Closing {
        void operator()(std::FILE* file) const noexcept { std::fclose(file); }
    };

    std::string path_, option_;
    std::unique_ptr<std::FILE, Closing> file_;
    int error_ = 0;
};

/// Writes the whole of `text` as a file.
tl::expected<void, std::string> write_text(const std::string& path, std::string_view text);

}  // namespace drom::sim
