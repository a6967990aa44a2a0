// SPDX-License-Identifier: BSD-3-Clause
// replay.cpp - a controller's log of decisions, checked against the policy or asked what other parameters would have
// done.
#include <fmt/format.h>

#include <cstdio>

#include "cli/simulation.hpp"
#include "report/replay_text.hpp"
#include "report/summary_json.hpp"
#include "workload/swf_source.hpp"

namespace drom::sim {
namespace {

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

}  // namespace

int verb_replay(const SimulationOptions& options) {
    if (const auto rules = with_others({}, options.parameters); !rules) return misused(options, rules.error());
    if (const auto free = check_out(options); !free) return fail(free.error());
    const std::string about = "drom-sim: replay: " + options.source.log + ": ";
    const auto text = swf::read_text(options.source.log, "a log of decisions");
    if (!text) return fail({kRefused, about + text.error()});
    const auto replayed = replay_log(*text, options.parameters);
    if (!replayed) return fail({kRefused, about + replayed.error()});
    remark(options, *replayed);
    if (!options.out.empty())
        if (const auto written = write_redecided_csv(options.out, *replayed); !written)
            return fail({kRefused, written.error()});
    print(options, *replayed);
    const bool same = replayed->differing() == 0 && replayed->astray.empty();
    return same || !replayed->others.empty() ? kDone : kRefused;
}

}  // namespace drom::sim
