// SPDX-License-Identifier: BSD-3-Clause
// journal.cpp - events as words.
#include "policy/journal.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>

namespace drom::policy {
namespace {

constexpr std::string_view kVersion = "1";

template <class Name>
struct Named {
    Name value;
    std::string_view text;
};

constexpr std::array kKinds{Named<Kind>{Kind::kRigid, "rigid"}, Named<Kind>{Kind::kMoldable, "moldable"},
                            Named<Kind>{Kind::kMalleable, "malleable"}};
constexpr std::array kEvents{
    Named<Event::What>{Event::What::kStart, "start"}, Named<Event::What>{Event::What::kShare, "share"},
    Named<Event::What>{Event::What::kFinish, "finish"}, Named<Event::What>{Event::What::kConsider, "consider"}};
constexpr std::array kOutcomes{Named<Refusal>{Refusal::kNone, "share"},
                               Named<Refusal>{Refusal::kNotMalleable, "not-malleable"},
                               Named<Refusal>{Refusal::kTooFewCores, "too-few-cores"},
                               Named<Refusal>{Refusal::kWaitingIsSooner, "waiting-is-sooner"},
                               Named<Refusal>{Refusal::kNoMates, "no-mates"},
                               Named<Refusal>{Refusal::kHarm, "mates-lose-more"}};

template <class Name, std::size_t N>
std::string_view text_in(const std::array<Named<Name>, N>& names, Name value) {
    return std::find_if(names.begin(), names.end(), [value](const auto& n) { return n.value == value; })->text;
}

template <class Name, std::size_t N>
bool value_in(const std::array<Named<Name>, N>& names, std::string_view text, Name& value) {
    const auto found = std::find_if(names.begin(), names.end(), [text](const auto& n) { return n.text == text; });
    if (found == names.end()) return false;
    value = found->value;
    return true;
}

// ---- writing ---------------------------------------------------------------------------------------------------

/// The shortest text that reads back as the same number.
std::string number(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string time(Seconds value) { return value >= kNever ? "never" : std::to_string(value); }

std::string list(const std::vector<JobId>& ids) {
    std::string text;
    for (const JobId id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

class Words {
public:
    explicit Words(std::string_view first) : text_(first) {}
    Words& add(std::string_view key, std::string_view value) {
        text_.append(" ").append(key).append("=").append(value);
        return *this;
    }
    Words& add(std::string_view key, Seconds value) { return add(key, std::string_view(std::to_string(value))); }
    Words& add(const Job& job) {
        return add("submit", job.submit)
            .add("request", job.request)
            .add("count", job.nodes)
            .add("least", job.min_cores);
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

std::string_view limit_text(const SlowdownRules& rules, std::string& buffer) {
    if (rules.limit == SlowdownRules::Limit::kDynamic) return "dynamic";
    if (rules.limit == SlowdownRules::Limit::kInfinite) return "inf";
    return buffer = number(rules.max_slowdown);
}

// ---- reading ---------------------------------------------------------------------------------------------------

bool read(std::string_view text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && !std::isnan(value);
}

template <std::integral Number>
bool read(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

bool read_time(std::string_view text, Seconds& value) {
    if (text != "never") return read(text, value);
    value = kNever;
    return true;
}

bool read(std::string_view text, NodeSet& nodes) {
    const auto parsed = NodeSet::parse(text);
    if (parsed) nodes = *parsed;
    return parsed.has_value();
}

bool read(std::string_view text, std::vector<JobId>& ids) {
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        if (!read(text.substr(0, comma), ids.emplace_back())) return false;
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return !ids.empty();
}

/// The words of one line. Remembers the first thing that is wrong with it.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) { first_ = next(); }

    std::string_view first() const { return first_; }

    /// The next word is `key`=VALUE, which `with` takes.
    template <class With>
    Reader& take(std::string_view key, const With& with) {
        const std::string_view word = next();
        if (!wrong_.empty()) return *this;
        if (!word.starts_with(key) || word.size() <= key.size() || word[key.size()] != '=')
            wrong_ = "has no " + std::string(key) + "= where it should be";
        else if (!with(word.substr(key.size() + 1)))
            wrong_ = "has a " + std::string(key) + "= that cannot be read: " + std::string(word.substr(key.size() + 1));
        return *this;
    }
    template <class Value>
    Reader& take(std::string_view key, Value& value) {
        return take(key, [&value](std::string_view text) { return read(text, value); });
    }
    Reader& take_time(std::string_view key, Seconds& value) {
        return take(key, [&value](std::string_view text) { return read_time(text, value); });
    }
    Reader& take(Job& job) {
        take("submit", job.submit).take("request", job.request).take("count", job.nodes).take("least", job.min_cores);
        constexpr Seconds kMax = Seconds{1} << 40;
        if (wrong_.empty() && (job.request < 1 || job.nodes < 1)) wrong_ = "has a job without time or nodes";
        if (wrong_.empty() && job.request > kMax) wrong_ = "has a job that asks for more time than there is";
        return *this;
    }
    Reader& expect(std::string_view word) {
        if (next() != word && wrong_.empty()) wrong_ = "is not of version " + std::string(word);
        return *this;
    }

    tl::expected<Line, std::string> finish(Line line) {
        if (wrong_.empty() && !rest_.empty()) wrong_ = "goes on where it should end: " + std::string(rest_);
        if (!wrong_.empty()) return tl::unexpected(wrong_);
        return line;
    }

private:
    std::string_view next() {
        const std::size_t end = std::min(rest_.find(' '), rest_.size());
        const std::string_view word = rest_.substr(0, end);
        rest_.remove_prefix(std::min(end + 1, rest_.size()));
        return word;
    }

    std::string_view rest_, first_;
    std::string wrong_;
};

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
    return reader.finish(RulesLine{rules});
}

tl::expected<Line, std::string> pool_line(Reader& reader) {
    Pool pool;
    reader.take("cores", [&pool](std::string_view text) {
        constexpr int kMax = 65535;
        return read(text, pool.cores_per_node) && pool.cores_per_node >= 1 && pool.cores_per_node <= kMax;
    });
    return reader.take("nodes", pool.nodes).finish(pool);
}

tl::expected<Line, std::string> event_line(Reader& reader, Event event) {
    reader.take("at", event.at).take("job", event.job.id);
    if (event.what != Event::What::kFinish) reader.take(event.job);
    if (event.what == Event::What::kStart)
        reader.take("kind", [&event](std::string_view text) { return value_in(kKinds, text, event.job.kind); })
            .take("nodes", event.nodes);
    if (event.what == Event::What::kConsider)
        reader.take("within", event.nodes)
            .take_time("static", event.static_start)
            .take("limit", event.limit)
            .take("outcome", [&event](std::string_view text) { return value_in(kOutcomes, text, event.refusal); });
    const bool shares = event.what == Event::What::kConsider && event.refusal == Refusal::kNone;
    if (shares || event.what == Event::What::kShare) reader.take("cores", event.cores).take("mates", event.mates);
    if (shares) reader.take("end", event.guest_end);
    return reader.finish(std::move(event));
}

}  // namespace

std::string text_of(const SlowdownRules& rules) {
    std::string buffer;
    return Words("sd-policy " + std::string(kVersion))
        .add("limit", limit_text(rules, buffer))
        .add("sharing_factor", std::string_view(number(rules.sharing.sharing_factor)))
        .add("max_mates", rules.sharing.max_mates)
        .add("jobs_per_node", rules.sharing.jobs_per_node)
        .add("gain", std::string_view(number(rules.gain)))
        .take();
}

std::string text_of(const Pool& pool) {
    return Words("pool").add("cores", pool.cores_per_node).add("nodes", std::string_view(pool.nodes.text())).take();
}

std::string text_of(const Event& event) {
    Words words(text_in(kEvents, event.what));
    words.add("at", event.at).add("job", event.job.id);
    if (event.what == Event::What::kFinish) return words.take();
    words.add(event.job);
    if (event.what == Event::What::kStart)
        words.add("kind", text_in(kKinds, event.job.kind)).add("nodes", std::string_view(event.nodes.text()));
    if (event.what == Event::What::kConsider)
        words.add("within", std::string_view(event.nodes.text()))
            .add("static", std::string_view(time(event.static_start)))
            .add("limit", std::string_view(number(event.limit)))
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
