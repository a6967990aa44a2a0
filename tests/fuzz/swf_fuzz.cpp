// SPDX-License-Identifier: BSD-3-Clause
// swf_fuzz.cpp - any content of a log gives jobs that can be replayed, with every line accounted for, or one sentence.
//
// The first byte chooses the options. Built with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "workload/swf/swf.hpp"

namespace {

using drom::sim::Log;
using drom::sim::LogJob;
using drom::sim::ReadOptions;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "swf_fuzz: does not hold: %s\n", what);
    std::abort();
}

ReadOptions options_of(std::uint8_t bits) {
    ReadOptions options;
    options.skip_bad_lines = (bits & 1) == 0;
    options.overrun = (bits & 2) == 0 ? ReadOptions::Overrun::kClip : ReadOptions::Overrun::kKeep;
    options.keep_unrun = (bits & 4) == 0;
    options.keep_cancelled = (bits & 8) == 0;
    options.keep_without_processors = (bits & 16) == 0;
    options.max_processors = (bits & 32) == 0 ? 0 : 100;
    options.missing_request = (bits & 64) == 0 ? 0 : 3600;
    options.width = (bits & 128) == 0 ? ReadOptions::Width::kRequested : ReadOptions::Width::kLarger;
    return options;
}

void check_job(const LogJob& job, const Log& log, const ReadOptions& options) {
    constexpr std::int64_t kLongest = 1'000'000'000'000, kWidest = 1'000'000'000;
    must(job.id >= 0, "a job has a number");
    must(job.submit >= 0 && job.submit <= kLongest, "submit");
    must(job.wait >= -1 && job.wait <= kLongest, "wait");
    must(job.run >= 0 && job.run <= kLongest, "run");
    must(job.request >= 1 && job.request <= kLongest, "request");
    must(options.overrun == ReadOptions::Overrun::kKeep || job.run <= job.request, "clipped");
    must(options.keep_unrun || job.run > 0, "ran");
    must(job.processors >= 1 && job.processors <= kWidest, "processors");
    must(options.max_processors == 0 || job.processors <= options.max_processors, "fits");
    must(job.memory_kb >= -1, "memory");
    must(std::min({job.user, job.group, job.application, job.queue, job.partition, job.status}) >= -1, "labels");
    const auto names = static_cast<std::int64_t>(log.workload.partitions.size());
    must(names == 0 || job.partition < names, "partition has a name");
}

void check_log(const Log& log, std::size_t newlines, const ReadOptions& options) {
    const auto& repairs = log.repairs;
    must(repairs.jobs == log.workload.jobs.size(), "jobs are counted");
    must(repairs.lines == repairs.comments + repairs.blanks + repairs.jobs + repairs.left_out(), "lines add up");
    must(repairs.lines == newlines || repairs.lines == newlines + 1, "every line is counted");
    must(log.workload.nodes >= 0 && log.workload.processors >= log.workload.nodes * 0, "machine");
    const auto earlier = [](const LogJob& a, const LogJob& b) { return a.submit < b.submit; };
    must(std::is_sorted(log.workload.jobs.begin(), log.workload.jobs.end(), earlier), "sorted");
    for (const LogJob& job : log.workload.jobs) check_job(job, log, options);
    for (const auto& repair : repairs.list()) {
        must(repair.count >= repair.lines.size() && !repair.lines.empty(), "first lines");
        must(std::is_sorted(repair.lines.begin(), repair.lines.end()), "lines in order");
        must(repair.lines.back() <= repairs.lines, "lines of the log");
        must(!repair.sentence().empty(), "sentence");
    }
}

/// Checks that a log that was repaired once needs no more repairs, and comes back as it was.
void check_round_trip(const Log& log, const ReadOptions& options) {
    std::ostringstream text;
    must(drom::sim::write_swf(text, log.workload).has_value(), "written");
    ReadOptions as_written = options;
    as_written.skip_bad_lines = false;
    const auto again = drom::sim::read_swf_text(text.str(), "again", as_written);
    must(again.has_value(), "read again");
    must(again->workload.jobs == log.workload.jobs, "the same jobs");
    must(again->workload.partitions == log.workload.partitions, "the same partitions");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const ReadOptions options = options_of(data[0]);
    const std::string text(reinterpret_cast<const char*>(data) + 1,
                           size - 1);  // a copy, so that reading past its end is seen
    const auto log = drom::sim::read_swf_text(text, "fuzz", options);
    if (!log) {
        must(log.error().rfind("drom-sim: read fuzz: ", 0) == 0, "a sentence");
        must(log.error().find('\n') == std::string::npos, "one line");
        return 0;
    }
    check_log(*log, static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), options);
    check_round_trip(*log, options);
    return 0;
}
