// SPDX-License-Identifier: BSD-3-Clause
// loader_list.hpp - the libraries that the dynamic loader would give to a program, without running it.
#pragma once

#include <string>
#include <vector>

namespace drom::command {

struct Library {
    std::string name;  ///< by which it is needed
    std::string path;  ///< empty: not found
};

/// Returns whether the library lies in a directory that belongs to the distribution.
bool is_of_the_system(const Library& library);

/// Asks the program's own loader (`ld.so --list`), which starts nothing. Empty when the loader does not answer.
std::vector<Library> libraries_of(const std::string& program, const std::string& loader);

/// Reads the loader's answer.
std::vector<Library> read_loader_list(const std::string& text);

}  // namespace drom::command
