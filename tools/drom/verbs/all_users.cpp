// SPDX-License-Identifier: BSD-3-Clause
// all_users.cpp - a verb in the tables of all users, and what comes of their answers.
#include "verbs/all_users.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "command_line/cpu_text.hpp"
#include "output/format.hpp"
#include "output/messages.hpp"
#include "output/openmetrics.hpp"
#include "output/stats_report.hpp"
#include "table/snapshot.hpp"
#include "verbs/as_user.hpp"
#include "verbs/kept_signals.hpp"
#include "verbs/user_tables.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

/// Returns why a drain of these CPUs would be refused; empty: it would not.
std::string impediment(const Snapshot& snapshot, const CpuSet& cpus) {
    for (const ClientView& client : snapshot.clients) {
        const CpuSet lost = client.wanted & cpus;
        const unsigned left = (client.wanted - cpus).count();
        if (lost.empty()) continue;
        const bool rigid = (client.info.flags & DROM_RIGID) != 0;
        if (!rigid && left >= std::max(1U, client.info.min_cpus)) continue;
        return fmt::format("{} of {}, which {}; drain fewer CPUs, or end it first", cpus_text(lost),
                           client_words(client.info),
                           rigid ? "is rigid" : fmt::format("would be left with {}", counted(left, "CPU")));
    }
    return {};
}

/// Prints the CPUs that the verb would change.
int look_before(const CommandOptions& options) {
    const auto table = Table::open(options.table, {.read_only = true});
    if (!table) return refused(options, table.error());
    const auto snapshot = take_snapshot(*table);
    if (!snapshot) return refused(options, snapshot.error());
    const CpuSet cpus = read_cpus(options.mask).value_or(CpuSet());
    const CpuSet drained = snapshot->masks.drained;
    if (options.verb == "restore") return print((cpus & drained).text()) ? kDone : kRefused;
    if (const std::string why = impediment(*snapshot, cpus - drained); !why.empty())
        return refused(options, sentence(options, DROM_E_BUSY, options.table + ": " + why));
    return print((cpus - drained).text()) ? kDone : kRefused;
}

bool is_done(const Answer& answer) { return answer.status == kDone || answer.status == kPosted; }

/// Drains or restores CPUs in one table after the other, in all of them or in none.
class Change {
public:
    Change(const CommandOptions& options, const std::vector<UserTable>& all, const std::vector<Answer>& looks)
        : options_(options), all_(all), looks_(looks) {}

    /// Returns the answer of each table; after a refusal, that of the table which refuses.
    std::vector<Answer> run() {
        std::vector<Answer> answers;
        while (answers.size() < all_.size() && !kept_.arrived()) {
            answers.push_back(ask(all_[answers.size()], options_, verb_drain, &kept_));
            if (!is_done(answers.back())) break;
        }
        if (answers.size() == all_.size() && (answers.empty() || is_done(answers.back()))) {
            if (kept_.arrived()) tell_signal("every table is changed");
            return answers;
        }
        // The last one too: its child may have changed the table before it failed.
        take_back(answers.size());
        if (kept_.arrived() && whole_) tell_signal("no table is changed");
        if (!answers.empty()) answers = {answers.back()};
        return answers;
    }

private:
    void take_back(size_t count) {
        for (size_t i = 0; i < count; ++i)
            if (!looks_[i].output.empty()) take_back(all_[i], looks_[i].output);
    }

    void take_back(const UserTable& table, const std::string& cpus) {
        CommandOptions back = options_;
        back.verb = options_.verb == "drain" ? "restore" : "drain";
        back.mask = cpus;
        back.quiet = true;
        back.json = false;
        constexpr auto kMax = std::chrono::milliseconds(1000);
        back.request.timeout = std::min(back.request.timeout.value_or(kMax), kMax);
        if (is_done(ask(table, back, verb_drain))) return;
        whole_ = false;
        complain(
            fmt::format("drom: {}: {}: what was done there could not be taken back; drom {} {}, as that user, does "
                        "it",
                        options_.verb, words_of(table), back.verb, cpus));
    }

    void tell_signal(const char* outcome) {
        complain(fmt::format("drom: {}: a signal has arrived; {}", options_.verb, outcome));
    }

    const CommandOptions& options_;
    const std::vector<UserTable>& all_;
    const std::vector<Answer>& looks_;
    const KeptSignals kept_;
    bool whole_ = true;  ///< nothing is left of what was taken back
};

/// Returns the lines of all tables below one heading, with the user in front.
std::string as_csv(const std::vector<UserTable>& all, const std::vector<Answer>& answers) {
    std::string out = "user," + stats_csv({});
    for (size_t i = 0; i < answers.size(); ++i) {
        std::istringstream lines(answers[i].output);
        std::string line;
        std::getline(lines, line);
        while (std::getline(lines, line)) out += user_words(all[i].uid) + ',' + line + '\n';
    }
    return out;
}

}  // namespace

int list_all_users(const CommandOptions& options) {
    if (geteuid() != 0) return refuse_others(options);
    const auto all = user_tables();
    std::vector<Answer> answers;
    for (const UserTable& table : all) answers.push_back(ask(table, options, verb_list));
    return show(options, all, answers);
}

int look_all_users(const CommandOptions& options, int (*verb)(const CommandOptions&)) {
    if (geteuid() != 0) return refuse_others(options);
    const auto all = user_tables();
    const std::vector<Answer> answers = ask_all(all, options, verb);
    if (!options.stats.csv) return show(options, all, answers);
    const int worst = worst_of(answers);
    return print(as_csv(all, answers)) || worst != kDone ? worst : kRefused;
}

int metrics_all_users(const CommandOptions& options, std::string& text) {
    if (geteuid() != 0) return refuse_others(options);
    CommandOptions each = options;
    each.out.clear();
    const auto all = user_tables();
    const std::vector<Answer> answers = ask_all(all, each, verb_metrics);
    std::vector<UserMetrics> metrics;
    for (size_t i = 0; i < answers.size(); ++i) metrics.push_back({user_words(all[i].uid), answers[i].output});
    text = openmetrics_of_users(metrics);
    return worst_of(answers);
}

int drain_all_users(const CommandOptions& options) {
    if (geteuid() != 0) return refuse_others(options);
    const auto all = user_tables();
    std::vector<Answer> looks;
    for (const UserTable& table : all) looks.push_back(ask(table, options, look_before));
    if (const int worst = worst_of(looks); worst != kDone) {
        std::erase_if(looks, [](const Answer& look) { return look.status == kDone; });
        if (options.json) print(as_json(options, looks));
        return worst;
    }
    const std::vector<Answer> answers = Change(options, all, looks).run();
    if (answers.empty() || is_done(answers.back())) return show(options, all, answers);
    if (options.json) print(as_json(options, answers));
    return answers.back().status;
}

}  // namespace drom::command
