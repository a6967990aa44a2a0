// SPDX-License-Identifier: GPL-2.0-or-later
// ended_jobs.cpp - an empty file, agent.ended, and one with a list of CPUs, agent.left.
#include "ended_jobs.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>

#include "common/small_file.hpp"

namespace drom::slurm {
namespace {

constexpr std::chrono::seconds kOnItsWay{2};

std::string ended_in(const std::string& folder) { return folder + "/agent.ended"; }
std::string left_in(const std::string& folder) { return folder + "/agent.left"; }

bool was_written_just_now(const std::string& path) {
    std::error_code none;
    const auto written = std::filesystem::last_write_time(path, none);
    return !none && std::filesystem::file_time_type::clock::now() - written < kOnItsWay;
}

}  // namespace

bool note_end_of_job(const std::string& folder) {
    const int file = open(ended_in(folder).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    const bool noted = futimens(file, nullptr) == 0;
    close(file);
    return noted;
}

bool job_ended_just_now(const std::string& folder) { return was_written_just_now(ended_in(folder)); }

bool note_last_on_node(const std::string& folder, const CpuSet& cpus) {
    return replace(left_in(folder), CpuText(cpus).text);
}

CpuSet left_just_now(const std::string& folder) {
    CpuSet cpus{};
    const std::string text = was_written_just_now(left_in(folder)) ? contents(left_in(folder)) : "";
    return !text.empty() && parse_cpus(text.c_str(), cpus).what == nullptr ? cpus : CpuSet::empty();
}

}  // namespace drom::slurm
