// SPDX-License-Identifier: BSD-3-Clause
// wait.cpp - drom wait: until a request is released or resized.
#include <fmt/format.h>

#include "command_line/clients.hpp"
#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "table/snapshot.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

int verb_wait(const CommandOptions& options) {
    auto client = open_client(options);
    if (!client) return refused(options, client.error());
    const auto outcome = client->table.wait(client->pid(), options.seq, options.request);
    if (!outcome) return refused(options, outcome.error());
    const auto after = view_of(client->table, client->pid());
    if (!after) return refused(options, after.error());
    if (outcome->pending() && !options.quiet) complain(outcome->text);
    if (options.json)
        print(request_json(options.verb, *outcome, client->view.wanted, *after));
    else if (!outcome->pending() && !options.quiet)
        print(fmt::format("{}: request {} is {}\n", client_words(after->info),
                          options.seq != 0 ? options.seq : after->info.request_seq, request_word(after->info)));
    return outcome->pending() ? kPosted : kDone;
}

}  // namespace drom::command
