// SPDX-License-Identifier: BSD-3-Clause
// journal.cpp - events as words.
#include "policy/sharing/journal.hpp"

#include <cmath>

#include "policy/sharing/words.hpp"

namespace drom::policy {
namespace {

using namespace words;

constexpr std::string_view kVersion = "1";
/// MB of a node: sums of some of them can be counted.
constexpr std::int64_t kMaxMemory = std::int64_t{1} << 50;

constexpr std::array kEvents{
    Named<Event::What>{Event::What::kStart, "start"},    Named<Event::What>{Event::What::kShare, "share"},
    Named<Event::What>{Event::What::kFinish, "finish"},  Named<Event::What>{Event::What::kConsider, "consider"},
    Named<Event::What>{Event::What::kNoRoom, "no-room"}, Named<Event::What>{Event::What::kBeyondLimit, "beyond-limit"}};

bool is_of_id_only(Event::What what) { return what == Event::What::kNoRoom || what == Event::What::kBeyondLimit; }
constexpr std::array kOutcomes{Named<Refusal>{Refusal::kNone, "share"},
                               Named<Refusal>{Refusal::kNotMalleable, "not-malleable"},
                               Named<Refusal>{Refusal::kTooFewCores, "too-few-cores"},
                               Named<Refusal>{Refusal::kWaitingIsSooner, "waiting-is-sooner"},
                               Named<Refusal>{Refusal::kNoMates, "no-mates"},
                               Named<Refusal>{Refusal::kNotAdmitted, "not-admitted"},
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

/// Returns the lists of names of partitions, QOS and accounts that share, or do not, with their words.
template <class Limits>
auto admissions(Limits& limits) {
    return std::array{std::pair{"only_partition", &limits.share_partitions.only},
                      std::pair{"not_partition", &limits.share_partitions.no},
                      std::pair{"only_qos", &limits.share_qos.only},
                      std::pair{"not_qos", &limits.share_qos.no},
                      std::pair{"only_account", &limits.share_accounts.only},
                      std::pair{"not_account", &limits.share_accounts.no}};
}

/// Reads what add_beyond_thesis() wrote.
void take_beyond_thesis(Reader& reader, SharingRules& rules) {
    MateLimits& limits = rules.limits;
    const auto read_strict = [&limits](std::string_view text) { return limits.strict = text == "strict"; };
    reader.take_if("add_free_nodes", [&rules](std::string_view text) { return read(text, rules.add_free_nodes); })
        .take_if("partition_max_slowdown",
                 [&limits](std::string_view text) { return read_limits(limits.partitions, text).has_value(); })
        .take_if("qos_max_slowdown",
                 [&limits](std::string_view text) { return read_limits(limits.qos, text).has_value(); })
        .take_if("qos", read_strict)
        .take_if("qos_order",
                 [&limits](std::string_view text) { return read_names(limits.qos_order, text).has_value(); });
    for (const auto& [name, names] : admissions(limits))
        reader.take_if(name, [into = names](std::string_view text) { return read_names(*into, text).has_value(); });
    reader.take_if("same", [&limits](std::string_view text) { return read_same(limits.same, text).has_value(); });
}

void add_beyond_thesis(Words& words, const SharingRules& rules) {
    const MateLimits& limits = rules.limits;
    if (rules.add_free_nodes) words.add("add_free_nodes", "yes");
    if (!limits.partitions.empty()) words.add("partition_max_slowdown", std::string_view(text_of(limits.partitions)));
    if (!limits.qos.empty()) words.add("qos_max_slowdown", std::string_view(text_of(limits.qos)));
    if (limits.strict) words.add("qos", "strict");
    if (!limits.qos_order.empty()) words.add("qos_order", std::string_view(text_of(limits.qos_order)));
    for (const auto& [name, names] : admissions(limits))
        if (!names->empty()) words.add(name, std::string_view(text_of(*names)));
    if (limits.same != Same::kAny) words.add("same", text_of(limits.same));
}

tl::expected<Line, std::string> rules_line(Reader& reader) {
    SlowdownRules rules;
    reader.expect(kVersion)
        .take("limit", [&rules](std::string_view text) { return read_limit(text, rules); })
        .take("sharing_factor", rules.sharing.sharing_factor)
        .take("max_mates", rules.sharing.max_mates)
        .take("jobs_per_node", rules.sharing.jobs_per_node)
        .take("gain", rules.gain);
    take_beyond_thesis(reader, rules.sharing);
    reader.take_if("dry_run", [&rules](std::string_view text) { return read(text, rules.dry_run); });
    const SharingRules& sharing = rules.sharing;
    if (!SharingRules::kFactors.has(sharing.sharing_factor) || !SharingRules::kMates.has(sharing.max_mates) ||
        !SharingRules::kJobsPerNode.has(sharing.jobs_per_node))
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
        if (colon == item.size() || !read(item.substr(0, colon), alike.mb) || alike.mb < 1 || alike.mb > kMaxMemory)
            return false;
        if (!read(item.substr(colon + 1), alike.nodes) || alike.nodes.empty()) return false;
        if (left.common(alike.nodes).count() != alike.nodes.count()) return false;
        left.erase(alike.nodes);
    }
    return left.empty();
}

tl::expected<Line, std::string> pool_line(Reader& reader) {
    Pool pool;
    constexpr int kMaxCores = 65535;
    reader.take_within("cores", pool.cores_per_node, 1, kMaxCores)
        .take("nodes", pool.nodes)
        .take_if("memory", [&pool](std::string_view text) { return read_memory(text, pool); });
    return reader.finish<Line>(pool);
}

void add_job(Words& words, const Job& job, const JobNames& names) {
    words.add(job);
    if (job.filter.memory_mb != 0) words.add("memory", job.filter.memory_mb);
    if (job.partition >= 0) words.add("partition", std::string_view(names.partitions.name(job.partition)));
    if (job.qos >= 0) words.add("qos", std::string_view(names.qos.name(job.qos)));
    if (job.user >= 0) words.add("user", std::string_view(names.users.name(job.user)));
    if (job.account >= 0) words.add("account", std::string_view(names.accounts.name(job.account)));
    if (!std::isinf(job.max_slowdown)) words.add_number("max_slowdown", job.max_slowdown);
}

void take_job(Reader& reader, Job& job, JobNames& names) {
    const auto number_in = [](Names& all, int& into) {
        return [&all, &into](std::string_view name) {
            if (!name.empty()) into = all.number(name);
            return !name.empty();
        };
    };
    const auto memory = [&job](std::string_view text) {
        std::int64_t& mb = job.filter.memory_mb;
        return read(text, mb) && mb >= 1 && mb <= kMaxMemory;
    };
    reader.take(job)
        .take_if("memory", memory)
        .take_if("partition", number_in(names.partitions, job.partition))
        .take_if("qos", number_in(names.qos, job.qos))
        .take_if("user", number_in(names.users, job.user))
        .take_if("account", number_in(names.accounts, job.account))
        .take_if("max_slowdown", [&job](std::string_view text) { return read(text, job.max_slowdown); });
}

/// Writes "4-5:900/8:never".
std::string idle_text(const std::vector<IdleNodes>& idle) {
    std::string text;
    for (const IdleNodes& some : idle)
        text.append(text.empty() ? "" : "/").append(some.nodes.text()).append(":").append(time(some.until));
    return text;
}

bool read_item(std::string_view item, IdleNodes& some) {
    const std::size_t colon = item.find(':');
    return colon != std::string_view::npos && read(item.substr(0, colon), some.nodes) && !some.nodes.empty() &&
           read_time(item.substr(colon + 1), some.until);
}

bool read_idle(std::string_view text, std::vector<IdleNodes>& idle) {
    for (std::size_t from = 0; from <= text.size();) {
        const std::string_view item = text.substr(from, text.find('/', from) - from);
        if (!read_item(item, idle.emplace_back())) return false;
        from += item.size() + 1;
    }
    return true;
}

tl::expected<Line, std::string> event_line(Reader& reader, Event event, JobNames& names) {
    reader.take("at", event.at).take("job", event.job.id);
    if (is_of_id_only(event.what)) {
        const auto read_free = [&event](std::string_view text) {
            return read(text, event.free) && !event.free.empty();
        };
        if (event.what == Event::What::kNoRoom) reader.take_if("free", read_free);
        if (event.free.empty()) reader.take("mates", event.mates);
        if (event.what == Event::What::kBeyondLimit) reader.take("whose", event.whose);
        return reader.finish<Line>(std::move(event));
    }
    if (event.what != Event::What::kFinish) take_job(reader, event.job, names);
    if (event.what == Event::What::kStart) reader.take("kind", kKinds, event.job.kind).take("nodes", event.nodes);
    if (event.what == Event::What::kConsider)
        reader.take("within", event.nodes)
            .take_time("static", event.static_start)
            .take_if("idle", [&event](std::string_view text) { return read_idle(text, event.idle); })
            .take("limit", event.limit)
            .take("outcome", kOutcomes, event.refusal);
    const bool shares = event.what == Event::What::kConsider && event.refusal == Refusal::kNone;
    if (shares || event.what == Event::What::kShare)
        reader.take("cores", event.cores).take("mates", event.mates).take_if("free", [&event](std::string_view text) {
            return read(text, event.free);
        });
    if (shares) reader.take("end", event.guest_end);
    return reader.finish<Line>(std::move(event));
}

}  // namespace

std::string text_of(const SlowdownRules& rules) {
    std::string buffer;
    Words words("sd-policy " + std::string(kVersion));
    words.add("limit", limit_text(rules, buffer))
        .add_number("sharing_factor", rules.sharing.sharing_factor)
        .add("max_mates", rules.sharing.max_mates)
        .add("jobs_per_node", rules.sharing.jobs_per_node)
        .add_number("gain", rules.gain);
    add_beyond_thesis(words, rules.sharing);
    if (rules.dry_run) words.add("dry_run", "yes");
    return words.take();
}

std::string text_of(const Pool& pool) {
    Words words("pool");
    words.add("cores", pool.cores_per_node).add("nodes", std::string_view(pool.nodes.text()));
    if (!pool.memory.empty()) words.add("memory", std::string_view(memory_text(pool.memory)));
    return words.take();
}

std::string text_of(const Event& event, const JobNames& names) {
    Words words(text_in(kEvents, event.what));
    words.add("at", event.at).add("job", event.job.id);
    if (event.what == Event::What::kFinish) return words.take();
    if (is_of_id_only(event.what)) {
        if (event.free.empty()) words.add("mates", std::string_view(list(event.mates)));
        if (!event.free.empty()) words.add("free", std::string_view(event.free.text()));
        if (event.what == Event::What::kBeyondLimit) words.add("whose", event.whose);
        return words.take();
    }
    add_job(words, event.job, names);
    if (event.what == Event::What::kStart)
        words.add("kind", text_in(kKinds, event.job.kind)).add("nodes", std::string_view(event.nodes.text()));
    if (event.what == Event::What::kConsider) {
        words.add("within", std::string_view(event.nodes.text())).add_time("static", event.static_start);
        if (!event.idle.empty()) words.add("idle", std::string_view(idle_text(event.idle)));
        words.add_number("limit", event.limit).add("outcome", text_in(kOutcomes, event.refusal));
    }
    const bool shares = event.what == Event::What::kConsider && event.refusal == Refusal::kNone;
    if (shares || event.what == Event::What::kShare)
        words.add("cores", event.cores).add("mates", std::string_view(list(event.mates)));
    if (!event.free.empty()) words.add("free", std::string_view(event.free.text()));
    if (shares) words.add("end", event.guest_end);
    return words.take();
}

tl::expected<Line, std::string> parse_line(std::string_view text, JobNames& names) {
    Reader reader(text);
    if (reader.first() == "sd-policy") return rules_line(reader);
    if (reader.first() == "pool") return pool_line(reader);
    Event event;
    if (!value_in(kEvents, reader.first(), event.what))
        return tl::unexpected("begins with a word that is not known: " + std::string(reader.first()));
    return event_line(reader, std::move(event), names);
}

}  // namespace drom::policy
