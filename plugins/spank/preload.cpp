// SPDX-License-Identifier: GPL-2.0-or-later
// preload.cpp - LD_PRELOAD of a task.
#include "preload.hpp"

#include <algorithm>

namespace drom::slurm {

namespace {

constexpr std::string_view kSeparators = " :";
constexpr const char* kLibraries[] = {"libdrom-agent.so", "libdrom-omp.so", "libdrom-mpi.so", "libdrom.so"};

std::vector<std::string_view> entries(std::string_view list) {
    std::vector<std::string_view> found;
    while (!list.empty()) {
        const size_t end = std::min(list.find_first_of(kSeparators), list.size());
        if (end > 0) found.push_back(list.substr(0, end));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return found;
}

std::string joined(const std::vector<std::string_view>& list) {
    std::string text;
    for (const std::string_view entry : list) {
        if (!text.empty()) text += ':';
        text += entry;
    }
    return text;
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// Returns whether two paths name one library, also in different versions.
bool same_library(std::string_view one, std::string_view other) {
    const auto stem = [](std::string_view path) { return file_name(path).substr(0, file_name(path).find(".so")); };
    return stem(one) == stem(other);
}

}  // namespace

std::string with_libraries(std::string_view present, const std::vector<std::string>& libraries) {
    std::vector<std::string_view> list = entries(present);
    for (const std::string& library : libraries)
        if (std::ranges::none_of(list, [&](std::string_view entry) { return same_library(entry, library); }))
            list.push_back(library);
    return joined(list);
}

std::string without_libraries(std::string_view present, std::string_view directory) {
    std::vector<std::string_view> list = entries(present);
    const auto is_ours = [](std::string_view entry) {
        return std::ranges::any_of(kLibraries, [&](const char* ours) { return same_library(entry, ours); });
    };
    std::erase_if(
        list, [&](std::string_view entry) { return entry.substr(0, entry.rfind('/')) == directory && is_ours(entry); });
    return joined(list);
}

bool can_be_preloaded(std::string_view directory) {
    return !directory.empty() && directory.find_first_of(kSeparators) == std::string_view::npos;
}

}  // namespace drom::slurm
