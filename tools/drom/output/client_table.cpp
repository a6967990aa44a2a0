// SPDX-License-Identifier: BSD-3-Clause
// client_table.cpp - the clients of a node as lines and columns.
#include "output/client_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "output/format.hpp"
#include "text/visible.hpp"

namespace drom::command {

namespace {

std::string or_dash(const std::string& text) { return text.empty() ? "-" : text; }

std::string team_text(const drom_client_info& info) {
    if (info.team_size == 0) return "-";
    return info.start_size == 0 ? std::to_string(info.team_size)
                                : fmt::format("{}/{}", info.team_size, info.start_size);
}

/// Returns the number of processes that are moved with the client: its own one, and its descendants.
std::string process_text(const ClientView& client) {
    return client.descendants.empty() ? "1" : fmt::format("1+{}", client.descendants.size());
}

std::string rank_text(const drom_client_info& info) {
    return info.ranks == 0 ? "-" : fmt::format("{}/{}", info.rank, info.ranks);
}

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
    {"entry_points", "where it adopts requests",
     [](const ClientView& c) { return or_dash(joined(entry_point_words(c.info.entry_points), ",")); }},
    {"state", "live, or reserved until it joins", [](const ClientView& c) { return state_word(c.info.state); }},
    {"seq", "the number of its newest request", [](const ClientView& c) { return std::to_string(c.info.request_seq); }},
    {"min", "the fewest CPUs it may be left with",
     [](const ClientView& c) { return std::to_string(std::max(1U, c.info.min_cpus)); }},
    {"max", "the most CPUs it can use",
     [](const ClientView& c) { return c.info.max_cpus == 0 ? "-" : std::to_string(c.info.max_cpus); }},
    {"why", "why its number of threads stays", [](const ClientView& c) { return or_dash(c.info.why); }},
};
constexpr const char* kDefaults[] = {"slot", "pid",     "name", "job",    "rank",         "processes", "cpus",
                                     "want", "request", "team", "resize", "entry_points", "state"};

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

/// Returns the text of a cell. A wanted mask that does not differ is "=", so that one that does is seen at once; a team
/// that is never resized is said in words.
std::string cell(const ClientView& client, const Column& column) {
    const std::string_view name = column.name;
    if (name == "want" && client.wanted == client.owned) return "=";
    if (name == "resize" && client.info.resize == DROM_RESIZE_NONE) return "not resized";
    return visible(column.text(client));
}

/// Returns true when a column says anything: only a node with MPI jobs has ranks, and most clients are one process.
bool is_needed(const Snapshot& snapshot, const Column& column) {
    const std::string_view name = column.name;
    return std::ranges::any_of(snapshot.clients, [&](const ClientView& client) {
        return (name != "rank" || client.info.ranks != 0) && (name != "processes" || !client.descendants.empty());
    });
}

}  // namespace

std::vector<ColumnText> column_texts() {
    std::vector<ColumnText> texts;
    for (const Column& column : kColumns) texts.push_back({column.name, column.meaning});
    return texts;
}

Expected<Columns> columns_of(std::vector<std::string> names) {
    if (names.empty()) names.assign(std::begin(kDefaults), std::end(kDefaults));
    Columns columns;
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

void leave_out_silent(Columns& columns, const Snapshot& snapshot) {
    std::erase_if(columns, [&](const Column* column) { return !is_needed(snapshot, *column); });
}

std::string raw_table(const Snapshot& snapshot, const Columns& columns) {
    std::string out;
    for (const auto& client : snapshot.clients)
        for (const auto* column : columns)
            out += visible(column->text(client)) + (column == columns.back() ? '\n' : '\t');
    return out;
}

std::string aligned_table(const Snapshot& snapshot, const Columns& columns) {
    std::vector<std::vector<std::string>> lines(1 + snapshot.clients.size());
    for (const auto* column : columns) lines[0].push_back(upper(column->name));
    for (size_t i = 0; i < snapshot.clients.size(); ++i)
        for (const auto* column : columns) lines[i + 1].push_back(cell(snapshot.clients[i], *column));
    std::vector<size_t> widths(columns.size());
    for (const auto& line : lines)
        for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], columns_of_text(line[i]));
    std::string out;
    for (const auto& line : lines)
        for (size_t i = 0; i < line.size(); ++i)
            out += i + 1 == line.size() ? line[i] + '\n' : fmt::format("{:<{}}  ", line[i], widths[i]);
    return out;
}

std::string table_foot(const Snapshot& snapshot) {
    const auto or_none = [](const CpuSet& set) { return set.empty() ? std::string("none") : set.text(); };
    std::string out = "free: " + or_none(snapshot.masks.free);
    if (!snapshot.masks.drained.empty()) out += "; drained: " + snapshot.masks.drained.text();
    if (!snapshot.orphaned.empty())
        out += "; left by the dead: " + snapshot.orphaned.text() + " (drom check frees them)";
    return out + "; all: " + snapshot.masks.present.text() + '\n';
}

std::string queue_lines(const std::vector<QueuedProgram>& queue, int64_t now_s) {
    std::string out;
    for (const QueuedProgram& program : queue)
        out += fmt::format("queued: {} ({}), {}, priority {}, for {} s\n", visible(program.name), program.pid,
                           program.cpus == 0 ? "all free CPUs" : counted(program.cpus, "CPU"), program.priority,
                           std::max<int64_t>(0, now_s - program.since_s));
    return out;
}

}  // namespace drom::command
