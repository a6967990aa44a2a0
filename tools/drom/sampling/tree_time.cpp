// SPDX-License-Identifier: BSD-3-Clause
// tree_time.cpp - adds up four fields of /proc/PID/stat.
#include "sampling/tree_time.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace drom::command {

namespace {

/// Returns utime, stime, cutime and cstime of proc(5) together, in ticks.
uint64_t ticks_of(pid_t pid) {
    std::ifstream file(fmt::format("/proc/{}/stat", pid));
    std::string line;
    std::getline(file, line);
    // The name of a process may have blanks and parentheses; the fields begin behind the last one.
    const size_t name_end = line.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::istringstream fields(line.substr(name_end + 1));
    std::string skipped;
    constexpr int kBefore = 11;  // state to cmajflt
    for (int i = 0; i < kBefore; ++i) fields >> skipped;
    uint64_t utime = 0, stime = 0, cutime = 0, cstime = 0;
    fields >> utime >> stime >> cutime >> cstime;
    return utime + stime + cutime + cstime;
}

}  // namespace

double tree_cpu_s(std::span<const pid_t> processes) {
    uint64_t ticks = 0;
    for (const pid_t pid : processes) ticks += ticks_of(pid);
    return static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace drom::command
