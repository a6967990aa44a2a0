// SPDX-License-Identifier: BSD-3-Clause
// rank.cpp - which rank of an MPI job a process is.
#include "rank.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace drom {

namespace {

/// The variables of one launcher; nullptr: it has none for that.
struct Launcher {
    const char *rank, *ranks, *local_rank, *local_ranks, *job;
};

constexpr Launcher kLaunchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE",
     "PMIX_NAMESPACE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", nullptr},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_STEP_TASKS_PER_NODE", nullptr},
};

bool number(Environment read, const char* name, uint32_t& value) noexcept {
    const char* text = name != nullptr ? read(name) : nullptr;
    if (text == nullptr || *text < '0' || *text > '9') return false;
    char* end = nullptr;
    const unsigned long parsed = strtoul(text, &end, 10);
    // SLURM_STEP_TASKS_PER_NODE may be "2(x3)" or "4,2": then this node's number is not known.
    if ((*end != '\0' && *end != '(') || parsed >= UINT32_MAX) return false;
    value = static_cast<uint32_t>(parsed);
    return true;
}

const char* text_of(Environment read, const char* name) noexcept {
    const char* text = name != nullptr ? read(name) : nullptr;
    return text != nullptr && *text != '\0' ? text : nullptr;
}

/// Names the job. The scheduler's name, which users know, comes before a launcher's own name.
void name_job(Environment read, const char* launchers, Rank& rank) noexcept {
    if (const char* own = text_of(read, "DROM_JOB")) {
        snprintf(rank.job, sizeof rank.job, "%s", own);
        return;
    }
    const char* job = text_of(read, "SLURM_JOB_ID");
    const char* step = text_of(read, "SLURM_STEP_ID");
    if (job == nullptr) {
        const char* other = text_of(read, "PBS_JOBID");
        const char* name = other != nullptr ? other : text_of(read, launchers);
        snprintf(rank.job, sizeof rank.job, "%s", name != nullptr ? name : "");
        return;
    }
    snprintf(rank.job, sizeof rank.job, step != nullptr ? "%s.%s" : "%s", job, step);
}

}  // namespace

bool rank_of(Environment read, Rank& rank) noexcept {
    for (const Launcher& launcher : kLaunchers) {
        rank = {};
        if (!number(read, launcher.rank, rank.rank)) continue;
        number(read, launcher.ranks, rank.ranks);
        number(read, launcher.local_rank, rank.local_rank);
        number(read, launcher.local_ranks, rank.local_ranks);
        name_job(read, launcher.job, rank);
        return true;
    }
    rank = {};
    name_job(read, nullptr, rank);
    return false;
}

bool shares_mask(const Rank& rank, uint32_t own, uint32_t allowed) noexcept {
    return rank.local_ranks > 1 && uint64_t{own} * rank.local_ranks > allowed;
}

Part part_of(const Rank& rank, uint32_t cpus) noexcept {
    if (rank.local_ranks == 0 || rank.local_rank >= rank.local_ranks) return {0, cpus};
    const uint32_t each = cpus / rank.local_ranks;
    const uint32_t more = cpus % rank.local_ranks;
    const uint32_t first = rank.local_rank * each + (rank.local_rank < more ? rank.local_rank : more);
    return {first, first + each + (rank.local_rank < more ? 1 : 0)};
}

namespace {

/// Reads /proc/<pid>/stat: "pid (command) state parent ...". The command may contain anything.
bool read_parent(int pid, char (&command)[32], int& parent) noexcept {
    char path[32];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    char text[512];
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    if (length <= 0) return false;
    text[length] = '\0';
    const char* open_bracket = strchr(text, '(');
    const char* close_bracket = strrchr(text, ')');
    if (open_bracket == nullptr || close_bracket == nullptr) return false;
    snprintf(command, sizeof command, "%.*s", static_cast<int>(close_bracket - open_bracket - 1), open_bracket + 1);
    return sscanf(close_bracket + 1, " %*c %d", &parent) == 1;
}

}  // namespace

bool name_by_launcher(char* job, size_t size) noexcept {
    constexpr int kMaxForefathers = 8;  // shells and wrappers between Hydra and the rank
    int pid = getppid();
    for (int i = 0; i < kMaxForefathers && pid > 1; ++i) {
        char command[32];
        int parent = 0;
        if (!read_parent(pid, command, parent)) return false;
        if (strncmp(command, "hydra_", 6) == 0) {
            snprintf(job, size, "hydra.%d", pid);
            return true;
        }
        pid = parent;
    }
    return false;
}

}  // namespace drom
