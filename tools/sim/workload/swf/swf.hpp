// SPDX-License-Identifier: BSD-3-Clause
// swf.hpp - logs in the Standard Workload Format and its dialects, in and out; every repair of a log is counted.
//
// Format: D. Feitelson et al., Parallel Workloads Archive, version 2.2. Dialects, told apart line by line:
//
//   18 fields           separated by blanks or tabs, or by `;`; at least the first 4 must be there, the others may be
//                       missing
//   19 or more          by blanks: 19 are an index column in front of the 18; more are columns of other tools behind
//                       them; by `;`: what follows the 18th (a list of modules) is not read
//   names               in the fields user, group, application, queue and partition; those of queues become header
//                       lines "Queue: NUMBER NAME", as the format has them
//   id;user;submit;...  8 to 13 fields by `;` with a name in the second: the `.sim` form of BSC's Slurm simulator,
//                       id;user;submit;run;limit;tasks;partition;account;CPUs per task;tasks per node. The limit is in
//                       minutes (in the samples no run time exceeds 60 times it); processors are tasks times CPUs per
//                       task
//   41 fields by `;`    Modular Workload Format (Corbalan and D'Amico, JSSPP 2021), as far as its public reader tells
//                       the columns: job 1, submit 4, wait 5, request 6, run 11, status 12, partition 14, nodes x
//                       processes x threads 15-17 (allocated 29-31). A component of a job is a job, as it is in Slurm
//
// Not kept: average CPU time, used memory, preceding job, think time (fields 6, 7, 17, 18).
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "workload/workload.hpp"

namespace drom::sim {

/// Which jobs are kept, and which fields are changed. The defaults keep every job that a scheduler has seen.
struct ReadOptions {
    /// A job that ran longer than it asked for: kClip cuts it at its limit, as a scheduler with limits would have and
    /// as pyss does.
    enum class Overrun { kClip, kKeep } overrun = Overrun::kClip;
    /// When fields 5 and 8 (processors allocated, requested) differ. A scheduler is given the request; the logs that
    /// are derived with pyss have it, too. In RICC-2010 it is also the larger one, in KTH-SP2 the smaller.
    enum class Width { kRequested, kAllocated, kLarger } width = Width::kRequested;
    Seconds missing_request = 0;          ///< for jobs without a requested time; 0: their run time, at least 1
    std::size_t first = 0;                ///< only so many jobs, the first by submission; 0: all
    std::int64_t max_processors = 0;      ///< wider jobs are left out; 0: no limit
    bool keep_cancelled = true;           ///< status 5 with a run time: it held its processors that long
    bool keep_unrun = true;               ///< run time 0 or unknown: kept with run time 0. pyss leaves them out
    bool keep_without_processors = true;  ///< neither field 5 nor 8: kept with 1 processor. pyss leaves them out
    bool skip_bad_lines = false;          ///< lines that are no data: left out and counted, instead of an error
};

enum class RepairKind : std::uint8_t {
    kIndexColumn,     ///< 19 fields: the first is not of the format
    kExtraFields,     ///< more than 18 fields: the last are not read
    kFewFields,       ///< fewer than 18 fields: the missing ones are unknown
    kFraction,        ///< a number with a fraction: rounded
    kName,            ///< a name of a user, group, application or queue: numbered in the order of appearance
    kOneWidth,        ///< only one of the fields 5 and 8
    kTwoWidths,       ///< fields 5 and 8 differ; see ReadOptions::width
    kNoWidth,         ///< neither; see ReadOptions::keep_without_processors
    kNoRequest,       ///< no requested time, or an absurd one
    kOverrun,         ///< ran longer than requested: cut at the limit; see ReadOptions::overrun
    kOverrunKept,     ///< the same: left as it is
    kCancelled,       ///< status 5, but ran; see ReadOptions::keep_cancelled
    kUnrun,           ///< run time 0 or unknown; see ReadOptions::keep_unrun
    kNegativeSubmit,  ///< submitted before the log's zero: at zero
    kOutOfRange,      ///< a number that is not needed and cannot be right: unknown
    kNoId,            ///< its place among the log's jobs is its number
    kSameId,          ///< a number that an earlier job has: kept
    kOutOfOrder,      ///< submitted before the job of the line above: sorted
    kAbsurd,          ///< submit or run time beyond 10^12 s, or more than 10^9 processors: left out
    kTooWide,         ///< wider than ReadOptions::max_processors: left out
    kTruncated,       ///< last line, cut off: left out
    kBadLine,         ///< no data; left out when ReadOptions::skip_bad_lines
    // Of Slurm's accounting, see slurm_log.hpp.
    kStep,          ///< a step of a job: left out
    kPending,       ///< a job that still waits: left out
    kRunning,       ///< a job that has not ended: left out
    kNeverRan,      ///< a job that ended while it waited: left out
    kNoSubmit,      ///< no time of submission: left out
    kBackwards,     ///< ended before it started, or started before it was submitted: left out
    kNoProcessors,  ///< ran on no CPU: left out
    kNoLimit,       ///< no time limit
    kSpread,        ///< on more nodes than its CPUs fill
    kWidened,       ///< the same: the cores of its nodes are its processors
    kSkippedHour,   ///< a time that clocks never show, as they are set forward then: counted on by the clock before
    kSameNumber,    ///< a new name has the hashed number of another one
    kKinds
};

/// All repairs of one kind.
struct Repair {
    RepairKind kind = RepairKind::kBadLine;
    std::string_view name;             ///< a short word, for tables and JSON
    bool left_out = false;             ///< these jobs are not in the workload
    std::uint64_t count = 0;           ///< jobs, or lines
    std::vector<std::uint64_t> lines;  ///< the first few, counted from 1
    std::string kept;                  ///< how the jobs are kept, where the options decide it; else as the kind says

