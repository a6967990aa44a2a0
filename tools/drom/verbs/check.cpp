// SPDX-License-Identifier: BSD-3-Clause
// check.cpp - drom check: verify the table, finish what another command left unfinished, remove the dead.
#include <fmt/format.h>

#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "table/snapshot.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

int verb_check(const CommandOptions& options) {
    auto table = Table::open(options.table);
    if (!table) return refused(options, table.error());
    const auto outcome = table->check();
    if (!outcome) return refused(options, outcome.error());
    const auto snapshot = take_snapshot(*table);
    if (!snapshot) return refused(options, snapshot.error());
    if (options.json) {
        print(check_json(*outcome, *snapshot));
    } else {
        print(fmt::format("{}: sound, {}, {} of {} free; {}\n", snapshot->path,
                          counted(snapshot->clients.size(), "client"), snapshot->masks.free.count(),
                          counted(snapshot->masks.present.count(), "CPU"),
                          outcome->unchanged() ? "nothing to do" : "finished what was left unfinished"));
    }
    return kDone;
}

}  // namespace drom::command
