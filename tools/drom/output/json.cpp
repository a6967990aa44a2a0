// SPDX-License-Identifier: BSD-3-Clause
// json.cpp - what every verb prints with --json; with stats_json.cpp the only file that includes nlohmann-json.
#include "output/json.hpp"

#include <sys/wait.h>

#include <nlohmann/json.hpp>

#include "output/explanation.hpp"
#include "output/format.hpp"
#include "output/run_report.hpp"
#include "output/verify_report.hpp"
#include "program/environment.hpp"
#include "program/slurm_queue.hpp"
#include "table/run_queue.hpp"
#include "table/snapshot.hpp"

namespace drom::command {

namespace {

using Json = nlohmann::ordered_json;

Json object_of(const std::string& verb) { return {{"schema", "drom." + verb + "/1"}}; }

/// Returns one line. Names come from processes, and bytes that are no UTF-8 must not end us.
std::string line(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n'; }

Json program_of(const QueuedProgram& program) {
    return {{"pid", program.pid},
            {"name", program.name},
            {"cpus", program.cpus},
            {"priority", program.priority},
            {"since", program.since_s}};
}

Json client_of(const ClientView& client) {
    const auto& info = client.info;
    return {{"slot", info.slot},
            {"pid", info.pid},
            {"name", info.name},
            {"job", info.job},
            {"mask", client.owned.text()},
            {"want", client.wanted.text()},
            {"seq", info.request_seq},
            {"released", info.released_seq},
            {"resized", info.resized_seq},
            {"confined", info.confined_seq},
            {"request", request_word(info)},
            {"state", state_word(info.state)},
            {"entry_points", entry_point_words(info.entry_points)},
            {"team", info.team_size},
            {"start_team", info.start_size},
            {"resize", resize_word(info.resize)},
            {"why", info.why},
            {"not_resized", why_not_resized(info)},
            {"min", info.min_cpus},
            {"max", info.max_cpus},
            {"rigid", (info.flags & DROM_RIGID) != 0},
            {"limited", info.limited != 0},
            {"launcher", info.launcher_pid},
            {"rank", info.ranks != 0 ? Json(info.rank) : Json()},
            {"ranks", info.ranks},
            {"local_rank", info.ranks != 0 ? Json(info.local_rank) : Json()},
            {"posted_ns", info.posted_ns},
            {"released_ns", info.released_ns},
            {"resized_ns", info.resized_ns},
            {"safe_points", info.safe_points},
            {"queries", info.queries},
            {"polls", info.polls},
            {"adoptions", info.adoptions},
            {"descendants", client.descendants}};
}

Json thread_of(const ThreadView& thread) {
    return {{"tid", thread.tid},
            {"name", thread.name},
            {"state", std::string(1, thread.state)},
            {"cpu", thread.cpu},
            {"allowed", thread.allowed.text()},
            {"busy", thread.busy},
            {"preempted", thread.preempted}};
}

Json mode_of(const ModeResult& mode) {
    const Trial* wrong = mode.first_wrong();
    std::vector<double> times;
    for (const auto& trial : mode.trials) times.push_back(trial.cpu_s);
    return {{"mode", mode.mode},
            {"runs", mode.trials.size()},
            {"right", mode.right()},
            {"requests", mode.requests()},
            {"cpu_s", interval_of(times).median},
            {"wrong", wrong == nullptr ? "" : wrong->fault}};
}

}  // namespace

std::string error_json(const std::string& verb, const Error& error) {
    Json json = object_of(verb);
    json["status"] = drom_status_name(error.status);
    json["error"] = error.text;
    return line(json);
}

std::string list_json(const Snapshot& snapshot, const std::vector<QueuedProgram>& queue) {
    Json json = object_of("list");
    json["node"] = snapshot.node;
    json["table"] = snapshot.path;
    json["cpus"] = snapshot.cpus;
    json["present"] = snapshot.masks.present.text();
    json["free"] = snapshot.masks.free.text();
    json["drained"] = snapshot.masks.drained.text();
    json["orphaned"] = snapshot.orphaned.text();
    json["clients"] = Json::array();
    for (const auto& client : snapshot.clients) json["clients"].push_back(client_of(client));
    json["queue"] = Json::array();
    for (const auto& program : queue) json["queue"].push_back(program_of(program));
    return line(json);
}

std::string request_json(const std::string& verb, const Outcome& outcome, const CpuSet& before,
                         const ClientView& client) {
    Json json = object_of(verb);
    json["status"] = drom_status_name(outcome.status);
    json["missing"] = outcome.text;
    json["before"] = before.text();
    json["client"] = client_of(client);
    return line(json);
}

std::string job_request_json(const std::string& verb, const std::string& job, const Outcome& outcome,
                             const std::vector<CpuSet>& before, const std::vector<ClientView>& clients) {
    Json json = object_of(verb);
    json["status"] = drom_status_name(outcome.status);
    json["missing"] = outcome.text;
    json["job"] = job;
    json["clients"] = Json::array();
    for (size_t i = 0; i < clients.size(); ++i) {
        Json change;
        change["before"] = before[i].text();
        change["client"] = client_of(clients[i]);
        json["clients"].push_back(change);
    }
    return line(json);
}

std::string drain_json(const std::string& verb, const Outcome& outcome, const CpuSet& cpus, const CpuSet& drained) {
    Json json = object_of(verb);
    json["status"] = drom_status_name(outcome.status);
    json["missing"] = outcome.text;
    json["mask"] = cpus.text();
    json["drained"] = drained.text();
    return line(json);
}

std::string event_json(const drom_event& event, const std::string& name) {
    Json json = object_of("watch");
    json["index"] = event.index;
    json["time_ns"] = event.time_ns;
    json["event"] = event_word(event.type);
    json["slot"] = event.slot;
    json["pid"] = event.pid;
    json["name"] = name;
    if (event.cpu != UINT32_MAX) json["cpu"] = event.cpu;
    json["seq"] = event.seq;
    json["value"] = event.value;
    return line(json);
}

std::string explain_json(const Explanation& explanation) {
    Json json = object_of("explain");
    json["client"] = client_of(explanation.client);
    json["busy"] = explanation.busy;
    json["safe_points_per_s"] = explanation.safe_points_per_s;
    json["spins"] = explanation.spins;
    json["outside_team"] = explanation.outside_team;
    json["pools"] = explanation.pools;
    json["sentences"] = explanation.sentences;
    json["threads"] = Json::array();
    for (const auto& thread : explanation.threads) json["threads"].push_back(thread_of(thread));
    return line(json);
}

std::string explain_slurm_json(const QueuedJob& job, const std::string& sentences) {
    const auto word_of = [](std::string_view comment, std::string_view key) {
        const std::string_view value = comment_value(comment, key);
        return value.empty() ? Json() : Json(value);
    };
    Json json = object_of("explain-slurm");
    json["job"] = job.id;
    json["state"] = job.state;
    json["reason"] = job.reason;
    json["unshared"] = word_of(job.system_comment, "unshared");
    json["unshared_by"] = word_of(job.system_comment, "unshared_by");
    json["unshared_since"] = word_of(job.system_comment, "unshared_since");
    json["sharing"] = word_of(job.admin_comment, "sharing");
    json["text"] = sentences;
    return line(json);
}

std::string check_json(const Outcome& outcome, const Snapshot& snapshot) {
    Json json = object_of("check");
    json["status"] = drom_status_name(outcome.status);
    json["table"] = snapshot.path;
    json["clients"] = snapshot.clients.size();
    json["free"] = snapshot.masks.free.text();
    return line(json);
}

std::string env_json(const std::vector<VariableView>& variables) {
    Json json = object_of("env");
    json["variables"] = Json::array();
    json["unknown"] = Json::array();
    json["invalid"] = Json::array();
    for (const auto& variable : variables) {
        if (!variable.known) {
            json["unknown"].push_back(variable.name);
            continue;
        }
        if (!variable.wrong.empty()) json["invalid"].push_back(variable.name);
        json["variables"].push_back({{"name", variable.name},
                                     {"value", variable.value},
                                     {"default", variable.fallback},
                                     {"from", variable.from_environment ? "environment" : "default"},
                                     {"secure", variable.secure},
                                     {"doc", variable.doc}});
    }
    return line(json);
}

std::string run_json(const RunReport& report) {
    Json json = object_of("run");
    json["pid"] = report.pid;
    json["name"] = report.name;
    json["job"] = report.job;
    json["mask"] = report.cpus.text();
    json["took"] = report.took;
    json["threads"] = report.threads;
    json["resize"] = report.resize;
    json["preloaded"] = report.preloaded;
    json["reserve_ns"] = report.reserve_ns;
    json["run_ns"] = report.run_ns;
    json["exit"] = WIFEXITED(report.status) ? Json(WEXITSTATUS(report.status)) : Json(nullptr);
    json["signal"] = WIFSIGNALED(report.status) ? Json(WTERMSIG(report.status)) : Json(nullptr);
    const std::string text = line(json);
    return text.substr(0, text.size() - 1);
}

std::string verify_json(const VerifyReport& report) {
    Json json = object_of("verify");
    json["program"] = report.program;
    json["objects"] = report.objects;
    json["cpus"] = report.cpus;
    json["undisturbed_s"] = report.undisturbed_s;
    json["undisturbed_cpu_s"] = report.undisturbed_cpu_s;
    json["seed"] = report.seed;
    json["modes"] = Json::array();
    for (const auto& mode : report.modes) json["modes"].push_back(mode_of(mode));
    json["verified"] = !report.verdict.mode.empty();
    json["chosen"] = report.verdict.mode;
    json["reason"] = report.verdict.reason;
    json["recorded_in"] = report.recorded_in;
    return line(json);
}

}  // namespace drom::command
