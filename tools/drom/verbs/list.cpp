// SPDX-License-Identifier: BSD-3-Clause
// list.cpp - drom list: which client owns which CPUs, and what is still unacknowledged.
#include "output/client_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "command_line/clients.hpp"
#include "command_line/verb_texts.hpp"
#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "table/run_queue.hpp"
#include "table/snapshot.hpp"
#include "text/visible.hpp"
#include "verbs/all_users.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

/// Keeps only the client that was asked for. Errors: there is no such client.
Expected<void> narrow(Snapshot& snapshot, const std::string& client) {
    std::vector<drom_client_info> infos;
    infos.reserve(snapshot.clients.size());
    for (const auto& view : snapshot.clients) infos.push_back(view.info);
    const auto pid = resolve_client(client, infos);
    if (!pid) return tl::make_unexpected(pid.error());
    std::erase_if(snapshot.clients, [&](const ClientView& view) { return view.info.pid != *pid; });
    if (snapshot.clients.empty())
        return failure(DROM_E_NOPROC, fmt::format("process {} is not a client of {}", *pid, snapshot.path));
    return {};
}

}  // namespace

int verb_list(const CommandOptions& options) {
    auto columns = columns_of(options.list.columns);
    if (!columns) return misused(options, columns.error().text);
    if (options.all_users) return list_all_users(options);
    const auto table = Table::open(options.table, {.read_only = true});
    if (!table) return refused(options, table.error());
    auto snapshot = take_snapshot(*table);
    if (!snapshot) return refused(options, snapshot.error());
    if (!options.client.empty()) {
        const auto found = narrow(*snapshot, options.client);
        if (!found) return refused(options, sentence(options, found.error().status, found.error().text));
    }
    for (auto& client : snapshot->clients) find_descendants(*table, client);
    if (options.list.columns.empty()) leave_out_silent(*columns, *snapshot);
    const std::vector<QueuedProgram> queue =
        options.client.empty() ? queued_programs(snapshot->path) : std::vector<QueuedProgram>();
    if (options.json) return print(list_json(*snapshot, queue)) ? kDone : kRefused;
    if (options.list.raw) return print(raw_table(*snapshot, *columns)) ? kDone : kRefused;
    const std::string table_text = snapshot->clients.empty() ? "no clients\n" : aligned_table(*snapshot, *columns);
    const std::string foot = options.client.empty() ? table_foot(*snapshot) : "";
    return print(table_text + foot + queue_lines(queue, std::time(nullptr))) ? kDone : kRefused;
}

}  // namespace drom::command
