// SPDX-License-Identifier: BSD-3-Clause
// disturbance.cpp - the requests that one run under drom verify gets.
#include "disturbance.hpp"

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

std::string to_text(Beginning beginning) {
    switch (beginning) {
        case Beginning::kOnOneCpu: return " after a start on one CPU";
        case Beginning::kShrinksAtOnce: return " after it was shrunk as it began";
        case Beginning::kUnderAnyRequest: break;
    }
    return "";
}

Disturbance::Disturbance(Table& table, const CpuSet& cpus, Beginning beginning, uint64_t seed, Clock::duration usual)
    : table_(table), cpus_(cpus), beginning_(beginning), usual_(usual), random_(seed), one_(one_of(cpus, random_())) {}

std::optional<int> Disturbance::until_end_of(SignalRelay& relay, pid_t child, Clock::time_point deadline) {
    relay_ = &relay;
    child_ = child;
    deadline_ = deadline;
    if (beginning_ != Beginning::kUnderAnyRequest) begin();
    while (!status_ && Clock::now() < deadline_) {
        // From bursts to pauses: programs have regions of microseconds and of seconds.
        if (!ends_within(milliseconds(uint64_t{1} << random_() % 7))) ask(some_cpus());
    }
    return status_;
}

/// True when the program has ended, or the time is up.
bool Disturbance::ends_within(Clock::duration pause) {
    const auto left = std::min(pause, deadline_ - Clock::now());
    if (!status_) status_ = relay_->until_end_of(child_, std::chrono::ceil<milliseconds>(left));
    return status_.has_value() || Clock::now() >= deadline_;
}

/// False when the program ends before `is_ready(client)`, or the time is up.
template <class Ready>
bool Disturbance::waits_for(const Ready& is_ready, Clock::time_point deadline) {
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

void Disturbance::begin() {
    if (!waits_for([](const auto& client) { return client.state == DROM_CLIENT_LIVE; }, deadline_)) return;
    if (beginning_ == Beginning::kShrinksAtOnce) return ask(one_);
    // It became a client as it asked or opened a region; only one with MPI, or one that uses drom itself, did so earlier, and may never do either.
    waits_for([](const auto& client) { return client.queries + client.safe_points + client.polls > 0; },
              Clock::now() + usual_);
    if (!ends_within(some_time())) ask(cpus_);
}

/// Whoever uses the reservation now.
std::optional<drom_client_info> Disturbance::client() const {
    const auto clients = table_.clients();
    if (!clients || clients->empty()) return std::nullopt;
    return clients->front();
}

void Disturbance::ask(const CpuSet& mask) {
    const auto found = client();
    if (!found) return;
    const auto asked = table_.set_mask(found->pid, mask, {.timeout = milliseconds(200)});
    if (asked && !asked->unchanged()) ++requests_;
}

CpuSet Disturbance::some_cpus() {
    std::vector<unsigned> cpus(cpus_.begin(), cpus_.end());
    std::shuffle(cpus.begin(), cpus.end(), random_);
    cpus.resize(1 + random_() % cpus.size());
    CpuSet mask;
    for (const unsigned cpu : cpus) mask.add(cpu);
    return mask;
}

/// Long before the program's end, be it an hour or an instant away: on one CPU, where threads need not wait for one another, it may come
/// much earlier than it usually does.
Disturbance::Clock::duration Disturbance::some_time() { return usual_ / (uint64_t{8} << random_() % 8); }

}  // namespace drom::command
