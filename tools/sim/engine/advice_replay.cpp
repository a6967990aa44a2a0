// SPDX-License-Identifier: BSD-3-Clause
// advice_replay.cpp - lines into rounds, and rounds into an adviser.
#include "engine/advice_replay.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "engine/log_lines.hpp"
#include "journal/advice_journal.hpp"
#include "policy/node/advisers.hpp"

namespace drom::sim {
namespace {

using journal::Heading;
using journal::ProgramLine;
using journal::RoundHead;

using Done = tl::expected<void, std::string>;

Done wrong(std::string why) { return tl::unexpected(std::move(why)); }

/// A round of which lines are still to come.
struct Pending {
    RoundHead head;
    policy::NodeView view;
    std::vector<policy::Advice> advices;
    std::vector<std::size_t> lines;  ///< of the programs
    std::set<int> ids;               ///< of the clients

    [[nodiscard]] bool complete() const { return view.programs.size() == head.programs; }
};

/// Errors of its functions are the rest of a sentence that begins with the line's number.
class JournalReplay {
public:
    Done line(std::size_t number, std::string_view text) {
        auto read = journal::read_line(text);
        if (!read) return wrong(std::move(read.error()));
        number_ = number;
        return std::visit([this](auto& part) { return add(std::move(part)); }, *read);
    }

    /// Leaves out the round that ends too early at this line.
    void cut(std::size_t number) {
        told_.cut.push_back({number, pending_ ? pending_->head.round : 0});
        pending_.reset();
    }

    [[nodiscard]] bool began() const { return adviser_ != nullptr; }

    ReplayedJournal finish(std::size_t lines) {
        if (pending_) cut(lines);
        told_.lines = lines;
        return std::move(told_);
    }

private:
    Done add(const Heading& heading) {
        if (pending_) cut(number_ - 1);
        auto adviser = policy::adviser_of(heading.policy);
        if (!adviser) return wrong("has a policy that cannot be used: " + adviser.error());
        adviser_ = std::move(*adviser);
        last_ = {};
        ++told_.commands;
        return {};
    }

    Done add(const RoundHead& head) {
        if (!began()) return wrong("comes before a heading, which names the policy");
        if (pending_) return wrong(fmt::format("comes before the end of round {}", pending_->head.round));
        if (head.round != last_.round + 1) return wrong(fmt::format("is no round {}", last_.round + 1));
        if (head.now < last_.now) return wrong("is earlier than the round before it");
        last_ = head;
        go_on({head, {{}, head.free, head.now}, {}, {}, {}});
        return {};
    }

    Done add(ProgramLine program) {
        if (!pending_) return wrong("is of no round");
        Pending round = std::move(*pending_);
        pending_.reset();
        for (const int id : program.seen.ids())
            if (!round.ids.insert(id).second) return wrong(fmt::format("has process {} again", id));
        if (round.ids.size() > journal::kMaxCpus) return wrong("brings more clients than a node has CPUs");
        round.view.programs.push_back(std::move(program.seen));
        round.advices.push_back(std::move(program.advice));
        round.lines.push_back(number_);
        go_on(std::move(round));
        return {};
    }

    /// Decides the round, or waits for its other lines.
    void go_on(Pending round) {
        if (!round.complete())
            pending_ = std::move(round);
        else
            decide(round);
    }

    void decide(const Pending& round) {
        const std::vector<policy::NodeProgram>& programs = round.view.programs;
        const std::vector<policy::Advice> now = adviser_->advise(round.view);
        ++told_.rounds;
        told_.advices += programs.size();
        for (std::size_t i = 0; i < programs.size(); ++i) {
            const policy::Advice& then = round.advices[i];
            if (then.cpus != policy::keep(programs[i], "").cpus) ++told_.changes;
            if (!(then == now[i]))
                told_.differences.push_back({round.lines[i], round.head.round, programs[i], then, now[i]});
        }
    }

    ReplayedJournal told_;
    std::unique_ptr<policy::Adviser> adviser_;
    std::optional<Pending> pending_;
    RoundHead last_;
    std::size_t number_ = 0;  ///< of the line
};

/// Returns whether a killed command may have begun the line: it is unfinished, and the next command follows.
bool may_be_cut(const LogLines& lines) {
    return journal::is_journal(lines.rest()) && !journal::is_object(lines.line());
}

}  // namespace

tl::expected<ReplayedJournal, std::string> replay_journal(std::string_view text) {
    JournalReplay replay;
    LogLines lines(text);
    while (lines.next()) {
        if (!lines.whole()) {
            replay.cut(lines.number());
            break;
        }
        const auto done = replay.line(lines.number(), lines.line());
        if (done) continue;
        if (!may_be_cut(lines)) return tl::unexpected(fmt::format("line {} {}", lines.number(), done.error()));
        replay.cut(lines.number());
    }
    if (!replay.began()) return tl::unexpected<std::string>("there is not one whole line in it");
    return replay.finish(lines.number());
}

}  // namespace drom::sim
