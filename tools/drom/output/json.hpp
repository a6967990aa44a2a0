// SPDX-License-Identifier: BSD-3-Clause
// json.hpp - what every verb prints with --json: one object with its schema ("drom.VERB/1"), stable order, masks as
// text, times as whole nanoseconds. Readers ignore fields they do not know.
#pragma once

#include <string>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

struct Snapshot;
struct ClientView;
struct Explanation;
struct QueuedJob;
struct QueuedProgram;
struct RunReport;
struct VerifyReport;
struct VariableView;

std::string error_json(const std::string& verb, const Error& error);
std::string list_json(const Snapshot& snapshot, const std::vector<QueuedProgram>& queue);
/// Returns the object of set, shrink, expand, add, remove and wait. `before` is the mask wanted before the request.
std::string request_json(const std::string& verb, const Outcome& outcome, const CpuSet& before,
                         const ClientView& client);
/// Returns the same with --job: each client with its mask before.
std::string job_request_json(const std::string& verb, const std::string& job, const Outcome& outcome,
                             const std::vector<CpuSet>& before, const std::vector<ClientView>& clients);
std::string drain_json(const std::string& verb, const Outcome& outcome, const CpuSet& cpus, const CpuSet& drained);
std::string event_json(const drom_event& event, const std::string& name);
std::string explain_json(const Explanation& explanation);
/// Returns the object of explain --slurm.
std::string explain_slurm_json(const QueuedJob& job, const std::string& sentences);
std::string check_json(const Outcome& outcome, const Snapshot& snapshot);
std::string env_json(const std::vector<VariableView>& variables);
std::string run_json(const RunReport& report);
std::string verify_json(const VerifyReport& report);

}  // namespace drom::command
