// SPDX-License-Identifier: BSD-3-Clause
// client_state.hpp - what this process knows about itself as a client; shared by client.cpp, agent_thread.cpp and
// joining.cpp.
#pragma once

#include <pthread.h>
#include <sys/types.h>
#include <atomic>
#include <csignal>
#include <cstdint>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "client.hpp"
#include "shmem/mailbox.hpp"
#include "thread_mask.hpp"

namespace drom::client {

inline constexpr auto kRelaxed = std::memory_order_relaxed;

/// The team that runs, as far as it is known since the last release.
enum class Team : uint8_t { Unknown, Fits, SharesCpus };

/// A release that the program is to be told of, between the agent's thread and the caller's (agent_thread.cpp).
struct Call {
    pthread_mutex_t lock;
    Wanted wanted;
    bool waits;
    Half news;               ///< futex
    std::atomic<bool> ends;  ///< the agent's thread leaves no more
};

struct State {
    char path[256];
    Ledger ledger;
    Pages* pages;
    alignas(Pages) unsigned char pages_room[sizeof(Pages)];
    Page* page;
    uint32_t slot, generation;
    uint64_t first_seq;  ///< the request that it joined with; 0: none
    pid_t pid;           ///< who joined; a child made by a bare clone() has another one
    std::atomic<bool> joined;
    std::atomic<bool> follows;  ///< the program called drom_on_change
    std::atomic<bool> ever;     ///< join was called, and nothing since allows it to be called again
    std::atomic<pid_t> joiner;  ///< by which process
    bool watches_forks;
    std::atomic<int> disabled;
    // The page that this process had mapped when it was a client the last time: threads that read it then may do so
    // until it joins once more.
    Ledger last_ledger;
    Page* last_page;

    ThreadMask threads;
    CpuSet applied;       ///< what the threads had after the last release; differs from the mask in a narrower cpuset
    Half releasing;       ///< 1: some thread is confining; 2: and the agent's thread waits for it
    KnownThreads known;   ///< whoever has `releasing` may change it
    bool yielding;        ///< threads that wait give their CPU away; as `known`
    CpuSet first_mask;    ///< the affinity that it joined with; constant while it is joined
    uint32_t first_cpus;  ///< when it joined
    std::atomic<Team> team;
    uint32_t fitting;  ///< teams in a row that had enough CPUs; of the thread that opens them
    Half nudge;        ///< futex: counts enable() and leave()
    std::atomic<bool> stop;
    Half agent_runs;     ///< futex: one of the agent's threads has not ended
    Half agent_threads;  ///< how many there are
    Call call;
    sigset_t signals;               ///< blocked where the agent's threads were created
    std::atomic<bool> agent_ready;  ///< the agent's thread sleeps on requests or is at one: releases are left to it
    Half finished;                  ///< futex: counts releases
    Half finish_waiters;
    std::atomic<void (*)(const Wanted&)> on_release;
    // The newest request that could not be released (a cpuset that allows none of its CPUs), and when to try again.
    std::atomic<uint64_t> given_up, try_again_ns;
};

/// Stands in for the client's page while it has none.
extern Page private_page;
extern State state;

/// Where requests are read by whoever is no client.
extern const Word kNothing;

/// The slot is still this process's.
bool is_current() noexcept;

/// How long a request that cannot be released waits until it is tried again.
inline constexpr uint64_t kTryAgain = 100 * kMillisecond;
/// Not released, and the time to try again has not come.
bool is_given_up(uint64_t seq) noexcept;

/// As release(), by the calling thread.
bool release_here(const Wanted& wanted) noexcept;

/// For the thread that holds `releasing`. While threads yield it looks each time for runtimes that were loaded since.
void adapt_waiting() noexcept;

}  // namespace drom::client
