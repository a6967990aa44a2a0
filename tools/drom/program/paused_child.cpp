// SPDX-License-Identifier: BSD-3-Clause
// paused_child.cpp - a process that is forked first and executes its program when it is told to.
#include "program/paused_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace drom::command {

namespace {

bool read_all(int fd, void* into, size_t size) {
    auto* bytes = static_cast<char*>(into);
    while (size > 0) {
        const ssize_t got = read(fd, bytes, size);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        bytes += got;
        size -= static_cast<size_t>(got);
    }
    return true;
}

bool write_all(int fd, const void* from, size_t size) {
    const auto* bytes = static_cast<const char*>(from);
    while (size > 0) {
        const ssize_t put = write(fd, bytes, size);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        bytes += put;
        size -= static_cast<size_t>(put);
    }
    return true;
}

/// Returns the texts with a NUL behind each. One without '=' removes its variable.
std::string packed(const std::vector<std::string>& environment) {
    std::string text;
    for (const auto& entry : environment) text += entry + '\0';
    return text;
}

void apply(std::string& text) {
    for (size_t at = 0; at < text.size(); at += std::strlen(text.data() + at) + 1) {
        char* entry = text.data() + at;
        if (std::strchr(entry, '=') != nullptr)
            putenv(entry);
        else
            unsetenv(entry);
    }
}

void redirect(int output, bool mute) {
    if (output >= 0) dup2(output, STDOUT_FILENO);
    const int nothing = mute ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (nothing >= 0) dup2(nothing, STDERR_FILENO);
}

[[noreturn]] void child_main(const Program& program, const std::vector<std::string>& command, const SignalRelay& relay,
                             int go, int exec_error) {
    size_t size = 0;
    if (!read_all(go, &size, sizeof size)) _exit(127);  // its creator does not want it any more
    std::string text(size, '\0');
    if (!read_all(go, text.data(), size)) _exit(127);
    apply(text);
    std::vector<char*> words;
    words.reserve(command.size() + 1);
    for (const auto& word : command) words.push_back(const_cast<char*>(word.c_str()));
    words.push_back(nullptr);
    relay.restore_in_child();
    execute_program(program, words.data());
    const int code = errno;
    write_all(exec_error, &code, sizeof code);
    _exit(127);
}

std::string no_process(int code) {
    return fmt::format("no process can be started for the program: {}; {}end other programs", std::strerror(code),
                       code == EAGAIN ? "raise the limit of processes (ulimit -u), or " : "");
}

std::string no_pipe(int code) {
    return fmt::format("no pipe to the program can be made: {}; end other programs", std::strerror(code));
}

}  // namespace

void execute_program(const Program& program, char* const* words) {
    if (program.kind == ProgramKind::kScript)
        execvp(words[0], words);
    else
        execv(program.path.c_str(), words);
}

Expected<PausedChild> PausedChild::fork(const Program& program, const std::vector<std::string>& command,
                                        const SignalRelay& relay, int output, bool mute) {
    int go[2];
    int exec_error[2];
    if (pipe2(go, O_CLOEXEC) != 0) return failure(DROM_E_OS, no_pipe(errno));
    if (pipe2(exec_error, O_CLOEXEC) != 0) {
        const int code = errno;
        close(go[0]);
        close(go[1]);
        return failure(DROM_E_OS, no_pipe(code));
    }
    std::fflush(nullptr);
    const pid_t pid = ::fork();
    const int code = errno;
    if (pid == 0) {
        close(go[1]);
        close(exec_error[0]);
        redirect(output, mute);
        child_main(program, command, relay, go[0], exec_error[1]);
    }
    close(go[0]);
    close(exec_error[1]);
    PausedChild child(pid, go[1], exec_error[0]);
    if (pid < 0) return failure(DROM_E_OS, no_process(code));
    return child;
}

PausedChild::PausedChild(PausedChild&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      go_(std::exchange(other.go_, -1)),
      exec_error_(std::exchange(other.exec_error_, -1)),
      started_(other.started_) {}

PausedChild::~PausedChild() {
    if (go_ >= 0) close(go_);
    if (exec_error_ >= 0) close(exec_error_);
    if (pid_ > 0 && !started_) waitpid(pid_, nullptr, 0);  // its pipe is closed: it ends
}

int PausedChild::start(const std::vector<std::string>& environment) {
    const std::string text = packed(environment);
    const size_t size = text.size();
    // The child reads while it lives; if it was killed meanwhile SIGPIPE must not take us along.
    const auto before = std::signal(SIGPIPE, SIG_IGN);
    const bool told = write_all(go_, &size, sizeof size) && write_all(go_, text.data(), size);
    std::signal(SIGPIPE, before);
    started_ = true;
    int code = 0;
    if (!told || !read_all(exec_error_, &code, sizeof code))
        return 0;  // it runs, or has been killed: waiting for it will tell
    waitpid(pid_, nullptr, 0);
    return code;
}

}  // namespace drom::command
