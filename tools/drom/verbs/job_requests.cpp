// SPDX-License-Identifier: BSD-3-Clause
// job_requests.cpp - drom set, shrink, expand, add, remove --job: new masks for all clients of one job, as one request.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "command_line/cpu_text.hpp"
#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "table/snapshot.hpp"
#include "verbs/job_shares.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

JobOrder order_of(const CommandOptions& options, const CpuSet& cpus) {
    using What = JobOrder::What;
    JobOrder order;
    order.cpus = cpus;
    order.what = options.verb == "add"      ? What::kAdd
                 : options.verb == "remove" ? What::kRemove
                 : options.verb == "shrink" ? What::kShrink
                 : options.verb == "expand" ? What::kExpand
                                            : What::kExactly;
    if (options.per_rank != 0)
        order.per_rank = options.per_rank;
    else
        order.all = options.count;
    return order;
}

/// Returns the clients of the job by rank; those that are no ranks by age, which is the order of the slots.
std::vector<ClientView> members_of(const Snapshot& snapshot, const std::string& job) {
    std::vector<ClientView> found;
    for (const ClientView& client : snapshot.clients)
        if (client.info.job == job) found.push_back(client);
    std::ranges::stable_sort(found, {}, [](const ClientView& client) { return client.info.rank; });
    return found;
}

JobState state_of(const Snapshot& snapshot, const std::vector<ClientView>& clients, const CommandOptions& options) {
    JobState job;
    job.allowed = snapshot.masks.present - snapshot.masks.drained;
    job.free = snapshot.masks.free;
    for (const ClientView& client : clients)
        job.members.push_back({client.wanted, std::max(1U, client.info.min_cpus), client.info.max_cpus});
    if (options.request.take)
        for (const ClientView& client : snapshot.clients)
            if (client.info.job != options.job && !client.wanted.empty()) job.others.push_back(share_of(client));
    job.locations = snapshot.locations;
    return job;
}

/// One job-wide request: what was asked of which clients, and what came of it.
class JobRequest {
public:
    JobRequest(const CommandOptions& options, const CpuSet& cpus, Table& table)
        : options_(options), order_(order_of(options, cpus)), table_(table) {}

    int run() {
        const auto start = std::chrono::steady_clock::now();
        const auto outcome = post();
        const auto took = std::chrono::steady_clock::now() - start;
        took_ns_ = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
        return outcome ? answer(*outcome) : refused(options_, in_own_words(outcome.error()));
    }

private:
    /// Plans on what there is, and posts; again when another command changed it in between.
    Expected<Outcome> post() {
        constexpr int kAttempts = 8;
        std::vector<CpuSet> before;
        for (int attempt = 1;; ++attempt) {
            if (const auto planned = plan(); !planned) return tl::make_unexpected(planned.error());
            auto outcome = table_.set_masks(assignments_, options_.request);
            const bool overtaken = !outcome && outcome.error().status == DROM_E_BUSY && before != before_;
            if (!overtaken || attempt == kAttempts) return outcome;
            before = before_;
        }
    }

    Expected<bool> plan() {
        const auto snapshot = take_snapshot(table_);
        if (!snapshot) return tl::make_unexpected(snapshot.error());
        clients_ = members_of(*snapshot, options_.job);
        if (clients_.empty())
            return refuse({DROM_E_NOPROC, fmt::format("no client belongs to job '{}'; drom list -o pid,job shows the "
                                                      "jobs there are",
                                                      options_.job)});
        const auto masks = plan_job(order_, state_of(*snapshot, clients_, options_));
        if (!masks) return refuse(masks.error());
        before_.clear();
        assignments_.clear();
        for (size_t i = 0; i < clients_.size(); ++i) {
            before_.push_back(clients_[i].wanted);
            // A rank that has no CPU, and is to have none, goes on as it is.
            if (!(*masks)[i].empty()) assignments_.push_back({clients_[i].info.pid, (*masks)[i]});
        }
        return true;
    }

    [[nodiscard]] tl::unexpected<Error> refuse(const Error& error) const {
        return tl::make_unexpected(sentence(options_, error.status, error.text));
    }

    /// Returns the error in this verb's words: the library calls every mask that it is asked for "set".
    [[nodiscard]] Error in_own_words(Error error) const {
        const std::string theirs = "drom: set";
        if (error.text.starts_with(theirs)) error.text.replace(0, theirs.size(), "drom: " + options_.verb);
        return error;
    }

    int answer(const Outcome& outcome) {
        const bool late = outcome.pending() && options_.request.wait != Wait::kNothing;
        if (late && !options_.quiet) complain(in_own_words({outcome.status, outcome.text}).text);
        look_again();
        if (options_.json)
            print(job_request_json(options_.verb, options_.job, outcome, before_, clients_));
        else if (!options_.quiet)
            print(text(outcome));
        return late ? kPosted : kDone;
    }

    /// Looks at the clients again, without those that have ended meanwhile.
    void look_again() {
        std::vector<ClientView> clients;
        std::vector<CpuSet> before;
        for (size_t i = 0; i < clients_.size(); ++i) {
            const auto now = view_of(table_, clients_[i].info.pid);
            if (!now) continue;
            clients.push_back(*now);
            before.push_back(before_[i]);
        }
        clients_ = std::move(clients);
        before_ = std::move(before);
    }

    [[nodiscard]] std::string text(const Outcome& outcome) const {
        std::string lines;
        for (size_t i = 0; i < clients_.size(); ++i) {
            const auto& info = clients_[i].info;
            const std::string wanted = clients_[i].wanted.text();
            const bool same = before_[i] == clients_[i].wanted && info.released_seq >= info.request_seq;
            lines += outcome.unchanged() || same
                         ? fmt::format("{}: has {} already\n", client_words(info), wanted)
                         : fmt::format("{}: {} -> {}, {}\n", client_words(info), before_[i].text(), wanted,
                                       progress_words(info, took_ns_));
        }
        return lines;
    }

    const CommandOptions& options_;
    const JobOrder order_;
    Table& table_;
    std::vector<ClientView> clients_;
    std::vector<CpuSet> before_;
    std::vector<Assignment> assignments_;
    uint64_t took_ns_ = 0;
};

}  // namespace

int verb_job_request(const CommandOptions& options) {
    CpuSet cpus;  // shrink and expand name none
    if (!options.mask.empty()) {
        const auto read = read_cpus(options.mask);
        if (!read) return refused_cpus(options, "MASK", read.error());
        cpus = *read;
    }
    auto table = Table::open(options.table);
    if (!table) return refused(options, table.error());
    return JobRequest(options, cpus, *table).run();
}

}  // namespace drom::command
