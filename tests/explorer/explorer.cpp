// SPDX-License-Identifier: BSD-3-Clause
// explorer.cpp - every order in which two or three processes can access the table, with each process killed anywhere.
//
// The core is compiled once more with -fsanitize=thread, but linked without that sanitizer: its entry points are the
// suite's own (accesses.cpp). An actor is a coroutine with the private memory of a process. Every access of the real
// code to the table, and every system call (kernel.cpp), is a point where the actor may stop and another continue.
//
// The search (schedule.cpp) takes every choice at every point, depth first, up to a number of preemptions and deaths.
// Each schedule runs anew from the start. A state that was reached before with as much left to spend is not continued:
// the future depends only on the table and on what each actor has read so far.
//
// At each new point and at the end of each schedule verify.cpp checks what must be true. A violation is printed as a
// schedule that --replay runs again, access by access.
//
//   explorer [--long] [--preemptions N] [--only SCENARIO] [--replay SCHEDULE] [--verbose]
//
// DROM_EXPLORER_LONG=1 is --long: 75 times as many schedules, which exhausts three preemptions of most scenarios in
// an hour.
#include <sys/resource.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "verify.hpp"
#include "watchdog.hpp"

namespace {

using namespace drom;
using namespace drom::explorer;

struct Settings {
    Bounds bounds;  ///< of all schedules of a scenario together
    std::string only, replay;
    bool replays = false, verbose = false, is_long = false;
};

constexpr uint32_t kMaxPreemptions = 14;

struct Totals {
    Counts counts;
    uint64_t scenarios = 0, violations = 0, compared = 0, refused = 0, without_turn = 0;
    uint64_t exhausted[kMaxPreemptions + 1] =
        {};  ///< scenarios, by the number of preemptions up to which all their schedules were run
};

double cpu_seconds() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void add(Counts& sum, const Counts& more) {
    sum.schedules += more.schedules;
    sum.joined += more.joined;
    sum.points += more.points;
    sum.crashes += more.crashes;
    sum.verified += more.verified;
}

void violation(Totals& totals, const Scenario& scenario, const char* what, const std::string& schedule) {
    ++totals.violations;
    std::fprintf(stderr, "explorer: %s: %s\n  explorer --only '%s' --replay '%s'\n", scenario.name, what, scenario.name,
                 schedule.c_str());
}

/// Searches with no preemption, then with one, and so on: violations that need few are found first. Returns the number
/// of preemptions up to which all schedules were run.
uint32_t search(const Bounds& bounds, Verifier& verifier, Counts& sum) {
    uint32_t exhausted = 0;
    for (Bounds now = bounds; exhausted < bounds.preemptions;) {
        now.preemptions = exhausted + 1;
        const uint64_t used = sum.schedules + sum.joined;
        if (used >= bounds.schedules) break;
        now.schedules = bounds.schedules - used;
        Counts counts;
        const bool right = scheduler.explore(now, verifier.judge(), counts);
        add(sum, counts);
        if (!right || !counts.exhausted) break;
        ++exhausted;
    }
    return exhausted;
}

void run(const Scenario& scenario, const Settings& settings, Totals& totals) {
    Scene scene;
    scenario.build(scene);
    keep_machine();
    Verifier verifier(scene, scenario.one_administrator);
    if (const char* wrong = verifier.learn_orders(); wrong != nullptr)
        return violation(totals, scenario, wrong, "one after the other");
    if (settings.replays) {
        if (!scheduler.replay(settings.replay, verifier.judge()))
            violation(totals, scenario, scheduler.wrong.c_str(), settings.replay);
        return;
    }
    const double start = cpu_seconds();
    Counts sum;
    const uint32_t exhausted = search(settings.bounds, verifier, sum);
    if (!scheduler.wrong.empty()) violation(totals, scenario, scheduler.wrong.c_str(), scheduler.schedule);
    ++totals.scenarios;
    ++totals.exhausted[exhausted];
    add(totals.counts, sum);
    totals.compared += verifier.compared;
    totals.refused += verifier.refused;
    totals.without_turn += verifier.without_turn;
    if (settings.verbose)
        std::printf(
            "%-44s all with %u preemptions; %8lu schedules %8lu joined %9lu points %7lu crashes; ends: %6lu compared "
            "%6lu refused %6lu overtaken; %.1f s\n",
            scenario.name, exhausted, sum.schedules, sum.joined, sum.points, sum.crashes, verifier.compared,
            verifier.refused, verifier.without_turn, cpu_seconds() - start);
}

[[noreturn]] void usage() {
    std::fputs("usage: explorer [--long] [--preemptions N] [--only SCENARIO] [--replay SCHEDULE] [--verbose]\n",
               stderr);
    std::exit(2);
}

constexpr uint64_t kShort = 40'000;  // schedules per scenario: a minute in all
constexpr uint64_t kLong = 3'000'000;

void make_long(Settings& settings) {
    settings.bounds.schedules = kLong;
    settings.is_long = true;
}

Settings parse(int argc, char** argv) {
    Settings settings;
    settings.bounds.schedules = kShort;
    if (const char* text = std::getenv("DROM_EXPLORER_LONG"); text != nullptr && std::strcmp(text, "1") == 0)
        make_long(settings);
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        if (option == "--long") {
            make_long(settings);
            continue;
        }
        if (option == "--verbose") {
            settings.verbose = true;
            continue;
        }
        if (++i == argc) usage();
        if (option == "--preemptions")
            settings.bounds.preemptions = std::min(kMaxPreemptions, static_cast<uint32_t>(std::atoi(argv[i])));
        else if (option == "--only")
            settings.only = argv[i];
        else if (option == "--replay")
            settings.replay = argv[i], settings.replays = true;
        else
            usage();
    }
    return settings;
}

}  // namespace

int main(int argc, char** argv) {
    const Settings settings = parse(argc, argv);
    const test::Watchdog watchdog(settings.is_long ? 3 * 3600 : 1200);
    Totals totals;
    for (const Scenario& scenario : scenarios()) {
        test::Watchdog::next_step();
        if (std::strstr(scenario.name, settings.only.c_str()) != nullptr) run(scenario, settings, totals);
    }
    std::printf("explorer: %lu scenarios, all schedules with", totals.scenarios);
    for (uint32_t bound = 0; bound <= settings.bounds.preemptions; ++bound)
        std::printf("%s %u preemptions of %lu", bound == 0 ? "" : ",", bound, totals.exhausted[bound]);
    std::printf(
        "; %lu schedules to their ends and %lu into known states, %lu yield points, %lu crashes, %lu ends settled and "
        "%lu of them "
        "compared, %lu violations\n",
        totals.counts.schedules, totals.counts.joined, totals.counts.points, totals.counts.crashes,
        totals.compared + totals.refused + totals.without_turn, totals.compared, totals.violations);
    return totals.violations == 0 ? 0 : 1;
}
