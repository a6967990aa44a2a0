// SPDX-License-Identifier: BSD-3-Clause
// advice_text.cpp - advices that differ, as drom advise says them.
#include "report/advice_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/counted.hpp"
#include "text/visible.hpp"

namespace drom::sim {
namespace {

std::string program_text(const policy::NodeProgram& program) {
    const std::string whose = program.job.empty() ? std::to_string(program.clients.front().id) : "job " + program.job;
    return fmt::format("{} ({}), {} {}", visible(program.name), visible(whose),
                       fmt::join(policy::keep(program, "").cpus, "+"), program.cpus() == 1 ? "CPU" : "CPUs");
}

std::string advice_text(const policy::Advice& advice) {
    return fmt::format("{}: {}", fmt::join(advice.cpus, "+"), visible(advice.why));
}

std::string difference_text(const AdviceDifference& difference) {
    return fmt::format("  line {}, round {}: {}: the journal has {}; the policy advises now {}\n", difference.line,
                       difference.round, program_text(difference.program), advice_text(difference.then),
                       advice_text(difference.now));
}

}  // namespace

std::string journal_summary(const ReplayedJournal& replayed, std::size_t max) {
    const std::size_t differing = replayed.differences.size();
    std::string text =
        fmt::format("{} of {}: {}, {}, {} of them for a change\n", counted(replayed.lines, "line", "lines"),
                    counted(replayed.commands, "command", "commands"), counted(replayed.rounds, "round", "rounds"),
                    counted(replayed.advices, "advice", "advices"), replayed.changes);
    if (differing == 0) return text + (replayed.advices > 0 ? "Every advice is what its policy gives now.\n" : "");
    text += fmt::format("{} of {} {} what the policy gives now:\n", differing,
                        counted(replayed.advices, "advice", "advices"), differing == 1 ? "is not" : "are not");
    for (std::size_t i = 0; i < std::min(max, differing); ++i) text += difference_text(replayed.differences[i]);
    if (differing > max) text += fmt::format("  and {} more; --json has all that differ\n", differing - max);
    return text;
}

std::string cut_text(const CutRound& cut) {
    const std::string which = cut.round == 0 ? "a round" : "round " + std::to_string(cut.round);
    return fmt::format("{} was cut at line {}", which, cut.line);
}

}  // namespace drom::sim
