// SPDX-License-Identifier: BSD-3-Clause
// clients.hpp - which client a person means: by pid, by the pid of its launcher, by slot, by name.
#pragma once

#include <span>
#include <string>

#include "command_line/options.hpp"
#include "drom/drom.hpp"
#include "table/snapshot.hpp"

namespace drom::command {

/// Returns the pid of the client that `text` names. A number that is no client's pid is returned as it is: the library
/// knows whether such a process lives, and says what is wrong with the number. Errors: E_INVAL for text that cannot
/// name one, E_NOPROC for no such slot or name, E_BUSY for a name that several clients have. Sentences begin after
/// "drom: VERB: ".
Expected<pid_t> resolve_client(std::string_view text, std::span<const drom_client_info> clients);

/// A table, and the client in it that the command line names.
struct NamedClient {
    Table table;
    ClientView view;

    [[nodiscard]] pid_t pid() const { return view.info.pid; }
};

/// Opens the table and finds the client. Errors are whole sentences.
Expected<NamedClient> open_client(const CommandOptions& options, const OpenMode& how = {});

}  // namespace drom::command
