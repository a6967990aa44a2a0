// SPDX-License-Identifier: BSD-3-Clause
// wait.cpp - drom wait: until a request is released or resized.
#include <fmt/format.h>

#include "command_line/clients.hpp"
#include "output/format.hpp"
#include "output/json.hpp"
#include "output/report.hpp"
#include "table/snapshot.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

int verb_wait(const CommandOptions& options) {
    auto table = Table::open(options.table);
    if (!table) return refused(options, table.error());
    const auto clients = table->clients();
    if (!clients) return refused(options, clients.error());
    const auto pid = resolve_client(options.client, *clients);
    if (!pid) return refused(options, sentence(options, pid.error().status, pid.error().text));
    const auto before = view_of(*table, *pid);
    if (!before) return refused(options, before.error());
    const auto outcome = table->wait(*pid, options.seq, options.request);
    if (!outcome) return refused(options, outcome.error());
    const auto after = view_of(*table, *pid);
    if (!after) return refused(options, after.error());
    if (outcome->pending()) complain(outcome->text);
    if (options.json)
        print(request_json(options.verb, *outcome, before->wanted, *after));
    else if (!outcome->pending() && !options.quiet)
        print(fmt::format("{}: request {} is {}\n", client_words(after->info),
                          options.seq != 0 ? options.seq : after->info.request_seq, request_word(after->info)));
    return outcome->pending() ? kPosted : kDone;
}

}  // namespace drom::command
