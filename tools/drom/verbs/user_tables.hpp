// SPDX-License-Identifier: BSD-3-Clause
// user_tables.hpp - root and the tables of users: a verb in each of them, with the rights of the table's owner.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "command_line/options.hpp"
#include "verbs/as_user.hpp"
#include "verbs/kept_signals.hpp"

namespace drom::command {

struct UserTable {
    uid_t uid;
    std::string path;
};

using Verb = int (*)(const CommandOptions&);

/// Returns the tables of the default name that are their users' own, in the order of the users.
std::vector<UserTable> user_tables();

/// Returns the name of a user: "ana", or "user 64321" where the user has none.
std::string user_words(uid_t uid);

/// Returns "/dev/shm/drom-64321 of user 64321".
std::string words_of(const UserTable& table);

/// Carries the verb out on one table, as its owner. A child that does not end by itself is told of, with --json on
/// standard output too.
Answer ask(const UserTable& table, const CommandOptions& options, Verb verb, const KeptSignals* kept = nullptr);

/// Carries a verb that looks for --window out on all tables at once, likewise.
std::vector<Answer> ask_all(const std::vector<UserTable>& all, const CommandOptions& options, Verb verb);

/// Returns one object with what each table has answered.
std::string as_json(const CommandOptions& options, const std::vector<Answer>& answers);

/// Returns the largest exit status.
int worst_of(const std::vector<Answer>& answers);

/// Prints the answers, each below a heading. Returns the exit status.
int show(const CommandOptions& options, const std::vector<UserTable>& all, const std::vector<Answer>& answers);

/// Refuses the tables of others to all but root. Returns the exit status.
int refuse_others(const CommandOptions& options);

}  // namespace drom::command
