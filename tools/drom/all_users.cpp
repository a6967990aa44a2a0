// SPDX-License-Identifier: BSD-3-Clause
// all_users.cpp - one child per table, with the rights of the table's owner.
#include "all_users.hpp"

#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "cpu_text.hpp"
#include "report.hpp"
#include "snapshot.hpp"
#include "verb_functions.hpp"
#include "words.hpp"

namespace drom::command {

namespace {

constexpr const char* kTables = "/dev/shm";

/// The users with a folder of the default name that is their own.
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

/// For good: nothing of root is left to this process.
bool become(uid_t uid) {
    const passwd* user = getpwuid(uid);
    const gid_t group = user != nullptr ? user->pw_gid : uid;
    return setgroups(0, nullptr) == 0 && setresgid(group, group, group) == 0 && setresuid(uid, uid, uid) == 0;
}

struct Answer {
    int status = kRefused;
    std::string output;
};

std::string contents_of(int file) {
    std::string text;
    char part[4096];
    for (ssize_t got = 0; (got = pread(file, part, sizeof part, static_cast<off_t>(text.size()))) > 0;)
        text.append(part, static_cast<size_t>(got));
    return text;
}

using Verb = int (*)(const Options&);

struct Place {
    uid_t uid;
    std::string path;
};

std::vector<Place> places() {
    std::vector<Place> all;
    for (const uid_t uid : owners()) all.push_back({uid, fmt::format("{}/drom-{}", kTables, uid)});
    return all;
}

/// Carries the verb out on one table, as its owner. The messages go out at once, what it prints comes back.
Answer ask(const Place& place, Options options, Verb verb) {
    Answer answer;
    const int output = memfd_create("drom-all-users", MFD_CLOEXEC);
    const pid_t child = output < 0 ? -1 : fork();
    if (child == 0) {
        options.all_users = false;
        options.table = place.path;
        dup2(output, STDOUT_FILENO);
        _exit(become(place.uid) ? with_output(options.verb, verb(options)) : kRefused);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status))
        answer = {WEXITSTATUS(status), contents_of(output)};
    if (output >= 0) close(output);
    return answer;
}

std::string heading(const Place& place) {
    const passwd* user = getpwuid(place.uid);
    return fmt::format("{} of {}:\n", place.path, user != nullptr ? user->pw_name : fmt::format("user {}", place.uid));
}

/// One object with what each table has answered.
std::string as_json(const Options& options, const std::vector<Answer>& answers) {
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

int show(const Options& options, const std::vector<Place>& all, const std::vector<Answer>& answers) {
    std::string out;
    for (size_t i = 0; i < answers.size(); ++i)
        if (!answers[i].output.empty()) out += (options.list.raw ? "" : heading(all[i])) + answers[i].output;
    if (all.empty()) out = "no user has a table\n";
    const int worst = worst_of(answers);
    return print(options.json ? as_json(options, answers) : out) || worst != kDone ? worst : kRefused;
}

int refuse_others(const Options& options) {
    return refused(options, sentence(options, DROM_E_PERM,
                                     "--all-users: only root can look at the tables of others; without it the table "
                                     "is your own"));
}

/// Why a drain of these CPUs would be refused; empty: it would not.
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

/// Prints the CPUs that a drain would drain.
int look_before_drain(const Options& options) {
    const auto table = Table::open(options.table, {.read_only = true});
    if (!table) return refused(options, table.error());
    const auto snapshot = take_snapshot(*table);
    if (!snapshot) return refused(options, snapshot.error());
    const CpuSet cpus = read_cpus(options.mask).value_or(CpuSet()) - snapshot->masks.drained;
    if (const std::string why = impediment(*snapshot, cpus); !why.empty())
        return refused(options, sentence(options, DROM_E_BUSY, options.table + ": " + why));
    return print(cpus.text()) ? kDone : kRefused;
}

/// Gives back what this drain has drained in the tables before the one that refused.
void take_back(const Options& options, const std::vector<Place>& all, const std::vector<Answer>& looks, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        if (looks[i].output.empty()) continue;
        Options back = options;
        back.verb = "restore";
        back.mask = looks[i].output;
        back.quiet = true;
        ask(all[i], back, verb_drain);
    }
}

}  // namespace

int list_all_users(const Options& options) {
    if (geteuid() != 0) return refuse_others(options);
    const auto all = places();
    std::vector<Answer> answers;
    for (const Place& place : all) answers.push_back(ask(place, options, verb_list));
    return show(options, all, answers);
}

int drain_all_users(const Options& options) {
    if (geteuid() != 0) return refuse_others(options);
    const auto all = places();
    const bool drains = options.verb == "drain";
    std::vector<Answer> looks;
    for (const Place& place : all)
        if (drains) looks.push_back(ask(place, options, look_before_drain));
    if (const int worst = worst_of(looks); worst != kDone) {
        std::erase_if(looks, [](const Answer& look) { return look.status == kDone; });
        if (options.json) print(as_json(options, looks));
        return worst;
    }
    std::vector<Answer> answers;
    for (size_t i = 0; i < all.size(); ++i) {
        answers.push_back(ask(all[i], options, verb_drain));
        const int status = answers.back().status;
        if (!drains || status == kDone || status == kPosted) continue;
        take_back(options, all, looks, i);
        if (options.json) print(as_json(options, {answers.back()}));
        return status;
    }
    return show(options, all, answers);
}

}  // namespace drom::command
