// SPDX-License-Identifier: BSD-3-Clause
// stats_json.cpp - the object of drom stats --json, written and read again. With json.cpp the only file that includes
// nlohmann-json.
#include "output/stats_json.hpp"

#include "output/advice_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace drom::command {

namespace {

using Json = nlohmann::ordered_json;
/// An object of many keys costs no more than its bytes here; the ordered one looks at all keys for each.
using Read = nlohmann::json;
using metrics::Budget;
using metrics::Factors;

constexpr const char* kSchema = "drom.stats/1";

struct Part {
    const char* key;
    double Budget::* value;
};
constexpr Part kParts[] = {{"useful_ns", &Budget::useful},
                           {"mpi_ns", &Budget::mpi},
                           {"mpi_worker_idle_ns", &Budget::mpi_worker_idle},
                           {"load_imbalance_ns", &Budget::load_imbalance},
                           {"scheduling_ns", &Budget::scheduling},
                           {"serialization_ns", &Budget::serialization}};

struct FactorKey {
    const char* key;
    double Factors::* value;
};
constexpr FactorKey kFactors[] = {
    {"parallel_efficiency", &Factors::parallel_efficiency},
    {"mpi_parallel_efficiency", &Factors::mpi_parallel_efficiency},
    {"mpi_communication", &Factors::mpi_communication},
    {"mpi_load_balance", &Factors::mpi_load_balance},
    {"mpi_load_balance_within_nodes", &Factors::mpi_load_balance_within_nodes},
    {"mpi_load_balance_between_nodes", &Factors::mpi_load_balance_between_nodes},
    {"openmp_parallel_efficiency", &Factors::openmp_parallel_efficiency},
    {"openmp_serialization", &Factors::openmp_serialization},
    {"openmp_load_balance", &Factors::openmp_load_balance},
    {"openmp_scheduling", &Factors::openmp_scheduling},
};

uint64_t ns_of(double seconds) { return static_cast<uint64_t>(std::llround(std::max(seconds, 0.0) * 1e9)); }

Json factors_of(const StatsApplication& application) {
    if (!application.sampled) return {};
    const Factors factors = metrics::factors_of(shares_of(application));
    Json json;
    for (const FactorKey& factor : kFactors) json[factor.key] = factors.*factor.value;
    return json;
}

Json process_of(const StatsProcess& process, bool sampled) {
    Json json{{"node", process.node},
              {"client", process.client},
              {"pid", process.pid},
              {"rank", process.rank ? Json(*process.rank) : Json()},
              {"threads", process.threads},
              {"samples", process.samples},
              {"cpu_ns", ns_of(process.cpu_s)},
              {"waited_ns", ns_of(process.waited_s)}};
    // Each part is rounded by itself: the whole is their sum, which a reader checks.
    uint64_t sum = 0;
    for (const Part& part : kParts) sum += ns_of(process.budget.*part.value);
    json["owned_ns"] = sampled ? sum : ns_of(process.budget.owned);
    for (const Part& part : kParts) json[part.key] = sampled ? Json(ns_of(process.budget.*part.value)) : Json();
    return json;
}

Json application_of(const StatsApplication& application) {
    Json json{{"job", application.job}, {"name", application.name}, {"sampled", application.sampled}};
    json["factors"] = factors_of(application);
    json["loss"] = application.sampled ? Json(loss_sentence(application)) : Json();
    json["processes"] = Json::array();
    for (const StatsProcess& process : application.processes)
        json["processes"].push_back(process_of(process, application.sampled));
    return json;
}

Json region_of(const drom_region_info& info) {
    const bool fine = info.state == DROM_REGION_FINE;
    const auto figure = [&](uint64_t value) { return fine && value != UINT64_MAX ? Json(value) : Json(); };
    return {{"name", info.name},
            {"state", region_state_word(info.state)},
            {"count", figure(info.count)},
            {"open", figure(info.open)},
            {"elapsed_ns", figure(info.elapsed_ns)},
            {"cpu_ns", figure(info.cpu_ns)},
            {"available_ns", figure(info.available_ns)}};
}

/// Looks at a text without keeping it: where it is no JSON, and whether it is nested deeper than any of ours.
class Inspector : public nlohmann::json_sax<Read> {
public:
    static constexpr int kDeepest = 16;

