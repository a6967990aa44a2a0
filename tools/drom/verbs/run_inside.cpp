// SPDX-License-Identifier: BSD-3-Clause
// run_inside.cpp - drom run in a program that drom run has started. As taskset in taskset does, and srun in srun: it
// runs on the CPUs of the outer one, and no CPU stays behind with a launcher that only waits.
#include "verbs/run_inside.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "output/format.hpp"
#include "output/messages.hpp"
#include "program/paused_child.hpp"
#include "table/reservation.hpp"

namespace drom::command {

bool can_run_inside(const CommandOptions& options) {
    const RunOptions& run = options.run;
    const bool named = !run.name.empty() || !run.job.empty();
    // The limits that variables set came with the environment of the outer one.
    const bool limited = run.min_said.starts_with("--") || run.max_said.starts_with("--");
    const bool sized = !run.cpus.empty() || run.ncpus || limited || run.rigid || run.wait;
    return !named && !sized && run.resize.empty() && !run.no_preload && !options.json;
}

std::optional<ClientView> find_outer(const Table& table) {
    const auto snapshot = take_snapshot(table);
    const ClientView* outer = snapshot ? client_around(*snapshot) : nullptr;
    return outer == nullptr ? std::nullopt : std::optional(*outer);
}

int run_inside(const CommandOptions& options, const Program& program, const ClientView& client) {
    mention(options, fmt::format("it runs inside {}, on its {}; --ncpus gives it CPUs of its own",
                                 client_words(client.info), cpus_text(client.wanted)));
    return become(options, program);
}

int become(const CommandOptions& options, const Program& program) {
    std::vector<char*> arguments;
    for (const std::string& argument : options.command) arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    execute_program(program, arguments.data());
    const NotAProgram why = not_executable(options.command.front(), errno);
    refused(options, sentence(options, DROM_E_INVAL, why.text));
    return why.exit_status;
}

}  // namespace drom::command
