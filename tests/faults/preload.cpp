// SPDX-License-Identifier: BSD-3-Clause
// preload.cpp - lets calls fail in a program into which libdrom.so is preloaded. FAULTS=CALL:CODE:NTH:LASTING says
// which; at the end the number of failures is in the file FAULTS_LOG.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "shim.hpp"

namespace {

using namespace drom::faults;

[[gnu::constructor]] void begin() {
    const char* text = std::getenv("FAULTS");
    Failure failure{};
    int lasting = 0;
    if (text == nullptr || std::sscanf(text, "%u:%d:%u:%d", &failure.call, &failure.code, &failure.nth, &lasting) != 4)
        return;
    failure.lasting = lasting != 0;
    const std::vector<std::string> wrong = install();
    // The run counts what the program says as wrong. Without it a function that is not in calls.def would only mean
    // that nothing fails.
    for (const std::string& sentence : wrong) dprintf(STDERR_FILENO, "faults: %s\n", sentence.c_str());
    if (wrong.empty()) arm(failure);
}

[[gnu::destructor]] void end() {
    const char* path = std::getenv("FAULTS_LOG");
    if (path == nullptr) return;
    disarm();
    const int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dprintf(log, "%u\n", injected());
    close(log);
}

}  // namespace
