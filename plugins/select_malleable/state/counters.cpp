// SPDX-License-Identifier: GPL-2.0-or-later
// counters.cpp - counters as text, and into a file.
#include "counters.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace drom::slurm {
namespace {

std::string family(const char* name, const char* type, const char* help) {
    const std::string of = std::string(" drom_sd_") + name + ' ';
    return "# TYPE" + of + type + "\n# HELP" + of + help + '\n';
}

std::string sample(const std::string& name, const std::string& value) { return "drom_sd_" + name + ' ' + value + '\n'; }

std::string seconds_text(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6f", seconds);
    return text.data();
}

std::string why(const char* what, const std::string& path) {
    return std::string(what) + " " + path + ": " + std::strerror(errno);
}

}  // namespace

std::string text_of(const Counters& counters) {
    std::string text = family("answers", "counter", "Answers about malleable jobs that could not start alone.");
    for (const auto& [outcome, count] : counters.answers)
        text += sample("answers_total{outcome=\"" + outcome + "\"}", std::to_string(count));
    text += family("shared_starts", "counter", "Jobs that started on nodes of running ones.");
    text += sample("shared_starts_total", std::to_string(counters.shared_starts));
    text += family("extended_seconds", "counter", "Time by which limits of jobs were extended.");
    text += sample("extended_seconds_total", std::to_string(counters.extended_minutes * 60));
    text += family("search_seconds", "counter", "Time in answers to slurmctld's schedulers about malleable jobs.");
    text += sample("search_seconds_total", seconds_text(counters.search_seconds));
    text += family("sharing_jobs", "gauge", "Jobs that share nodes now.");
    text += sample("sharing_jobs", std::to_string(counters.sharing_jobs));
    return text + "# EOF\n";
}

std::string write_counters(const std::string& path, const std::string& text) {
    constexpr mode_t kForAll = 0644;
    const std::string beside = path + ".new";
    const int fd = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kForAll);
    if (fd < 0) return why("write", beside);
    const bool written =
        fchmod(fd, kForAll) == 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    std::string wrong = written ? "" : why("write", beside);
    close(fd);
    if (wrong.empty() && rename(beside.c_str(), path.c_str()) != 0) wrong = why("rename to", path);
    if (!wrong.empty()) unlink(beside.c_str());
    return wrong;
}

}  // namespace drom::slurm
