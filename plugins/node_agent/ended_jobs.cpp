// SPDX-License-Identifier: GPL-2.0-or-later
// ended_jobs.cpp - one empty file: agent.ended.
#include "ended_jobs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

namespace drom::slurm {
namespace {

constexpr std::chrono::seconds kOnItsWay{2};

std::string file_in(const std::string& folder) { return folder + "/agent.ended"; }

}  // namespace

bool note_end_of_job(const std::string& folder) {
    const int file = open(file_in(folder).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    const bool noted = futimens(file, nullptr) == 0;
    close(file);
    return noted;
}

bool job_ended_just_now(const std::string& folder) {
    std::error_code none;
    const auto ended = std::filesystem::last_write_time(file_in(folder), none);
    return !none && std::filesystem::file_time_type::clock::now() - ended < kOnItsWay;
}

}  // namespace drom::slurm
