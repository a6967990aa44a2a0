// SPDX-License-Identifier: BSD-3-Clause
// disturbance.hpp - the requests that one run under drom verify gets, from its start to its end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <random>
#include <string>

#include "drom/drom.hpp"
#include "signals.hpp"

namespace drom::command {

/// What the program finds when it first asks how many threads it has. Many ask once, as they set themselves up, and what they build then
/// has to do for every size that comes later: each kind of run shows another fault.
enum class Beginning : uint8_t {
    kOnOneCpu,        ///< one CPU; the others come some time after it has asked
    kShrinksAtOnce,   ///< all CPUs; its first request, for one CPU, comes as it becomes a client
    kUnderAnyRequest  ///< all CPUs; requests come at any time
};
constexpr unsigned kBeginnings = 3;

/// The kinds take turns, so that three runs have seen each.
inline Beginning beginning_of(unsigned run) { return static_cast<Beginning>(run % kBeginnings); }

/// What is said behind a fault, with a space before it; empty for kUnderAnyRequest.
std::string to_text(Beginning beginning);

/// One run's requests, all of them from `seed`: first those that `beginning` asks for, then random ones. `usual` is how long the program
/// takes undisturbed.
class Disturbance {
public:
    using Clock = std::chrono::steady_clock;

    Disturbance(Table& table, const CpuSet& cpus, Beginning beginning, uint64_t seed, Clock::duration usual);

    /// What the program is to be reserved before it starts. Its affinity is left alone: how many processors there are, which a program may
    /// print, is no question of how it is resized.
    [[nodiscard]] const CpuSet& reservation() const { return beginning_ == Beginning::kOnOneCpu ? one_ : cpus_; }

    /// Makes the requests until the program ends; returns its wait status, std::nullopt when it still runs at the deadline.
    std::optional<int> until_end_of(SignalRelay& relay, pid_t child, Clock::time_point deadline);

    /// Requests that changed something.
    [[nodiscard]] unsigned requests() const { return requests_; }

private:
    bool ends_within(Clock::duration pause);
    template <class Ready>
    bool waits_for(const Ready& is_ready, Clock::time_point deadline);
    [[nodiscard]] std::optional<drom_client_info> client() const;
    void begin();
    void ask(const CpuSet& mask);
    CpuSet some_cpus();
    Clock::duration some_time();

    Table& table_;
    const CpuSet cpus_;
    const Beginning beginning_;
    const Clock::duration usual_;
    std::mt19937_64 random_;
    CpuSet one_;
    SignalRelay* relay_ = nullptr;
    pid_t child_ = 0;
    Clock::time_point deadline_;
    std::optional<int> status_;
    unsigned requests_ = 0;
};

}  // namespace drom::command
