// SPDX-License-Identifier: BSD-3-Clause
// metrics.cpp - drom metrics: what drom stats says of all clients, for Prometheus.
#include <csignal>

#include "output/openmetrics.hpp"
#include "output/replaced_file.hpp"
#include "sampling/window.hpp"
#include "table/snapshot.hpp"
#include "verbs/all_users.hpp"
#include "verbs/stats_applications.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

ClientRequests requests_of(const drom_client_info& info) {
    ClientRequests requests{info.name, info.job, info.pid, {}, info.request_seq, {}};
    if (info.ranks != 0) requests.rank = info.rank;
    const bool released = info.request_seq != 0 && info.released_seq == info.request_seq;
    if (released && info.released_ns >= info.posted_ns)
        requests.release_s = static_cast<double>(info.released_ns - info.posted_ns) / 1e9;
    return requests;
}

NodeCpus cpus_of(const Snapshot& snapshot) {
    CpuSet owned;
    for (const ClientView& client : snapshot.clients) owned = owned | client.owned;
    return {owned.count(), snapshot.masks.free.count(), snapshot.masks.drained.count()};
}

/// Prints the text, or replaces the file by it. `all`: how all that it is about was seen. Returns the exit status.
int write(const CommandOptions& options, const std::string& text, int all) {
    if (options.out.empty()) return print(text) || all != kDone ? all : kRefused;
    if (const auto written = replace_file(options.out, text, kForAllToRead); !written)
        return refused(options, sentence(options, written.error().status, written.error().text));
    return all;
}

/// Returns whether the file can be written. Tells why not.
bool has_place(const CommandOptions& options) {
    if (options.out.empty()) return true;
    const auto can = can_replace(options.out);
    if (!can) refused(options, sentence(options, can.error().status, can.error().text));
    return can.has_value();
}

int write_all_users(const CommandOptions& options) {
    if (!has_place(options)) return kRefused;
    std::string text;
    const int all = metrics_all_users(options, text);
    return text.empty() ? all : write(options, text, all);
}

}  // namespace

int verb_metrics(const CommandOptions& options) {
    // A file beyond the limit (ulimit -f) is an error, and no end of this process that leaves a part behind.
    std::signal(SIGXFSZ, SIG_IGN);
    if (options.all_users) return write_all_users(options);
    const auto table = Table::open(options.table, {.read_only = true});
    if (!table) return refused(options, table.error());
    if (!has_place(options)) return kRefused;
    const auto clients = table->clients();
    if (!clients) return refused(options, clients.error());
    const WindowSeen window = watch_clients(*table, *clients, options.stats.window);
    const auto snapshot = take_snapshot(*table);
    if (!snapshot) return refused(options, snapshot.error());
    const std::string node = node_name();
    NodeMetrics metrics{cpus_of(*snapshot), {}, report_of(window, node)};
    for (const ClientView& client : snapshot->clients) metrics.clients.push_back(requests_of(client.info));
    const bool all = tell_refusals(options, window);
    return write(options, openmetrics_text(metrics), all ? kDone : kRefused);
}

}  // namespace drom::command
