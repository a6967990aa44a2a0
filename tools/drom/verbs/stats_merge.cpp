// SPDX-License-Identifier: BSD-3-Clause
// stats_merge.cpp - drom stats merge: the reports of several nodes as one.
#include "verbs/stats_merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "output/messages.hpp"
#include "output/stats_json.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

constexpr size_t kLargestFile = 64UL << 20U;

/// Puts reports together, one after the other.
class Merger {
public:
    Expected<void> add(const StatsFile& file) {
        whole_.nodes.insert(whole_.nodes.end(), file.report.nodes.begin(), file.report.nodes.end());
        whole_.window_s = std::max(whole_.window_s, file.report.window_s);
        whole_.in_kernel &= file.report.in_kernel;
        whole_.cost_s += file.report.cost_s;
        for (size_t i = 0; i < file.report.applications.size(); ++i) {
            const auto added = add(file, i);
            if (!added) return added;
        }
        return {};
    }

    StatsReport take() {
        std::ranges::sort(whole_.nodes);
        whole_.nodes.erase(std::unique(whole_.nodes.begin(), whole_.nodes.end()), whole_.nodes.end());
        return std::move(whole_);
    }

private:
    Expected<void> add(const StatsFile& file, size_t number) {
        const StatsApplication& application = file.report.applications[number];
        const std::string name = application.job.empty() ? application.name : "";
        const auto [at, is_new] = places_.try_emplace({application.job, name}, whole_.applications.size());
        if (is_new) whole_.applications.push_back({application.job, application.name, true, {}});
        StatsApplication& sum = whole_.applications[at->second];
        sum.sampled &= application.sampled;
        for (size_t i = 0; i < application.processes.size(); ++i) {
            const StatsProcess& process = application.processes[i];
            if (!known_.emplace(at->second, process.node, process.pid).second)
                return failure(DROM_E_INVAL, fmt::format("{}: /applications/{}/processes/{}: process {} of node {} is "
                                                         "there a second time",
                                                         file.name, number, i, process.pid, process.node));
            sum.processes.push_back(process);
        }
        return {};
    }

    StatsReport whole_;
    std::map<std::pair<std::string, std::string>, size_t> places_;
    std::set<std::tuple<size_t, std::string, pid_t>> known_;
};

Expected<std::string> contents_of(const std::string& name) {
    errno = 0;
    std::ifstream file(name, std::ios::binary);
    std::string text;
    char part[4096];
    while (text.size() <= kLargestFile && (file.read(part, sizeof part) || file.gcount() > 0))
        text.append(part, static_cast<size_t>(file.gcount()));
    if (!file.is_open() || file.bad() || errno == EISDIR)
        return failure(DROM_E_OS, fmt::format("{}: it cannot be read: {}", name, std::strerror(errno)));
    if (text.size() > kLargestFile)
        return failure(DROM_E_INVAL, fmt::format("{}: it is larger than {} MiB", name, kLargestFile >> 20U));
    return text;
}

Expected<StatsFile> read_file(const std::string& name) {
    const auto text = contents_of(name);
    if (!text) return tl::make_unexpected(text.error());
    auto report = read_stats(*text);
    if (!report) return failure(report.error().status, fmt::format("{}:{}", name, report.error().text));
    return StatsFile{name, *std::move(report)};
}

}  // namespace

Expected<StatsReport> merged(const std::vector<StatsFile>& files) {
    Merger merger;
    for (const StatsFile& file : files)
        if (const auto added = merger.add(file); !added) return tl::make_unexpected(added.error());
    return merger.take();
}

int verb_stats_merge(const CommandOptions& options) {
    std::vector<StatsFile> files;
    for (const std::string& name : options.stats.files) {
        auto file = read_file(name);
        if (!file) return misused(options, file.error().text);
        files.push_back(*std::move(file));
    }
    const auto report = merged(files);
    if (!report) return misused(options, report.error().text);
    return print_stats(options, *report);
}

}  // namespace drom::command
