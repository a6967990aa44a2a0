// SPDX-License-Identifier: BSD-3-Clause
// verb_functions.hpp - one function per verb; each returns the exit status.
#pragma once

#include "command_line/options.hpp"
#include "output/stats_report.hpp"
#include "sampling/window.hpp"

namespace drom::command {

int verb_run(const CommandOptions& options);
int verb_verify(const CommandOptions& options);
int verb_list(const CommandOptions& options);
int verb_request(const CommandOptions& options);      ///< set, shrink, expand, add, remove
int verb_job_request(const CommandOptions& options);  ///< the same with --job
int verb_drain(const CommandOptions& options);        ///< drain, restore
int verb_wait(const CommandOptions& options);
int verb_watch(const CommandOptions& options);
int verb_explain(const CommandOptions& options);
/// Returns what explain says of a client, looking at its threads for so long. Errors: those of the table.
Expected<std::string> explain_text(const Table& table, pid_t pid, std::chrono::milliseconds sample);
int verb_explain_slurm(const CommandOptions& options);  ///< the same with --slurm
int verb_stats(const CommandOptions& options);
int verb_stats_merge(const CommandOptions& options);    ///< stats merge FILE...
int verb_stats_regions(const CommandOptions& options);  ///< stats --regions
int verb_advise(const CommandOptions& options);
int verb_metrics(const CommandOptions& options);
int verb_top(const CommandOptions& options);
int verb_trace(const CommandOptions& options);
int verb_check(const CommandOptions& options);
int verb_env(const CommandOptions& options);

/// Returns the clients that CLIENT or --job names; without both all. Errors: E_NOPROC, E_BUSY; whole sentences.
Expected<std::vector<drom_client_info>> clients_asked_for(const CommandOptions& options, const Table& table);

/// Returns the report of one node.
StatsReport report_of(const WindowSeen& window, const std::string& node);

/// Complains about each client that could not be sampled. Returns whether all could.
bool tell_refusals(const CommandOptions& options, const WindowSeen& window);

/// Prints a report as text, JSON, CSV, or as TALP does. Returns the exit status.
int print_stats(const CommandOptions& options, const StatsReport& report);

}  // namespace drom::command
