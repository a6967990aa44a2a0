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

}  // namespace

void Contract::begin(Mode mode, uint32_t start_size) noexcept {
    mode_ = mode;
    cap_ = start_size < 1 ? 1 : start_size;
    size_ = cap_;
    for (Terms& terms : parties_) terms.size = cap_;
    // The functions of the thread before have returned.
    for (Asker& asker : askers_)
        if (asker.asks_again) asker.stands = false;
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

/// True when an answer of `party` stands that it may never ask for again.
bool Contract::keeps_for_good(Party party) const noexcept {
    const Terms& terms = parties_[party];
    if (terms.keeps_nothing || terms.state == State::Free) return false;
    if (terms.state == State::Fixed || terms.told) return true;
    for (uint32_t i = 0; i < used_count_; ++i) {
        const Asker& asker = askers_[used_[i]];
        if (asker.party == party && asker.stands && !asker.asks_again) return true;
    }
    return false;
}

/// A party that was never told anything may still work with what another one was told for good: the program may have passed
/// its thread count on to a library, or have it from one.
const char* Contract::blocked_by_others(const Terms& terms) const noexcept {
    for (uint32_t party = 0; party < kParties; ++party) {
        const Terms& other = parties_[party];
        if (&other != &terms && other.has_team_size && keeps_for_good(static_cast<Party>(party))) return other.why;
    }
    return nullptr;
}

/// Or with what another one, who asks again and again, was told last. 0: with nothing.
uint32_t Contract::passed_on(const Terms& terms) const noexcept {
    const bool none = last_asker_ == kNobody || &parties_[last_asker_] == &terms;
    return none ? 0 : parties_[last_asker_].size;
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
    if (const uint32_t size = passed_on(terms); size != 0) return judge(size, kUntilNext);
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
    const bool free = mode_ == Mode::Safe && terms.state == State::Free && passed_on(terms) == 0;
    if (first && free && known.size < cap_) return decide({cap_, Verdict::Later, kFirstRun});
    return decide(known);
}

Decision Contract::between(Party party) noexcept {
    promised_ = true;
    return decide(known_region(use(party)));
}

Contract::Asker& Contract::asker_of(Party party, uintptr_t address) noexcept {
    uint32_t index = 0;
    sites_.insert(address, index);
    Asker& asker = askers_[index];
    if (asker.answers == 0) used_[used_count_++] = static_cast<uint16_t>(index);
    ++asker.answers;
    // Sites that do not fit are taken for one that keeps what it was told, whoever's they are.
    asker.party = party;
    return asker;
}

/// True when an answer of `party` has to be kept while `self` asks at `site`. Forgets those whose functions have returned.
bool Contract::stands(Party party, const Asker& self, const Site& site) noexcept {
    bool any = false;
    const Asker* const rest = &askers_[kSites];
    for (uint32_t i = 0; i < used_count_; ++i) {
        Asker& other = askers_[used_[i]];
        if (!other.stands || (other.party != party && &other != rest)) continue;
        const bool itself = &other == &self && &self != rest;
        // Deeper than before: it may have been called, in the end, by itself.
        const bool over = itself ? site.frame >= other.frame : other.asks_again && site.frame > other.frame;
        if (over) other.stands = false;
        any = any || !over;
    }
    return any;
}

uint32_t Contract::answer(Terms& terms, Party party, const Site& site) noexcept {
    if (terms.keeps_nothing) return wanted();
    Asker& self = asker_of(party, site.address);
    const bool first = self.answers == 1 || &self == &askers_[kSites];
    if (!first && (site.regions > self.asked_at || terms.size == 1)) self.asks_again = true;
    // Before a region has run the answer is replaced only if it was 1 and all that were given it have returned.
    const bool replaceable =
        terms.state == State::Free || site.regions > terms.asked_at || (terms.size == 1 && site.frame >= terms.frame);
    const bool kept = terms.told || stands(party, self, site) || !replaceable;
    const uint32_t size = kept ? terms.size : first ? cap_ : wanted();
    self.frame = self.stands && self.frame > site.frame ? self.frame : site.frame;
    self.stands = true;
    self.asked_at = site.regions;
    return size;
}

Decision Contract::asked_max(Party party, const Site& site) noexcept {
    Terms& terms = use(party);
    promised_ = true;
    if (mode_ != Mode::Safe || terms.state == State::Fixed) return decide(known_region(terms));
    terms.size = answer(terms, party, site);
    const bool region_ran = terms.state == State::Free || site.regions > terms.asked_at;
    if (region_ran || site.frame > terms.frame) terms.frame = site.frame;
    terms.state = State::Kept;
    terms.has_team_size = true;
    terms.asked_at = site.regions;
    if (!terms.told) terms.why = keeps_for_good(party) ? kAsked : kUntilNext;
    if (!terms.keeps_nothing) last_asker_ = party;
    return decide(known_region(terms));
}

Decision Contract::asked_procs(Party party, const Site& site) noexcept {
    Terms& terms = use(party);
    promised_ = true;
    if (mode_ != Mode::Safe || terms.state != State::Free || terms.keeps_nothing) return decide(known_region(terms));
    terms.state = State::Kept;
    terms.size = cap_;
    terms.why = kAsked;
    terms.asked_at = site.regions;
    terms.frame = site.frame;
    return decide(known_region(terms));
}

void Contract::answered_in_region(Party party, uint32_t size) noexcept {
    Terms& terms = use(party);
    if (mode_ != Mode::Safe || terms.state == State::Fixed || terms.keeps_nothing) return;
    terms.state = State::Fixed;
    terms.size = size;
    terms.why = kInRegion;
    terms.has_team_size = true;
}

/// omp_set_num_threads changes what omp_get_max_threads answers from then on, with drom or without: the answers given so far end here,
/// everybody's. The caller may be a library that keeps nothing, and sets the number on behalf of the program; what the program is
/// told next is then this number, too.
Decision Contract::told(Party party, uint32_t size) noexcept {
    Terms& terms = use(party);
    if (mode_ == Mode::Safe && terms.state != State::Free && size == terms.size) return decide(known_region(terms));
    cap_ = size;
    for (Terms& other : parties_) other.size = size;
    for (Asker& asker : askers_) asker.stands = false;
    if (mode_ != Mode::Safe) return decide(uncontracted());
    if (terms.state == State::Free) terms.state = State::Kept;
    terms.told = true;
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
