// SPDX-License-Identifier: BSD-3-Clause
// doors.cpp - how a program will be reached.
#include "doors.hpp"

#include <dlfcn.h>

#include <array>
#include <climits>
#include <cstdlib>

namespace drom::command {

Doors choose_doors(const Program& program) {
    if (program.secure)
        return {false, false, "is set-uid or set-gid, so nothing can be preloaded; it is reached from outside only"};
    switch (program.kind) {
        case ProgramKind::kStatic:
            return {false, false, "is statically linked, so nothing can be preloaded; it is reached from outside only"};
        case ProgramKind::kForeign:
            return {
                false, false,
                "is for another machine or word size, so nothing can be preloaded; it is reached from outside only"};
        case ProgramKind::kScript: return {true, true, {}};
        case ProgramKind::kDynamic: break;
    }
    // Without a runtime of its own it may still start programs, or load libraries, that have one.
    return {true, program.gomp || !program.llvm, {}};
}

std::string preload_text(const Doors& doors, const std::string& library_directory, const std::string& present) {
    if (!doors.agent) return {};
    std::string text;
    const auto add = [&](const std::string& name) {
        const std::string path = library_directory + "/" + name;
        if (present.find(path) == std::string::npos) text += (text.empty() ? "" : ":") + path;
    };
    if (doors.gomp) add("libdrom-gomp.so");
    add("libdrom.so");
    if (text.empty()) return {};
    return present.empty() ? text : text + ":" + present;
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
