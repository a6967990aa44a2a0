// SPDX-License-Identifier: BSD-3-Clause
// slurm_log.cpp - lines of Slurm's accounting become jobs of a workload.
#include "workload/slurm/slurm_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "workload/local_times.hpp"
#include "workload/name_hash.hpp"
#include "workload/slurm/slurm_row.hpp"
#include "workload/slurm/slurm_values.hpp"
#include "workload/swf/swf_labels.hpp"
#include "workload/swf/swf_row.hpp"
#include "workload/swf/swf_source.hpp"

namespace drom::sim {
namespace {

using namespace slurm;
using swf::quoted;
using Moment = LocalTimes::Moment;
using Done = tl::expected<void, std::string>;

/// A job with its times since 1970, and its nodes.
struct Ended {
    LogJob job;
    Seconds start = 0, end = 0;
    std::int64_t nodes = 0;
    std::uint64_t line = 0;
};

class SlurmReader {
public:
    explicit SlurmReader(const SlurmOptions& options)
        : options_(options), times_(options.zone), users_("user", options.salt), applications_("job", options.salt) {
        repairs_.tell(RepairKind::kNoRequest, "the limit of the partition is taken, else the default limit");
    }

    Done read(std::string_view text);
    tl::expected<Log, std::string> finish(const std::string& name);

private:
    Done line(std::string_view text, bool ended);
    Done header(std::string_view text);
    tl::expected<Row, std::string> cut(std::string_view text) const;
    Done take(const Row& row);
    tl::expected<bool, std::string> take_times(const Row& row, Ended& ended);
    tl::expected<bool, std::string> take_width(const Row& row, Ended& ended);
    Done take_request(const Row& row, Ended& ended);
    Done take_labels(const Row& row, Ended& ended);
    tl::expected<Moment, std::string> moment(const Row& row, Field field, Seconds from);
    void leave_out(RepairKind kind) { repairs_.add(kind, repairs_.lines, true); }

    void set_machine(Workload& workload);
    void set_widths(const Workload& workload);
    void set_header(Workload& workload) const;

    const SlurmOptions& options_;
    LocalTimes times_;
    NameHash users_, applications_;
    swf::Names partitions_, qos_;
    enum class Format : std::uint8_t { kUnknown, kSacct, kJobcomp } format_ = Format::kUnknown;
    SacctTable table_;
    std::vector<Ended> jobs_;
    Repairs repairs_;
    std::uint64_t skipped_ = 0;  ///< the last line with a time that clocks skip
};

std::string at(const Row& row, Field field, const std::string& what) {
    return fmt::format("column {}: {} {}", row.column(field), row.names[field], what);
}

/// Returns whether a job never ran, although Slurm lists it.
bool never_ran(std::string_view state, Seconds run, std::int64_t processors) {
    return run == 0 && (processors == 0 || state == "CANCELLED");
}

/// Returns the number in "123", "123_4" and "123+1".
std::optional<std::int64_t> number_of(std::string_view id) {
    std::int64_t number = 0;
    const auto [end, code] = std::from_chars(id.data(), id.data() + id.size(), number);
    const bool whole = end == id.data() + id.size() || *end == '_' || *end == '+' || *end == '.';
    if (code != std::errc{} || !whole || number < 0) return std::nullopt;
    return number;
}

/// Returns the most processors in use at once.
std::int64_t peak_of(const std::vector<Ended>& jobs) {
    std::vector<std::pair<Seconds, std::int64_t>> changes;
    changes.reserve(jobs.size() * 2);
    for (const Ended& job : jobs) {
        changes.emplace_back(job.start, job.job.processors);
        changes.emplace_back(job.end, -job.job.processors);
    }
    std::sort(changes.begin(), changes.end());  // at equal times ends come first
    std::int64_t now = 0, peak = 0;
    for (const auto& [time, change] : changes) peak = std::max(peak, now += change);
    return peak;
}

bool has_control(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; });
}

