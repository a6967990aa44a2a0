// SPDX-License-Identifier: BSD-3-Clause
// verify_perturbation.cpp - the requests that one run under drom verify gets.
#include "program/verify_perturbation.hpp"

#include <algorithm>
#include <vector>

namespace drom::command {

using std::chrono::milliseconds;

namespace {

CpuSet one_of(const CpuSet& cpus, uint64_t number) {
    CpuSet one;
    const std::vector<unsigned> all(cpus.begin(), cpus.end());
    one.add(all[number % all.size()]);
    return one;
}

}  // namespace

std::string to_text(RunKind kind) {
    switch (kind) {
        case RunKind::kOnOneCpu: return " after a start on one CPU";
        case RunKind::kShrinksAtOnce: return " after it was shrunk as it began";
        case RunKind::kShrinksOnce: return " after it was shrunk once";
        case RunKind::kThereAndBack: return " after it was shrunk and expanded within milliseconds";
        case RunKind::kUnderAnyRequest: break;
    }
    return "";
}

Perturbation::Perturbation(Table& table, const CpuSet& cpus, RunKind kind, uint64_t seed, Clock::duration usual)
    : table_(table), cpus_(cpus), kind_(kind), usual_(usual), random_(seed), one_(one_of(cpus, random_())) {}

std::optional<int> Perturbation::until_end_of(SignalRelay& relay, pid_t child, Clock::time_point deadline) {
    relay_ = &relay;
    child_ = child;
    deadline_ = deadline;
    switch (kind_) {
        case RunKind::kOnOneCpu: grow_after_setup(); break;
        case RunKind::kShrinksAtOnce:
            if (has_begun()) ask(one_);
            break;
        case RunKind::kShrinksOnce:
            if (has_begun() && !ends_within(part_of_usual(1))) ask(one_);
            while (goes_on()) ends_within(deadline_ - Clock::now());
            break;
        case RunKind::kThereAndBack:
            if (has_begun()) go_there_and_back();
            break;
        case RunKind::kUnderAnyRequest: break;
    }
    ask_at_random();
    return status_;
}

/// Waits for the pause. Returns whether the program has ended, or the time is up.
bool Perturbation::ends_within(Clock::duration pause) {
    const auto left = std::min(pause, deadline_ - Clock::now());
    if (!status_) status_ = relay_->until_end_of(child_, std::chrono::ceil<milliseconds>(left));
    return !goes_on();
}

/// Waits until `is_ready(client)`. Returns false when the program ends before that, or the time is up.
template <class Ready>
bool Perturbation::waits_for(const Ready& is_ready, Clock::time_point deadline) {
    uint64_t next = UINT64_MAX;
    const auto until = std::min(deadline, deadline_);
    while (!ends_within({}) && Clock::now() < until) {
        const auto found = client();
        if (found && is_ready(*found)) return true;
        // A program that becomes a client makes an event; what it does afterwards does not.
        (void)table_.events(next, milliseconds(1));
    }
    return false;
}

/// Waits for the program to become a client, for a part of its usual time. Returns false when it has ended. A program
/// that never becomes a client, such as a script, is confined from outside.
bool Perturbation::has_begun() {
    waits_for([](const auto& client) { return client.state == DROM_CLIENT_LIVE; }, Clock::now() + usual_ / 8);
    return goes_on();
}

/// Waits until the program has set itself up, and lets it grow. By then it has asked for its threads, or has opened a
/// region; one with MPI, or one that uses drom itself, became a client earlier and may do neither.
void Perturbation::grow_after_setup() {
    if (!has_begun()) return;
    waits_for([](const auto& client) { return client.queries + client.safe_points + client.polls > 0; },
              Clock::now() + usual_ / 4);
    if (!ends_within(part_of_usual(3))) ask(cpus_);
}

void Perturbation::ask_at_random() {
    while (goes_on())
        if (!ends_within(burst())) ask(some_cpus());
}

void Perturbation::go_there_and_back() {
    while (goes_on()) {
        if (ends_within(burst())) return;
        ask(one_);
        if (ends_within(milliseconds(random_() % 8))) return;
        ask(cpus_);
    }
}

/// Returns the client that uses the reservation now.
std::optional<drom_client_info> Perturbation::client() const {
    const auto clients = table_.clients();
    if (!clients || clients->empty()) return std::nullopt;
    return clients->front();
}

void Perturbation::ask(const CpuSet& mask) {
    const auto found = client();
    if (!found) return;
    const auto asked = table_.set_mask(found->pid, mask, {.timeout = milliseconds(200)});
    if (asked && !asked->unchanged()) ++requests_;
}

CpuSet Perturbation::some_cpus() {
    std::vector<unsigned> cpus(cpus_.begin(), cpus_.end());
    std::shuffle(cpus.begin(), cpus.end(), random_);
    cpus.resize(1 + random_() % cpus.size());
    CpuSet mask;
    for (const unsigned cpu : cpus) mask.add(cpu);
    return mask;
}

/// Returns 1 to 64 ms: programs have regions of microseconds and of seconds.
Perturbation::Clock::duration Perturbation::burst() { return milliseconds(uint64_t{1} << random_() % 7); }

/// Returns a part of the usual time, at most one 2^min_power-th of it. Long before the program's end, be it an hour or
/// an instant away: on one CPU, where threads need not wait for one another, it may come much earlier than it usually
/// does.
Perturbation::Clock::duration Perturbation::part_of_usual(unsigned min_power) {
    return usual_ / (uint64_t{1} << (min_power + random_() % 8));
}

}  // namespace drom::command
