// SPDX-License-Identifier: BSD-3-Clause
// list.cpp - drom list: who owns which CPUs, and what is still unacknowledged.
#include "list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "all_users.hpp"
#include "clients.hpp"
#include "output_json.hpp"
#include "report.hpp"
#include "snapshot.hpp"
#include "verb_functions.hpp"
#include "verbs.hpp"
#include "visible.hpp"
#include "words.hpp"

namespace drom::command {

namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string team_text(const drom_client_info& info) {
    if (info.team_size == 0) return "-";
    return info.start_size == 0 ? std::to_string(info.team_size)
                                : fmt::format("{}/{}", info.team_size, info.start_size);
}

/// Its own process and those that are moved with it.
std::string process_text(const ClientView& client) {
    return client.descendants.empty() ? "1" : fmt::format("1+{}", client.descendants.size());
}

std::string rank_text(const drom_client_info& info) {
    return info.ranks == 0 ? "-" : fmt::format("{}/{}", info.rank, info.ranks);
}

struct Column {
    const char* name;
    const char* meaning;
    std::string (*text)(const ClientView&);
};

constexpr Column kColumns[] = {
    {"slot", "its number in the table", [](const ClientView& c) { return std::to_string(c.info.slot); }},
    {"pid", "its process", [](const ClientView& c) { return std::to_string(c.info.pid); }},
    {"name", "what it is called", [](const ClientView& c) { return or_dash(c.info.name); }},
    {"job", "the job it belongs to", [](const ClientView& c) { return or_dash(c.info.job); }},
    {"rank", "its MPI rank and how many there are", [](const ClientView& c) { return rank_text(c.info); }},
    {"processes", "itself and the processes that are moved with it", process_text},
    {"cpus", "the CPUs that it owns", [](const ClientView& c) { return or_dash(c.owned.text()); }},
    {"want", "what it will own when every request is done",
     [](const ClientView& c) { return or_dash(c.wanted.text()); }},
    {"request", "how far its newest request is", [](const ClientView& c) { return request_word(c.info); }},
    {"team", "its threads now and at its start", [](const ClientView& c) { return team_text(c.info); }},
    {"resize", "whether its number of threads follows its CPUs",
     [](const ClientView& c) { return resize_word(c.info.resize); }},
    {"doors", "how it is reached", [](const ClientView& c) { return or_dash(joined(door_words(c.info.doors), ",")); }},
    {"state", "live, or reserved until it joins", [](const ClientView& c) { return state_word(c.info.state); }},
    {"seq", "the number of its newest request", [](const ClientView& c) { return std::to_string(c.info.request_seq); }},
    {"min", "the fewest CPUs it may be left with",
     [](const ClientView& c) { return std::to_string(std::max(1U, c.info.min_cpus)); }},
    {"max", "the most CPUs it can use",
     [](const ClientView& c) { return c.info.max_cpus == 0 ? "-" : std::to_string(c.info.max_cpus); }},
    {"why", "why its number of threads stays", [](const ClientView& c) { return or_dash(c.info.why); }},
};
constexpr const char* kDefaults[] = {"slot", "pid",     "name", "job",    "rank",  "processes", "cpus",
                                     "want", "request", "team", "resize", "doors", "state"};

Expected<std::vector<const Column*>> columns_of(const Options& options) {
    std::vector<std::string> names = options.list.columns;
    if (names.empty()) names.assign(std::begin(kDefaults), std::end(kDefaults));
    std::vector<const Column*> columns;
    std::vector<std::string> known;
    for (const Column& column : kColumns) known.emplace_back(column.name);
    for (const auto& name : names) {
        const auto* found =
            std::ranges::find(kColumns, name, [](const Column& column) { return std::string_view(column.name); });
        if (found == std::end(kColumns))
            return failure(DROM_E_INVAL,
                           fmt::format("there is no column '{}'; there are {}", name, joined(known, ",")));
        columns.push_back(found);
    }
    return columns;
}

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

std::string raw_table(const Snapshot& snapshot, const std::vector<const Column*>& columns) {
    std::string out;
    for (const auto& client : snapshot.clients)
        for (const auto* column : columns)
            out += visible(column->text(client)) + (column == columns.back() ? '\n' : '\t');
    return out;
}

/// What differs from its neighbour is seen at once when what does not is "="; what nobody resizes is said in words.
std::string cell(const ClientView& client, const Column& column) {
    const std::string_view name = column.name;
    if (name == "want" && client.wanted == client.owned) return "=";
    if (name == "resize" && client.info.resize == DROM_RESIZE_NONE) return "not resized";
    return visible(column.text(client));
}

/// Whether a column that was not asked for says anything: only a node with MPI jobs has ranks, and most clients are one process.
bool is_needed(const Snapshot& snapshot, const Column& column) {
    const std::string_view name = column.name;
    return std::ranges::any_of(snapshot.clients, [&](const ClientView& client) {
        return (name != "rank" || client.info.ranks != 0) && (name != "processes" || !client.descendants.empty());
    });
}

std::string aligned_table(const Snapshot& snapshot, const std::vector<const Column*>& columns) {
    std::vector<std::vector<std::string>> lines(1 + snapshot.clients.size());
    for (const auto* column : columns) lines[0].push_back(upper(column->name));
    for (size_t i = 0; i < snapshot.clients.size(); ++i)
        for (const auto* column : columns) lines[i + 1].push_back(cell(snapshot.clients[i], *column));
    std::vector<size_t> widths(columns.size());
    for (const auto& line : lines)
        for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    std::string out;
    for (const auto& line : lines)
        for (size_t i = 0; i < line.size(); ++i)
            out += i + 1 == line.size() ? line[i] + '\n' : fmt::format("{:<{}}  ", line[i], widths[i]);
    return out;
}

std::string foot(const Snapshot& snapshot) {
    const auto or_none = [](const CpuSet& set) { return set.empty() ? std::string("none") : set.text(); };
    std::string out = "free: " + or_none(snapshot.masks.free);
    if (!snapshot.masks.drained.empty()) out += "; drained: " + snapshot.masks.drained.text();
    if (!snapshot.orphaned.empty())
        out += "; left by the dead: " + snapshot.orphaned.text() + " (drom check frees them)";
    return out + "; all: " + snapshot.masks.present.text() + '\n';
}

/// Keeps only the client that was asked for.
Expected<bool> narrow(Snapshot& snapshot, const std::string& client) {
    std::vector<drom_client_info> infos;
    infos.reserve(snapshot.clients.size());
    for (const auto& view : snapshot.clients) infos.push_back(view.info);
    const auto pid = resolve_client(client, infos);
    if (!pid) return tl::make_unexpected(pid.error());
    std::erase_if(snapshot.clients, [&](const ClientView& view) { return view.info.pid != *pid; });
    if (snapshot.clients.empty())
        return failure(DROM_E_NOPROC, fmt::format("process {} is not a client of {}", *pid, snapshot.path));
    return true;
}

}  // namespace

std::vector<ColumnText> column_texts() {
    std::vector<ColumnText> texts;
    for (const Column& column : kColumns) texts.push_back({column.name, column.meaning});
    return texts;
}

int verb_list(const Options& options) {
    auto columns = columns_of(options);
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
    if (options.list.columns.empty())
        std::erase_if(*columns, [&](const Column* column) { return !is_needed(*snapshot, *column); });
    if (options.json) return print(list_json(*snapshot)) ? kDone : kRefused;
    if (options.list.raw) return print(raw_table(*snapshot, *columns)) ? kDone : kRefused;
    const std::string table_text = snapshot->clients.empty() ? "no clients\n" : aligned_table(*snapshot, *columns);
    return print(table_text + (options.client.empty() ? foot(*snapshot) : "")) ? kDone : kRefused;
}

}  // namespace drom::command
