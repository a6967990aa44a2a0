// SPDX-License-Identifier: BSD-3-Clause
// program.cpp - what kind of program a command is, before it is started.
#include "program/program.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "program/elf_file.hpp"
#include "program/loader_list.hpp"

namespace drom::command {

namespace {

bool is_executable_file(const std::string& path) {
    struct stat info{};
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

/// Returns the path as execvp finds it; empty: it finds none.
std::string found_in_path(const std::string& command) {
    if (command.find('/') != std::string::npos) return command;
    const char* path = std::getenv("PATH");
    const std::string directories = path == nullptr ? "/bin:/usr/bin" : path;
    for (size_t at = 0; at <= directories.size();) {
        const size_t end = std::min(directories.find(':', at), directories.size());
        const std::string directory = end == at ? "." : directories.substr(at, end - at);
        std::string candidate = directory;
        candidate.append("/").append(command);
        if (is_executable_file(candidate)) return candidate;
        at = end + 1;
    }
    return {};
}

NotAProgram is_directory(const std::string& command) {
    return {kCannotExecute, fmt::format("{}: it is a directory, not a program", command)};
}

/// Says why PATH finds no such command. A file of the present directory may have been meant.
NotAProgram not_in_path(const std::string& command) {
    struct stat info{};
    if (stat(command.c_str(), &info) != 0) return not_executable(command, ENOENT);
    if (S_ISDIR(info.st_mode)) return is_directory(command);
    return {kNotFound, fmt::format("{0}: command not found in PATH; name ./{0} for that of this directory", command)};
}

/// Returns whether the kernel will set AT_SECURE, which makes the loader drop LD_PRELOAD.
bool is_secure(const std::string& path, const struct stat& info) {
    if ((info.st_mode & S_ISUID) != 0 && info.st_uid != geteuid()) return true;
    if ((info.st_mode & S_ISGID) != 0 && (info.st_mode & S_IXGRP) != 0 && info.st_gid != getegid()) return true;
    return geteuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

bool names_llvm_runtime(const std::string& library) {
    const std::string name = library.substr(library.rfind('/') + 1);
    return name.starts_with("libomp.so") || name.starts_with("libiomp5.so") || name.starts_with("libomp5.so");
}

bool names_gcc_runtime(const std::string& library) {
    return library.substr(library.rfind('/') + 1).starts_with("libgomp.so");
}

bool names_mpi(const std::string& library) {
    const std::string name = library.substr(library.rfind('/') + 1);
    return name.starts_with("libmpi.so") || name.starts_with("libmpich.so") || name.starts_with("libmpi_cray.so");
}

bool must_be_first(const std::string& library) {
    const std::string name = library.substr(library.rfind('/') + 1);
    return name.starts_with("libasan.so") || name.starts_with("libclang_rt.asan");
}

bool is_ours(const std::string& library) {
    const std::string name = library.substr(library.rfind('/') + 1);
    return name.starts_with("libdrom.so") || name.starts_with("libdrom-");
}

void look_into(Program& program) {
    const ElfFile file = read_elf(program.path);
    program.build_id = file.build_id.empty() ? content_id(program.path) : file.build_id;
    switch (file.kind) {
        case ElfKind::kNotElf: program.kind = ProgramKind::kScript; return;
        case ElfKind::kForeign: program.kind = ProgramKind::kForeign; return;
        case ElfKind::kStatic: program.kind = ProgramKind::kStatic; return;
        case ElfKind::kDynamic: program.kind = ProgramKind::kDynamic; break;
    }
    for (const char* name : {"omp_set_dynamic", "omp_set_dynamic_", "omp_set_dynamic_8_", "drom_on_change"})
        program.sets_dynamic |= file.mentions(name);
    for (const auto& library : libraries_of(program.path, file.interpreter)) {
        program.llvm |= names_llvm_runtime(library.name);
        program.gomp |= names_gcc_runtime(library.name);
        program.mpi |= names_mpi(library.name);
        if (must_be_first(library.name)) program.sanitizer = library.name;
        if (!library.path.empty() && !is_of_the_system(library) && !is_ours(library.name))
            program.own_libraries.push_back(library.path);
    }
}

std::string id_of(const std::string& path) {
    const std::string build_id = read_elf(path).build_id;
    return build_id.empty() ? content_id(path) : build_id;
}

/// Returns the FNV-1a hash, as content_id does: the order of the libraries is that of the loader's search.
uint64_t hash_of(const std::vector<std::string>& paths) {
    uint64_t hash = 14695981039346656037U;
    for (const auto& path : paths)
        for (const char c : id_of(path) + ' ') hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return hash;
}

}  // namespace

std::string objects_id(const Program& program) {
    if (program.own_libraries.empty()) return program.build_id;
    return fmt::format("{}+{:016x}", program.build_id, hash_of(program.own_libraries));
}

NotAProgram not_executable(const std::string& command, int code) {
    if (code == ENOENT && access(command.c_str(), F_OK) == 0)
        return {
            kNotFound,
            fmt::format("{}: its interpreter was not found; look at its first line, or at file(1)'s answer", command)};
    if (code == ENOENT)
        return {kNotFound, fmt::format("{}: command not found; give its path, or add its directory to PATH", command)};
    if (code == EACCES)
        return {kCannotExecute, fmt::format("{}: not executable: {}; chmod +x it", command, std::strerror(code))};
    return {kCannotExecute, fmt::format("{}: cannot be executed: {}", command, std::strerror(code))};
}

tl::expected<Program, NotAProgram> inspect_program(const std::string& command) {
    Program program;
    program.path = found_in_path(command);
    if (program.path.empty()) return tl::make_unexpected(not_in_path(command));
    struct stat info{};
    if (stat(program.path.c_str(), &info) != 0) return tl::make_unexpected(not_executable(command, errno));
    if (S_ISDIR(info.st_mode)) return tl::make_unexpected(is_directory(command));
    if (access(program.path.c_str(), X_OK) != 0) return tl::make_unexpected(not_executable(command, errno));
    program.secure = is_secure(program.path, info);
    look_into(program);
    return program;
}

}  // namespace drom::command
