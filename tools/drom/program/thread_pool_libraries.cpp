// SPDX-License-Identifier: BSD-3-Clause
// thread_pool_libraries.cpp - libraries in a process that keep threads of their own, which no entry point reaches.
#include "program/thread_pool_libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/thread_pools.hpp"

namespace drom::command {

namespace {

constexpr std::string_view kOpenMp[] = {"libgomp.so", "libomp.so", "libomp5.so", "libiomp5.so"};

struct File {
    std::string_view folder, name;
};

/// Returns the files that a process has mapped.
std::vector<File> files_in(std::string_view maps) {
    std::vector<File> files;
    while (!maps.empty()) {
        const std::string_view line = maps.substr(0, maps.find('\n'));
        if (const size_t slash = line.rfind('/'); slash != line.npos)
            files.push_back({line.substr(0, slash), line.substr(slash + 1)});
        maps.remove_prefix(std::min(maps.size(), line.size() + 1));
    }
    return files;
}

bool has_openmp(const std::vector<File>& files) {
    return std::ranges::any_of(files, [](const File& file) {
        return std::ranges::any_of(kOpenMp, [&](std::string_view runtime) { return file.name.starts_with(runtime); });
    });
}

/// Returns whether the library has a pool of threads. With an OpenMP runtime beside it, only one that is certainly not
/// built for that.
bool has_pool(const std::vector<File>& files, const ThreadPoolLibrary& library, bool openmp) {
    return std::ranges::any_of(files, [&](const File& file) {
        const bool certain = !openmp || !library.may_use_openmp || file.folder.ends_with("-pthread");
        return certain && file.name.starts_with(library.file);
    });
}

}  // namespace

std::vector<std::string> pools_in(std::string_view maps) {
    const auto files = files_in(maps);
    const bool openmp = has_openmp(files);
    std::vector<std::string> names;
    for (const ThreadPoolLibrary& library : kThreadPoolLibraries) {
        if (!has_pool(files, library, openmp)) continue;
        if (std::ranges::find(names, library.name) == names.end()) names.emplace_back(library.name);
    }
    return names;
}

std::vector<std::string> pools_of(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/maps", pid));
    std::ostringstream text;
    text << file.rdbuf();
    return pools_in(text.str());
}

}  // namespace drom::command
