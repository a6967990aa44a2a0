// SPDX-License-Identifier: BSD-3-Clause
// signal_relay.hpp - signals that a launcher passes on to its program.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <iterator>
#include <optional>

namespace drom::command {

/// The kernel's name of the process that drom run has beside it while its program is stopped. It is no process of the
/// program.
inline constexpr const char* kWakerName = "drom-run-waker";

/// Holds back the signals that belong to the program being launched, from before its fork until its end: all that can
/// be caught.
class SignalRelay {
public:
    /// Begins to receive signals. `adopts`: orphans below the program become children of this process, and are reaped
    /// when they end.
    explicit SignalRelay(bool adopts = false);
    ~SignalRelay();
    SignalRelay(const SignalRelay&) = delete;
    SignalRelay& operator=(const SignalRelay&) = delete;

    /// Restores mask and dispositions, in the child before exec.
    void restore_in_child() const;

    /// Lets a stop (kStopping) stop this process, as it does any other, or not. It does not from the start of the
    /// program on, which decides then.
    static void let_stop(bool allowed);

    /// Returns a signal that asks us to end and has arrived already; 0: none.
    [[nodiscard]] int arrived() const;

    /// Returns the last signal passed on that asks to end; 0: none.
    [[nodiscard]] int ending_signal() const { return ending_signal_; }

    /// Passes signals on until the child has ended, except those of the child and of its descendants; returns its wait
    /// status. Stops with it, and continues with it. std::nullopt: it is still running after `limit`.
    std::optional<int> until_end_of(pid_t child, std::optional<std::chrono::milliseconds> limit = {});

private:
    static constexpr int kStopping[] = {SIGTSTP, SIGTTIN, SIGTTOU};

    void pass_on(pid_t child);
    std::optional<int> reap(pid_t child);
    void stop_like(pid_t child);
    void reap_adopted(pid_t child) const;

    sigset_t before_{};
    struct sigaction child_action_{};
    struct sigaction stop_actions_[std::size(kStopping)]{};
    int descriptor_ = -1;
    bool adopts_ = false;
    pid_t waker_ = -1;  ///< the process that watches a stopped program for us
    int ending_signal_ = 0;
};

/// Ends this process as the wait status says: the same exit code, or the same signal. Returns the code if the signal is
/// survived.
int end_like(int status);

}  // namespace drom::command
