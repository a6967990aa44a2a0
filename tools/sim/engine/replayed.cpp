// SPDX-License-Identifier: BSD-3-Clause
// replayed.cpp - line after line into a cluster that is the controller's.
#include "engine/replayed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "engine/jobs_text.hpp"
#include "engine/log_lines.hpp"

namespace drom::sim {
namespace {

using policy::Coscheduler;
using policy::Event;
using policy::Pool;
using policy::Refusal;
using policy::RulesLine;

constexpr std::string_view kBeginning = "sd-policy ";

bool same_mates(const Event& a, const Event& b) {
    return a.refusal == b.refusal && a.mates == b.mates && a.cores == b.cores && a.free == b.free;
}

std::string impossible(const Event& event) {
    switch (event.what) {
        case Event::What::kStart:
            return fmt::format("starts job {} on nodes {}, which are not free nodes of one pool, or it runs already",
                               event.job.id, event.nodes.text());
        case Event::What::kShare:
            return fmt::format("starts job {} on {} cores per node of {}{}: these cannot be lent, or it runs already",
                               event.job.id, event.cores, jobs_text(event.mates),
                               event.free.empty() ? "" : " and free nodes " + event.free.text());
        case Event::What::kFinish: return fmt::format("ends job {}, which does not run", event.job.id);
        case Event::What::kConsider:
        case Event::What::kNoRoom:
        case Event::What::kBeyondLimit: break;
    }
    return "";
}

/// Errors of its functions are the rest of a sentence that begins with the line's number.
class Replay {
public:
    using Done = tl::expected<void, std::string>;

    explicit Replay(const Assignments& others) { told_.others = others; }

    Done line(std::size_t number, std::string_view text) {
        number_ = number;
        auto line = policy::parse_line(text, *names_);
        if (!line) return tl::unexpected(line.error());
        if (const auto* rules = std::get_if<RulesLine>(&*line)) return begin(rules->rules);
        if (!began_) return tl::unexpected<std::string>("is not in a cluster; a log begins with a line sd-policy");
        if (const auto* pool = std::get_if<Pool>(&*line)) return add(*pool);
        return happen(std::move(std::get<Event>(*line)));
    }
    void unfinished(std::size_t number) { told_.unfinished.push_back(number); }
    bool empty() const { return !began_; }
    Replayed finish(std::size_t lines) {
        told_.lines = lines;
        return std::move(told_);
    }

private:
    Done begin(const policy::SlowdownRules& rules) {
        const auto asked = with_others(rules, told_.others);
        if (!asked) return tl::unexpected("cannot be asked: " + asked.error());
        began_ = true;
        rules_ = rules;
        asked_ = *asked;
        asked_.sharing.limits.set_numbers(*names_);
        pools_.clear();
        cluster_.reset();
        decided_.clear();
        ++told_.clusters;
        told_.dry_runs += rules.dry_run ? 1 : 0;
        return {};
    }

    Done add(const Pool& pool) {
        if (cluster_) return tl::unexpected<std::string>("is a pool behind what happened; pools follow line sd-policy");
        if (pool.cores_per_node < 1 || pool.nodes.empty())
            return tl::unexpected<std::string>("is a pool without nodes or cores");
        for (const Pool& other : pools_)
            if (!other.nodes.common(pool.nodes).empty())
                return tl::unexpected<std::string>("has nodes of the pool before it");
        pools_.push_back(pool);
        return {};
    }

    Done happen(Event event) {
        if (!cluster_) cluster_.emplace(pools_, rules_, names_);
        if (event.what == Event::What::kConsider) return decide(*cluster_, std::move(event)), Done();
        if (event.what == Event::What::kNoRoom) return ++told_.no_room, Done();
        if (event.what == Event::What::kBeyondLimit) return ++told_.beyond_limit, Done();
        if (event.what == Event::What::kShare) compare_with_decided(event);
        const bool ends = event.what == Event::What::kFinish;
        if ((ends && !cluster_->knows(event.job.id)) || !cluster_->apply(event))
            return tl::unexpected(impossible(event));
        ++(ends ? told_.ends : event.what == Event::What::kShare ? told_.shared_starts : told_.starts);
        decided_.erase(event.job.id);
        return {};
    }

    void decide(const Coscheduler& cluster, Event then) {
        Redecided decision{number_, std::move(then), {}, false};
        const Event& asked = decision.then;
        // Without what a controller remembers to be faster: that is checked, too.
        decision.now = cluster.what_if(asked_, asked.job, asked.nodes, asked.static_start, asked.at, asked.idle);
        decision.differs = told_.others.empty() ? text_of(decision.now, *names_) != text_of(asked, *names_)
                                                : !same_mates(decision.now, asked);
        decided_[asked.job.id] = told_.decisions.size();
        told_.decisions.push_back(std::move(decision));
    }

    // Jobs that shared before the log began were decided before it, too.
    void compare_with_decided(const Event& share) {
        const auto last = decided_.find(share.job.id);
        if (last == decided_.end()) return;
        const Redecided& decision = told_.decisions[last->second];
        if (!same_mates(share, decision.then)) told_.astray.push_back({number_, share, decision.line, decision.then});
    }

    Replayed told_;
    std::size_t number_ = 0;
    bool began_ = false;
    policy::SlowdownRules rules_, asked_;
    std::vector<Pool> pools_;
    std::shared_ptr<policy::JobNames> names_ = std::make_shared<policy::JobNames>();
    std::optional<Coscheduler> cluster_;            ///< from its first event on
    std::map<policy::JobId, std::size_t> decided_;  ///< which decision is the last about a job that waits
};

// Cuts what a killed controller left of its last line from what its successor wrote behind.
tl::expected<void, std::string> take(Replay& replay, const LogLines& lines) {
    std::string_view line = lines.line();
    if (says_nothing(line)) return {};
    if (!lines.whole()) return replay.unfinished(lines.number()), tl::expected<void, std::string>();
    if (const std::size_t at = line.find(kBeginning); at != std::string_view::npos && at > 0) {
        replay.unfinished(lines.number());
        line.remove_prefix(at);
    }
    policy::JobNames unused;
    if (lines.rest().starts_with(kBeginning) && !policy::parse_line(line, unused))
        return replay.unfinished(lines.number()), tl::expected<void, std::string>();
    return replay.line(lines.number(), line);
}

}  // namespace

std::size_t Replayed::differing() const {
    return static_cast<std::size_t>(
        std::count_if(decisions.begin(), decisions.end(), [](const Redecided& d) { return d.differs; }));
}

std::size_t Replayed::with(Refusal outcome, bool now) const {
    return static_cast<std::size_t>(std::count_if(decisions.begin(), decisions.end(), [&](const Redecided& d) {
        return (now ? d.now : d.then).refusal == outcome;
    }));
}

tl::expected<Replayed, std::string> replay_log(std::string_view text, const Assignments& others) {
    Replay replay(others);
    LogLines lines(text);
    while (lines.next())
        if (const auto done = take(replay, lines); !done)
            return tl::unexpected(fmt::format("line {} {}", lines.number(), done.error()));
    if (replay.empty())
        return tl::unexpected<std::string>(
            "there is not one whole line in it; name a log of decisions, a record or a journal");
    return replay.finish(lines.number());
}

}  // namespace drom::sim
