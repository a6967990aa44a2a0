// SPDX-License-Identifier: BSD-3-Clause
// command.hpp - the drom command, run and waited for.
#pragma once

#include <fcntl.h>
#include <unistd.h>
#include <string>
#include <vector>

#include "child.hpp"

namespace drom::test {

/// Runs the command, with its output thrown away. Returns its exit status, or 128 + signal. Ends it after 20 seconds
/// (SIGALRM).
inline int run_command(const std::vector<std::string>& words) {
    Child child = Child::run([&] {
        std::vector<char*> argv{const_cast<char*>(DROM_COMMAND)};
        for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
        argv.push_back(nullptr);
        const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        alarm(20);
        execv(argv[0], argv.data());
        return 126;
    });
    return child.wait();
}

}  // namespace drom::test
