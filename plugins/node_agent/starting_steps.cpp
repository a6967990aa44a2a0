// SPDX-License-Identifier: GPL-2.0-or-later
// starting_steps.cpp - empty files whose names say everything: agent.starting.JOB.STEP.
#include "starting_steps.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <string_view>

namespace drom::slurm {
namespace {

constexpr std::string_view kBegin = "agent.starting.";
// A step daemon takes milliseconds from its start to its first fork; one that takes longer was killed or stopped.
constexpr std::chrono::seconds kCounts{5};

std::string file_of(const std::string& folder, const StepName& step) {
    return folder + '/' + std::string(kBegin) + step.text();
}

}  // namespace

bool step_is_starting(const std::string& folder, const StepName& step) {
    const int file = open(file_of(folder, step).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    return file >= 0 && close(file) == 0;
}

void step_has_started(const std::string& folder, const StepName& step) { unlink(file_of(folder, step).c_str()); }

std::vector<uint32_t> jobs_with_starting_steps(const std::string& folder) {
    std::vector<uint32_t> jobs;
    std::error_code gone;  // taken away while we look
    auto entry = std::filesystem::directory_iterator(folder, gone);
    for (; entry != end(entry); entry.increment(gone)) {
        const std::string name = entry->path().filename().string();
        uint32_t job = 0;
        if (!name.starts_with(kBegin)) continue;
        if (std::from_chars(name.data() + kBegin.size(), name.data() + name.size(), job).ec != std::errc{}) continue;
        const auto made = entry->last_write_time(gone);
        if (gone) continue;
        if (std::filesystem::file_time_type::clock::now() - made < kCounts)
            jobs.push_back(job);
        else
            unlink(entry->path().c_str());
    }
    return jobs;
}

}  // namespace drom::slurm
