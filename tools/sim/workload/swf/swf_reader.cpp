// SPDX-License-Identifier: BSD-3-Clause
// swf_reader.cpp - a log becomes jobs that can be replayed as they stand.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "workload/swf/swf.hpp"
#include "workload/swf/swf_labels.hpp"
#include "workload/swf/swf_row.hpp"
#include "workload/swf/swf_source.hpp"

namespace drom::sim {
namespace {

using namespace swf;

constexpr std::size_t kFewestFields = 4, kFields = 18, kModularFields = 41;
constexpr std::int64_t kLongest = 1'000'000'000'000;  // seconds: 31,700 years
constexpr std::int64_t kWidest = 1'000'000'000;
constexpr std::string_view kPartitionNames = "PartitionNames";

/// Returns a * b for what may be any number; the largest when it does not fit.
std::int64_t times(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

using Numbers = std::array<std::int64_t, kNumbers>;

/// Reads line after line; the state is the workload so far.
class LogReader {
public:
    LogReader(const std::string& name, const ReadOptions& options) : options_(options) {
        log_.workload.name = name;
        if (options.width == ReadOptions::Width::kAllocated)
            log_.repairs.tell(RepairKind::kTwoWidths, "the allocated number is used");
        if (options.width == ReadOptions::Width::kLarger)
            log_.repairs.tell(RepairKind::kTwoWidths, "the larger number is used");
        if (options.missing_request > 0)
            log_.repairs.tell(RepairKind::kNoRequest, fmt::format("{} s are taken", options.missing_request));
    }

    /// Reads all lines of `text`. Errors: what is wrong with the first bad line.
    tl::expected<void, std::string> read(std::string_view text);
    /// Returns the log, its jobs in order of submit. Errors: why there is no job.
    tl::expected<Log, std::string> finish();

private:
    tl::expected<void, std::string> line(std::string_view text, bool ended);
    void comment(std::string_view text);
    /// A number of the header, and the line that it was first in.
    struct HeaderNumber {
        std::int64_t value = 0;
        std::uint64_t line = 0;
    };
    void size_of_machine(std::string_view key, std::string_view value, HeaderNumber& into);
    void check_size();
    void mistake(std::string sentence);
    void job(std::string_view text, bool ended);
    bool take(const Dialect& dialect);
    const Dialect* dialect();
    bool numbers(const Dialect& dialect, Numbers& numbers);
    void complain(std::string_view field, std::string what);
    bool number(int field, const char* what, std::int64_t& value);
    bool width(const Dialect& dialect, Numbers& numbers);
    bool labels(const Dialect& dialect, LogJob& job);
    std::optional<RepairKind> why_left_out(const Numbers& numbers, std::int64_t processors) const;
    [[nodiscard]] std::int64_t processors(const Numbers& numbers) const;
    void note_width(const Numbers& numbers);
    void times_of(const Numbers& numbers, LogJob& job);
    void request_of(const Numbers& numbers, LogJob& job);
    void rest_of(const Numbers& numbers, LogJob& job);
    void add(RepairKind kind) { note({kind, number_, false}); }
    void leave_out(RepairKind kind) { note({kind, number_, true}); }

    struct Noted {
        RepairKind kind = RepairKind::kBadLine;
        std::uint64_t line = 0;
        bool left_out = false;
    };
    void note(const Noted& repair);
    void keep_first();
    void find_same_ids();
    void sort();
    void number_labels();
    void read_header();

    const ReadOptions& options_;
    Log log_;
    std::vector<std::uint64_t> lines_;  // of the jobs
    std::vector<Noted> noted_;          // repairs so far, where only the first jobs are kept
    std::uint64_t number_ = 0;          // of the line
    std::uint64_t rows_ = 0;            // lines with data so far
    std::size_t fields_above_ = 0;      // of the last row that was taken; 0: there is none
    Row row_;
    int shift_ = 0;  // of the fields, where an index column is in front
    bool fraction_ = false, out_of_range_ = false, name_ = false;
    const char* begin_ = nullptr;  // of the line
    std::string bad_;              // what is wrong with the row; empty: nothing
    std::ptrdiff_t bad_at_ = 1;    // the column where it is
    Labels users_, groups_, applications_, queues_, partitions_;
    HeaderNumber max_nodes_, max_procs_;
};

tl::expected<void, std::string> LogReader::read(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // some editors mark UTF-8
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    log_.workload.jobs.reserve(lines);
    lines_.reserve(lines);
    while (!text.empty()) {
        const auto end = text.find('\n');
        const bool ended = end != std::string_view::npos;
        auto done = line(text.substr(0, end), ended);
        if (!done) return done;
        text.remove_prefix(ended ? end + 1 : text.size());
    }
    return {};
}

tl::expected<void, std::string> LogReader::line(std::string_view text, bool ended) {
    Repairs& repairs = log_.repairs;
    number_ = ++repairs.lines;
    begin_ = text.data();
    text = trimmed(text);
    if (text.empty()) return ++repairs.blanks, tl::expected<void, std::string>();
    if (text.front() == '#') return ++repairs.comments, tl::expected<void, std::string>();
    if (text.front() == ';') return comment(text.substr(1)), tl::expected<void, std::string>();
    ++rows_;
    job(text, ended);
    if (bad_.empty()) return {};
    if (!options_.skip_bad_lines)
        return tl::make_unexpected(
            fmt::format("line {}, column {}: {}; --skip-bad-lines leaves such lines out", number_, bad_at_, bad_));
    leave_out(RepairKind::kBadLine);
    return {};
}

/// Reads "Key: value" after at most one blank; anything else is kept as it stands, under no key.
void LogReader::comment(std::string_view text) {
    ++log_.repairs.comments;
    const std::string_view line = text.starts_with(' ') ? text.substr(1) : text;
    const auto is_key = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    const auto colon = static_cast<std::size_t>(std::find_if_not(line.begin(), line.end(), is_key) - line.begin());
    const bool keyed = colon > 0 && colon < line.size() && line[colon] == ':' &&
                       (colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\t');
    if (!keyed)
        log_.workload.header.emplace_back("", text);
    else
        log_.workload.header.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
    const auto& [key, value] = log_.workload.header.back();
    if (key == "MaxNodes") size_of_machine(key, value, max_nodes_);
    if (key == "MaxProcs") size_of_machine(key, value, max_procs_);
}

namespace {

/// Reads "5040 (4508 thin)" as 5040. Returns 0 where the value is not known, and nothing where it is no number.
std::optional<std::int64_t> header_number(std::string_view text) {
    if (text.empty()) return 0;
    std::int64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
    if (code != std::errc{} || (!rest.empty() && std::string_view(" \t(").find(rest.front()) == std::string_view::npos))
        return std::nullopt;
    if (value == -1) return 0;
    return value < 1 || value > kWidest ? std::nullopt : std::optional(value);
}

}  // namespace

void LogReader::mistake(std::string sentence) {
    std::string& first = log_.workload.machine_mistake;
    if (first.empty()) first = std::move(sentence);
}

void LogReader::size_of_machine(std::string_view key, std::string_view value, HeaderNumber& into) {
    const auto number = header_number(value);
    if (!number)
        return mistake(fmt::format("line {}: {} {} is no number from 1 to {}", number_, key, quoted(value), kWidest));
    if (*number == 0 || *number == into.value) return;
    if (into.value != 0)
        return mistake(
            fmt::format("line {}: {} is {}, and {} in line {}", number_, key, *number, into.value, into.line));
    into = {*number, number_};
}

void LogReader::check_size() {
    if (max_procs_.value == 0 || max_nodes_.value <= max_procs_.value) return;
    mistake(fmt::format("line {}: MaxProcs is {}, fewer than the {} of MaxNodes in line {}", max_procs_.line,
                        max_procs_.value, max_nodes_.value, max_nodes_.line));
}

void LogReader::job(std::string_view text, bool ended) {
    bad_.clear();
    row_.cut(text);
    const bool whole = ended || row_.fields() >= fields_above_;
    const Dialect* columns = dialect();
    if (whole && columns != nullptr && take(*columns)) {
        fields_above_ = row_.fields();
        return;
    }
    if (ended || fields_above_ == 0) return;
    bad_.clear();
    leave_out(RepairKind::kTruncated);
}

/// Says what is wrong with a field of the row. Columns are counted in bytes, from 1.
void LogReader::complain(std::string_view field, std::string what) {
    bad_ = std::move(what);
    bad_at_ = field.data() == nullptr ? 1 : field.data() - begin_ + 1;
}

/// Returns the dialect of the row; null when it has too few or too many fields.
const Dialect* LogReader::dialect() {
    const std::size_t fields = row_.fields();
    shift_ = 0;
    if (fields < kFewestFields || fields > Row::kMax) {
        complain(row_.field(0), fmt::format("{} field{} where a job has 18, beginning with {}", fields,
                                            fields == 1 ? "" : "s", quoted(row_.field(0))));
        return nullptr;
    }
    if (row_.by_semicolons()) {
        if (fields == kModularFields) return &modular_dialect();
        constexpr std::size_t kFewest = 8, kMax = 13;
        if (fields >= kFewest && fields <= kMax && read_number(row_.field(1)).form == Number::Form::kText)
            return &sim_dialect();
    } else if (fields == kFields + 1) {
        shift_ = 1;
    }
    return &standard_dialect();
}

/// Adds the job of the row, or counts why not. False: bad_ says what is wrong.
bool LogReader::take(const Dialect& dialect) {
    fraction_ = out_of_range_ = name_ = false;
    Numbers of_row{};
    LogJob job;
    if (!numbers(dialect, of_row) || !width(dialect, of_row) || !labels(dialect, job)) return false;
    job.processors = processors(of_row);
    if (const auto why = why_left_out(of_row, job.processors)) {
        leave_out(*why);
        return true;
    }
    if (&dialect == &standard_dialect()) {
        if (shift_ == 1) add(RepairKind::kIndexColumn);
        if (shift_ == 0 && row_.fields() > kFields) add(RepairKind::kExtraFields);
        if (row_.fields() < kFields) add(RepairKind::kFewFields);
    }
    note_width(of_row);
    times_of(of_row, job);
    request_of(of_row, job);
    rest_of(of_row, job);
    if (fraction_) add(RepairKind::kFraction);
    if (out_of_range_) add(RepairKind::kOutOfRange);
    if (name_) add(RepairKind::kName);
    log_.workload.jobs.push_back(job);
    lines_.push_back(number_);
    return true;
}

/// Reads field `index` of the row as a number; a missing one is -1. Returns false when it is a word.
bool LogReader::number(int index, const char* what, std::int64_t& value) {
    const std::string_view text = row_.field(index < 0 ? index : index + shift_);
    const Number number = read_number(text);
    value = number.value;
    fraction_ |= number.form == Number::Form::kFraction;
    if (number.form != Number::Form::kText) return true;
    complain(text, fmt::format("{} stands where the {} (field {}) should be a number", quoted(text), what,
                               index + shift_ + 1));
    return false;
}

bool LogReader::numbers(const Dialect& dialect, Numbers& numbers) {
    for (std::size_t i = 0; i < kNumbers; ++i)
        if (!number(dialect.at[i], name_of(static_cast<Column>(i)), numbers[i])) return false;
    if (dialect.request_unit != 1 && numbers[kRequest] > 0)
        numbers[kRequest] = times(numbers[kRequest], dialect.request_unit);
    return true;
}

/// Turns nodes into processors, in the dialects that say processes and threads. Returns false when one is a word.
bool LogReader::width(const Dialect& dialect, Numbers& numbers) {
    const auto multiply = [&](Column column, const std::array<std::int16_t, 2>& factors) {
        for (const std::int16_t field : factors) {
            std::int64_t factor = 1;
            if (field != Dialect::kNone && !number(field, "number of processes or threads", factor)) return false;
            if (factor > 1 && numbers[column] > 0) numbers[column] = times(numbers[column], factor);
        }
        return true;
    };
    return multiply(kAllocated, dialect.allocated_times) && multiply(kRequested, dialect.requested_times);
}

bool LogReader::labels(const Dialect& dialect, LogJob& job) {
    const auto label = [&](Column column, Labels& labels, int& code) {
        const int index = dialect.at[column];
        if (index == Dialect::kNone) return true;
        const std::string_view text = row_.field(index + shift_);
        const Labels::Code read = labels.read(text);
        code = read.code;
        out_of_range_ |= read.kind == Labels::Kind::kOutOfRange;
        name_ |= read.kind == Labels::Kind::kName && column != kPartition;
        if (read.kind != Labels::Kind::kNoLabel) return true;
        complain(text, fmt::format("{} is no {} (field {})", quoted(text), name_of(column), index + shift_ + 1));
        return false;
    };
    return label(kUser, users_, job.user) && label(kGroup, groups_, job.group) &&
           label(kApplication, applications_, job.application) && label(kQueue, queues_, job.queue) &&
           label(kPartition, partitions_, job.partition);
}

/// Returns the processors of the job; 0 when the row does not say.
std::int64_t LogReader::processors(const Numbers& numbers) const {
    const std::int64_t allocated = std::max<std::int64_t>(numbers[kAllocated], 0),
                       requested = std::max<std::int64_t>(numbers[kRequested], 0);
    const std::int64_t larger = std::max(allocated, requested);
    if (allocated == 0 || requested == 0 || options_.width == ReadOptions::Width::kLarger) return larger;
    return options_.width == ReadOptions::Width::kRequested ? requested : allocated;
}

std::optional<RepairKind> LogReader::why_left_out(const Numbers& numbers, std::int64_t processors) const {
    constexpr int kStatusCancelled = 5;
    const std::int64_t run = numbers[kRun];
    if (std::max(numbers[kSubmit], run) > kLongest || std::min(numbers[kSubmit], run) < -kLongest ||
        processors > kWidest)
        return RepairKind::kAbsurd;
    if (processors == 0 && !options_.keep_without_processors) return RepairKind::kNoWidth;
    if (options_.max_processors > 0 && processors > options_.max_processors) return RepairKind::kTooWide;
    if (run <= 0 && !options_.keep_unrun) return RepairKind::kUnrun;
    if (run > 0 && numbers[kStatus] == kStatusCancelled && !options_.keep_cancelled) return RepairKind::kCancelled;
    return std::nullopt;
}

void LogReader::note_width(const Numbers& numbers) {
    const std::int64_t allocated = numbers[kAllocated], requested = numbers[kRequested];
    if (allocated <= 0 && requested <= 0)
        add(RepairKind::kNoWidth);
    else if (allocated <= 0 || requested <= 0)
        add(RepairKind::kOneWidth);
    else if (allocated != requested)
        add(RepairKind::kTwoWidths);
}

void LogReader::times_of(const Numbers& numbers, LogJob& job) {
    job.submit = std::max<std::int64_t>(numbers[kSubmit], 0);
    if (numbers[kSubmit] < 0) add(RepairKind::kNegativeSubmit);
    job.run = std::max<std::int64_t>(numbers[kRun], 0);
    if (numbers[kRun] <= 0) add(RepairKind::kUnrun);
    job.wait = std::max<std::int64_t>(numbers[kWait], -1);
    if (numbers[kWait] <= kLongest) return;
    job.wait = -1;
    out_of_range_ = true;
}

/// Needs the run time.
void LogReader::request_of(const Numbers& numbers, LogJob& job) {
    job.request = numbers[kRequest];
    if (job.request <= 0 || job.request > kLongest) {
        job.request = options_.missing_request > 0 ? options_.missing_request : std::max<Seconds>(job.run, 1);
        add(RepairKind::kNoRequest);
    }
    if (job.run <= job.request) return;
    const bool clip = options_.overrun == ReadOptions::Overrun::kClip;
    add(clip ? RepairKind::kOverrun : RepairKind::kOverrunKept);
    if (clip) job.run = job.request;
}

void LogReader::rest_of(const Numbers& numbers, LogJob& job) {
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    constexpr int kStatusCancelled = 5, kMaxStatus = 1'000'000;
    job.processors = std::max<std::int64_t>(job.processors, 1);
    job.id = numbers[kId];
    if (job.id < 0 || job.id == kLast) {
        job.id = static_cast<std::int64_t>(rows_);
        add(RepairKind::kNoId);
    }
    job.memory_kb = std::max<std::int64_t>(numbers[kMemory], -1);
    job.status = static_cast<int>(std::clamp<std::int64_t>(numbers[kStatus], -1, kMaxStatus));
    out_of_range_ |= job.memory_kb == kLast || job.status == kMaxStatus;
    if (job.memory_kb == kLast) job.memory_kb = -1;
    if (job.status == kMaxStatus) job.status = -1;
    if (job.status == kStatusCancelled && numbers[kRun] > 0) add(RepairKind::kCancelled);
}

void LogReader::note(const Noted& repair) {
    log_.repairs.add(repair.kind, repair.line, repair.left_out);
    if (options_.first > 0) noted_.push_back(repair);
}

void LogReader::keep_first() {
    std::vector<LogJob>& jobs = log_.workload.jobs;
    if (options_.first == 0 || jobs.size() <= options_.first) return;
    std::vector<std::size_t> order(jobs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&jobs](std::size_t i) { return jobs[i].submit; });
    log_.later = order.size() - options_.first;
    order.resize(options_.first);
    std::ranges::sort(order);
    for (std::size_t i = 0; i < order.size(); ++i) {
        jobs[i] = jobs[order[i]];
        lines_[i] = lines_[order[i]];
    }
    jobs.resize(order.size());
    lines_.resize(order.size());
    log_.repairs.forget();
    for (const Noted& repair : noted_)
        if (repair.left_out ? repair.line < lines_.back() : std::ranges::binary_search(lines_, repair.line))
            log_.repairs.add(repair.kind, repair.line, repair.left_out);
}

void LogReader::find_same_ids() {
    const std::vector<LogJob>& jobs = log_.workload.jobs;
    const auto not_larger = [](const LogJob& a, const LogJob& b) { return a.id >= b.id; };
    if (std::adjacent_find(jobs.begin(), jobs.end(), not_larger) == jobs.end()) return;  // nearly always
    std::vector<std::pair<std::int64_t, std::size_t>> by_id;
    by_id.reserve(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) by_id.emplace_back(jobs[i].id, i);
    std::sort(by_id.begin(), by_id.end());
    std::vector<std::uint64_t> again;
    for (std::size_t i = 1; i < by_id.size(); ++i)
        if (by_id[i].first == by_id[i - 1].first) again.push_back(lines_[by_id[i].second]);
    std::sort(again.begin(), again.end());
    for (const std::uint64_t line : again) log_.repairs.add(RepairKind::kSameId, line);
}

void LogReader::sort() {
    std::vector<LogJob>& jobs = log_.workload.jobs;
    bool sorted = true;
    for (std::size_t i = 1; i < jobs.size(); ++i) {
        if (jobs[i].submit >= jobs[i - 1].submit) continue;
        log_.repairs.add(RepairKind::kOutOfOrder, lines_[i]);
        sorted = false;
    }
    if (!sorted)
        std::stable_sort(jobs.begin(), jobs.end(),
                         [](const LogJob& a, const LogJob& b) { return a.submit < b.submit; });
}

void LogReader::number_labels() {
    const bool named = !partitions_.names.list().empty();
    const std::vector<int> listed = [&] {
        std::vector<int> indices;
        indices.reserve(log_.workload.partitions.size());
        for (const std::string& name : log_.workload.partitions) indices.push_back(partitions_.names.index(name));
        return indices;
    }();
    for (LogJob& job : log_.workload.jobs) {
        job.user = users_.number(job.user);
        job.group = groups_.number(job.group);
        job.application = applications_.number(job.application);
        job.queue = queues_.number(job.queue);
        if (named || !listed.empty()) job.partition = partitions_.named(job.partition, listed);
    }
    log_.workload.partitions = partitions_.names.list();
    int index = 0;
    for (const std::string& name : queues_.names.list())
        log_.workload.header.emplace_back("Queue", fmt::format("{} {}", queues_.number_of_name(index++), name));
}

/// Reads the size of the machine, and the names of the partitions.
void LogReader::read_header() {
    Workload& workload = log_.workload;
    check_size();
    workload.nodes = max_nodes_.value;
    workload.processors = max_procs_.value;
    for (const auto& [key, value] : workload.header) {
        if (key != kPartitionNames) continue;
        for (std::string_view rest = value; !rest.empty();) {
            const auto end = rest.find(';');
            if (const auto name = trimmed(rest.substr(0, end)); !name.empty()) workload.partitions.emplace_back(name);
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        }
    }
    std::erase_if(workload.header, [](const auto& line) { return line.first == kPartitionNames; });
    // Archive: logs of machines with one processor a node may leave the second out.
    if (workload.processors == 0) workload.processors = workload.nodes;
}

tl::expected<Log, std::string> LogReader::finish() {
    if (rows_ == 0)
        return tl::make_unexpected(std::string("there is no job in it; name a log in the Standard Workload Format"));
    if (log_.workload.jobs.empty()) {
        std::string why;
        for (const Repair& repair : log_.repairs.list()) why += (why.empty() ? "" : ", ") + repair.sentence();
        return tl::make_unexpected(fmt::format("no job is left: {}; other options would keep some", why));
    }
    keep_first();
    log_.repairs.jobs = log_.workload.jobs.size();
    read_header();
    find_same_ids();
    sort();
    number_labels();
    return std::move(log_);
}

}  // namespace

tl::expected<Log, std::string> read_swf_text(std::string_view text, const std::string& name,
                                             const ReadOptions& options) {
    const auto sentence = [&](const std::string& why) {
        return tl::make_unexpected(fmt::format("drom-sim: read {}: {}", name, why));
    };
    LogReader reader(name, options);
    if (const auto read = reader.read(text); !read) return sentence(read.error());
    auto log = reader.finish();
    if (!log) return sentence(log.error());
    return log;
}

tl::expected<Log, std::string> read_swf(const std::string& path, const ReadOptions& options) {
    const auto text = swf::read_text(path);
    if (!text) return tl::make_unexpected(fmt::format("drom-sim: read {}: {}", path, text.error()));
    return read_swf_text(*text, path, options);
}

}  // namespace drom::sim
