// SPDX-License-Identifier: BSD-3-Clause
// pools.cpp - libraries in a process that keep threads of their own, which no door reaches.
#include "pools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace drom::command {

namespace {

struct Library {
    std::string_view file;  ///< how its name begins
    const char* name;
    bool may_use_openmp;  ///< the same file name is also that of a build whose threads are those of an OpenMP runtime
};

constexpr Library kLibraries[] = {{"libtbb.so", "oneTBB", false},
                                  {"libopenblasp", "OpenBLAS", false},
                                  {"libopenblas.", "OpenBLAS", true},
                                  {"libblis.so", "BLIS", true}};
constexpr std::string_view kOpenMp[] = {"libgomp.so", "libomp.so", "libomp5.so", "libiomp5.so"};

/// The files that a process has mapped, without their folders.
std::vector<std::string_view> files_in(std::string_view maps) {
    std::vector<std::string_view> files;
    while (!maps.empty()) {
        const std::string_view line = maps.substr(0, maps.find('\n'));
        if (const size_t slash = line.rfind('/'); slash != line.npos) files.push_back(line.substr(slash + 1));
        maps.remove_prefix(std::min(maps.size(), line.size() + 1));
    }
    return files;
}

bool has(const std::vector<std::string_view>& files, std::string_view beginning) {
    return std::ranges::any_of(files, [&](std::string_view file) { return file.starts_with(beginning); });
}

}  // namespace

std::vector<std::string> pools_in(std::string_view maps) {
    const auto files = files_in(maps);
    const bool openmp = std::ranges::any_of(kOpenMp, [&](std::string_view runtime) { return has(files, runtime); });
    std::vector<std::string> names;
    for (const Library& library : kLibraries) {
        if ((library.may_use_openmp && openmp) || !has(files, library.file)) continue;
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