    bool null() override { return true; }
    bool boolean(bool /*value*/) override { return true; }
    bool number_integer(number_integer_t /*value*/) override { return true; }
    bool number_unsigned(number_unsigned_t /*value*/) override { return true; }
    bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return true; }
    bool string(string_t& /*value*/) override { return true; }
    bool binary(binary_t& /*value*/) override { return true; }
    bool start_object(size_t /*elements*/) override { return enter(); }
    bool key(string_t& /*value*/) override { return true; }
    bool end_object() override { return leave(); }
    bool start_array(size_t /*elements*/) override { return enter(); }
    bool end_array() override { return leave(); }
    bool parse_error(size_t position, const std::string& /*token*/,
                     const nlohmann::detail::exception& /*why*/) override {
        position_ = position;
        return false;
    }

    [[nodiscard]] bool too_deep() const { return depth_ > kDeepest; }
    [[nodiscard]] size_t position() const { return position_; }

private:
    bool enter() { return ++depth_ <= kDeepest; }
    bool leave() {
        --depth_;
        return true;
    }

    int depth_ = 0;
    size_t position_ = 0;
};

std::string place_in(std::string_view text, size_t position) {
    const std::string_view before = text.substr(0, std::min(position > 0 ? position - 1 : 0, text.size()));
    const auto lines = std::ranges::count(before, '\n');
    const size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
    return fmt::format("{}:{}", lines + 1, before.size() - line_begin + 1);
}

/// Reads values with their types; keeps the first complaint.
class Reader {
public:
    const Read& member(const Read& object, const std::string& where, const char* key) {
        static const Read kNothing;
        if (!object.is_object()) return complain(where, "it is no object"), kNothing;
        const auto found = object.find(key);
        if (found == object.end()) return complain(where + "/" + key, "it is missing"), kNothing;
        return *found;
    }
    std::string text(const Read& object, const std::string& where, const char* key) {
        constexpr size_t kLongest = 256;
        const Read& value = member(object, where, key);
        if (value.is_string() && value.get_ref<const std::string&>().size() <= kLongest)
            return value.get<std::string>();
        complain(where + "/" + key, fmt::format("it is no text of at most {} characters", kLongest));
        return {};
    }
    bool flag(const Read& object, const std::string& where, const char* key) {
        const Read& value = member(object, where, key);
        if (!value.is_boolean()) complain(where + "/" + key, "it is neither true nor false");
        return value.is_boolean() && value.get<bool>();
    }
    uint64_t whole(const Read& object, const std::string& where, const char* key, uint64_t largest) {
        const Read& value = member(object, where, key);
        if (value.is_number_unsigned() && value.get<uint64_t>() <= largest) return value.get<uint64_t>();
        complain(where + "/" + key, fmt::format("it is no whole number from 0 to {}", largest));
        return 0;
    }
    const Read& list(const Read& object, const std::string& where, const char* key) {
        static const Read kEmpty = Read::array();
        const Read& value = member(object, where, key);
        if (value.is_array()) return value;
        complain(where + "/" + key, "it is no list");
        return kEmpty;
    }
    void complain(const std::string& where, const std::string& what) {
        if (complaint_.empty()) complaint_ = where + ": " + what;
    }
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

private:
    std::string complaint_;
};

constexpr uint64_t kLongestNs = 1'000'000'000'000'000'000;  // 30 years of a CPU
constexpr uint64_t kMost = INT32_MAX;

double seconds(Reader& reader, const Read& object, const std::string& where, const char* key) {
    return static_cast<double>(reader.whole(object, where, key, kLongestNs)) * 1e-9;
}

Budget read_budget(Reader& reader, const Read& object, const std::string& where, bool sampled) {
    Budget budget;
    const uint64_t owned = reader.whole(object, where, "owned_ns", kLongestNs);
    budget.owned = static_cast<double>(owned) * 1e-9;
    if (!sampled) return budget;
    uint64_t sum = 0;
    for (const Part& part : kParts) {
        const uint64_t value = reader.whole(object, where, part.key, kLongestNs);
        sum += value;
        budget.*part.value = static_cast<double>(value) * 1e-9;
    }
    if (sum != owned) reader.complain(where + "/owned_ns", "it is not the sum of its parts");
    return budget;
}

StatsProcess read_process(Reader& reader, const Read& object, const std::string& where, bool sampled) {
    StatsProcess process;
    process.node = reader.text(object, where, "node");
    process.client = reader.text(object, where, "client");
    process.pid = static_cast<pid_t>(reader.whole(object, where, "pid", kMost));
    if (!reader.member(object, where, "rank").is_null())
        process.rank = static_cast<unsigned>(reader.whole(object, where, "rank", kMost));
    process.threads = static_cast<unsigned>(reader.whole(object, where, "threads", kMost));
    process.samples = reader.whole(object, where, "samples", kLongestNs);
    process.cpu_s = seconds(reader, object, where, "cpu_ns");
    process.waited_s = seconds(reader, object, where, "waited_ns");
    process.budget = read_budget(reader, object, where, sampled);
    return process;
}

