// SPDX-License-Identifier: BSD-3-Clause
// preload.cpp - how a program will be reached.
#include "program/preload.hpp"

#include "openmp/follow.hpp"

#include <dlfcn.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>

namespace drom::command {

Preload choose_preload(const Program& program, bool is_rank, size_t stack) {
    constexpr size_t kOfLoader = size_t{32} * 1024;
    if (program.secure)
        return {.remark = "is set-uid or set-gid, so nothing can be preloaded; it is reached from outside only"};
    if (stack < kOfLoader)
        return {.remark = "has too small a stack (ulimit -s) to preload anything; it is reached from outside only"};
    switch (program.kind) {
        case ProgramKind::kStatic:
            return {.remark = "is statically linked, so nothing can be preloaded; it is reached from outside only"};
        case ProgramKind::kForeign:
            return {.remark =
                        "is for another machine or word size, so nothing can be preloaded; it is reached from outside "
                        "only"};
        case ProgramKind::kScript: return {.agent = true, .mpi = is_rank};
        case ProgramKind::kDynamic: break;
    }
    // Without an OpenMP runtime of its own it may still start programs, or load libraries, that have one. An MPI
    // library makes a rank of what no launcher started. A launcher must not be taken for an MPI library, so
    // libdrom-mpi.so is not loaded for it.
    return {.agent = true, .mpi = is_rank || program.mpi, .first = program.sanitizer};
}

namespace {

/// Returns the entries of a list as in LD_PRELOAD.
std::vector<std::string> entries(const std::string& list) {
    std::vector<std::string> found;
    for (size_t at = 0; at < list.size();) {
        const size_t end = std::min(list.find_first_of(" :", at), list.size());
        if (end > at) found.push_back(list.substr(at, end - at));
        at = end + 1;
    }
    return found;
}

bool has(const std::vector<std::string>& list, const std::string& entry) {
    return std::find(list.begin(), list.end(), entry) != list.end();
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

bool may_follow(const Program& program, const std::string& said, const std::string& dynamic) {
    if (follow::is_allowed_from_outside(said.c_str(), dynamic.c_str())) return true;
    return program.sets_dynamic && follow::resize_of(said.c_str()) != follow::Resize::Keep;
}

namespace {
constexpr const char* kLibdrom = "libdrom.so." DROM_SOVERSION;
}

std::vector<std::string> libraries_of(const Preload& preload) {
    std::vector<std::string> names;
    if (!preload.agent) return names;
    if (preload.mpi) names.emplace_back("libdrom-mpi.so");
    if (preload.omp) names.emplace_back("libdrom-omp.so");
    names.emplace_back("libdrom-agent.so");
    return names;
}

std::string preload_text(const Preload& preload, const std::string& library_directory, const std::string& present) {
    if (!preload.agent) return {};
    const std::vector<std::string> users = entries(present);
    std::vector<std::string> list;
    if (!preload.first.empty()) {
        const auto same = [&](const std::string& user) { return base_name(user) == base_name(preload.first); };
        const auto found = std::find_if(users.begin(), users.end(), same);
        list.push_back(found == users.end() ? preload.first : *found);
    }
    const size_t before = list.size();
    std::vector<std::string> libraries = libraries_of(preload);
    // Each of them needs it. Named by its path it is there at once; the loader would look into twelve folders first, at
    // 25 us per process.
    libraries.emplace_back(kLibdrom);
    for (const std::string& library : libraries)
        if (const std::string name = library_directory + "/" + library; !has(users, name)) list.push_back(name);
    if (list.size() == before) return {};
    for (const std::string& user : users)
        if (!has(list, user)) list.push_back(user);
    return fmt::format("{}", fmt::join(list, ":"));
}

std::string asan_options(const std::string& present) {
    constexpr const char* kName = "verify_asan_link_order";
    if (present.find(kName) != std::string::npos) return present;
    return fmt::format("{}{}{}=0", present, present.empty() ? "" : ":", kName);
}

std::string library_directory() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&drom_open), &info) == 0 || info.dli_fname == nullptr) return {};
    std::array<char, PATH_MAX> path{};
    if (realpath(info.dli_fname, path.data()) == nullptr) return {};
    const std::string whole = path.data();
    return whole.substr(0, whole.rfind('/'));
}

}  // namespace drom::command
