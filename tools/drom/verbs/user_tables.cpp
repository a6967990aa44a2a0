// SPDX-License-Identifier: BSD-3-Clause
// user_tables.cpp - one child per table, with the rights of the table's owner.
#include "verbs/user_tables.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "libdrom/base/env.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"

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

/// Returns the longest time that a verb takes. A verb waits for the administrator lock and then for clients, each for
/// the timeout at most. The rest is for a busy machine.
std::chrono::milliseconds limit_of(const CommandOptions& options) {
    constexpr auto kMargin = std::chrono::milliseconds(5000);
    const auto fallback = std::chrono::milliseconds(env::milliseconds("DROM_TIMEOUT_MS", 1000));
    return 2 * options.request.timeout.value_or(fallback) + kMargin;
}

/// Returns what the child of one table does.
std::function<int()> work_in(const UserTable& table, CommandOptions options, Verb verb) {
    options.all_users = false;
    options.table = table.path;
    return [options = std::move(options), verb] { return with_output(options.verb, verb(options)); };
}

/// Tells of a child that did not end by itself.
Answer told(const UserTable& table, const CommandOptions& options, Answer answer) {
    if (answer.failure.empty()) return answer;
    const Error error = sentence(options, DROM_E_OS, words_of(table) + ": " + answer.failure);
    complain(error.text);
    if (options.json) answer.output = error_json(options.verb, error);
    return answer;
}

std::string heading(const UserTable& table) { return words_of(table) + ":\n"; }

}  // namespace

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

Answer ask(const UserTable& table, const CommandOptions& options, Verb verb, const KeptSignals* kept) {
    return told(table, options, as_user(table.uid, work_in(table, options, verb), limit_of(options), kept));
}

std::vector<Answer> ask_all(const std::vector<UserTable>& all, const CommandOptions& options, Verb verb) {
    std::vector<UserWork> works;
    for (const UserTable& table : all) works.push_back({table.uid, work_in(table, options, verb)});
    std::vector<Answer> answers = as_users(works, options.stats.window + limit_of(options));
    for (size_t i = 0; i < answers.size(); ++i) answers[i] = told(all[i], options, std::move(answers[i]));
    return answers;
}

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

}  // namespace drom::command
