// SPDX-License-Identifier: BSD-3-Clause
// contract.cpp - how many threads the team may have, given what the program was told.
#include "contract.hpp"

namespace drom::contract {

namespace {

constexpr char kFollows[] = "the team follows the CPUs";
constexpr char kFirstRun[] = "a parallel region runs for the first time; the team follows at the next";
constexpr char kAsked[] = "the program asked for its thread count and keeps the answer";
constexpr char kUntilNext[] = "the program works with the answer it was given; the team follows when it asks again";
constexpr char kInRegion[] = "the program asked for its thread count inside a region and keeps the answer";
constexpr char kTold[] = "the program set its thread count itself";
constexpr char kThreadData[] = "the program has data of its own for each thread";
constexpr char kPromised[] = "the program was told before the request came; the team follows at the next region";
constexpr char kNever[] = "DROM_RESIZE=never: the team keeps its size";

/// Whether the standing answer may be followed by another one: a region has run since, or, if the answer was 1 and there
/// need be none, the function that was given it has returned.
bool is_spent(uint32_t size, uint64_t asked_at, uintptr_t frame, uint32_t patience_left, const Site& site) noexcept {
    if (site.regions > asked_at) return true;
    return size == 1 && (site.frame >= frame || patience_left == 0);
}

}  // namespace

void Contract::begin(Mode mode, uint32_t start_size) noexcept {
    mode_ = mode;
    cap_ = start_size < 1 ? 1 : start_size;
    size_ = cap_;
    for (Terms& terms : parties_) {
        terms.size = cap_;
        terms.limited = 0;
    }
}

Contract::Terms& Contract::use(Party party) noexcept {
    Terms& terms = parties_[party < kParties ? party : kParties - 1];
    terms.seen = true;
    if (fixed_why_ == nullptr || terms.state == State::Fixed) return terms;
    if (terms.state == State::Free) terms.size = cap_;
    terms.state = State::Fixed;
    terms.why = fixed_why_;
    return terms;
}

/// A party that was never told anything may still work with what another one was told for good: the program may have passed
/// its thread count on to a library, or have it from one. One that asks again and again does not keep its answers.
const char* Contract::blocked_by_others(const Terms& terms) const noexcept {
    for (const Terms& other : parties_) {
        if (&other == &terms || !other.has_team_size) continue;
        if (other.state == State::Fixed || (other.state == State::Kept && !other.asks_again)) return other.why;
    }
    return nullptr;
}

Decision Contract::judge(uint32_t size, const char* why) const noexcept {
    const bool follows = size == wanted();
    return {size, follows ? Verdict::Follows : Verdict::Held, follows ? kFollows : why};
}

Decision Contract::uncontracted() const noexcept {
    return mode_ == Mode::Never ? judge(cap_, kNever) : judge(wanted(), kFollows);
}

Decision Contract::known_region(const Terms& terms) const noexcept {
    if (mode_ != Mode::Safe) return uncontracted();
    if (terms.state != State::Free) return judge(terms.size, terms.why);
    if (terms.thread_data) return judge(cap_, kThreadData);
    if (const char* why = blocked_by_others(terms); why != nullptr) return judge(cap_, why);
    return judge(wanted(), kFollows);
}

Decision Contract::decide(const Decision& decision) noexcept {
    size_ = decision.size;
    return decision;
}

Decision Contract::region(Party party, uintptr_t function) noexcept {
    const Terms& terms = use(party);
    if (mode_ == Mode::Eager && promised_) {
        promised_ = false;
        return judge(size_, kPromised);
    }
    uint32_t index = 0;
    const bool first = functions_.insert(function, index);
    const Decision known = known_region(terms);
    const bool free = mode_ == Mode::Safe && terms.state == State::Free;
    if (first && free && known.size < cap_) return decide({cap_, Verdict::Later, kFirstRun});
    return decide(known);
}

Decision Contract::between(Party party) noexcept {
    promised_ = true;
    return decide(known_region(use(party)));
}

uint32_t Contract::ceiling(const Terms& terms) const noexcept {
    return terms.limited != 0 && terms.limit < cap_ ? terms.limit : cap_;
}

/// A first answer is the start size, because the program may size arrays by it for ever. While another answer is in use it has to be
/// that one, and then the team grows no further until this site has asked again.
uint32_t Contract::first_answer(Terms& terms, uint32_t index, bool spent) noexcept {
    const uint32_t size = spent ? ceiling(terms) : terms.size;
    if (size >= cap_) return size;
    if (index < kSites) low_[index] = true;
    if (terms.limited++ == 0 || size < terms.limit) terms.limit = size;
    return size;
}

uint32_t Contract::next_answer(Terms& terms, uint32_t index, bool spent) noexcept {
    if (!spent) return terms.size;
    terms.asks_again = true;
    if (low_[index]) {
        low_[index] = false;
        if (terms.limited != 0) --terms.limited;
    }
    const uint32_t most = ceiling(terms);
    return wanted() < most ? wanted() : most;
}

Decision Contract::asked_max(Party party, const Site& site) noexcept {
    Terms& terms = use(party);
    promised_ = true;
    if (mode_ != Mode::Safe || terms.state == State::Fixed) return decide(known_region(terms));
    uint32_t index = 0;
    const bool first = sites_.insert(site.address, index);
    const uint32_t patience_left = kPatience - terms.patience;
    const bool spent =
        terms.state == State::Free || is_spent(terms.size, terms.asked_at, terms.frame, patience_left, site);
    terms.size = first ? first_answer(terms, index, spent) : next_answer(terms, index, spent);
    terms.why = terms.asks_again ? kUntilNext : kAsked;
    terms.state = State::Kept;
    terms.has_team_size = true;
    terms.asked_at = site.regions;
    terms.patience = spent ? 0 : terms.patience + (terms.patience < kPatience ? 1 : 0);
    if (spent || site.frame > terms.frame) terms.frame = site.frame;
    return decide(known_region(terms));
}

Decision Contract::asked_procs(Party party, const Site& site) noexcept {
    Terms& terms = use(party);
    promised_ = true;
    if (mode_ != Mode::Safe || terms.state != State::Free) return decide(known_region(terms));
    terms.state = State::Kept;
    terms.size = cap_;
    terms.why = kAsked;
    terms.asked_at = site.regions;
    terms.frame = site.frame;
    return decide(known_region(terms));
}

void Contract::answered_team_size(Party party, uint32_t size) noexcept {
    Terms& terms = use(party);
    if (mode_ != Mode::Safe || terms.state == State::Fixed) return;
    terms.state = State::Fixed;
    terms.size = size;
    terms.why = kInRegion;
    terms.has_team_size = true;
}

void Contract::answered_in_region(Party party, uint32_t size) noexcept {
    Terms& terms = use(party);
    if (mode_ != Mode::Safe || terms.state == State::Fixed) return;
    if (terms.state == State::Free) terms.why = kInRegion;
    terms.state = State::Kept;
    terms.size = size;
    terms.has_team_size = true;
}

Decision Contract::told(Party party, uint32_t size, uint64_t regions) noexcept {
    Terms& terms = use(party);
    if (mode_ == Mode::Safe && terms.state != State::Free && size == terms.size) return decide(known_region(terms));
    cap_ = size;
    for (Terms& other : parties_) {
        other.size = size;
        other.limited = 0;
        other.asked_at = regions;
        other.frame = UINTPTR_MAX;
    }
    if (mode_ != Mode::Safe) return decide(uncontracted());
    if (terms.state == State::Free) terms.state = State::Kept;
    terms.asks_again = false;
    terms.why = kTold;
    terms.has_team_size = true;
    return decide(known_region(terms));
}

void Contract::fix_all(const char* why) noexcept {
    if (fixed_why_ != nullptr) return;
    fixed_why_ = why;
    for (uint32_t party = 0; party < kParties; ++party)
        if (parties_[party].seen) use(static_cast<Party>(party));
}

bool Contract::settled() const noexcept {
    for (const Terms& terms : parties_)
        if (terms.seen && known_region(terms).size != size_) return false;
    return true;
}

}  // namespace drom::contract
