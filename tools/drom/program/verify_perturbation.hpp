// SPDX-License-Identifier: BSD-3-Clause
// verify_perturbation.hpp - the requests that one run under drom verify gets, from its start to its end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <random>
#include <string>

#include "drom/drom.hpp"
#include "program/signal_relay.hpp"

namespace drom::command {

/// The course of a run. Programs keep the number of threads at different moments, and in different ways, so each kind
/// shows another fault.
enum class RunKind : uint8_t {
    kOnOneCpu,         ///< one CPU while it sets itself up; the others come some time later, then random requests
    kShrinksAtOnce,    ///< all CPUs; the first request, for one CPU, comes as it becomes a client, then random requests
    kUnderAnyRequest,  ///< all CPUs; random requests at any time
    kShrinksOnce,      ///< all CPUs; one request in its whole life, for one CPU: nothing hides what it broke
    kThereAndBack      ///< all CPUs; to one CPU and back within milliseconds, again and again
};
constexpr unsigned kRunKinds = 5;

/// Returns the kind of a run. The kinds take turns, so that five runs have seen each.
inline RunKind kind_of(unsigned run) { return static_cast<RunKind>(run % kRunKinds); }

/// Returns a text for the end of a sentence about a fault, with a space before it; empty for kUnderAnyRequest.
std::string to_text(RunKind kind);

/// One run's requests, all of them from `seed`. `usual` is how long the program takes undisturbed.
class Perturbation {
public:
    using Clock = std::chrono::steady_clock;

    Perturbation(Table& table, const CpuSet& cpus, RunKind kind, uint64_t seed, Clock::duration usual);

    /// Returns the CPUs to be reserved for the program before it starts. Its affinity is left alone: how many
    /// processors there are, which a program may print, is no question of how it is resized.
    [[nodiscard]] const CpuSet& reservation() const { return kind_ == RunKind::kOnOneCpu ? one_ : cpus_; }

    /// Makes the requests until the program ends; returns its wait status, std::nullopt when it still runs at the
    /// deadline.
    std::optional<int> until_end_of(SignalRelay& relay, pid_t child, Clock::time_point deadline);

    /// Returns the number of requests that changed something.
    [[nodiscard]] unsigned requests() const { return requests_; }

private:
    bool ends_within(Clock::duration pause);
    template <class Ready>
    bool waits_for(const Ready& is_ready, Clock::time_point deadline);
    [[nodiscard]] std::optional<drom_client_info> client() const;
    [[nodiscard]] bool goes_on() const { return !status_ && Clock::now() < deadline_; }
    bool has_begun();
    void grow_after_setup();
    void ask_at_random();
    void go_there_and_back();
    void ask(const CpuSet& mask);
    CpuSet some_cpus();
    Clock::duration burst();
    Clock::duration part_of_usual(unsigned min_power);

    Table& table_;
    const CpuSet cpus_;
    const RunKind kind_;
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