std::int64_t rounded_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

Done SlurmReader::read(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // some editors mark UTF-8
    while (!text.empty()) {
        const auto end = text.find('\n');
        const bool ended = end != std::string_view::npos;
        ++repairs_.lines;
        if (auto done = line(text.substr(0, end), ended); !done)
            return tl::make_unexpected(fmt::format("line {}, {}", repairs_.lines, done.error()));
        text.remove_prefix(ended ? end + 1 : text.size());
    }
    return {};
}

Done SlurmReader::line(std::string_view text, bool ended) {
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (swf::trimmed(text).empty()) return ++repairs_.blanks, Done();
    if (format_ == Format::kUnknown) {
        if (!is_jobcomp(text)) return header(text);
        format_ = Format::kJobcomp;
    }
    const auto row = cut(text);
    const Done taken = row ? take(*row) : Done(tl::make_unexpected(row.error()));
    if (taken) return {};
    if (!ended && !jobs_.empty()) return leave_out(RepairKind::kTruncated), Done();
    if (options_.skip_bad_lines) return leave_out(RepairKind::kBadLine), Done();
    return tl::make_unexpected(taken.error() + "; --skip-bad-lines leaves such lines out");
}

Done SlurmReader::header(std::string_view text) {
    ++repairs_.comments;
    auto table = SacctTable::from(text);
    if (!table) return tl::make_unexpected("column 1: " + table.error());
    table_ = *table;
    format_ = Format::kSacct;
    return {};
}

tl::expected<Row, std::string> SlurmReader::cut(std::string_view text) const {
    if (format_ == Format::kSacct) return table_.cut(text);
    if (is_jobcomp(text)) return cut_jobcomp(text);
    return tl::make_unexpected(fmt::format("column 1: {} stands where a job begins with JobId=", quoted(text)));
}

/// Adds the job of the row, or counts why not. Errors: what is wrong with the row, with its column.
Done SlurmReader::take(const Row& row) {
    const std::string_view id = row.texts[kJobId];
    Ended ended;
    const auto number = number_of(id);
    if (!number) return tl::make_unexpected(at(row, kJobId, quoted(id) + " is no number of a job"));
    if (id.find('.') != std::string_view::npos) return leave_out(RepairKind::kStep), Done();
    ended.job.id = *number;
    ended.line = repairs_.lines;
    const std::string_view state = first_word(row.texts[kState]);
    if (state.empty()) return tl::make_unexpected(at(row, kState, "is empty"));
    // jobcomp writes a line when a job ends, and when it is requeued: then it is waiting again.
    if (state == "PENDING" && format_ == Format::kSacct) return leave_out(RepairKind::kPending), Done();
    if (state == "RUNNING" || state == "SUSPENDED") return leave_out(RepairKind::kRunning), Done();
    ended.job.status = status_of(state);
    // Each of these says whether the job has run at all.
    for (const auto part : {&SlurmReader::take_times, &SlurmReader::take_width}) {
        const auto ran = (this->*part)(row, ended);
        if (!ran) return tl::make_unexpected(ran.error());
        if (!*ran) return {};
    }
    if (auto done = take_request(row, ended); !done) return done;
    if (auto done = take_labels(row, ended); !done) return done;
    jobs_.push_back(ended);
    return {};
}

tl::expected<Moment, std::string> SlurmReader::moment(const Row& row, Field field, Seconds from) {
    const Moment moment = times_.read(row.texts[field], from);
    if (moment.skipped && skipped_ != repairs_.lines) {
        skipped_ = repairs_.lines;
        repairs_.add(RepairKind::kSkippedHour, repairs_.lines);
    }
    if (moment.form != Moment::Form::kBad) return moment;
    return tl::make_unexpected(
        at(row, field,
           quoted(row.texts[field]) + " is no time; SLURM_TIME_FORMAT=standard gives times like 2026-11-25T19:18:59"));
}

