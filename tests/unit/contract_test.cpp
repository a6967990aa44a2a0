// SPDX-License-Identifier: BSD-3-Clause
// contract_test.cpp - the team size as a function of what happened: rows of histories, then properties of random ones.
#include "ompt/contract.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

namespace {

using drom::contract::Contract;
using drom::contract::Decision;
using drom::contract::Mode;
using drom::contract::Party;
using drom::contract::Site;
using drom::contract::Verdict;

enum class What { Cpus, Region, Max, Procs, Told, InRegion, FixAll, ThreadData, KeepsNothing, Between };

struct Event {
    What what;
    uint32_t value;  ///< CPUs, function, site or size
    Party party = 0;
    uint32_t depth = 0;  ///< of the asking call; deeper is larger
};

std::ostream& operator<<(std::ostream& out, const Event& event) {
    static const char* const kNames[] = {"cpus",      "region",  "max",         "procs",         "told",
                                         "in region", "fix all", "thread data", "keeps nothing", "between"};
    return out << kNames[static_cast<int>(event.what)] << ' ' << event.value << " by " << int{event.party}
               << " at depth " << event.depth;
}

Event cpus(uint32_t n) { return {What::Cpus, n}; }
Event region(uint32_t function, Party party = 0) { return {What::Region, function, party}; }
Event ask(uint32_t site, Party party = 0, uint32_t depth = 0) { return {What::Max, site, party, depth}; }
Event procs(Party party = 0) { return {What::Procs, 99, party}; }
Event set(uint32_t n, Party party = 0) { return {What::Told, n, party}; }
Event ask_in_region(Party party = 0) { return {What::InRegion, 0, party}; }
Event keeps_nothing(Party party) { return {What::KeepsNothing, 0, party}; }
Event fix() { return {What::FixAll, 0}; }
Event thread_data(Party party = 0) { return {What::ThreadData, 0, party}; }

/// A contract and the program it is with: counts regions as the safe points do.
struct Program {
    explicit Program(Mode mode, uint32_t start) { contract.begin(mode, start); }

    Decision play(const Event& event) {
        const Site site{0x1000U + event.value * 16, 0x7fff0000U - event.depth * 64, regions};
        Decision now{contract.size(), Verdict::Follows, ""};
        switch (event.what) {
            case What::Cpus: contract.set_cpus(event.value); break;
            case What::Region:
                now = contract.region(event.party, 0x4000U + event.value * 32);
                ++regions;
                break;
            case What::Max: now = contract.asked_max(event.party, site); break;
            case What::Procs: now = contract.asked_procs(event.party, site); break;
            case What::Told: now = contract.told(event.party, event.value); break;
            case What::InRegion: contract.answered_in_region(event.party, contract.size()); break;
            case What::FixAll: contract.fix_all("reason"); break;
            case What::ThreadData: contract.keeps_thread_data(event.party); break;
            case What::KeepsNothing: contract.keeps_nothing(event.party); break;
            case What::Between: now = contract.between(event.party); break;
        }
        return now;
    }

