// SPDX-License-Identifier: BSD-3-Clause
// threads.cpp - the threads of a process as the kernel sees them.
#include "program/threads.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

namespace drom::command {

namespace {

struct Sight {
    ThreadView view;
    uint64_t run_ns = 0;
    uint64_t switches = 0;
};

std::string contents(const std::string& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::string field(const std::string& status, const std::string& name) {
    const size_t at = status.find("\n" + name + ":");
    if (at == std::string::npos) return {};
    const size_t start = status.find_first_not_of(" \t", at + name.size() + 2);
    return start == std::string::npos ? std::string() : status.substr(start, status.find('\n', start) - start);
}

/// The user ids that the kernel compares before one process may set the affinity of another.
struct Rights {
    uid_t real = 0;
    uid_t effective_user = 0;
    uint64_t permitted = 0;  ///< capabilities
    uint64_t effective = 0;
};

std::optional<Rights> rights_of(pid_t pid) {
    const std::string status = "\n" + contents(fmt::format("/proc/{}/status", pid));
    Rights rights;
    std::istringstream users(field(status, "Uid"));
    if (!(users >> rights.real >> rights.effective_user)) return std::nullopt;
    rights.permitted = std::strtoull(field(status, "CapPrm").c_str(), nullptr, 16);
    rights.effective = std::strtoull(field(status, "CapEff").c_str(), nullptr, 16);
    return rights;
}

/// Returns field 39 of /proc/PID/stat, counted after the name, which may contain anything.
unsigned last_cpu(const std::string& stat) {
    constexpr int kFieldsFromState = 36;
    const size_t end_of_name = stat.rfind(')');
    if (end_of_name == std::string::npos) return 0;
    std::istringstream fields(stat.substr(end_of_name + 1));
    std::string word;
    for (int i = 0; i <= kFieldsFromState; ++i) fields >> word;
    return static_cast<unsigned>(std::strtoul(word.c_str(), nullptr, 10));
}

Sight look_at(const std::string& folder, pid_t tid) {
    Sight sight;
    const std::string status = "\n" + contents(folder + "/status");
    sight.view.tid = tid;
    sight.view.name = field(status, "Name");
    sight.view.state = field(status, "State").empty() ? '?' : field(status, "State").front();
    sight.view.cpu = last_cpu(contents(folder + "/stat"));
    if (const auto cpus = CpuSet::parse(field(status, "Cpus_allowed_list"))) sight.view.allowed = *cpus;
    sight.view.deadline = sched_getscheduler(tid) == SCHED_DEADLINE;
    sight.switches = std::strtoull(field(status, "nonvoluntary_ctxt_switches").c_str(), nullptr, 10);
    sight.run_ns = std::strtoull(contents(folder + "/schedstat").c_str(), nullptr, 10);
    return sight;
}

std::map<pid_t, Sight> look(pid_t pid) {
    std::map<pid_t, Sight> sights;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid), code)) {
        const auto tid = static_cast<pid_t>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
        sights[tid] = look_at(entry.path(), tid);
    }
    return sights;
}

void rest(std::chrono::milliseconds interval) {
    const auto ms = interval.count();
    timespec left{static_cast<time_t>(ms / 1000), static_cast<long>(ms % 1000 * 1'000'000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {}
}

}  // namespace

std::vector<ThreadView> sample_threads(pid_t pid, std::chrono::milliseconds interval) {
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto before = look(pid);
    rest(interval);
    const auto after = look(pid);
    const double elapsed = std::chrono::duration<double, std::nano>(Clock::now() - start).count();
    std::vector<ThreadView> threads;
    for (const auto& [tid, sight] : after) {
        ThreadView view = sight.view;
        if (const auto old = before.find(tid); old != before.end()) {
            view.busy = static_cast<double>(sight.run_ns - old->second.run_ns) / elapsed;
            view.preempted = sight.switches - old->second.switches;
        }
        threads.push_back(std::move(view));
    }
    return threads;
}

bool may_move(pid_t mover, pid_t pid) {
    constexpr uint64_t kSysNice = 1ULL << 23U;
    const auto ours = rights_of(mover);
    const auto theirs = rights_of(pid);
    if (!ours || !theirs || (ours->effective & kSysNice) != 0) return true;
    const bool same_user = ours->effective_user == theirs->effective_user || ours->effective_user == theirs->real;
    return same_user && (theirs->permitted & ~ours->effective) == 0;
}

}  // namespace drom::command
