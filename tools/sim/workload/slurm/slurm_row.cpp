// SPDX-License-Identifier: BSD-3-Clause
// slurm_row.cpp - lines of Slurm's accounting, cut into fields.
#include "workload/slurm/slurm_row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "workload/slurm/slurm_values.hpp"
#include "workload/swf/swf_row.hpp"

namespace drom::sim::slurm {
namespace {

constexpr std::size_t kNowhere = static_cast<std::size_t>(-1);

struct Name {
    const char* text;
    Field field;
};
// The first of a field is the one that sentences name. Of two that a table has, the earlier here is taken.
constexpr Name kColumnNames[] = {{"JobIDRaw", kJobId},
                                 {"JobID", kJobId},
                                 {"Submit", kSubmit},
                                 {"Start", kStart},
                                 {"End", kEnd},
                                 {"Timelimit", kTimelimit},
                                 {"NNodes", kNodes},
                                 {"AllocNodes", kNodes},
                                 {"NCPUS", kCpus},
                                 {"AllocCPUS", kCpus},
                                 {"State", kState},
                                 {"User", kUser},
                                 {"Partition", kPartition},
                                 {"ReqMem", kMemory},
                                 {"JobName", kJobName},
                                 {"TimelimitRaw", kTimelimit},
                                 {"QOS", kQos}};
// In the order of a line; a value ends where the next of these keys begins. Values may have blanks: names, folders.
constexpr Name kKeys[] = {{"JobId", kJobId},         {"UserId", kUser},
                          {"GroupId", kFields},      {"Name", kJobName},
                          {"JobState", kState},      {"Partition", kPartition},
                          {"TimeLimit", kTimelimit}, {"StartTime", kStart},
                          {"EndTime", kEnd},         {"NodeList", kFields},
                          {"NodeCnt", kNodes},       {"ProcCnt", kCpus},
                          {"WorkDir", kFields},      {"ReservationName", kFields},
                          {"Gres", kFields},         {"Tres", kMemory},
                          {"Account", kFields},      {"QOS", kQos},
                          {"WcKey", kFields},        {"Cluster", kFields},
                          {"SubmitTime", kSubmit},   {"EligibleTime", kFields}};

std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    for (;;) {
        const auto bar = line.find('|');
        cells.push_back(line.substr(0, bar));
        if (bar == std::string_view::npos) return cells;
        line.remove_prefix(bar + 1);
    }
}

template <class Names>
const char* name_of(const Names& names, std::size_t field) {
    return std::find_if(std::begin(names), std::end(names), [&](const Name& name) { return name.field == field; })
        ->text;
}

/// Returns the names of the needed fields that are not there.
template <class Names, class There>
std::vector<std::string> missing(const Names& names, const There& there) {
    std::vector<std::string> list;
    for (std::size_t field = 0; field < kNeeded; ++field)
        if (!there(field)) list.emplace_back(name_of(names, field));
    return list;
}

std::string sentence(const std::vector<std::string>& names, const char* what) {
    return fmt::format("{}{} {} {} missing", what, names.size() == 1 ? "" : "s", fmt::join(names, ", "),
                       names.size() == 1 ? "is" : "are");
}

/// Returns "root" of "root(0)".
std::string_view without_number(std::string_view user) {
    return user.ends_with(')') ? user.substr(0, user.rfind('(')) : user;
}

/// Returns where " KEY=" begins in the text, with its blank.
std::size_t find_key(std::string_view text, std::string_view key, std::size_t from) {
    for (std::size_t at = text.find(key, from); at != std::string_view::npos; at = text.find(key, at + 1)) {
        const std::size_t end = at + key.size();
        if (at > 0 && text[at - 1] == ' ' && end < text.size() && text[end] == '=') return at - 1;
    }
    return std::string_view::npos;
}

}  // namespace

tl::expected<SacctTable, std::string> SacctTable::from(std::string_view header) {
    SacctTable table;
    table.ends_with_bar_ = header.ends_with('|');  // as sacct -p prints lines
    if (table.ends_with_bar_) header.remove_suffix(1);
    std::vector<std::string_view> cells = cells_of(header);
    table.at_.fill(kNowhere);
    table.columns_ = cells.size();
    for (const Name& name : kColumnNames) {
        const auto cell = std::find_if(cells.begin(), cells.end(),
                                       [&](std::string_view text) { return same_word(swf::trimmed(text), name.text); });
        if (cell == cells.end() || table.at_[name.field] != kNowhere) continue;
        table.at_[name.field] = static_cast<std::size_t>(cell - cells.begin());
        table.names_[name.field] = name.text;
    }
    const auto lacking = missing(kColumnNames, [&](std::size_t field) { return table.at_[field] != kNowhere; });
    if (lacking.size() == kNeeded)
        return tl::make_unexpected(
            fmt::format("{} is no line of names with | between them; {} prints one", swf::quoted(header), kSacct));
    if (!lacking.empty())
        return tl::make_unexpected(fmt::format("{}; {} prints all", sentence(lacking, "the column"), kSacct));
    return table;
}

tl::expected<Row, std::string> SacctTable::cut(std::string_view line) const {
    if (ends_with_bar_ && line.ends_with('|')) line.remove_suffix(1);
    std::vector<std::string_view> cells = cells_of(line);
    // sacct does not say where a | belongs to a name; behind the last column there is no doubt.
    if (cells.size() > columns_ && at_[kJobName] + 1 == columns_) {
        std::string_view& last = cells[columns_ - 1];
        last = line.substr(static_cast<std::size_t>(last.data() - line.data()));
        cells.resize(columns_);
    }
    if (cells.size() != columns_)
        return tl::make_unexpected(
            fmt::format("column {}: {} fields, where the line of names has {}{}", line.size() + 1, cells.size(),
                        columns_, cells.size() > columns_ ? "; let JobName be the last, which may have a |" : ""));
    Row row;
    row.line = line;
    row.names = names_;
    for (std::size_t field = 0; field < kFields; ++field)
        if (at_[field] != kNowhere) row.texts[field] = swf::trimmed(cells[at_[field]]);
    return row;
}

bool is_jobcomp(std::string_view line) { return line.starts_with("JobId="); }

tl::expected<Row, std::string> cut_jobcomp(std::string_view line) {
    Row row;
    row.line = line;
    std::size_t begin = 0;  // of the value
    Field field = kFields;  // that the value belongs to
    const auto end_value = [&](std::size_t end) {
        if (field != kFields) row.texts[field] = swf::trimmed(line.substr(begin, end - begin));
    };
    for (const Name& key : kKeys) {
        const std::string_view name = key.text;
        const std::size_t at = key.field == kJobId ? 0 : find_key(line, name, begin);
        if (at == std::string_view::npos) continue;
        end_value(at);
        begin = at + name.size() + (key.field == kJobId ? 1 : 2);
        field = key.field;
        if (field != kFields) row.names[field] = key.text;
    }
    end_value(std::min(line.find(' ', begin), line.size()));
    const auto lacking = missing(kKeys, [&](std::size_t of) { return row.names[of] != nullptr; });
    if (!lacking.empty()) return tl::make_unexpected("column 1: " + sentence(lacking, "the field"));
    row.texts[kUser] = without_number(row.texts[kUser]);
    row.texts[kMemory] = memory_of_tres(row.texts[kMemory]);
    return row;
}

}  // namespace drom::sim::slurm