    Contract contract;
    uint64_t regions = 0;
};

/// What the last event of a history must lead to.
struct Row {
    const char* what;
    Mode mode;
    std::vector<Event> history;
    uint32_t size;
    Verdict verdict;
};

constexpr Verdict kFollows = Verdict::Follows, kLater = Verdict::Later, kHeld = Verdict::Held;
constexpr Mode kSafe = Mode::Safe;

// The program starts with 4 threads.
const Row kRows[] = {
    {"undisturbed", kSafe, {region(1)}, 4, kFollows},
    {"more CPUs than threads", kSafe, {cpus(16), region(1)}, 4, kFollows},
    {"no CPU counts as one", kSafe, {region(1), cpus(0), region(1)}, 1, kFollows},

    {"never asked: follows as a known region starts", kSafe, {region(1), cpus(2), region(1)}, 2, kFollows},
    {"never asked: and back", kSafe, {region(1), cpus(2), region(1), cpus(4), region(1)}, 4, kFollows},
    {"never asked: the program's first region is at the start size", kSafe, {cpus(2), region(1)}, 4, kLater},
    {"never asked: the second run follows", kSafe, {cpus(2), region(1), region(1)}, 2, kFollows},
    {"never asked: so is each function's first run", kSafe, {region(1), cpus(2), region(1), region(2)}, 4, kLater},
    {"never asked: a known one follows again", kSafe, {region(1), cpus(2), region(2), region(1)}, 2, kFollows},

    {"asked once: the answer is the start size", kSafe, {region(1), cpus(2), region(1), ask(1)}, 4, kHeld},
    {"asked once: and stands in the next region", kSafe, {region(1), cpus(2), region(1), ask(1), region(1)}, 4, kHeld},
    {"asked once: for ever", kSafe, {ask(1), region(1), region(2), cpus(2), region(1), region(2), region(1)}, 4, kHeld},
    {"asked before the shrink", kSafe, {ask(1), cpus(1), region(1)}, 4, kHeld},
    {"held needs nothing when the CPUs are enough",
     kSafe,
     {ask(1), cpus(1), region(1), cpus(4), region(1)},
     4,
     kFollows},

    {"asks again: follows as it asks", kSafe, {ask(1), region(1), cpus(2), ask(1)}, 2, kFollows},
    {"asks again: and the region has that size", kSafe, {ask(1), region(1), cpus(2), ask(1), region(1)}, 2, kFollows},
    {"asks again: held in between", kSafe, {ask(1), region(1), cpus(2), ask(1), cpus(3), region(1)}, 2, kHeld},
    {"asks again: a new function does not change that",
     kSafe,
     {ask(1), region(1), cpus(2), ask(1), region(2)},
     2,
     kFollows},
    {"asks again: with no region after an answer of 1",
     kSafe,
     {ask(1), region(1), cpus(1), ask(1), cpus(3), ask(1)},
     3,
     kFollows},
    {"asks again: not without a region after another one",
     kSafe,
     {ask(1), region(1), cpus(2), ask(1), cpus(3), ask(1)},
     2,
     kHeld},
    {"a loop condition that asks gets one answer", kSafe, {ask(1), ask(1), cpus(2), ask(1), ask(1)}, 4, kHeld},
    {"another place that is further out asks for the first time: the start size",
     kSafe,
     {ask(1, 0, 5), region(1), cpus(2), ask(1, 0, 5), region(1), ask(2, 0, 4)},
     4,
     kHeld},
    {"and may keep it, so the first one gets that too",
     kSafe,
     {ask(1, 0, 5), region(1), cpus(2), ask(1, 0, 5), region(1), ask(2, 0, 4), region(1), ask(1, 0, 5)},
     4,
     kHeld},
    {"until it has asked again as well",
     kSafe,
     {ask(1, 0, 5), region(1), ask(1, 0, 5), region(1), ask(2, 0, 4), region(1), cpus(2), ask(2, 0, 4)},
     2,
     kFollows},
    {"then who is called by it is told the same",
     kSafe,
     {ask(1, 0, 5), region(1), ask(1, 0, 5), region(1), ask(2, 0, 4), region(1), cpus(2), ask(2, 0, 4), region(1),
      cpus(3), ask(1, 0, 5)},
     2,
     kHeld},
    {"and the next step is another one",
     kSafe,
     {ask(1, 0, 5), region(1), ask(1, 0, 5), region(1), ask(2, 0, 4), region(1), cpus(2), ask(2, 0, 4), region(1),
      cpus(3), ask(1, 0, 5), region(1), ask(2, 0, 4)},
     3,
     kFollows},
    {"two places at one depth may be one function",
     kSafe,
     {ask(1), region(1), ask(2), region(1), ask(1), region(1), ask(2), region(1), cpus(2), ask(1)},
     4,
     kHeld},
    {"a new place while an answer is in use gets that answer",
     kSafe,
     {ask(1), region(1), cpus(2), ask(1), ask(2)},
     2,
     kFollows},
    {"and the team grows no further",
     kSafe,
     {ask(1), region(1), cpus(2), ask(1), ask(2), region(1), cpus(4), ask(1)},
     2,
     kHeld},
    {"until that place has asked again, and the other one further out",
     kSafe,
     {ask(1), region(1), cpus(2), ask(1), ask(2, 0, 1), region(1), cpus(4), ask(2, 0, 1), region(1), ask(1)},
     4,
     kFollows},
    {"a place that asks itself further in has not returned",
     kSafe,
     {ask(1), region(1), ask(1, 0, 3), region(1), cpus(2), ask(1, 0, 3)},
     4,
     kHeld},
    {"an answer of 1 is in use while its caller may be on the stack",
     kSafe,
     {ask(1, 0, 5), region(1), cpus(1), ask(1, 0, 5), cpus(4), ask(2, 0, 6)},
     1,
     kHeld},
    {"but not when its caller has returned",
     kSafe,
     {ask(1, 0, 5), region(1), cpus(1), ask(1, 0, 5), cpus(4), ask(2, 0, 4)},
     4,
     kFollows},
    {"a new place after an answer of 1 that is over gets the start size",
     kSafe,
     {ask(1, 0, 5), region(1), cpus(1), ask(1, 0, 5), ask(2, 0, 4)},
     4,
     kHeld},
    {"a library that keeps nothing follows whoever asks in it",
     kSafe,
     {keeps_nothing(1), region(1), cpus(2), ask(2, 1), region(2, 1), cpus(3), ask(3, 1)},
     3,
     kFollows},
    {"and holds nobody",
     kSafe,
     {keeps_nothing(1), region(1), ask(2, 1), region(2, 1), cpus(2), region(1)},
     2,
     kFollows},

    {"omp_get_num_procs: back to the start size", kSafe, {region(1), cpus(2), region(1), procs()}, 4, kHeld},
    {"omp_get_num_procs: and kept", kSafe, {procs(), region(1), cpus(2), region(1)}, 4, kHeld},
    {"omp_get_num_procs: of one that asks again changes nothing",
     kSafe,
     {ask(1), region(1), cpus(2), ask(1), procs()},
     2,
     kFollows},

    {"asked in a region: for ever", kSafe, {region(1), ask_in_region(), cpus(2), region(1)}, 4, kHeld},
    {"asked in a region: even if asked again outside",
     kSafe,
     {region(1), ask_in_region(), cpus(2), ask(1), region(1), ask(1)},
     4,
     kHeld},
    {"asked in a region when shrunk: at that size",
     kSafe,
     {region(1), cpus(2), region(1), ask_in_region(), cpus(4), region(1)},
     2,
     kHeld},

    {"told: the new limit", kSafe, {set(2), cpus(8), region(1)}, 2, kFollows},
    {"told: held", kSafe, {set(3), region(1), cpus(2), region(1)}, 3, kHeld},
    {"told: above the start size is the program's wish", kSafe, {set(6), region(1)}, 6, kFollows},
    {"told what it was answered: nothing new",
     kSafe,
     {ask(1), region(1), cpus(2), ask(1), set(2), region(1), cpus(4), ask(1)},
     4,
     kFollows},
    {"told its start size without having asked: it knows it", kSafe, {set(4), region(1), cpus(2), region(1)}, 4, kHeld},
    {"told, then asks again and again: it knows what it set",
     kSafe,
     {set(3), ask(1), region(1), cpus(2), ask(1)},
     3,
     kHeld},

    {"thread-local data: held", kSafe, {thread_data(), region(1), cpus(2), region(1)}, 4, kHeld},
    {"thread-local data: follows when it asks again",
     kSafe,
     {thread_data(), ask(1), region(1), cpus(2), ask(1)},
     2,
     kFollows},
    {"thread-local data of another object does not matter",
     kSafe,
     {thread_data(1), region(1), region(2, 1), cpus(2), region(1)},
     2,
     kFollows},

    {"a library that asks again does not change what the program was told",
     kSafe,
     {ask(1), region(1), ask(2, 1), region(2, 1), cpus(2), ask(2, 1), region(1)},
     4,
     kHeld},
    {"and gets what it was answered",
     kSafe,
     {ask(1), region(1), ask(2, 1), region(2, 1), cpus(2), ask(2, 1), region(1), region(2, 1)},
     2,
     kFollows},
    {"a program that never asked may work with what a library was told for good",
     kSafe,
     {region(1), ask(2, 1), cpus(2), region(1)},
     4,
     kHeld},
    {"nor does a library that asked for the processors hold it",
     kSafe,
     {region(1), procs(1), cpus(2), region(1)},
     2,
     kFollows},
    {"and with what it asks for each time until it asks next",
     kSafe,
     {region(1), ask(2, 1), region(2, 1), cpus(2), ask(2, 1), cpus(3), region(1)},
     2,
     kHeld},

    {"found out: held", kSafe, {region(1), cpus(2), fix(), region(1)}, 4, kHeld},
    {"found out when shrunk by an answer: held there",
     kSafe,
     {ask(1), region(1), cpus(2), ask(1), fix(), cpus(4), ask(1)},
     2,
     kHeld},
    {"found out: others too", kSafe, {region(1), fix(), cpus(2), region(7, 3)}, 4, kHeld},

    {"eager: at each region", Mode::Eager, {ask(1), region(1), ask_in_region(), cpus(2), region(2)}, 2, kFollows},
    {"eager: not the region that was asked for", Mode::Eager, {ask(1), cpus(2), region(1)}, 4, kHeld},
    {"eager: but the next one", Mode::Eager, {ask(1), cpus(2), region(1), region(1)}, 2, kFollows},
    {"eager: asks and follows", Mode::Eager, {cpus(2), ask(1)}, 2, kFollows},
    {"eager: within what the program set", Mode::Eager, {set(2), cpus(3), region(1)}, 2, kFollows},
    {"never: the start size", Mode::Never, {region(1), cpus(2), region(1)}, 4, kHeld},
    {"never: whoever asks", Mode::Never, {ask(1), region(1), cpus(2), ask(1)}, 4, kHeld},
    {"never: but the program may", Mode::Never, {cpus(2), set(2), region(1)}, 2, kFollows},
};

TEST(Contract, Rows) {
    for (const Row& row : kRows) {
        const auto program = std::make_unique<Program>(row.mode, 4);
        Decision last{};
        for (const Event& event : row.history) last = program->play(event);
        EXPECT_EQ(last.size, row.size) << row.what;
        EXPECT_EQ(last.verdict, row.verdict) << row.what << ": " << last.why;
        EXPECT_LT(std::string(last.why).size(), 96U) << row.what;
        EXPECT_EQ(program->contract.size(), row.size) << row.what;
    }
}

TEST(Contract, BetweenRegionsIsWhatTheNextKnownOneGets) {
    Program program(Mode::Safe, 4);
    program.play(region(1));
    program.play(cpus(2));
    EXPECT_EQ(program.play({What::Between, 0}).size, 2U);
    program.play(ask(1));
    EXPECT_EQ(program.play({What::Between, 0}).size, 4U);
}

TEST(Contract, AFullTableOfFunctionsMeansTheStartSize) {
    Program program(Mode::Safe, 4);
    for (uint32_t function = 0; function < 6000; ++function) program.play(region(function));
    program.play(cpus(2));
    uint32_t at_start_size = 0;
    for (uint32_t function = 0; function < 6000; ++function)
        if (program.play(region(function)).size == 4) ++at_start_size;
    EXPECT_GE(at_start_size, 6000U - 4096U);
}

TEST(Contract, PlacesThatDoNotFitKeepWhatTheyWereTold) {
    Program program(Mode::Safe, 4);
    for (uint32_t round = 0; round < 2; ++round)
        for (uint32_t site = 0; site < 2000; ++site) {
            program.play(ask(site, 0, 4000 - 2000 * round - site));
            program.play(region(1));
        }
    program.play(cpus(2));
    for (uint32_t site = 0; site < 2000; ++site) {
        EXPECT_EQ(program.play(ask(site)).size, 4U);
        EXPECT_EQ(program.play(region(1)).size, 4U);
    }
}

TEST(Contract, AnotherThreadTakesOver) {
    Program program(Mode::Safe, 4);
    program.play(ask(1));
    program.play(region(1));
    program.contract.begin(Mode::Safe, 3);
    program.play(cpus(2));
    EXPECT_EQ(program.play(region(1)).size, 3U);  // what was asked stays asked
}

// ---- properties of 10,000 random histories -------------------------------------------------------------------------------------------------------------

// Read by rapidcheck at its first use; RC_PARAMS in the environment still wins.
const int kManyCases = setenv("RC_PARAMS", "max_success=10000", 0);

rc::Gen<Event> any_event() {
    const auto kind = rc::gen::weightedElement<What>(
        {{4, What::Cpus}, {8, What::Region}, {6, What::Max}, {1, What::Procs}, {1, What::Told}, {1, What::InRegion}});
    return rc::gen::map(
        rc::gen::tuple(kind, rc::gen::inRange(1U, 9U), rc::gen::inRange(0, 3), rc::gen::inRange(0U, 4U)),
        [](const std::tuple<What, uint32_t, int, uint32_t>& t) {
            return Event{std::get<0>(t), std::get<1>(t), static_cast<Party>(std::get<2>(t)), std::get<3>(t)};
        });
}

std::vector<Event> any_history() { return *rc::gen::container<std::vector<Event>>(any_event()); }

bool is_query(What what) { return what == What::Max || what == What::Procs; }

/// Sites belong to one object each, so a site's number carries its party.
Event normal(Event event) {
    if (event.what == What::Max) event.value += 100U * event.party;
    if (event.what == What::Region) event.value += 100U * event.party;
    if (event.what == What::Procs) event.value = 99;
    return event;
}

TEST(ContractProperty, NeverAboveWhatTheProgramStartedWithOrSetItself) {
    EXPECT_TRUE(rc::check([] {
        const auto start = *rc::gen::inRange(1U, 9U);
        const auto mode = *rc::gen::element(Mode::Safe, Mode::Eager, Mode::Never);
        Program program(mode, start);
        uint32_t most = start;
        for (const Event& any : any_history()) {
            const Event event = normal(any);
            if (event.what == What::Told) most = std::max(most, event.value);
            const Decision now = program.play(event);
            RC_ASSERT(now.size >= 1U);
            RC_ASSERT(now.size <= most);
            RC_ASSERT(now.size == program.contract.size());
        }
    }));
}

TEST(ContractProperty, WhatAPartyWasAnsweredIsWhatItsRegionsGet) {
    EXPECT_TRUE(rc::check([] {
        Program program(Mode::Safe, *rc::gen::inRange(1U, 9U));
        std::map<Party, uint32_t> answered;
        for (const Event& any : any_history()) {
            const Event event = normal(any);
            const Decision now = program.play(event);
            if (is_query(event.what)) answered[event.party] = now.size;
            if (event.what == What::InRegion) answered.erase(event.party);
            if (event.what == What::Told) answered.clear();
            if (event.what == What::Region && answered.count(event.party) != 0)
                RC_ASSERT(now.size == answered[event.party]);
        }
    }));
}

TEST(ContractProperty, AnAnswerChangesOnlyAfterARegionOrAnAnswerOfOne) {
    EXPECT_TRUE(rc::check([] {
        Program program(Mode::Safe, *rc::gen::inRange(2U, 9U));
        std::map<Party, std::pair<uint32_t, uint64_t>> last;
        for (const Event& any : any_history()) {
            const Event event = normal(any);
            const Decision now = program.play(event);
            if (event.what == What::Told || event.what == What::InRegion) last.clear();
            if (event.what != What::Max) continue;
            const auto before = last.find(event.party);
            if (before != last.end() && before->second.first != now.size)
                RC_ASSERT(before->second.first == 1U || before->second.second < program.regions);
            last[event.party] = {now.size, program.regions};
        }
    }));
}

TEST(ContractProperty, AnAnswerThatAPlaceWasGivenOnceStandsForEver) {
    EXPECT_TRUE(rc::check([] {
        const auto start = *rc::gen::inRange(2U, 9U);
        Program program(Mode::Safe, start);
        std::map<uint32_t, std::pair<Party, uint32_t>> once;  // site -> who, answer, as long as it has asked once only
        std::set<uint32_t> asked;
        for (const Event& any : any_history()) {
            const Event event = normal(any);
            if (event.what == What::Told || event.what == What::InRegion) continue;
            const Decision now = program.play(event);
            if (event.what == What::Max) {
                if (asked.insert(event.value).second)
                    once[event.value] = {event.party, now.size};
                else
                    once.erase(event.value);
            }
            if (event.what != What::Region) continue;
            for (const auto& [site, answer] : once)
                if (answer.first == event.party) RC_ASSERT(now.size == answer.second);
        }
    }));
}

// A program with a call stack: functions call, ask, open regions and return. Each works with what it was told until it returns; what a
// place was told that asked once is kept for ever.
enum class Step { Call, Return, Ask, Region, Cpus };

struct Activation {
    std::map<uint32_t, uint32_t> told;  ///< by site
};

TEST(ContractProperty, EveryRegionIsOfTheSizeThatEveryFunctionOnTheStackWasTold) {
    EXPECT_TRUE(rc::check([] {
        Program program(Mode::Safe, *rc::gen::inRange(2U, 9U));
        const auto steps = *rc::gen::container<std::vector<std::pair<Step, uint32_t>>>(rc::gen::pair(
            rc::gen::element(Step::Call, Step::Return, Step::Ask, Step::Ask, Step::Region, Step::Region, Step::Cpus),
            rc::gen::inRange(1U, 5U)));
        std::vector<Activation> stack(1);
        std::map<uint32_t, std::pair<uint32_t, uint32_t>> asked;  // site -> times, answer
        for (const auto& [step, value] : steps) {
            const auto depth = static_cast<uint32_t>(stack.size());
            if (step == Step::Call) stack.emplace_back();
            if (step == Step::Return && depth > 1) stack.pop_back();
            if (step == Step::Cpus) program.play(cpus(value));
            if (step == Step::Ask) {
                const uint32_t answer = program.play(ask(value, 0, depth)).size;
                stack.back().told[value] = answer;
                asked[value] = {asked[value].first + 1, answer};
            }
            if (step != Step::Region) continue;
            const uint32_t size = program.play(region(value)).size;
            for (const Activation& active : stack)
                for (const auto& [site, told] : active.told) RC_ASSERT(told == size);
            for (const auto& [site, answers] : asked) RC_ASSERT(answers.first > 1 || answers.second == size);
        }
    }));
}

TEST(ContractProperty, FixedStaysFixed) {
    EXPECT_TRUE(rc::check([] {
        Program program(Mode::Safe, *rc::gen::inRange(1U, 9U));
        std::map<Party, uint32_t> fixed;
        for (const Event& any : any_history()) {
            const Event event = normal(any);
            if (event.what == What::Told) continue;
            const uint32_t before = program.contract.size();
            const Decision now = program.play(event);
            if (event.what == What::InRegion) fixed.emplace(event.party, before);
            if (event.what != What::Region && event.what != What::Max) continue;
            if (fixed.count(event.party) != 0) RC_ASSERT(now.size == fixed[event.party]);
        }
    }));
}

TEST(ContractProperty, WhoNeverAsksFollowsFromTheSecondRunOn) {
    EXPECT_TRUE(rc::check([] {
        const auto start = *rc::gen::inRange(1U, 9U);
        Program program(Mode::Safe, start);
        std::map<uint32_t, int> runs;
        for (const Event& any : any_history()) {
            const Event event = normal(any);
            if (event.what != What::Cpus && event.what != What::Region) continue;
            const Decision now = program.play(event);
            if (event.what != What::Region) continue;
            RC_ASSERT(now.size == (runs[event.value]++ == 0 ? start : program.contract.wanted()));
        }
    }));
}

TEST(ContractProperty, SettledMeansThatNoKnownRegionChangesTheSize) {
    EXPECT_TRUE(rc::check([] {
        auto program = std::make_unique<Program>(*rc::gen::element(Mode::Safe, Mode::Eager, Mode::Never),
                                                 *rc::gen::inRange(1U, 9U));
        std::map<uint32_t, Event> known;
        for (const Event& any : any_history()) {
            const Event event = normal(any);
            program->play(event);
            if (event.what == What::Region) known.emplace(event.value, event);
            if (!program->contract.settled()) continue;
            for (const auto& [function, again] : known) {
                const auto copy = std::make_unique<Program>(*program);
                RC_ASSERT(copy->play(again).size == program->contract.size());
            }
        }
    }));
}

TEST(ContractProperty, VerdictsSayWhatIsSo) {
    EXPECT_TRUE(rc::check([] {
        Program program(*rc::gen::element(Mode::Safe, Mode::Eager, Mode::Never), *rc::gen::inRange(1U, 9U));
        for (const Event& any : any_history()) {
            const Event event = normal(any);
            const Decision now = program.play(event);
            if (event.what != What::Region && !is_query(event.what) && event.what != What::Told) continue;
            RC_ASSERT((now.verdict == Verdict::Follows) == (now.size == program.contract.wanted()));
            RC_ASSERT(now.verdict != Verdict::Later || event.what == What::Region);
            RC_ASSERT(now.why != nullptr);
        }
    }));
}

}  // namespace
