// SPDX-License-Identifier: BSD-3-Clause
// run_inside.hpp - drom run in a program that drom run has started.
#pragma once

#include <optional>

#include "command_line/options.hpp"
#include "program/program.hpp"
#include "table/snapshot.hpp"

namespace drom::command {

/// Returns whether the command line asks for nothing that needs a client of its own: CPUs, a name, limits, a report.
bool can_run_inside(const CommandOptions& options);

/// Returns the client that this process is a part of.
std::optional<ClientView> find_outer(const Table& table);

/// Executes the command in this process. Returns the exit status when it cannot.
int become(const CommandOptions& options, const Program& program);

/// Executes the command in this process, which stays a part of the client. Returns the exit status when it cannot.
int run_inside(const CommandOptions& options, const Program& program, const ClientView& client);

}  // namespace drom::command
