// SPDX-License-Identifier: BSD-3-Clause
// advice_journal.cpp - names and ranges of the journal's members.
#include "journal/advice_journal.hpp"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace drom::journal {
namespace {

using Written = nlohmann::ordered_json;
using Json = nlohmann::json;

constexpr std::string_view kBeginning = R"({"schema":"drom.advise-journal/)";
constexpr const char* kSchema = "drom.advise-journal/1";
constexpr std::int64_t kLatest = 1'000'000'000'000;  // seconds; sums of a few are no overflow
constexpr std::size_t kMaxLooks = 1024;
constexpr int kMaxDepth = 8;

/// Returns one line. Names come from processes: bytes that are no UTF-8 are replaced.
std::string line_of(const Written& json) { return json.dump(-1, ' ', false, Written::error_handler_t::replace) + '\n'; }

std::string text_of(const policy::NodeProgram& seen, const policy::Advice& advice) {
    Written clients = Written::array();
    for (std::size_t i = 0; i < seen.clients.size(); ++i) {
        const policy::NodeClient& client = seen.clients[i];
        clients.push_back({{"pid", client.id},
                           {"cpus", client.cpus},
                           {"advised", advice.cpus[i]},
                           {"min", client.min},
                           {"max", client.max},
                           {"changed_s", client.changed},
                           {"held", client.held},
                           {"unknown", client.unknown},
                           {"useful", client.useful}});
    }
    return line_of({{"program", seen.name}, {"job", seen.job}, {"why", advice.why}, {"clients", std::move(clients)}});
}

/// Reads members of an object; keeps the first complaint.
class Members {
public:
    explicit Members(const Json& object) : object_(object) {}

    std::string text(const char* name) {
        const Json* value = member(name);
        if (value != nullptr && value->is_string()) return value->get<std::string>();
        return complain(name, value), std::string();
    }
    bool flag(const char* name) {
        const Json* value = member(name);
        if (value != nullptr && value->is_boolean()) return value->get<bool>();
        return complain(name, value), false;
    }
    template <class Whole = int>
    Whole whole(const char* name, std::int64_t min, std::int64_t max) {
        const Json* value = member(name);
        if (value != nullptr && value->is_number_integer())
            if (const auto number = value->get<std::int64_t>(); number >= min && number <= max)
                return static_cast<Whole>(number);
        return complain(name, value), static_cast<Whole>(min);
    }
    /// Returns numbers from 0 to the most CPUs that there can be.
    std::vector<double> numbers(const char* name) {
        const Json* value = member(name);
        if (value == nullptr || !value->is_array() || value->size() > kMaxLooks)
            return complain(name, value), std::vector<double>();
        std::vector<double> numbers;
        for (const Json& item : *value) {
            const double number = item.is_number() ? item.get<double>() : -1;
            if (!(number >= 0 && number <= kMaxCpus)) return complain(name, value), std::vector<double>();
            numbers.push_back(number);
        }
        return numbers;
    }
    /// Returns an array of at least one item; null: there is none.
    const Json* items(const char* name) {
        const Json* value = member(name);
        if (value != nullptr && value->is_array() && !value->empty()) return value;
        return complain(name, value), nullptr;
    }
    void complain(const std::string& complaint) {
        if (complaint_.empty()) complaint_ = complaint;
    }
    [[nodiscard]] const std::string& complaint() const { return complaint_; }

private:
    const Json* member(const char* name) const {
        const auto found = object_.is_object() ? object_.find(name) : object_.end();
        return found == object_.end() ? nullptr : &*found;
    }
    void complain(const char* name, const Json* value) {
        complain((value == nullptr ? "has no " : "has a value that cannot be meant, of ") + std::string(name));
    }

    const Json& object_;
    std::string complaint_;
};

using Read = tl::expected<Line, std::string>;

template <class Part>
Read whole_or_complaint(const Members& members, Part part) {
    if (!members.complaint().empty()) return tl::unexpected(members.complaint());
    return part;
}

