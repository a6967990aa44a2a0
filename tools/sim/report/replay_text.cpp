// SPDX-License-Identifier: BSD-3-Clause
// replay_text.cpp - decisions in words.
#include "report/replay_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "engine/jobs_text.hpp"
#include "report/counted.hpp"
#include "report/csv.hpp"
#include "report/text_file.hpp"

namespace drom::sim {
namespace {

using policy::Event;
using policy::Refusal;

constexpr Refusal kOutcomes[] = {Refusal::kNone, Refusal::kNotMalleable,    Refusal::kTooFewCores, Refusal::kNoMates,
                                 Refusal::kHarm, Refusal::kWaitingIsSooner, Refusal::kNotAdmitted};

/// Returns the other parameters as "max_slowdown=5,gain=1".
std::string others_text(const Replayed& replayed) {
    std::string text;
    for (const auto& [name, value] : replayed.others)
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
    return text;
}

std::string mates_text(const Event& event) {
    const char* idle = event.free.count() == 1 ? " and idle node " : " and idle nodes ";
    return fmt::format("{} {} per node of {}{}", event.cores, event.cores == 1 ? "core" : "cores",
                       jobs_text(event.mates), event.free.empty() ? "" : idle + event.free.text());
}

/// Returns what was decided, in words that stand behind "decided:".
std::string decision_text(const Event& event) {
    if (event.refusal != Refusal::kNone) return fmt::format("wait ({})", outcome_word(event.refusal));
    return fmt::format("share {} until {} at the latest", mates_text(event), event.guest_end);
}

/// Returns the difference of two decisions that sound the same.
std::string fine_print(const Event& event, const Event& other) {
    std::string text;
    if (event.limit != other.limit) text += fmt::format(", limit {}", event.limit);
    if (!(event.nodes == other.nodes)) text += fmt::format(", on nodes {}", event.nodes.text());
    return text;
}

/// Returns the line about a decision that differs. Other parameters have other limits: that is no news.
std::string difference_text(const Redecided& decision, bool what_if) {
    const Event& then = decision.then;
    const Event& now = decision.now;
    return fmt::format("  line {}: job {} ({}, {} s requested), at {}: the controller decided: {}{}; {}: {}{}\n",
                       decision.line, then.job.id, counted(static_cast<std::size_t>(then.job.nodes), "node", "nodes"),
                       then.job.request, then.at, decision_text(then), what_if ? "" : fine_print(then, now),
                       what_if ? "by these" : "the policy decides now", decision_text(now),
                       what_if ? "" : fine_print(now, then));
}

std::string astray_text(const Astray& start) {
    return fmt::format("  line {}: job {} started at {} on {}; line {} decided: {}\n", start.line,
                       start.happened.job.id, start.happened.at, mates_text(start.happened), start.decided_line,
                       decision_text(start.decided));
}

std::string outcomes_table(const Replayed& replayed, const std::string& others) {
    const std::string heading = others.empty() ? "policy now" : others;
    std::string text = fmt::format("{:<29} {:>10}  {:>10}\n", "decisions", "controller", heading);
    const std::size_t width = std::max<std::size_t>(heading.size(), 10);
    for (const Refusal outcome : kOutcomes) {
        const std::size_t then = replayed.with(outcome, false), now = replayed.with(outcome, true);
        if (then + now > 0) text += fmt::format("  {:<27} {:>10}  {:>{}}\n", outcome_word(outcome), then, now, width);
    }
    return text;
}

std::string verdict(const Replayed& replayed, const std::string& others) {
    const std::size_t differing = replayed.differing(), all = replayed.decisions.size();
    if (!others.empty())
        return fmt::format("{} of {} would have been {} with {}{}\n", differing, counted(all, "decision", "decisions"),
                           differing == 1 ? "another" : "others", others, differing == 0 ? "" : ":");
    if (differing == 0) return all == 0 ? "" : "Every decision is what the policy decides now.\n";
    return fmt::format("{} of {} {} what the policy decides now:\n", differing, counted(all, "decision", "decisions"),
                       differing == 1 ? "is not" : "are not");
}

/// Returns the first `max` items in words, and how many more there are.
template <class Item, class Words>
std::string first_of(const std::vector<const Item*>& items, std::size_t max, const Words& words) {
    std::string text;
    for (std::size_t i = 0; i < std::min(max, items.size()); ++i) text += words(*items[i]);
    if (items.size() > max)
        text +=
            fmt::format("  and {} more; --out FILE has every decision, --json all that differ\n", items.size() - max);
    return text;
}

std::vector<std::string> cells_of(const Event& event) {
    const bool shares = event.refusal == Refusal::kNone;
    return {outcome_word(event.refusal), fmt::format("{}", fmt::join(event.mates, " ")),
            shares ? std::to_string(event.cores) : "", fmt::format("{}", event.limit),
            shares ? std::to_string(event.guest_end) : ""};
}

using Text = CsvText;
using Row = const Redecided&;

bool shares(const Event& event) { return event.refusal == Refusal::kNone; }

// clang-format off
constexpr CsvColumn<Redecided> kTable[] = {
    {"line", "", "line of the decision in the log", [](Text& t, Row r) { put_integer(t, static_cast<std::int64_t>(r.line)); }},
    {"time", "s", "moment of the decision, since the log's zero", [](Text& t, Row r) { put_integer(t, r.then.at); }},
    {"job", "", "job that was to start", [](Text& t, Row r) { put_integer(t, r.then.job.id); }},
    {"nodes", "", "nodes that it asks for", [](Text& t, Row r) { put_integer(t, r.then.job.nodes); }},
    {"outcome", "", "`share`, or why the job waits", [](Text& t, Row r) { put_text(t, outcome_word(r.then.refusal)); }},
    {"mates", "", "shared: ids of the jobs that make room, separated by blanks", [](Text& t, Row r) { put_ids(t, r.then.mates); }},
    {"cores", "cores", "shared: cores that each mate lends, of each node", [](Text& t, Row r) { if (shares(r.then)) put_integer(t, r.then.cores); }},
    {"limit", "", "what each mate's predicted slowdown has to stay below, unless it has a limit of its own; `inf`: no limit", [](Text& t, Row r) { put_number(t, r.then.limit); }},
    {"static_start", "s", "predicted start if the job waits; empty: none is in sight", [](Text& t, Row r) { if (r.then.static_start < policy::kNever) put_integer(t, r.then.static_start); }},
    {"end", "s", "shared: predicted end at the latest", [](Text& t, Row r) { if (shares(r.then)) put_integer(t, r.then.guest_end); }},
    {"now_outcome", "", "`outcome` as the policy decides now, or by other parameters", [](Text& t, Row r) { put_text(t, outcome_word(r.now.refusal)); }},
    {"now_mates", "", "`mates` likewise", [](Text& t, Row r) { put_ids(t, r.now.mates); }},
    {"now_cores", "cores", "`cores` likewise", [](Text& t, Row r) { if (shares(r.now)) put_integer(t, r.now.cores); }},
    {"now_limit", "", "`limit` likewise", [](Text& t, Row r) { put_number(t, r.now.limit); }},
    {"now_end", "s", "`end` likewise", [](Text& t, Row r) { if (shares(r.now)) put_integer(t, r.now.guest_end); }},
    {"differs", "0/1", "1: the decision is another one now", [](Text& t, Row r) { put_flag(t, r.differs); }},
    {"free", "", "shared: idle nodes that complete those of the mates, as in `0-3,8`", [](Text& t, Row r) { put_text(t, r.then.free.text()); }},
    {"now_free", "", "`free` likewise", [](Text& t, Row r) { put_text(t, r.now.free.text()); }},
};
// clang-format on
constexpr std::span<const CsvColumn<Redecided>> kColumns = kTable;

}  // namespace

std::string outcome_word(Refusal outcome) { return outcome == Refusal::kNone ? "share" : policy::word(outcome); }
std::span<const Refusal> outcomes_in_order() { return kOutcomes; }

std::string replay_summary(const Replayed& replayed, std::size_t max) {
    const std::string others = others_text(replayed);
    std::string text =
        fmt::format("{} of {}: {}, {}, {}, {}\n", counted(replayed.lines, "line", "lines"),
                    counted(replayed.clusters, "cluster", "clusters"), counted(replayed.starts, "start", "starts"),
                    counted(replayed.shared_starts, "shared start", "shared starts"),
                    counted(replayed.ends, "end", "ends"), counted(replayed.decisions.size(), "decision", "decisions"));
    if (replayed.dry_runs > 0)
        text += fmt::format("In {} of {} the controller only decided (sd_dry_run), and no job shared.\n",
                            replayed.dry_runs, counted(replayed.clusters, "cluster", "clusters"));
    if (!replayed.decisions.empty()) text += '\n' + outcomes_table(replayed, others) + '\n';
    if (replayed.no_room > 0)
        text += fmt::format("{} found no room beside the mates, as the controller says.\n",
                            counted(replayed.no_room, "decision to share", "decisions to share"));
    if (replayed.beyond_limit > 0)
        text += fmt::format("{} beyond the limit of a job, as the controller says.\n",
                            counted(replayed.beyond_limit, "decision to share was", "decisions to share were"));
    text += verdict(replayed, others);
    std::vector<const Redecided*> differing;
    for (const Redecided& decision : replayed.decisions)
        if (decision.differs) differing.push_back(&decision);
    text += first_of(differing, max, [&](const Redecided& d) { return difference_text(d, !others.empty()); });
    if (replayed.astray.empty()) return text;
    std::vector<const Astray*> astray;
    astray.reserve(replayed.astray.size());
    for (const Astray& start : replayed.astray) astray.push_back(&start);
    text += fmt::format("{} of {} {} what the controller had decided:\n", astray.size(),
                        counted(replayed.shared_starts, "shared start", "shared starts"),
                        astray.size() == 1 ? "is not" : "are not");
    return text + first_of(astray, max, astray_text);
}

std::string decisions_table(const Replayed& replayed) {
    const char* row = "{:>7} {:>11} {:>9} {:>6}  {:<27} {:>15} {:>6} {:>9} {:>11}  {}\n";
    std::string text = fmt::format(fmt::runtime(row), "line", "time", "job", "nodes", "outcome", "mates", "cores",
                                   "limit", "end", replayed.others.empty() ? "now" : others_text(replayed));
    for (const Redecided& decision : replayed.decisions) {
        const Event& then = decision.then;
        const std::vector<std::string> cells = cells_of(then);
        text += fmt::format(fmt::runtime(row), decision.line, then.at, then.job.id, then.job.nodes, cells[0], cells[1],
                            cells[2], cells[3], cells[4],
                            decision.differs ? decision_text(decision.now) + fine_print(decision.now, then) : "same");
    }
    return text;
}

tl::expected<void, std::string> write_redecided_csv(const std::string& path, const Replayed& replayed) {
    auto file = TextFile::create(path);
    if (!file) return tl::make_unexpected(file.error());
    CsvText text;
    put_header(text, kColumns);
    text.push_back('\n');
    for (const Redecided& decision : replayed.decisions) {
        put_row(text, kColumns, decision);
        text.push_back('\n');
    }
    file->write({text.data(), text.size()});
    return file->close();
}

std::string redecided_columns() { return columns_markdown("replay --out FILE", kColumns); }

}  // namespace drom::sim
