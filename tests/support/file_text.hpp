// SPDX-License-Identifier: BSD-3-Clause
// file_text.hpp - the bytes of a file.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

namespace drom::test {

/// Returns all of the file; empty where it cannot be read.
inline std::string file_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace drom::test
