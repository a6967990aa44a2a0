// SPDX-License-Identifier: BSD-3-Clause
// watchdog.hpp - a test that hangs takes its whole process group with it instead of the machine.
#pragma once

#include <unistd.h>
#include <csignal>
#include <cstdio>

namespace drom::test {

/// Puts this process and all its children into a group of its own, and kills the group when it has made no progress for
/// `seconds`. Made once, first in main: children inherit the group but not the alarm. A busy machine makes a suite
/// slow, but no single step of it: so the limit is for one step, and each step tells that it begins.
class Watchdog {
public:
    explicit Watchdog(unsigned seconds) {
        setpgid(0, 0);
        signal(SIGALRM, [](int) {
            constexpr char kText[] = "watchdog: the test makes no progress; its process group is killed\n";
            if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) _exit(98);
            kill(0, SIGKILL);
        });
        limit_ = seconds;
        alarm(seconds);
    }
    ~Watchdog() { alarm(0); }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// Tells that a step begins: it has the whole time again. Nothing without a watchdog.
    static void next_step() {
        if (limit_ > 0) alarm(limit_);
    }

private:
    inline static unsigned limit_ = 0;
};

}  // namespace drom::test
