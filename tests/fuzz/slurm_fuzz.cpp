// SPDX-License-Identifier: BSD-3-Clause
// slurm_fuzz.cpp - any accounting of Slurm gives jobs, with every line accounted for, or one sentence; so does any
// slurm.conf.
//
// The first byte chooses the reader and its options. Built with clang's libFuzzer and sanitizers.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "workload/slurm/slurm_conf.hpp"
#include "workload/slurm/slurm_log.hpp"

namespace {

using namespace drom::sim;

void must(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "slurm_fuzz: does not hold: %s\n", what);
    std::abort();
}

void must_be_sentence(const std::string& text) {
    must(text.starts_with("drom-sim: "), "a sentence");
    must(text.find('\n') == std::string::npos, "one line");
}

/// Checks that the log that is written has the same jobs.
void check_round_trip(const Workload& workload) {
    std::ostringstream text;
    must(write_swf(text, workload).has_value(), "written");
    ReadOptions keep;
    keep.overrun = ReadOptions::Overrun::kKeep;
    const auto again = read_swf_text(text.str(), "again", keep);
    must(again.has_value(), "read again");
    must(again->workload.partitions == workload.partitions, "the same partitions");
    must(again->workload.jobs.size() == workload.jobs.size(), "as many jobs");
    for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
        LogJob job = workload.jobs[i];
        if (job.request < 0) job.request = job.run > 1 ? job.run : 1;
        must(again->workload.jobs[i] == job, "the same job");
    }
}

void check_log(const std::string& text, std::uint8_t bits) {
    SlurmOptions options;
    options.skip_bad_lines = (bits & 2) != 0;
    options.whole_nodes = (bits & 4) != 0;
    options.cores = (bits & 8) != 0 ? 48 : 0;
    options.zone = (bits & 16) != 0 ? "CET-1CEST,M3.5.0,M10.5.0/3" : "UTC";
    const auto log = read_slurm_text(text, "fuzz", options);
    if (!log) return must_be_sentence(log.error());
    const Repairs& repairs = log->repairs;
    must(repairs.lines == repairs.comments + repairs.blanks + repairs.jobs + repairs.left_out(), "lines add up");
    must(log->workload.nodes > 0 && log->workload.processors >= log->workload.nodes, "a machine");
    check_round_trip(log->workload);
}

void check_conf(const std::string& text) {
    const auto site =
        read_slurm_conf("fuzz", "", [&](const std::string& path) -> tl::expected<std::string, std::string> {
            if (path == "fuzz") return text;
            return tl::make_unexpected(std::string("no such file"));
        });
    if (!site) return must_be_sentence(site.error());
    must(site->no_machine.empty() == (site->nodes > 0 && site->cores > 0), "a machine, or why not");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
    (data[0] & 1) != 0 ? check_conf(text) : check_log(text, data[0]);
    return 0;
}
