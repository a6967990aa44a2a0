// SPDX-License-Identifier: BSD-3-Clause
// top.cpp - drom top: what each client does with its CPUs, again and again.
#include <unistd.h>

#include <utility>

#include "metrics/factors.hpp"
#include "output/messages.hpp"
#include "output/stats_json.hpp"
#include "output/top_table.hpp"
#include "sampling/window.hpp"
#include "table/same_table.hpp"
#include "table/snapshot.hpp"
#include "verbs/all_users.hpp"
#include "verbs/stats_applications.hpp"
#include "verbs/top_at_terminal.hpp"
#include "verbs/top_rows.hpp"
#include "verbs/verb_functions.hpp"
#include "verbs/whole_texts.hpp"

namespace drom::command {

namespace {

TopRow row_seen(const Table& table, const ClientSeen& client, double elapsed_s) {
    const auto masks = table.masks_of(client.info.pid);
    TopRow row = row_of(client.info, masks ? masks->owned : CpuSet{});
    row.cpus = client.cpus;
    metrics::Budget sum;
    for (const StatsProcess& process : processes_of(client, elapsed_s, "")) {
        metrics::add(sum, process.budget);
        row.busy += process.cpu_s;
        row.waited += process.waited_s;
    }
    if (sum.owned <= 0) return row;
    row.busy /= sum.owned;
    row.waited /= sum.owned;
    if (client.refused == 0 && !client.elsewhere) row.efficiency = sum.useful / sum.owned;
    return row;
}

/// Looks once, and prints. Returns the exit status; kDone as long as a reader is there.
int show(const CommandOptions& options, const Table& table, const SameTable& same) {
    const auto clients = table.clients();
    if (!clients) return refused(options, clients.error());
    const WindowSeen window = watch_clients(table, *clients, options.stats.window);
    if (const auto there = same.check(); !there)
        return refused(options, sentence(options, there.error().status, there.error().text));
    TopFrame frame{node_name(), window.elapsed_s, {}};
    for (const ClientSeen& client : window.clients) frame.rows.push_back(row_seen(table, client, window.elapsed_s));
    return print_whole(options.json ? top_json(frame) : top_text(frame)) ? kDone : kRefused;
}

/// Returns whether a person looks at a screen, and can press keys.
bool is_at_terminal(const CommandOptions& options) {
    return !options.once && !options.json && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
}

}  // namespace

int verb_top(const CommandOptions& options) {
    if (options.all_users) return look_all_users(options, verb_top);
    const auto table = Table::open(options.table, {.read_only = true});
    if (!table) return refused(options, table.error());
    if (is_at_terminal(options)) {
        auto terminal = Terminal::open();
        if (terminal) return top_at_terminal(options, *table, *std::move(terminal));
        mention(options, "prints one table after the other: " + terminal.error().text);
    }
    end_cleanly_at_signals();
    const SameTable same(table->path());
    int status = show(options, *table, same);
    while (status == kDone && !options.once) status = show(options, *table, same);
    return status;
}

}  // namespace drom::command