tl::expected<bool, std::string> SlurmReader::take_times(const Row& row, Ended& ended) {
    const auto submit = moment(row, kSubmit, 0);
    if (!submit) return tl::make_unexpected(submit.error());
    const auto start = moment(row, kStart, submit->at);
    if (!start) return tl::make_unexpected(start.error());
    const auto end = moment(row, kEnd, start->at);
    if (!end) return tl::make_unexpected(end.error());
    const auto known = [](const auto& moment) { return moment->form == Moment::Form::kTime; };
    if (!known(start)) return leave_out(RepairKind::kNeverRan), false;
    if (!known(submit)) return leave_out(RepairKind::kNoSubmit), false;
    if (!known(end)) return leave_out(RepairKind::kRunning), false;
    if (end->at < start->at || start->at < submit->at) return leave_out(RepairKind::kBackwards), false;
    ended.start = start->at;
    ended.end = end->at;
    ended.job.submit = submit->at;
    ended.job.wait = start->at - submit->at;
    ended.job.run = end->at - start->at;
    return true;
}

/// Needs the times.
tl::expected<bool, std::string> SlurmReader::take_width(const Row& row, Ended& ended) {
    const auto nodes = read_count(row.texts[kNodes]), processors = read_count(row.texts[kCpus]);
    if (!nodes) return tl::make_unexpected(at(row, kNodes, quoted(row.texts[kNodes]) + " is no number of nodes"));
    if (!processors) return tl::make_unexpected(at(row, kCpus, quoted(row.texts[kCpus]) + " is no number of CPUs"));
    if (never_ran(first_word(row.texts[kState]), ended.job.run, *processors))
        return leave_out(RepairKind::kNeverRan), false;
    if (*processors == 0) return leave_out(RepairKind::kNoProcessors), false;
    ended.nodes = std::max<std::int64_t>(*nodes, 1);
    ended.job.processors = *processors;
    return true;
}

Done SlurmReader::take_request(const Row& row, Ended& ended) {
    const std::string_view text = row.texts[kTimelimit];
    if (is_no_limit(text)) {
        const auto of_partition = options_.partition_limits.find(row.texts[kPartition]);
        const bool found = of_partition != options_.partition_limits.end();
        const Seconds assumed = found ? of_partition->second : options_.default_limit;
        ended.job.request = assumed > 0 ? assumed : -1;
        repairs_.add(assumed > 0 ? RepairKind::kNoRequest : RepairKind::kNoLimit, repairs_.lines);
        return {};
    }
    const auto limit = read_span(text);
    if (!limit) return tl::make_unexpected(at(row, kTimelimit, quoted(text) + " is no limit like 1-12:00:00"));
    ended.job.request = std::max<Seconds>(*limit, 1);
    return {};
}

/// Needs the width.
Done SlurmReader::take_labels(const Row& row, Ended& ended) {
    LogJob& job = ended.job;
    const auto memory = read_memory(row.texts[kMemory]);
    if (!memory) repairs_.add(RepairKind::kOutOfRange, repairs_.lines);
    if (memory) job.memory_kb = memory->per_processor(ended.nodes, job.processors);
    std::string partition(row.texts[kPartition]), qos(row.texts[kQos]);
    if (has_control(partition))
        return tl::make_unexpected(at(row, kPartition, quoted(partition) + " is no name of a partition"));
    if (has_control(qos)) return tl::make_unexpected(at(row, kQos, quoted(qos) + " is no name of a QOS"));
    std::replace(qos.begin(), qos.end(), ' ', '_');  // the header has a blank behind a name
    if (!qos.empty()) job.queue = qos_.index(qos) + 1;
    std::replace(partition.begin(), partition.end(), ';', ',');  // the header has ; between names
    if (!partition.empty()) job.partition = partitions_.index(partition);
    const std::size_t before = users_.collisions() + applications_.collisions();
    job.user = users_.of(row.texts[kUser]);
    job.application = applications_.of(row.texts[kJobName]);
    if (users_.collisions() + applications_.collisions() > before)
        repairs_.add(RepairKind::kSameNumber, repairs_.lines);
    return {};
}

