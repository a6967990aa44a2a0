// SPDX-License-Identifier: BSD-3-Clause
// slurm_queue.cpp - runs squeue, and reads its columns.
#include "program/slurm_queue.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "program/child_output.hpp"

namespace drom::command {

namespace {

struct Column {
    const char* name;
    size_t width;
    std::string QueuedJob::* field;
};

constexpr std::array<Column, 5> kColumns{{{"jobarrayid", 40, &QueuedJob::id},
                                          {"state", 20, &QueuedJob::state},
                                          {"reason", 80, &QueuedJob::reason},
                                          {"system_comment", 400, &QueuedJob::system_comment},
                                          {"admin_comment", 400, &QueuedJob::admin_comment}}};

std::string without_blanks(std::string_view text) {
    const size_t end = text.find_last_not_of(' ');
    if (end == text.npos || text == "(null)") return "";
    text = text.substr(0, end + 1);
    return text == "(null)" ? "" : std::string(text);
}

QueuedJob job_of(std::string_view line) {
    QueuedJob job;
    for (const Column& column : kColumns) {
        job.*column.field = without_blanks(line.substr(0, column.width));
        line.remove_prefix(std::min(line.size(), column.width));
    }
    return job;
}

/// Starts squeue with both its outputs going to `output`. Returns its pid; the negative error: it cannot be started.
pid_t start_squeue(const std::string& job, int output) {
    const std::string about = "--jobs=" + job, columns = queue_columns();
    const std::array<const char*, 7> words{"squeue", "--noheader",    about.c_str(), "--states=all",
                                           "-O",     columns.c_str(), nullptr};
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    pid_t child = -1;
    const int code = posix_spawnp(&child, words[0], &files, nullptr, const_cast<char**>(words.data()), environ);
    posix_spawn_file_actions_destroy(&files);
    return code == 0 ? child : -code;
}

tl::unexpected<Error> failure(int status, std::string text) {
    return tl::make_unexpected(Error{status, std::move(text)});
}

/// Returns squeue's own sentence without its name.
std::string said(std::string text) {
    for (const char* start : {"slurm_load_jobs error: ", "squeue: error: "})
        if (text.starts_with(start)) text.erase(0, std::strlen(start));
    return text.substr(0, text.find('\n'));
}

}  // namespace

std::string queue_columns() {
    std::string text;
    for (const Column& column : kColumns)
        text += fmt::format("{}{}:{}", text.empty() ? "" : ",", column.name, column.width);
    return text;
}

std::vector<QueuedJob> read_queue(std::string_view text) {
    std::vector<QueuedJob> jobs;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        if (QueuedJob job = job_of(text.substr(0, end)); !job.id.empty()) jobs.push_back(std::move(job));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return jobs;
}

Expected<std::vector<QueuedJob>> queued(const std::string& job) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return failure(DROM_E_OS, fmt::format("pipe: {}", std::strerror(errno)));
    const pid_t child = start_squeue(job, ends[1]);
    close(ends[1]);
    const std::string text = child > 0 ? read_until_end(ends[0]) : "";
    close(ends[0]);
    if (child < 0) return failure(DROM_E_OS, fmt::format("squeue cannot be started: {}", std::strerror(-child)));
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    const bool unknown = text.find("Invalid job id") != text.npos;
    if (status != 0 && !unknown) return failure(DROM_E_OS, fmt::format("squeue: {}", said(text)));
    auto jobs = unknown ? std::vector<QueuedJob>() : read_queue(text);
    if (jobs.empty()) return failure(DROM_E_NOPROC, fmt::format("Slurm's queue has no job {}", job));
    return jobs;
}

std::string_view comment_value(std::string_view comment, std::string_view key) {
    std::string_view value;
    while (!comment.empty()) {
        const std::string_view word = comment.substr(0, comment.find(' '));
        comment.remove_prefix(std::min(word.size() + 1, comment.size()));
        if (word.starts_with(key) && word.substr(key.size()).starts_with('=')) value = word.substr(key.size() + 1);
    }
    return value;
}

}  // namespace drom::command
