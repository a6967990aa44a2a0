// SPDX-License-Identifier: BSD-3-Clause
// journal.cpp - events as words.
#include "policy/journal.hpp"

#include "policy/words.hpp"

namespace drom::policy {
namespace {

using namespace words;

constexpr std::string_view kVersion = "1";
/// MB of a node: sums of some of them can be counted.
constexpr std::int64_t kMostMemory = std::int64_t{1} << 50;

constexpr std::array kEvents{
    Named<Event::What>{Event::What::kStart, "start"}, Named<Event::What>{Event::What::kShare, "share"},
    Named<Event::What>{Event::What::kFinish, "finish"}, Named<Event::What>{Event::What::kConsider, "consider"},
    Named<Event::What>{Event::What::kNoRoom, "no-room"}};
constexpr std::array kOutcomes{Named<Refusal>{Refusal::kNone, "share"},
                               Named<Refusal>{Refusal::kNotMalleable, "not-malleable"},
                               Named<Refusal>{Refusal::kTooFewCores, "too-few-cores"},
                               Named<Refusal>{Refusal::kWaitingIsSooner, "waiting-is-sooner"},
                               Named<Refusal>{Refusal::kNoMates, "no-mates"},
                               Named<Refusal>{Refusal::kHarm, "mates-lose-more"}};

std::string_view limit_text(const SlowdownRules& rules, std::string& buffer) {
    if (rules.limit == SlowdownRules::Limit::kDynamic) return "dynamic";
    if (rules.limit == SlowdownRules::Limit::kInfinite) return "inf";
    return buffer = number(rules.max_slowdown);
}

bool read_limit(std::string_view text, SlowdownRules& rules) {
    if (text == "dynamic" || text == "inf") {
        rules.limit = text == "inf" ? SlowdownRules::Limit::kInfinite : SlowdownRules::Limit::kDynamic;
        return true;
    }
    rules.limit = SlowdownRules::Limit::kNumber;
    return read(text, rules.max_slowdown);
}

tl::expected<Line, std::string> rules_line(Reader& reader) {
    SlowdownRules rules;
    reader.expect(kVersion)
        .take("limit", [&rules](std::string_view text) { return read_limit(text, rules); })
        .take("sharing_factor", rules.sharing.sharing_factor)
        .take("max_mates", rules.sharing.max_mates)
        .take("jobs_per_node", rules.sharing.jobs_per_node)
        .take("gain", rules.gain);
    const SharingRules& sharing = rules.sharing;
    if (!(sharing.sharing_factor > 0 && sharing.sharing_factor < 1) || sharing.max_mates < 1 ||
        sharing.jobs_per_node < 2)
        return tl::unexpected<std::string>("has rules by which no job can share");
    return reader.finish<Line>(RulesLine{rules});
}

/// Writes "190000:0-39/380000:40-49".
std::string memory_text(const std::vector<NodeMemory>& memory) {
    std::string text;
    for (const NodeMemory& alike : memory)
        text.append(text.empty() ? "" : "/").append(std::to_string(alike.mb)).append(":").append(alike.nodes.text());
    return text;
}

/// Reads what memory_text() wrote. Returns false when it does not tell of each node of the pool, once.
bool read_memory(std::string_view text, Pool& pool) {
    NodeSet left = pool.nodes;
    while (!text.empty()) {
        const std::string_view item = text.substr(0, text.find('/'));
        text.remove_prefix(std::min(item.size() + 1, text.size()));
        const std::size_t colon = std::min(item.find(':'), item.size());
        NodeMemory& alike = pool.memory.emplace_back();
        if (colon == item.size() || !read(item.substr(0, colon), alike.mb) || alike.mb < 1 || alike.mb > kMostMemory)
            return false;
        if (!read(item.substr(colon + 1), alike.nodes) || alike.nodes.empty()) return false;
        if (left.common(alike.nodes).count() != alike.nodes.count()) return false;
        left.erase(alike.nodes);
    }
    return left.empty();
}

void add_job(Words& words, const Job& job) {
    words.add(job);
    if (job.filter.memory_mb != 0) words.add("memory", job.filter.memory_mb);
}

void take_job(Reader& reader, Job& job) {
    reader.take(job).take_if("memory", [&job](std::string_view text) {
        return read(text, job.filter.memory_mb) && job.filter.memory_mb >= 1 && job.filter.memory_mb <= kMostMemory;
    });
}

tl::expected<Line, std::string> pool_line(Reader& reader) {
    Pool pool;
    constexpr int kMaxCores = 65535;
    reader.take_within("cores", pool.cores_per_node, 1, kMaxCores)
        .take("nodes", pool.nodes)
        .take_if("memory", [&pool](std::string_view text) { return read_memory(text, pool); });
    return reader.finish<Line>(pool);
}

tl::expected<Line, std::string> event_line(Reader& reader, Event event) {
    reader.take("at", event.at).take("job", event.job.id);
    if (event.what == Event::What::kNoRoom) {
        reader.take("mates", event.mates);
        return reader.finish<Line>(std::move(event));
    }
    if (event.what != Event::What::kFinish) take_job(reader, event.job);
    if (event.what == Event::What::kStart) reader.take("kind", kKinds, event.job.kind).take("nodes", event.nodes);
    if (event.what == Event::What::kConsider)
        reader.take("within", event.nodes)
            .take_time("static", event.static_start)
            .take("limit", event.limit)
            .take("outcome", kOutcomes, event.refusal);
    const bool shares = event.what == Event::What::kConsider && event.refusal == Refusal::kNone;
    if (shares || event.what == Event::What::kShare) reader.take("cores", event.cores).take("mates", event.mates);
    if (shares) reader.take("end", event.guest_end);
    return reader.finish<Line>(std::move(event));
}

}  // namespace

std::string text_of(const SlowdownRules& rules) {
    std::string buffer;
    return Words("sd-policy " + std::string(kVersion))
        .add("limit", limit_text(rules, buffer))
        .add_number("sharing_factor", rules.sharing.sharing_factor)
        .add("max_mates", rules.sharing.max_mates)
        .add("jobs_per_node", rules.sharing.jobs_per_node)
        .add_number("gain", rules.gain)
        .take();
}

std::string text_of(const Pool& pool) {
    Words words("pool");
    words.add("cores", pool.cores_per_node).add("nodes", std::string_view(pool.nodes.text()));
    if (!pool.memory.empty()) words.add("memory", std::string_view(memory_text(pool.memory)));
    return words.take();
}

std::string text_of(const Event& event) {
    Words words(text_in(kEvents, event.what));
    words.add("at", event.at).add("job", event.job.id);
    if (event.what == Event::What::kFinish) return words.take();
    if (event.what == Event::What::kNoRoom) return words.add("mates", std::string_view(list(event.mates))).take();
    add_job(words, event.job);
    if (event.what == Event::What::kStart)
        words.add("kind", text_in(kKinds, event.job.kind)).add("nodes", std::string_view(event.nodes.text()));
    if (event.what == Event::What::kConsider)
        words.add("within", std::string_view(event.nodes.text()))
            .add_time("static", event.static_start)
            .add_number("limit", event.limit)
            .add("outcome", text_in(kOutcomes, event.refusal));
    const bool shares = event.what == Event::What::kConsider && event.refusal == Refusal::kNone;
    if (shares || event.what == Event::What::kShare)
        words.add("cores", event.cores).add("mates", std::string_view(list(event.mates)));
    if (shares) words.add("end", event.guest_end);
    return words.take();
}

tl::expected<Line, std::string> parse_line(std::string_view text) {
    Reader reader(text);
    if (reader.first() == "sd-policy") return rules_line(reader);
    if (reader.first() == "pool") return pool_line(reader);
    Event event;
    if (!value_in(kEvents, reader.first(), event.what))
        return tl::unexpected("begins with a word that is not known: " + std::string(reader.first()));
    return event_line(reader, std::move(event));
}

}  // namespace drom::policy
