// SPDX-License-Identifier: BSD-3-Clause
// all_users.cpp - one child per table, with the rights of the table's owner.
#include "verbs/all_users.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "command_line/cpu_text.hpp"
#include "libdrom/base/env.hpp"
#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "table/snapshot.hpp"
#include "verbs/as_user.hpp"
#include "verbs/kept_signals.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

constexpr const char* kTables = "/dev/shm";

/// Returns the users with a folder of the default name that is their own.
std::vector<uid_t> owners() {
    std::vector<uid_t> found;
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(kTables, code)) {
        struct stat info{};
        if (lstat(entry.path().c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) continue;
        if (entry.path().filename() == fmt::format("drom-{}", info.st_uid)) found.push_back(info.st_uid);
    }
    std::ranges::sort(found);
    return found;
}

using Verb = int (*)(const CommandOptions&);

struct UserTable {
    uid_t uid;
    std::string path;
};

std::vector<UserTable> user_tables() {
    std::vector<UserTable> all;
    for (const uid_t uid : owners()) all.push_back({uid, fmt::format("{}/drom-{}", kTables, uid)});
    return all;
}

std::string user_words(uid_t uid) {
    const passwd* user = getpwuid(uid);
    return user != nullptr ? user->pw_name : fmt::format("user {}", uid);
}

std::string words_of(const UserTable& table) { return fmt::format("{} of {}", table.path, user_words(table.uid)); }

/// Returns the longest time that a verb takes. A verb waits for the administrator lock and then for clients, each for
/// the timeout at most. The rest is for a busy machine.
std::chrono::milliseconds limit_of(const CommandOptions& options) {
    constexpr auto kMargin = std::chrono::milliseconds(5000);
    const auto fallback = std::chrono::milliseconds(env::milliseconds("DROM_TIMEOUT_MS", 1000));
    return 2 * options.request.timeout.value_or(fallback) + kMargin;
}

/// Carries the verb out on one table, as its owner. A child that does not end by itself is told of, with --json on
/// standard output too.
Answer ask(const UserTable& table, CommandOptions options, Verb verb, const KeptSignals* kept = nullptr) {
    options.all_users = false;
    options.table = table.path;
    Answer answer =
        as_user(table.uid, [&] { return with_output(options.verb, verb(options)); }, limit_of(options), kept);
    if (answer.failure.empty()) return answer;
    const Error error = sentence(options, DROM_E_OS, words_of(table) + ": " + answer.failure);
    complain(error.text);
    if (options.json) answer.output = error_json(options.verb, error);
    return answer;
}

std::string heading(const UserTable& table) { return words_of(table) + ":\n"; }

/// Returns one object with what each table has answered.
std::string as_json(const CommandOptions& options, const std::vector<Answer>& answers) {
    std::string tables;
    for (const Answer& answer : answers) {
        const std::string object = answer.output.substr(0, answer.output.find('\n'));
        if (!object.empty()) tables += (tables.empty() ? "" : ",") + object;
    }
    return fmt::format("{{\"schema\":\"drom.{}/1\",\"tables\":[{}]}}\n", options.verb, tables);
}

int worst_of(const std::vector<Answer>& answers) {
    int worst = kDone;
    for (const Answer& answer : answers) worst = std::max(worst, answer.status);
    return worst;
}

int show(const CommandOptions& options, const std::vector<UserTable>& all, const std::vector<Answer>& answers) {
    std::string out;
    for (size_t i = 0; i < answers.size(); ++i)
        if (!answers[i].output.empty()) out += (options.list.raw ? "" : heading(all[i])) + answers[i].output;
    if (all.empty()) out = "no user has a table\n";
    const int worst = worst_of(answers);
    return print(options.json ? as_json(options, answers) : out) || worst != kDone ? worst : kRefused;
}

int refuse_others(const CommandOptions& options) {
    return refused(options, sentence(options, DROM_E_PERM,
                                     "--all-users: only root can look at the tables of others; without it the table "
                                     "is your own"));
}

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

}  // namespace

int list_all_users(const CommandOptions& options) {
    if (geteuid() != 0) return refuse_others(options);
    const auto all = user_tables();
    std::vector<Answer> answers;
    for (const UserTable& table : all) answers.push_back(ask(table, options, verb_list));
    return show(options, all, answers);
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
