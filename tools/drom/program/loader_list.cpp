// SPDX-License-Identifier: BSD-3-Clause
// loader_list.cpp - the libraries that the dynamic loader would give to a program, without running it.
#include "program/loader_list.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <sstream>

#include "program/child_output.hpp"

namespace drom::command {

namespace {

/// Starts a command whose standard output goes to `output`; -1: it cannot be started.
pid_t start(std::array<const char*, 4> words, int output) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = -1;
    const int code = posix_spawn(&child, words[0], &files, nullptr, const_cast<char**>(words.data()), environ);
    posix_spawn_file_actions_destroy(&files);
    return code == 0 ? child : -1;
}

}  // namespace

std::vector<Library> read_loader_list(const std::string& text) {
    std::vector<Library> libraries;
    std::istringstream lines(text);
    // LD_VERBOSE appends versions, behind an empty line.
    for (std::string line; std::getline(lines, line) && !line.empty();) {
        const size_t name = line.find_first_not_of(" \t");
        const size_t arrow = line.find(" => ");
        const size_t end = line.rfind(" (0x");
        if (name == line.npos) continue;
        if (arrow != line.npos)
            libraries.push_back({line.substr(name, arrow - name),
                                 end == line.npos ? std::string() : line.substr(arrow + 4, end - arrow - 4)});
        else if (line[name] == '/')
            libraries.push_back({line.substr(name, end - name), line.substr(name, end - name)});
    }
    return libraries;
}

std::vector<Library> libraries_of(const std::string& program, const std::string& loader) {
    const std::string path = program.starts_with('/') ? program : "./" + program;  // it may begin as an option does
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return {};
    const pid_t child = start({loader.c_str(), "--list", path.c_str(), nullptr}, ends[1]);
    close(ends[1]);
    const std::string text = read_until_end(ends[0]);
    close(ends[0]);
    if (child > 0) waitpid(child, nullptr, 0);
    return read_loader_list(text);
}

bool is_of_the_system(const Library& library) {
    const std::string directory = library.path.substr(0, library.path.rfind('/'));
    const std::string last = directory.substr(directory.rfind('/') + 1);
    // Debian has a directory per architecture.
    const std::string parent = last.ends_with("-linux-gnu") ? directory.substr(0, directory.rfind('/')) : directory;
    constexpr std::array kDirectories{"/lib", "/usr/lib", "/lib64", "/usr/lib64"};
    return std::ranges::find(kDirectories, parent) != kDirectories.end();
}

}  // namespace drom::command
