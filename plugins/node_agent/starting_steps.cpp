// SPDX-License-Identifier: GPL-2.0-or-later
// starting_steps.cpp - empty files whose names say everything: agent.starting.JOB.STEP.PID.START of the step daemon.
#include "starting_steps.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>

#include "base/process_identity.hpp"

namespace drom::slurm {
namespace {

std::string file_of(const std::string& folder, const StepName& step) {
    const ProcessIdentity daemon = self();
    return folder + "/agent.starting." + step.text() + '.' + std::to_string(daemon.pid) + '.' +
           std::to_string(daemon.start);
}

/// Reads the job and the step daemon. Returns false for another kind of file.
bool read_name(const std::string& name, uint32_t& job, ProcessIdentity& daemon) {
    daemon = self();  // for the pid namespace
    return sscanf(name.c_str(), "agent.starting.%" SCNu32 ".%*[^.].%" SCNu32 ".%" SCNu64, &job, &daemon.pid,
                  &daemon.start) == 3;
}

}  // namespace

bool step_is_starting(const std::string& folder, const StepName& step) {
    const int file = open(file_of(folder, step).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return file >= 0 && close(file) == 0;
}

void step_has_started(const std::string& folder, const StepName& step) { unlink(file_of(folder, step).c_str()); }

std::vector<uint32_t> jobs_with_starting_steps(const std::string& folder) {
    std::vector<uint32_t> jobs;
    std::error_code gone;  // taken away while we look
    auto entry = std::filesystem::directory_iterator(folder, gone);
    for (; entry != end(entry); entry.increment(gone)) {
        uint32_t job = 0;
        ProcessIdentity daemon{};
        if (!read_name(entry->path().filename().string(), job, daemon)) continue;
        if (liveness(daemon) == Liveness::kDead)
            unlink(entry->path().c_str());
        else
            jobs.push_back(job);
    }
    return jobs;
}

}  // namespace drom::slurm
