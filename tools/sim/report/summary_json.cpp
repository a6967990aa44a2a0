// SPDX-License-Identifier: BSD-3-Clause
// summary_json.cpp - the only file of the simulator that sees the JSON library, which takes long to compile.
#include "report/summary_json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/placement_table.hpp"
#include "report/replay_text.hpp"

namespace drom::sim {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json spread(const Spread& spread) {
    return {{"mean", number(spread.mean)},
            {"p50", number(spread.p50)},
            {"p95", number(spread.p95)},
            {"p99", number(spread.p99)},
            {"max", number(spread.max)}};
}

Json setting(const Setting& setting) {
    Json parameters = Json::object();
    for (const auto& [name, value] : setting.parameters) parameters[name] = value;
    return {{"workload", setting.workload},
            {"workload_seed", setting.seed ? Json(*setting.seed) : Json(nullptr)},
            {"policy", setting.policy},
            {"command", setting.command},
            {"nodes", setting.nodes},
            {"cores_per_node", setting.cores_per_node},
            {"parameters", std::move(parameters)}};
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json provenance(const Provenance& provenance) {
    return {{"version", provenance.version},
            {"program_sha256", text_or_null(provenance.program_sha256)},
            {"log_sha256", text_or_null(provenance.log_sha256)},
            {"unix_start", provenance.zero > 0 ? Json(provenance.zero) : Json(nullptr)},
            {"repairs", provenance.repairs}};
}

Json worse(const ShareWorse& worse) {
    return {{"jobs", worse.jobs}, {"slowdown", number(worse.slowdown)}, {"wait", number(worse.wait)}};
}

void add_energy(Json& json, const Energy& energy, const Setting& setting) {
    json["energy_j"] = energy.jobs_joules;
    json["energy_with_idle_j"] = energy.joules();
    json["run_sum_s"] = energy.run_sum;
    json["ghz_mean"] = energy.ghz;
    json["best_partition_share"] = energy.best_share;
    json["unknown_application_jobs"] = energy.unknown;
    Json partitions = Json::array();
    for (std::size_t p = 0; p < energy.partitions.size(); ++p) {
        const PartitionEnergy& of = energy.partitions[p];
        const bool any = of.jobs > 0;
        partitions.push_back({{"name", setting.partitions[p].name},
                              {"nodes", setting.partitions[p].nodes},
                              {"jobs", of.jobs},
                              {"response_mean", any ? Json(of.response) : Json(nullptr)},
                              {"ghz_mean", any ? Json(of.ghz) : Json(nullptr)},
                              {"energy_j", of.jobs_joules},
                              {"energy_idle_j", of.idle_joules}});
    }
    json["partitions"] = std::move(partitions);
}

/// Adds numbers that do not exist without jobs: then they are null.
void add_urgent(Json& json, const Metrics& metrics) {
    json["urgent"] = metrics.urgent;
    json["urgent_wait_mean"] = metrics.urgent_wait;
    json["urgent_wait_p95"] = metrics.urgent_wait_p95;
    json["urgent_slowdown_mean"] = metrics.urgent_slowdown;
    json["preemptions"] = metrics.preemptions;
    json["lost_node_seconds"] = metrics.lost_node_seconds;
}

void add_measures(Json& json, const Metrics& metrics, const Setting& setting) {
    const bool any = metrics.jobs > 0;
    const auto put = [&](const char* name, Json value) { json[name] = any ? std::move(value) : Json(nullptr); };
    put("wait_mean", number(metrics.wait.mean));
    put("response_mean", number(metrics.response.mean));
    put("slowdown_mean", number(metrics.slowdown.mean));
    put("bounded_slowdown_mean", number(metrics.bounded_slowdown.mean));
    put("makespan", metrics.makespan);
    put("utilisation", number(metrics.utilisation));
    put("stretched_slowdown_mean", number(metrics.stretched_slowdown.mean));
    put("wait", spread(metrics.wait));
    put("response", spread(metrics.response));
    put("slowdown", spread(metrics.slowdown));
    put("stretched_slowdown", spread(metrics.stretched_slowdown));
    put("bounded_slowdown", spread(metrics.bounded_slowdown));
    put("allocated", number(metrics.allocated));
    if (metrics.energy)
        add_energy(json, *metrics.energy, setting);
    else
        put("energy_proxy_node_seconds", number(metrics.energy_proxy));
    put("first_start", metrics.first_start);
    put("last_end", metrics.last_end);
}

Json summary(const Digest& digest) {
    const Metrics& metrics = digest.metrics;
    Json json = Json::object();
    add_measures(json, metrics, digest.setting);
    json["malleable_starts"] = metrics.malleable_starts;
    json["mates"] = metrics.mates;
    json["jobs"] = metrics.jobs;
    json["unended"] = metrics.unended;
    json["killed"] = metrics.killed;
    json["too_wide"] = metrics.too_wide;
    json["interrupted"] = digest.interrupted;
    json["outlived"] = digest.outlived;
    if (metrics.urgent > 0) add_urgent(json, metrics);
    json["passes"] = digest.passes;
    json["events"] = digest.events;
    if (digest.worse) json["worse"] = worse(*digest.worse);
    json["setting"] = setting(digest.setting);
    json["provenance"] = provenance(digest.setting.provenance);
    return json;
}

Json decided(const policy::Event& event) {
    Json json = {{"outcome", outcome_word(event.refusal)}, {"limit", number(event.limit)}};
    if (event.refusal != policy::Refusal::kNone) return json;
    json["mates"] = event.mates;
    json["cores"] = event.cores;
    if (!event.free.empty()) json["free"] = event.free.text();
    json["end"] = event.guest_end;
    return json;
}

Json redecided(const Redecided& decision) {
    const policy::Event& asked = decision.then;
    const bool in_sight = asked.static_start < policy::kNever;
    return {{"line", decision.line},        {"time", asked.at},
            {"job", asked.job.id},          {"nodes", asked.job.nodes},
            {"request", asked.job.request}, {"static_start", in_sight ? Json(asked.static_start) : Json(nullptr)},
            {"differs", decision.differs},  {"then", decided(asked)},
            {"now", decided(decision.now)}};
}

Json astray(const Astray& start) {
    return {{"line", start.line},
            {"time", start.happened.at},
            {"job", start.happened.job.id},
            {"mates", start.happened.mates},
            {"cores", start.happened.cores},
            {"free", start.happened.free.text()},
            {"decided_line", start.decided_line},
            {"decided", decided(start.decided)}};
}

Json outcomes(const Replayed& replayed, bool now) {
    Json json = Json::object();
    for (const policy::Refusal outcome : outcomes_in_order()) json[outcome_word(outcome)] = replayed.with(outcome, now);
    return json;
}

Json placed(const PlacementFile& file, const policy::placement::Application& application, const std::string& name,
            const policy::placement::Parts& parts) {
    Json on = Json::array();
    for (const policy::placement::Part& part : parts)
        on.push_back({{"system", file.systems[static_cast<std::size_t>(part.system)]}, {"ranks", part.ranks}});
    return {{"name", name},
            {"ranks", application.ranks},
            {"priority", number(application.priority)},
            {"age", application.age},
            {"dropped", parts.empty()},
            {"cost", number(cost_of(file.problem, application, parts))},
            {"arrive", moved(application, parts)},
            {"on", std::move(on)}};
}

Json advice_of(const policy::Advice& advice) { return {{"cpus", advice.cpus}, {"why", advice.why}}; }

/// Names of files may be in any encoding: what is no UTF-8 is replaced, instead of an exception.
std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

}  // namespace

std::string summary_json(const Digest& digest) { return text_of(summary(digest)); }

std::string summaries_json(std::span<const Digest> digests) {
    Json all = Json::array();
    for (const Digest& digest : digests) all.push_back(summary(digest));
    return text_of(all);
}

std::string replay_json(const Replayed& replayed, bool all) {
    Json others = Json::object();
    for (const auto& [name, value] : replayed.others) others[name] = value;
    Json json = {{"lines", replayed.lines},
                 {"clusters", replayed.clusters},
                 {"dry_runs", replayed.dry_runs},
                 {"starts", replayed.starts},
                 {"shared_starts", replayed.shared_starts},
                 {"ends", replayed.ends},
                 {"unfinished_lines", replayed.unfinished},
                 {"others", std::move(others)},
                 {"decisions", replayed.decisions.size()},
                 {"then", outcomes(replayed, false)},
                 {"now", outcomes(replayed, true)},
                 {"no_room", replayed.no_room},
                 {"beyond_limit", replayed.beyond_limit},
                 {"differing", replayed.differing()}};
    json["astray"] = Json::array();
    for (const Astray& start : replayed.astray) json["astray"].push_back(astray(start));
    Json& list = json[all ? "all_decisions" : "differing_decisions"] = Json::array();
    for (const Redecided& decision : replayed.decisions)
        if (all || decision.differs) list.push_back(redecided(decision));
    return text_of(json);
}

std::string record_json(const ReplayedRecord& replayed) {
    Json json = {{"setting", replayed.setting}, {"lines", replayed.lines},
                 {"submits", replayed.submits}, {"passes", replayed.passes},
                 {"starts", replayed.starts},   {"resizes", replayed.resizes},
                 {"ends", replayed.ends},       {"cut", nullptr},
                 {"difference", nullptr}};
    if (replayed.cut) json["cut"] = *replayed.cut;
    if (const auto& difference = replayed.difference; difference)
        json["difference"] = {
            {"line", difference->line}, {"recorded", difference->recorded}, {"decided", difference->decided}};
    return text_of(json);
}

std::string journal_json(const ReplayedJournal& replayed) {
    Json cut = Json::array(), differences = Json::array();
    for (const CutRound& round : replayed.cut)
        cut.push_back({{"line", round.line}, {"round", round.round == 0 ? Json() : Json(round.round)}});
    for (const AdviceDifference& difference : replayed.differences) {
        Json pids = Json::array();
        for (const policy::NodeClient& client : difference.program.clients) pids.push_back(client.id);
        differences.push_back({{"line", difference.line},
                               {"round", difference.round},
                               {"program", difference.program.name},
                               {"job", difference.program.job},
                               {"pids", std::move(pids)},
                               {"cpus", policy::keep(difference.program, "").cpus},
                               {"then", advice_of(difference.then)},
                               {"now", advice_of(difference.now)}});
    }
    return text_of({{"lines", replayed.lines},
                    {"commands", replayed.commands},
                    {"rounds", replayed.rounds},
                    {"advices", replayed.advices},
                    {"changes", replayed.changes},
                    {"cut", std::move(cut)},
                    {"differences", std::move(differences)}});
}

std::string placement_json(const PlacementFile& file, const policy::placement::Plan& plan) {
    const policy::placement::Problem& problem = file.problem;
    Json applications = Json::array(), systems = Json::array();
    for (std::size_t a = 0; a < plan.size(); ++a)
        applications.push_back(placed(file, problem.applications[a], file.applications[a], plan[a]));
    const std::vector<int> used = used_cores(file, plan);
    for (std::size_t s = 0; s < used.size(); ++s)
        systems.push_back({{"name", file.systems[s]}, {"cores", problem.systems[s].cores}, {"used", used[s]}});
    return text_of({{"cost", number(cost_of(problem, plan))},
                    {"applications", std::move(applications)},
                    {"systems", std::move(systems)}});
}

std::string mapping_json(const std::vector<PartitionFile>& machine, const std::vector<MappingRow>& rows,
                         const policy::MappingWeights& weights) {
    Json applications = Json::array(), map = Json::array();
    for (const MappingRow& row : rows) {
        Json partitions = Json::array();
        for (const policy::Mapped& there : row.partitions)
            partitions.push_back({{"name", machine[there.partition].name},
                                  {"seconds", number(there.seconds)},
                                  {"joules", number(there.joules)},
                                  {"score", number(there.score)}});
        applications.push_back({{"number", row.number}, {"name", row.application}, {"partitions", partitions}});
        map.push_back(row.partitions.front().partition);
    }
    return text_of({{"weights", {{"time", weights.time}, {"energy", weights.energy}, {"room", weights.room}}},
                    {"applications", std::move(applications)},
                    {"map", std::move(map)}});
}

}  // namespace drom::sim
