// SPDX-License-Identifier: BSD-3-Clause
// swf_repairs.cpp - counts of what was done to a log, and the sentences that say it.
#include <fmt/format.h>

#include <algorithm>

#include "workload/swf/swf.hpp"

namespace drom::sim {
namespace {

struct Words {
    const char* name;
    const char* one;      ///< "1 job ..."
    const char* several;  ///< "12 jobs ..."
    const char* kept;     ///< what was done, unless it was left out
};

constexpr std::array<Words, static_cast<std::size_t>(RepairKind::kKinds)> kWords = {{
    {"index-column", "line has 19 fields", "lines have 19 fields", "the first is taken as an index"},
    {"extra-fields", "line has more than 18 fields", "lines have more than 18 fields", "the last are not read"},
    {"few-fields", "line has fewer than 18 fields", "lines have fewer than 18 fields", "the missing ones are unknown"},
    {"fraction", "line has numbers with a fraction", "lines have numbers with a fraction", "rounded"},
    {"name", "line has names where numbers are usual", "lines have names where numbers are usual",
     "numbered as they appear"},
    {"one-width", "job says its processors in one field only", "jobs say their processors in one field only",
     "that one is used"},
    {"two-widths", "job was given another number of processors than it asked for",
     "jobs were given another number of processors than they asked for", "the requested number is used"},
    {"no-width", "job does not say its processors", "jobs do not say their processors", "1 is assumed"},
    {"no-request", "job has no requested time", "jobs have no requested time", "the run time is taken, at least 1 s"},
    {"overrun", "job ran longer than it asked for", "jobs ran longer than they asked for", "cut at the limit"},
    {"overrun-kept", "job ran longer than it asked for", "jobs ran longer than they asked for", "kept"},
    {"cancelled", "job was cancelled while it ran", "jobs were cancelled while they ran", "kept"},
    {"unrun", "job has no run time", "jobs have no run time", "kept with 0 s"},
    {"negative-submit", "job was submitted before the log's zero", "jobs were submitted before the log's zero",
     "moved to zero"},
    {"out-of-range", "line has a number that cannot be right", "lines have a number that cannot be right",
     "taken as unknown"},
    {"no-id", "job has no number", "jobs have no number", "its place in the log is used"},
    {"same-id", "job has the number of an earlier one", "jobs have the number of an earlier one", "kept"},
    {"out-of-order", "job was submitted before the one above it", "jobs were submitted before the one above them",
     "sorted"},
    {"absurd", "job has a time or a width that cannot be right", "jobs have a time or a width that cannot be right",
     ""},
    {"too-wide", "job is wider than the machine", "jobs are wider than the machine", ""},
    {"truncated", "line is cut off", "lines are cut off", ""},
    {"bad-line", "line is no data", "lines are no data", ""},
    {"step", "line is a step of a job", "lines are steps of jobs", ""},
    {"pending", "job still waits", "jobs still wait", ""},
    {"running", "job has not ended", "jobs have not ended", ""},
    {"never-ran", "job ended while it waited", "jobs ended while they waited", ""},
    {"no-submit", "job has no time of submission", "jobs have no time of submission", ""},
    {"backwards", "job has times that run backwards", "jobs have times that run backwards", ""},
    {"no-processors", "job ran on no CPU", "jobs ran on no CPU", ""},
    {"no-limit", "job has no time limit", "jobs have no time limit", "the requested time is unknown"},
    {"spread", "job had more nodes than its CPUs fill", "jobs had more nodes than their CPUs fill",
     "only the CPUs are counted"},
    {"widened", "job had more nodes than its CPUs fill", "jobs had more nodes than their CPUs fill",
     "all CPUs of the nodes are counted"},
    {"skipped-hour", "line has a time in an hour that clocks skip in spring",
     "lines have a time in an hour that clocks skip in spring", "counted on by the clock of the winter"},
    {"same-number", "name has the hashed number of another one", "names have the hashed number of another one",
     "another salt may tell them apart"},
}};

}  // namespace

void Repairs::add(RepairKind kind, std::uint64_t line, bool left_out) {
    Count& entry = counts_[static_cast<std::size_t>(kind)];
    if (entry.count < kFirstLines) entry.lines[entry.count] = line;
    ++entry.count;
    entry.left_out = left_out;
}

void Repairs::forget() {
    for (Count& entry : counts_) entry = {0, {}, false, std::move(entry.kept)};
}

std::uint64_t Repairs::left_out() const {
    std::uint64_t sum = 0;
    for (const Count& entry : counts_)
        if (entry.left_out) sum += entry.count;
    return sum;
}

std::vector<Repair> Repairs::list() const {
    std::vector<Repair> repairs;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        const Count& entry = counts_[i];
        if (entry.count == 0) continue;
        const auto shown = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(entry.count, kFirstLines));
        repairs.push_back({static_cast<RepairKind>(i),
                           kWords[i].name,
                           entry.left_out,
                           entry.count,
                           {entry.lines.begin(), entry.lines.begin() + shown},
                           entry.kept.empty() ? kWords[i].kept : entry.kept});
    }
    return repairs;
}

std::string Repair::sentence() const {
    const Words& words = kWords[static_cast<std::size_t>(kind)];
    return fmt::format("{} {}: {} ({} {}{})", count, count == 1 ? words.one : words.several,
                       left_out ? "left out" : kept, count == 1 ? "line" : "lines", fmt::join(lines, ", "),
                       count > lines.size() ? ", ..." : "");
}

}  // namespace drom::sim