StatsApplication read_application(Reader& reader, const Read& object, const std::string& where) {
    StatsApplication application;
    application.job = reader.text(object, where, "job");
    application.name = reader.text(object, where, "name");
    application.sampled = reader.flag(object, where, "sampled");
    size_t number = 0;
    for (const Read& process : reader.list(object, where, "processes"))
        application.processes.push_back(
            read_process(reader, process, fmt::format("{}/processes/{}", where, number++), application.sampled));
    return application;
}

StatsReport read_report(Reader& reader, const Read& json) {
    StatsReport report;
    if (reader.text(json, "", "schema") != kSchema) reader.complain("/schema", fmt::format("it is not {}", kSchema));
    if (json.is_object() && json.contains("tables"))
        reader.complain("/tables", "it is of all users; give merge a file per table");
    report.window_s = seconds(reader, json, "", "window_ns");
    report.in_kernel = reader.flag(json, "", "kernel");
    report.cost_s = seconds(reader, json, "", "cost_ns");
    size_t number = 0;
    for (const Read& node : reader.list(json, "", "nodes")) {
        if (!node.is_string()) reader.complain(fmt::format("/nodes/{}", number), "it is no text");
        if (node.is_string()) report.nodes.push_back(node.get<std::string>());
        ++number;
    }
    number = 0;
    for (const Read& application : reader.list(json, "", "applications"))
        report.applications.push_back(read_application(reader, application, fmt::format("/applications/{}", number++)));
    return report;
}

}  // namespace

std::string stats_json(const StatsReport& report) {
    Json json{{"schema", kSchema},          {"nodes", report.nodes},           {"window_ns", ns_of(report.window_s)},
              {"kernel", report.in_kernel}, {"cost_ns", ns_of(report.cost_s)}, {"applications", Json::array()}};
    for (const StatsApplication& application : report.applications)
        json["applications"].push_back(application_of(application));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string regions_json(const RegionsReport& report) {
    Json json{{"schema", "drom.regions/1"}, {"node", report.node}, {"clients", Json::array()}};
    for (const ClientRegions& client : report.clients) {
        Json regions = Json::array();
        for (const drom_region_info& info : client.regions) regions.push_back(region_of(info));
        json["clients"].push_back({{"client", client.client},
                                   {"job", client.job},
                                   {"pid", client.pid},
                                   {"rank", client.rank ? Json(*client.rank) : Json()},
                                   {"regions", std::move(regions)}});
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string top_json(const TopFrame& frame) {
    Json json{{"schema", "drom.top/1"},
              {"node", frame.node},
              {"window_ns", ns_of(frame.window_s)},
              {"clients", Json::array()}};
    for (const TopRow& row : frame.rows)
        json["clients"].push_back({{"slot", row.slot},
                                   {"pid", row.pid},
                                   {"name", row.name},
                                   {"job", row.job},
                                   {"mask", row.owned.text()},
                                   {"cpus", row.cpus},
                                   {"busy", row.busy},
                                   {"waited", row.waited},
                                   {"efficiency", row.efficiency ? Json(*row.efficiency) : Json()}});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string advice_json(const AdviceReport& report) {
    Json json{{"schema", "drom.advise/1"}, {"node", report.node},
              {"policy", report.policy},   {"window_ns", ns_of(report.window_s)},
              {"free", report.free},       {"apply", report.apply},
              {"programs", Json::array()}};
    for (const AdviceLine& program : report.programs) {
        Json clients = Json::array();
        for (const AdvisedClient& client : program.clients)
            clients.push_back({{"pid", client.pid},
                               {"name", client.name},
                               {"rank", client.rank ? Json(*client.rank) : Json()},
                               {"cpus", client.cpus},
                               {"advised", client.advised},
                               {"min", client.min},
                               {"max", client.max},
                               {"useful", client.useful}});
        json["programs"].push_back(
            {{"job", program.job}, {"name", program.name}, {"why", program.why}, {"clients", std::move(clients)}});
    }
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

Expected<StatsReport> read_stats(std::string_view text) {
    Inspector inspector;
    if (!Read::sax_parse(text, &inspector)) {
        if (inspector.too_deep())
            return failure(DROM_E_INVAL, fmt::format("1:1: it is nested deeper than {} levels", Inspector::kDeepest));
        return failure(DROM_E_INVAL, place_in(text, inspector.position()) +
                                         ": it is no JSON, or has a number that is "
                                         "too large");
    }
    Reader reader;
    StatsReport report = read_report(reader, Read::parse(text));
    if (!reader.complaint().empty()) return failure(DROM_E_INVAL, reader.complaint());
    return report;
}

}  // namespace drom::command
