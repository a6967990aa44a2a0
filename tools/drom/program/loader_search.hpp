// SPDX-License-Identifier: BSD-3-Clause
// loader_search.hpp - where the dynamic loader would find a library, without running it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/elf_file.hpp"

namespace drom::command {

struct Library {
    std::string name;  ///< by which it is needed
    std::string path;  ///< empty: not found
};

/// Whether the library lies in a directory that belongs to the distribution.
bool is_of_the_system(const Library& library);

/// Follows ld.so(8): DT_RPATH of the library's loaders (unless they have DT_RUNPATH), LD_LIBRARY_PATH, DT_RUNPATH,
/// ld.so.cache, the system's directories. $ORIGIN and $LIB are replaced.
class LoaderSearch {
public:
    LoaderSearch();

    /// Every library that `program` and its libraries need. Those that are not found are kept.
    std::vector<Library> closure(const std::string& path, const ElfFile& program,
                                 const std::vector<std::string>& preloaded);

private:
    struct Loaded {
        std::string path;
        ElfFile file;
        std::vector<std::string> rpaths;  ///< its own and its loaders'
    };
    [[nodiscard]] std::optional<std::string> find(const std::string& name, const Loaded& loader);
    std::optional<std::string> find_in(const std::vector<std::string>& directories, const std::string& name) const;
    void read_cache();

    std::vector<std::string> library_path_;
    std::multimap<std::string, std::string> cache_;
    bool cache_read_ = false;
};

}  // namespace drom::command
