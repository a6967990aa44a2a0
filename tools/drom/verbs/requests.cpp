// SPDX-License-Identifier: BSD-3-Clause
// requests.cpp - drom set, shrink, expand, add, remove: new masks for one client.
#include <fmt/format.h>

#include "command_line/clients.hpp"
#include "command_line/cpu_text.hpp"
#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "table/snapshot.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

Expected<Outcome> post(Table& table, const CommandOptions& options, const ClientView& client, const CpuSet& cpus) {
    const pid_t pid = client.info.pid;
    if (options.verb == "shrink") return table.shrink(pid, options.count, options.request);
    if (options.verb == "expand") return table.expand(pid, options.count, options.request);
    if (options.verb == "add") return table.add(pid, cpus, options.request);
    if (options.verb == "remove") return table.remove(pid, cpus, options.request);
    return table.set_mask(pid, cpus, options.request);
}

int answer(const CommandOptions& options, const Table& table, const Outcome& outcome, const ClientView& before,
           uint64_t took_ns) {
    auto after = view_of(table, before.info.pid);
    if (!after) return refused(options, after.error());
    const bool late = outcome.pending() && options.request.wait != Wait::kNothing;
    if (late && !options.quiet) complain(outcome.text);
    if (options.json) {
        print(request_json(options.verb, outcome, before.wanted, *after));
    } else if (options.quiet) {
        // only refusals, and what is pending by its exit status
    } else if (outcome.unchanged()) {
        print(fmt::format("{}: has {} already\n", client_words(after->info), after->wanted.text()));
    } else {
        print(fmt::format("{}: {} -> {}, {}\n", client_words(after->info), before.wanted.text(), after->wanted.text(),
                          progress_words(after->info, took_ns)));
    }
    return late ? kPosted : kDone;
}

}  // namespace

int verb_request(const CommandOptions& options) {
    if (!options.job.empty()) return verb_job_request(options);
    CpuSet cpus;  // shrink and expand name none
    if (!options.mask.empty()) {
        auto read = read_cpus(options.mask);
        if (!read) return refused_cpus(options, "MASK", read.error());
        cpus = *read;
    }
    auto client = open_client(options);
    if (!client) return refused(options, client.error());
    const auto start = std::chrono::steady_clock::now();
    const auto outcome = post(client->table, options, client->view, cpus);
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start);
    if (!outcome) return refused(options, outcome.error());
    return answer(options, client->table, *outcome, client->view, static_cast<uint64_t>(took.count()));
}

}  // namespace drom::command
