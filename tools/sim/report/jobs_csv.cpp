// SPDX-License-Identifier: BSD-3-Clause
// jobs_csv.cpp - jobs as lines of tables.
#include "report/jobs_csv.hpp"

#include <algorithm>
#include <cmath>

#include "engine/energy.hpp"
#include "engine/jobs_text.hpp"
#include "engine/metrics.hpp"
#include "report/csv.hpp"
#include "report/text_file.hpp"

namespace drom::sim {
namespace {

struct JobRow {
    const JobOutcome& job;
    const Setting& setting;
    std::span<const policy::OperatingPoint> entries;  ///< of the job; none: the policy does not choose among them
    std::optional<bool> worse;                        ///< than under the baseline
    const BusyNodes* lost = nullptr;                  ///< a run of it that was preempted; null: the row is of its last
    const policy::NodeSet* nodes = nullptr;           ///< null: not kept
};

bool started(const JobRow& row) { return row.job.start >= 0; }
bool ended(const JobRow& row) { return row.job.ended(); }
bool shared(const JobRow& row) { return row.job.shared(); }
bool has_point(const JobRow& row) { return started(row) && row.lost == nullptr && !row.setting.partitions.empty(); }
Seconds start_of(const JobRow& row) { return row.lost != nullptr ? row.lost->from : row.job.start; }
bool chosen(const JobRow& row) { return has_point(row) && row.job.point.efficiency > 0; }
const std::string& partition_of(const JobRow& row, const policy::OperatingPoint& point) {
    return row.setting.partitions[static_cast<std::size_t>(point.partition)].name;
}
const std::string& partition_of(const JobRow& row) { return partition_of(row, row.job.point); }
Seconds zero_of(const JobRow& row) { return row.setting.provenance.zero; }

using Text = CsvText;
using Row = const JobRow&;

/// Puts the place of the entry that the job started by among all of its own, from 1.
void put_entry(Text& text, Row row) {
    const auto at = std::ranges::find(row.entries, row.job.point.partition, &policy::OperatingPoint::partition);
    if (at != row.entries.end()) put_integer(text, at - row.entries.begin() + 1);
}

void put_how(Text& text, Row row) { put_text(text, row.lost != nullptr ? "preempted" : policy::word(row.job.how)); }

void put_decision(Text& text, Row row) {
    put_text(text,
             row.lost != nullptr ? preemption_sentence(row.job, *row.lost) : decision_sentence(row.job, row.setting));
}

/// Puts all entries of the job, each as "PARTITION:GHZ:EFF".
void put_entries(Text& text, Row row) {
    std::string all;
    for (const policy::OperatingPoint& entry : row.entries)
        all += fmt::format("{}{}:{}:{:.4f}", all.empty() ? "" : " ", partition_of(row, entry), entry.ghz,
                           entry.efficiency);
    put_text(text, all);
}

// clang-format off
constexpr CsvColumn<JobRow> kJobsTable[] = {
    {"id", "", "number of the job in the log", [](Text& t, Row r) { put_integer(t, r.job.id); }},
    {"submit", "s", "submission, since the log's zero", [](Text& t, Row r) { put_integer(t, r.job.submit); }},
    {"start", "s", "start under the policy, since the log's zero; empty: the job did not start", [](Text& t, Row r) { if (started(r)) put_integer(t, r.job.start); }},
    {"end", "s", "end under the policy, since the log's zero; empty: the job did not end", [](Text& t, Row r) { if (ended(r)) put_integer(t, r.job.end); }},
    {"wait", "s", "`start` - `submit`", [](Text& t, Row r) { if (started(r)) put_integer(t, r.job.wait()); }},
    {"run", "s", "static run time: what the job takes on all its cores; a killed job did not get to its end", [](Text& t, Row r) { put_integer(t, r.job.run); }},
    {"stretched", "s", "`end` - `start`", [](Text& t, Row r) { if (ended(r)) put_integer(t, r.job.stretched()); }},
    {"request", "s", "requested run time", [](Text& t, Row r) { put_integer(t, r.job.request); }},
    {"nodes", "", "nodes that the job asks for", [](Text& t, Row r) { put_integer(t, r.job.nodes); }},
    {"user", "", "number of the user in the log; -1: unknown", [](Text& t, Row r) { put_integer(t, r.job.user); }},
    {"malleable", "0/1", "1: the job can run on fewer cores", [](Text& t, Row r) { put_flag(t, r.job.malleable); }},
    {"how", "", "`in order`, `backfilled`, or `shared`: on nodes of running jobs", [](Text& t, Row r) { if (started(r)) put_text(t, policy::word(r.job.how)); }},
    {"refusal", "", "reason why the last try to share was refused, before the job started otherwise", [](Text& t, Row r) { put_text(t, policy::word(r.job.refusal)); }},
    {"mates", "", "shared: ids of the jobs whose nodes it joined, separated by blanks", [](Text& t, Row r) { if (shared(r)) put_ids(t, r.job.joined->mates); }},
    {"lent_cores", "cores", "shared: cores that each mate gave, of each node", [](Text& t, Row r) { if (shared(r)) put_integer(t, r.job.joined->lent_cores); }},
    {"pi", "", "shared: sum of the mates' predicted slowdowns (thesis, equation 5.1)", [](Text& t, Row r) { if (shared(r)) put_decimals(t, r.job.joined->index); }},
    {"limit", "", "shared: what each mate's predicted slowdown had to stay below, unless it has a limit of its own; `inf`: no limit", [](Text& t, Row r) { if (shared(r)) put_decimals(t, r.job.joined->limit); }},
    {"static_start", "s", "shared: predicted start if the job had waited; empty: none was in sight", [](Text& t, Row r) { if (shared(r) && r.job.joined->static_start < policy::kNever) put_integer(t, r.job.joined->static_start); }},
    {"guests", "", "times that other jobs joined its nodes", [](Text& t, Row r) { put_integer(t, r.job.guests); }},
    {"killed", "0/1", "1: the job was ended at its limit", [](Text& t, Row r) { put_flag(t, r.job.killed); }},
    {"resizes", "", "changes of its number of nodes", [](Text& t, Row r) { put_integer(t, r.job.history->resizes); }},
    {"class", "", "`gold` or `platinum`, which goes first under reshape and efficiency", [](Text& t, Row r) { put_text(t, r.job.rank == policy::JobClass::kPlatinum ? "platinum" : "gold"); }},
    {"slowdown", "", "response / static run time of at least 1 s; of a killed job `run`, but at most `request`", [](Text& t, Row r) { if (ended(r)) put_decimals(t, slowdown(r.job)); }},
    {"slowdown_stretched", "", "response / `stretched`", [](Text& t, Row r) { if (ended(r)) put_decimals(t, stretched_slowdown(r.job)); }},
    {"bounded_slowdown", "", "response / static run time of at least 10 s, and at least 1; of a killed job likewise", [](Text& t, Row r) { if (ended(r)) put_decimals(t, bounded_slowdown(r.job)); }},
    {"worse", "0/1", "1: the slowdown is larger than under the baseline; empty: there is no baseline", [](Text& t, Row r) { if (r.worse) put_flag(t, *r.worse); }},
    {"submit_date", "UTC", "`submit` as a date; empty: the log has no `UnixStartTime`", [](Text& t, Row r) { put_date(t, zero_of(r), r.job.submit); }},
    {"start_date", "UTC", "`start` as a date", [](Text& t, Row r) { if (started(r)) put_date(t, zero_of(r), r.job.start); }},
    {"end_date", "UTC", "`end` as a date", [](Text& t, Row r) { if (ended(r)) put_date(t, zero_of(r), r.job.end); }},
    {"application", "", "number of the application in the log; -1: unknown", [](Text& t, Row r) { put_integer(t, r.job.application); }},
    {"partition", "", "partition that the job ran on; empty: the machine has no energy model", [](Text& t, Row r) { if (has_point(r)) put_text(t, partition_of(r)); }},
    {"preference", "", "place of that partition among the job's by efficiency: 1 is the best; empty: the policy does not choose", [](Text& t, Row r) { if (chosen(r)) put_integer(t, r.job.point.preference + 1); }},
    {"ghz", "GHz", "frequency that the job ran at", [](Text& t, Row r) { if (has_point(r)) put_decimals(t, r.job.point.ghz); }},
    {"eff", "", "efficiency of the partition for the job: small is good (thesis, equation 6.5)", [](Text& t, Row r) { if (chosen(r)) put_decimals(t, r.job.point.efficiency); }},
    {"joules", "J", "energy of the job on all its nodes", [](Text& t, Row r) { if (has_point(r) && ended(r)) put_decimals(t, joules(r.job)); }},
    {"size", "", "nodes that it started on: others than `nodes` where a moldable job took another size", [](Text& t, Row r) { if (started(r)) put_integer(t, r.job.size()); }},
    {"moldable", "0/1", "1: the job can start on another number of nodes", [](Text& t, Row r) { put_flag(t, r.job.moldable); }},
    {"urgent", "0/1", "1: the job is urgent to the policy", [](Text& t, Row r) { put_flag(t, r.job.urgent); }},
    {"preempted", "", "times that the job ended for an urgent one and waited again", [](Text& t, Row r) { put_integer(t, r.job.history->preempted); }},
    {"node_list", "", "numbers of the nodes that it started on, from 0 in each partition, as in `0-3,8`; empty without `--node-list`", [](Text& t, Row r) { if (started(r) && r.nodes != nullptr) put_text(t, r.nodes->text()); }},
};

constexpr CsvColumn<JobRow> kDecisionsTable[] = {
    {"id", "", "number of the job in the log", [](Text& t, Row r) { put_integer(t, r.job.id); }},
    {"start", "s", "start under the policy, since the log's zero", [](Text& t, Row r) { put_integer(t, start_of(r)); }},
    {"how", "", "`in order`, `backfilled`, or `shared`; `preempted`: a start that came to nothing, as the job made room for an urgent one", put_how},
    {"decision", "", "a sentence with the numbers that led to the start, or with what a preempted job lost", put_decision},
    {"start_date", "UTC", "`start` as a date; empty: the log has no `UnixStartTime`", [](Text& t, Row r) { put_date(t, zero_of(r), start_of(r)); }},
    {"partition", "", "partition that the job started on; empty: the machine has no energy model", [](Text& t, Row r) { if (has_point(r)) put_text(t, partition_of(r)); }},
    {"entry", "", "place of that partition in `entries`, from 1; empty: the policy does not choose", put_entry},
    {"ghz", "GHz", "frequency there", [](Text& t, Row r) { if (has_point(r)) put_decimals(t, r.job.point.ghz); }},
    {"eff", "", "efficiency there: small is good (thesis, equation 6.5); empty: not known", [](Text& t, Row r) { if (chosen(r)) put_decimals(t, r.job.point.efficiency); }},
    {"entries", "", "all entries of the job in the policy's order, separated by blanks: partition, GHz and efficiency of each as in `p2:2.1:1.4142`; efficiency 0: not known", put_entries},
};
// clang-format on
constexpr std::span<const CsvColumn<JobRow>> kJobs = kJobsTable, kDecisions = kDecisionsTable;

/// Writes the rows that `rows_of` puts for each job.
template <class RowsOf>
tl::expected<void, std::string> write_jobs(const std::string& path, const Outcome& outcome,
                                           std::span<const CsvColumn<JobRow>> columns, RowsOf rows_of) {
    auto file = TextFile::create(path);
    if (!file) return tl::make_unexpected(file.error());
    CsvText text;
    put_header(text, columns);
    text.push_back('\n');
    const auto put = [&](const JobRow& row) {
        put_row(text, columns, row);
        text.push_back('\n');
    };
    for (std::size_t i = 0; i < outcome.jobs.size(); ++i) {
        rows_of(i, put);
        if (text.size() < kCsvChunk) continue;
        file->write({text.data(), text.size()});
        text.clear();
    }
    file->write({text.data(), text.size()});
    return file->close();
}

std::string limit_text(double limit) {
    return std::isinf(limit) ? "without a limit" : fmt::format("limit {:.2f}", limit);
}

/// Returns "; on p1 at 2.4 GHz: preference 2, efficiency 1.60"; empty without an energy model.
std::string place_text(const JobOutcome& job, const Setting& setting) {
    const JobRow row{job, setting, {}, std::nullopt};
    if (!has_point(row)) return {};
    std::string text = fmt::format("; on {} at {:.1f} GHz", partition_of(row), job.point.ghz);
    if (chosen(row))
        text += fmt::format(": preference {}, efficiency {:.2f}", job.point.preference + 1, job.point.efficiency);
    return text;
}

}  // namespace

tl::expected<void, std::string> write_jobs_csv(const std::string& path, const Outcome& outcome,
                                               const Outcome* baseline) {
    return write_jobs(path, outcome, kJobs, [&](std::size_t i, const auto& put) {
        JobRow row{outcome.jobs[i], outcome.setting, {}, std::nullopt};
        if (baseline != nullptr && comparable(outcome, *baseline, i))
            row.worse = slowdown(outcome.jobs[i]) > slowdown(baseline->jobs[i]);
        if (!outcome.nodes.empty()) row.nodes = &outcome.nodes[i];
        put(row);
    });
}

tl::expected<void, std::string> write_decisions_csv(const std::string& path, const Outcome& outcome) {
    return write_jobs(path, outcome, kDecisions, [&](std::size_t i, const auto& put) {
        const JobOutcome& job = outcome.jobs[i];
        const std::vector<BusyNodes>& held = job.history->held;
        for (int run = 0; run < job.history->preempted; ++run)
            put({job, outcome.setting, {}, std::nullopt, &held[static_cast<std::size_t>(run)]});
        const JobRow row{job, outcome.setting, entries_of(outcome, job), std::nullopt};
        if (started(row)) put(row);
    });
}

std::string jobs_columns() { return columns_markdown("jobs.csv", kJobs); }
std::string decisions_columns() { return columns_markdown("decisions.csv", kDecisions); }

std::string preemption_sentence(const JobOutcome& job, const BusyNodes& lost) {
    return fmt::format(
        "job {} ({} {}, {} s requested) made room for an urgent job at {}, after {} s on {} {}, and waited again",
        job.id, job.nodes, job.nodes == 1 ? "node" : "nodes", job.request, lost.to, lost.to - lost.from, lost.nodes,
        lost.nodes == 1 ? "node" : "nodes");
}

std::string decision_sentence(const JobOutcome& job, const Setting& setting) {
    fmt::memory_buffer text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "job {} ({} {}, {} s requested) ", job.id, job.nodes, job.nodes == 1 ? "node" : "nodes",
                   job.request);
    if (job.shared()) {
        const SharedStart& joined = *job.joined;
        fmt::format_to(out, "joined {} after {} s, on {} of {} cores of each node", jobs_text(joined.mates), job.wait(),
                       joined.lent_cores, setting.cores_of(job.point.partition));
        if (joined.static_start < policy::kNever)
            fmt::format_to(out, "; alone it was to start {} s later, at {}", joined.static_start - job.start,
                           joined.static_start);
        else
            fmt::format_to(out, "; no start alone was in sight");
        fmt::format_to(out, "; PI {:.2f}, {}", joined.index, limit_text(joined.limit));
    } else {
        fmt::format_to(out, "{} after {} s", job.how == policy::How::kInOrder ? "started in order" : "was backfilled",
                       job.wait());
        if (job.molded > 0) fmt::format_to(out, ", on {} instead of {} nodes", job.molded, job.nodes);
        if (job.refusal != policy::Refusal::kNone)
            fmt::format_to(out, "; did not share before: {}", policy::word(job.refusal));
    }
    return fmt::to_string(text) + place_text(job, setting);
}

}  // namespace drom::sim
