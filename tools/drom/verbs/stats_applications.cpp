// SPDX-License-Identifier: BSD-3-Clause
// stats_applications.cpp - from clients that were watched to programs with budgets.
#include "verbs/stats_applications.hpp"

#include <algorithm>
#include <numeric>

namespace drom::command {

namespace {

bool is_rank(const ProcessSeen& process) {
    return std::ranges::any_of(process.threads, [](const metrics::ThreadTimes& thread) { return thread.mpi > 0; });
}

/// Returns all processes as one, whose primary thread is that of the first.
ProcessSeen pooled(const std::vector<ProcessSeen>& processes) {
    ProcessSeen all = processes.front();
    for (size_t i = 1; i < processes.size(); ++i) {
        all.threads.insert(all.threads.end(), processes[i].threads.begin(), processes[i].threads.end());
        all.cpu_s += processes[i].cpu_s;
        all.waited_s += processes[i].waited_s;
        all.samples += processes[i].samples;
    }
    return all;
}

StatsProcess process_of(const ClientSeen& client, const ProcessSeen& seen, double owned_s, double elapsed_s) {
    StatsProcess process;
    process.client = client.info.name;
    process.pid = seen.pid;
    if (client.info.ranks != 0) process.rank = client.info.rank;
    process.threads = static_cast<unsigned>(seen.threads.size());
    process.samples = seen.samples;
    process.cpu_s = seen.cpu_s;
    process.waited_s = seen.waited_s;
    process.budget = metrics::budget_of({elapsed_s, owned_s / elapsed_s, seen.threads});
    return process;
}

}  // namespace

std::vector<double> divided(double owned, std::span<const double> used) {
    std::vector<double> parts(used.begin(), used.end());
    std::vector<size_t> open(used.size());
    std::iota(open.begin(), open.end(), size_t{0});
    double left = owned;
    // A rank above the equal share of those that are left keeps what it used; then the share of the others is smaller.
    for (bool changed = true; changed && !open.empty();) {
        const double share = std::max(left, 0.0) / static_cast<double>(open.size());
        const auto above = std::stable_partition(open.begin(), open.end(), [&](size_t i) { return used[i] <= share; });
        std::for_each(above, open.end(), [&](size_t i) { left -= used[i]; });
        changed = above != open.end();
        open.erase(above, open.end());
    }
    for (const size_t i : open) parts[i] = left / static_cast<double>(open.size());
    return parts;
}

std::vector<StatsProcess> processes_of(const ClientSeen& client, double elapsed_s, const std::string& node) {
    if (client.processes.empty()) return {};
    std::vector<ProcessSeen> units;
    std::ranges::copy_if(client.processes, std::back_inserter(units), is_rank);
    if (units.size() < 2) units = {pooled(client.processes)};
    std::vector<double> used;
    for (const ProcessSeen& unit : units) used.push_back(unit.cpu_s);
    const auto owned = divided(client.cpus * elapsed_s, used);
    std::vector<StatsProcess> processes;
    for (size_t i = 0; i < units.size(); ++i) {
        processes.push_back(process_of(client, units[i], owned[i], elapsed_s));
        processes.back().node = node;
    }
    return processes;
}

std::string name_without_rank(const std::string& name) {
    const size_t dot = name.rfind('.');
    const bool number = dot != std::string::npos && dot + 1 < name.size() &&
                        name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
    return number ? name.substr(0, dot) : name;
}

std::vector<StatsApplication> applications_of(const WindowSeen& window, const std::string& node) {
    std::vector<StatsApplication> applications;
    for (const ClientSeen& client : window.clients) {
        const std::string job = client.info.job;
        auto found = std::ranges::find_if(
            applications, [&](const StatsApplication& known) { return !job.empty() && known.job == job; });
        if (found == applications.end()) {
            const bool rank = client.info.ranks != 0;
            applications.push_back({job, rank ? name_without_rank(client.info.name) : client.info.name, true, {}});
            found = std::prev(applications.end());
        }
        if (client.refused != 0 || client.elsewhere) found->sampled = false;
        for (StatsProcess& process : processes_of(client, window.elapsed_s, node))
            found->processes.push_back(std::move(process));
    }
    return applications;
}

}  // namespace drom::command