Read read_heading(const Json& json) {
    Members members(json);
    if (const std::string schema = members.text("schema"); schema != kSchema)
        return tl::unexpected("is not of schema " + std::string(kSchema));
    Heading heading;
    heading.node = members.text("node");
    heading.policy = members.text("policy");
    return whole_or_complaint(members, std::move(heading));
}

Read read_round(const Json& json) {
    Members members(json);
    RoundHead head;
    head.round = members.whole<long>("round", 1, std::numeric_limits<int>::max());
    head.unix_s = members.whole<long long>("unix_s", 0, kLatest);
    head.now = members.whole<policy::Seconds>("now_s", 0, kLatest);
    head.free = members.whole("free", 0, kMaxCpus);
    head.apply = members.flag("apply");
    head.programs = members.whole<std::size_t>("programs", 0, kMaxCpus);
    return whole_or_complaint(members, head);
}

/// Reads one client of a program, and how many CPUs were advised for it. Returns what is wrong; empty: nothing.
std::string read_client(const Json& json, ProgramLine& program) {
    if (!json.is_object()) return "has a client that is no object";
    Members members(json);
    policy::NodeClient client;
    client.id = members.whole("pid", 0, std::numeric_limits<int>::max());
    client.cpus = members.whole("cpus", 1, kMaxCpus);
    client.min = members.whole("min", 1, kMaxCpus);
    client.max = members.whole("max", 1, kMaxCpus);
    if (client.min > client.max)
        members.complain("has a min of " + std::to_string(client.min) + " above its max of " +
                         std::to_string(client.max));
    client.changed = members.whole<policy::Seconds>("changed_s", 0, kLatest);
    client.held = members.text("held");
    client.unknown = members.text("unknown");
    client.useful = members.numbers("useful");
    program.advice.cpus.push_back(members.whole("advised", 1, kMaxCpus));
    program.seen.clients.push_back(std::move(client));
    return members.complaint();
}

Read read_program(const Json& json) {
    Members members(json);
    ProgramLine program;
    program.seen.name = members.text("program");
    program.seen.job = members.text("job");
    program.advice.why = members.text("why");
    if (const Json* clients = members.items("clients")) {
        if (clients->size() > kMaxCpus) members.complain("has more clients than a node has CPUs");
        for (const Json& client : *clients)
            if (const std::string wrong = read_client(client, program); !wrong.empty()) members.complain(wrong);
    }
    return whole_or_complaint(members, std::move(program));
}

/// Parses the line, unless it is nested deeper than a journal is: a deep one would need as deep a stack.
Json parsed(std::string_view line) {
    bool too_deep = false;
    const auto callback = [&](int depth, Json::parse_event_t, Json&) {
        too_deep = too_deep || depth > kMaxDepth;
        return !too_deep;
    };
    Json json = Json::parse(line, callback, false);
    return too_deep ? Json(Json::value_t::discarded) : json;
}

}  // namespace

bool is_journal(std::string_view text) { return text.starts_with(kBeginning); }

std::string text_of(const Heading& heading) {
    return line_of({{"schema", kSchema}, {"node", heading.node}, {"policy", heading.policy}});
}

std::string text_of(RoundHead head, const policy::NodeView& view, const std::vector<policy::Advice>& advices) {
    std::string text = line_of({{"round", head.round},
                                {"unix_s", head.unix_s},
                                {"now_s", view.now},
                                {"free", view.free},
                                {"apply", head.apply},
                                {"programs", view.programs.size()}});
    for (std::size_t i = 0; i < view.programs.size(); ++i) text += text_of(view.programs[i], advices[i]);
    return text;
}

bool is_object(std::string_view line) { return parsed(line).is_object(); }

tl::expected<Line, std::string> read_line(std::string_view line) {
    const Json json = parsed(line);
    if (!json.is_object()) return tl::unexpected(std::string("is no JSON object"));
    if (json.contains("schema")) return read_heading(json);
    if (json.contains("round")) return read_round(json);
    return read_program(json);
}

}  // namespace drom::journal
