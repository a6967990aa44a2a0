// SPDX-License-Identifier: BSD-3-Clause
// paused_child.hpp - a process that is forked first and executes its program when it is told to.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "drom/drom.hpp"
#include "program/program.hpp"
#include "program/signal_relay.hpp"

namespace drom::command {

/// Returns when it fails. The shell is given scripts only: execvp would also give it a program file that was cut short,
/// and the shell would carry out whatever its bytes happen to mean.
void execute_program(const Program& program, char* const* words);

/// Between fork and exec. Ends by itself when its creator dies or destroys it before start().
class PausedChild {
public:
    /// Forks the child, which waits before exec. `output`: descriptor that becomes its stdout; -1: it keeps ours.
    /// `mute`: its stderr is thrown away.
    static Expected<PausedChild> fork(const Program& program, const std::vector<std::string>& command,
                                      const SignalRelay& relay, int output = -1, bool mute = false);

    PausedChild(PausedChild&& other) noexcept;
    PausedChild& operator=(PausedChild&&) = delete;
    ~PausedChild();

    [[nodiscard]] pid_t pid() const { return pid_; }

    /// Executes with these NAME=value texts in the environment ("NAME" alone: removed). Returns when the program runs:
    /// 0, or the errno of the exec that failed; then the process has ended.
    int start(const std::vector<std::string>& environment);

private:
    PausedChild(pid_t pid, int go, int exec_error) : pid_(pid), go_(go), exec_error_(exec_error) {}

    pid_t pid_;
    int go_;          ///< write end: length and text of the environment
    int exec_error_;  ///< read end: errno of a failed exec, end of file when it succeeded
    bool started_ = false;
};

}  // namespace drom::command