void SlurmReader::set_machine(Workload& workload) {
    std::int64_t cores = options_.cores, nodes = options_.nodes;
    if (cores == 0)
        for (const Ended& job : jobs_) cores = std::max(cores, rounded_up(job.job.processors, job.nodes));
    if (nodes == 0) {
        nodes = rounded_up(peak_of(jobs_), cores);
        for (const Ended& job : jobs_) nodes = std::max(nodes, job.nodes);
    }
    workload.nodes = nodes;
    workload.processors = nodes * cores;
}

/// Needs the machine.
void SlurmReader::set_widths(const Workload& workload) {
    const std::int64_t cores = workload.processors / workload.nodes;
    for (Ended& job : jobs_) {
        if (job.nodes > rounded_up(job.job.processors, cores))
            repairs_.add(options_.whole_nodes ? RepairKind::kWidened : RepairKind::kSpread, job.line);
        if (options_.whole_nodes) job.job.processors = job.nodes * cores;
    }
}

void SlurmReader::set_header(Workload& workload) const {
    const auto add = [&](const char* key, std::string value) { workload.header.emplace_back(key, std::move(value)); };
    add("Version", "2.2");
    add("Conversion", "drom-sim import, from the accounting of Slurm");
    add("MaxJobs", std::to_string(workload.jobs.size()));
    add("MaxRecords", std::to_string(workload.jobs.size()));
    add("UnixStartTime", std::to_string(jobs_.front().job.submit));
    add("TimeZoneString", options_.zone);
    add("Note", "users and applications are hashed names");
    int number = 0;
    for (const std::string& name : qos_.list()) add("Queue", fmt::format("{} {}", ++number, name));
    for (const Repair& repair : repairs_.list()) add("Note", repair.sentence());
}

tl::expected<Log, std::string> SlurmReader::finish(const std::string& name) {
    if (jobs_.empty()) {
        std::string why;
        for (const Repair& repair : repairs_.list()) why += (why.empty() ? ": " : ", ") + repair.sentence();
        return tl::make_unexpected("there is no job in it that ran and ended" + why);
    }
    Log log;
    log.workload.name = name;
    set_machine(log.workload);
    set_widths(log.workload);
    const auto earlier = [](const Ended& a, const Ended& b) { return a.job.submit < b.job.submit; };
    std::stable_sort(jobs_.begin(), jobs_.end(), earlier);
    const Seconds zero = jobs_.front().job.submit;
    for (const Ended& ended : jobs_) {
        log.workload.jobs.push_back(ended.job);
        log.workload.jobs.back().submit -= zero;
    }
    log.workload.partitions = partitions_.list();
    repairs_.jobs = jobs_.size();
    set_header(log.workload);
    log.repairs = repairs_;
    return log;
}

}  // namespace

tl::expected<Log, std::string> read_slurm_text(std::string_view text, const std::string& name,
                                               const SlurmOptions& options) {
    SlurmReader reader(options);
    const auto read = reader.read(text);
    auto log = read ? reader.finish(name) : tl::make_unexpected(read.error());
    if (log) return log;
    return tl::make_unexpected(fmt::format("drom-sim: read {}: {}", name, log.error()));
}

tl::expected<Log, std::string> read_slurm(const std::string& path, const SlurmOptions& options) {
    const auto text = swf::read_text(path, "the text of sacct -P, or the file of jobcomp/filetxt");
    if (!text) return tl::make_unexpected(fmt::format("drom-sim: read {}: {}", path, text.error()));
    return read_slurm_text(*text, path, options);
}

}  // namespace drom::sim