    /// Returns "12 jobs are wider than the machine: left out (lines 7, 19, 33, 40, 41, ...)".
    [[nodiscard]] std::string sentence() const;
};

/// The repairs of a log. Every line is one of: comment, blank, job, left out.
class Repairs {
public:
    std::uint64_t lines = 0, comments = 0, blanks = 0, jobs = 0;

    void add(RepairKind kind, std::uint64_t line, bool left_out = false);
    /// Tells how jobs with this repair are kept under the options that were given, for the sentence about them.
    void tell(RepairKind kind, std::string kept) { counts_[static_cast<std::size_t>(kind)].kept = std::move(kept); }
    /// Forgets all counts of repairs, not what was told.
    void forget();
    [[nodiscard]] std::uint64_t count(RepairKind kind) const { return of(kind).count; }
    [[nodiscard]] std::uint64_t left_out() const;
    /// Returns the kinds that occurred, in the order of RepairKind.
    [[nodiscard]] std::vector<Repair> list() const;

private:
    static constexpr std::size_t kFirstLines = 5;
    struct Count {
        std::uint64_t count = 0;
        std::array<std::uint64_t, kFirstLines> lines{};
        bool left_out = false;
        std::string kept;
    };
    [[nodiscard]] const Count& of(RepairKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
    std::array<Count, static_cast<std::size_t>(RepairKind::kKinds)> counts_{};
};

/// With ReadOptions::first, repairs are those of the jobs that are kept, and of lines above the last of them that are
/// no jobs.
struct Log {
    Workload workload;
    Repairs repairs;
    std::size_t later = 0;  ///< jobs that were left out because they are not of the first
};

/// Reads a log, plain or compressed with gzip (told by its content); "-" is the standard input. The whole text is held
/// in memory. Errors: a finished sentence, "drom-sim: read LOG: ..."; also when not one job is left.
tl::expected<Log, std::string> read_swf(const std::string& path, const ReadOptions& options = {});

/// Reads a log that is in memory, not compressed. `name` is for the workload and for sentences.
tl::expected<Log, std::string> read_swf_text(std::string_view text, const std::string& name,
                                             const ReadOptions& options = {});

/// Writes 18 fields a job, separated by single blanks, after the header; what read_swf makes of it is the same
/// workload. Field 3 is waits[i], or the job's own wait when `waits` is empty; otherwise it has one for each job.
/// Partition names become a header line "PartitionNames: a;b" and the numbers 1, 2, ... Errors: a sentence, when `out`
/// fails.
tl::expected<void, std::string> write_swf(std::ostream& out, const Workload& workload,
                                          std::span<const Seconds> waits = {});

/// Writes the same into a file; compressed when its name ends in ".gz"; "-" is the standard output.
tl::expected<void, std::string> write_swf(const std::string& path, const Workload& workload,
                                          std::span<const Seconds> waits = {});

}  // namespace drom::sim
