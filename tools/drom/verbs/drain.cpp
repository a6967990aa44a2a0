// SPDX-License-Identifier: BSD-3-Clause
// drain.cpp - drom drain, restore: empty CPUs, and hand them back.
#include <fmt/format.h>

#include "command_line/cpu_text.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "verbs/all_users.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

std::string done_words(bool drains, const Outcome& outcome) {
    if (outcome.unchanged()) return drains ? "drained already" : "not drained, so there is nothing to restore";
    const std::string done = drains ? "drained" : "restored";
    return outcome.pending() ? done + ", but not every client has released yet" : done;
}

}  // namespace

int verb_drain(const CommandOptions& options) {
    const auto cpus = read_cpus(options.mask);
    if (!cpus) return refused_cpus(options, "MASK", cpus.error());
    if (options.all_users) return drain_all_users(options);
    auto table = Table::open(options.table);
    if (!table) return refused(options, table.error());
    const bool drains = options.verb == "drain";
    const auto outcome = drains ? table->drain(*cpus, options.request) : table->restore(*cpus, options.request);
    if (!outcome) return refused(options, outcome.error());
    const auto masks = table->masks();
    if (!masks) return refused(options, masks.error());
    const bool late = outcome->pending() && options.request.wait != Wait::kNothing;
    if (late && !options.quiet) complain(outcome->text);
    if (options.json)
        print(drain_json(options.verb, *outcome, *cpus, masks->drained));
    else if (!options.quiet)
        print(cpus->text() + ": " + done_words(drains, *outcome) + "\n");
    return late ? kPosted : kDone;
}

}  // namespace drom::command
