// SPDX-License-Identifier: BSD-3-Clause
// replay.cpp - a controller's log of decisions, a record of passes or a journal of drom advise, checked against the
// policy; of the log also what other parameters would have done.
#include <fmt/format.h>

#include <cstdio>

#include "cli/simulation.hpp"
#include "journal/advice_journal.hpp"
#include "report/advice_text.hpp"
#include "report/record_text.hpp"
#include "report/replay_text.hpp"
#include "report/summary_json.hpp"
#include "text/visible.hpp"
#include "verbs/verb_functions.hpp"
#include "workload/swf/swf_source.hpp"

namespace drom::sim {
namespace {

/// Returns what is wrong with a file, for a terminal: its words may be those of a stranger, and as long as the file.
std::string told(const std::string& error) {
    constexpr std::size_t kMax = 300;
    return error.size() <= kMax ? visible(error) : visible_field(error, kMax);
}

void remark(const SimulationOptions& options, const Replayed& replayed) {
    if (options.quiet) return;
    for (const std::size_t line : replayed.unfinished)
        std::fprintf(stderr,
                     "drom-sim: replay: %s: line %zu is unfinished, as of a controller that was killed; left out\n",
                     options.source.log.c_str(), line);
}

void print(const SimulationOptions& options, const Replayed& replayed) {
    if (options.json) {
        std::fputs(replay_json(replayed, options.decisions).c_str(), stdout);
        return;
    }
    if (options.decisions && !replayed.decisions.empty())
        std::fputs((decisions_table(replayed) + '\n').c_str(), stdout);
    std::fputs(replay_summary(replayed).c_str(), stdout);
}

/// Names the first option that is for a controller's log only; empty: there is none.
std::string option_of_logs(const SimulationOptions& options) {
    if (options.decisions) return "--decisions";
    if (!options.out.empty()) return "--out";
    return options.parameters.empty() ? "" : option_of(options.parameters.front().first);
}

/// Refuses an option that is for a controller's log only; `what` the file is instead.
tl::expected<void, std::string> check_options(const SimulationOptions& options, const char* what) {
    const std::string option = option_of_logs(options);
    if (option.empty()) return {};
    return tl::unexpected(fmt::format("it is a {}, and {} is for a controller's log; leave it out", what, option));
}

int replay_of_record(const SimulationOptions& options, const std::string& about, const std::string& text) {
    if (const auto can = check_options(options, "record"); !can) return fail({kUsage, about + can.error()});
    const auto replayed = replay_record(text);
    if (!replayed) return fail({kUsage, about + told(replayed.error())});
    if (const auto& cut = replayed->cut; cut && !options.quiet)
        std::fprintf(stderr, "%sthe record was cut at line %zu; what is before it was checked\n", about.c_str(), *cut);
    std::fputs((options.json ? record_json(*replayed) : record_summary(*replayed)).c_str(), stdout);
    return replayed->difference ? kRefused : kDone;
}

int replay_of_journal(const SimulationOptions& options, const std::string& about, const std::string& text) {
    if (const auto can = check_options(options, "journal of drom advise"); !can)
        return fail({kUsage, about + can.error()});
    const auto replayed = replay_journal(text);
    if (!replayed) return fail({kUsage, about + told(replayed.error())});
    if (!options.quiet)
        for (const CutRound& cut : replayed->cut)
            std::fprintf(stderr, "%s%s; left out\n", about.c_str(), cut_text(cut).c_str());
    std::fputs((options.json ? journal_json(*replayed) : journal_summary(*replayed)).c_str(), stdout);
    return replayed->differences.empty() ? kDone : kRefused;
}

}  // namespace

int verb_replay(const SimulationOptions& options) {
    if (const auto rules = with_others({}, options.parameters); !rules) return misused(options, rules.error());
    if (const auto apart = check_apart(options, options.out, "--out"); !apart) return fail(apart.error());
    if (const auto free = check_out(options); !free) return fail(free.error());
    const std::string about = "drom-sim: replay: " + options.source.log + ": ";
    const auto text = swf::read_text(options.source.log, "a log of decisions");
    if (!text) return fail({kUsage, about + text.error()});
    if (is_record(*text)) return replay_of_record(options, about, *text);
    if (journal::is_journal(*text)) return replay_of_journal(options, about, *text);
    const auto replayed = replay_log(*text, options.parameters);
    if (!replayed) return fail({kUsage, about + told(replayed.error())});
    remark(options, *replayed);
    if (!options.out.empty())
        if (const auto written = write_redecided_csv(options.out, *replayed); !written)
            return fail({kRefused, written.error()});
    print(options, *replayed);
    const bool same = replayed->differing() == 0 && replayed->astray.empty();
    return same || !replayed->others.empty() ? kDone : kRefused;
}

}  // namespace drom::sim
