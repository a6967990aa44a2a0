// SPDX-License-Identifier: BSD-3-Clause
// stats.cpp - drom stats: what programs do with their CPUs, seen from outside.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <fstream>

#include "command_line/clients.hpp"
#include "output/format.hpp"
#include "output/messages.hpp"
#include "output/stats_json.hpp"
#include "output/talp_json.hpp"
#include "sampling/window.hpp"
#include "table/snapshot.hpp"
#include "text/wrapped.hpp"
#include "verbs/all_users.hpp"
#include "verbs/stats_applications.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

std::string paranoid_text() {
    std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
    std::string level;
    return file >> level ? fmt::format("; kernel.perf_event_paranoid is {}", level) : "";
}

std::string now_text() {
    const time_t now = time(nullptr);
    tm parts{};
    localtime_r(&now, &parts);
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S%z", &parts);
    return text;
}

/// Prints the one program of the report. Errors: there are none or several, or no samples of it.
int print_talp(const CommandOptions& options, const StatsReport& report) {
    const auto refuse = [&](const std::string& text) {
        return refused(options, sentence(options, DROM_E_INVAL, "--talp is about one program, " + text));
    };
    const auto& programs = report.applications;
    if (programs.size() != 1)
        return refuse(fmt::format("and there are {}; name one with CLIENT or --job", programs.size()));
    if (!programs.front().sampled) return refuse("and this one could not be sampled");
    return print(talp_json(report, programs.front(), now_text())) ? kDone : kRefused;
}

}  // namespace

Expected<std::vector<drom_client_info>> clients_asked_for(const CommandOptions& options, const Table& table) {
    auto clients = table.clients();
    if (!clients) return clients;
    const auto refuse = [&](const Error& error) {
        return tl::make_unexpected(sentence(options, error.status, error.text));
    };
    if (!options.job.empty()) {
        std::erase_if(*clients, [&](const drom_client_info& info) { return options.job != info.job; });
        if (clients->empty())
            return refuse({DROM_E_NOPROC, fmt::format("no client belongs to job '{}'; drom list -o pid,job shows the "
                                                      "jobs there are",
                                                      options.job)});
    }
    if (options.client.empty()) return clients;
    const auto pid = resolve_client(options.client, *clients);
    if (!pid) return refuse(pid.error());
    std::erase_if(*clients, [&](const drom_client_info& info) { return info.pid != *pid; });
    if (clients->empty())
        return refuse({DROM_E_NOPROC, fmt::format("process {} is not a client of {}", *pid, table.path())});
    return clients;
}

bool tell_refusals(const CommandOptions& options, const WindowSeen& window) {
    bool all = true;
    for (const ClientSeen& client : window.clients) {
        if (client.refused == 0 && !client.elsewhere) continue;
        all = false;
        const std::string text =
            client.elsewhere
                ? fmt::format("the process of {} is in another pid namespace, such as a container's; ask from within",
                              client_words(client.info))
                : fmt::format(
                      "the kernel lets no samples be taken of {} ({}{}), so only its CPU use is known; "
                      "perf_event_paranoid 2 or CAP_PERFMON would allow them",
                      client_words(client.info), std::strerror(client.refused), paranoid_text());
        complain(sentence(options, DROM_E_PERM, text).text);
    }
    return all;
}

StatsReport report_of(const WindowSeen& window, const std::string& node) {
    return {{node}, window.elapsed_s, window.in_kernel, window.cost_s, applications_of(window, node)};
}

int print_stats(const CommandOptions& options, const StatsReport& report) {
    if (options.stats.talp) return print_talp(options, report);
    const std::string text = options.json        ? stats_json(report)
                             : options.stats.csv ? stats_csv(report)
                                                 : stats_text(report, page_width());
    return print(text) ? kDone : kRefused;
}

int verb_stats(const CommandOptions& options) {
    if (options.stats.merge) return verb_stats_merge(options);
    if (options.stats.regions) return verb_stats_regions(options);
    if (options.all_users) return look_all_users(options, verb_stats);
    const auto table = Table::open(options.table, {.read_only = true});
    if (!table) return refused(options, table.error());
    const auto clients = clients_asked_for(options, *table);
    if (!clients) return refused(options, clients.error());
    const WindowSeen window = watch_clients(*table, *clients, options.stats.window);
    const StatsReport report = report_of(window, node_name());
    const bool all = tell_refusals(options, window);
    if (report.applications.empty() && !options.json && !options.stats.csv && !options.stats.talp)
        print("no clients\n");
    const int status = print_stats(options, report);
    return all ? status : kRefused;
}

}  // namespace drom::command
