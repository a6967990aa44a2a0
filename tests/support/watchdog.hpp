// SPDX-License-Identifier: BSD-3-Clause
// watchdog.hpp - a test that hangs takes its whole process group with it instead of the machine.
#pragma once

#include <unistd.h>
#include <csignal>
#include <cstdio>

namespace drom::test {

/// Puts this process and all its children into a group of its own, and kills the group after `seconds`. Made once,
/// first in main: children inherit the group but not the alarm.
class Watchdog {
public:
    explicit Watchdog(unsigned seconds) {
        setpgid(0, 0);
        signal(SIGALRM, [](int) {
            constexpr char kText[] = "watchdog: the test did not end in time; its process group is killed\n";
            if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) _exit(98);
            kill(0, SIGKILL);
        });
        alarm(seconds);
    }
    ~Watchdog() { alarm(0); }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;
};

}  // namespace drom::test
