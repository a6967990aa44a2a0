// SPDX-License-Identifier: BSD-3-Clause
// client_state.hpp - the state of this process as a client; shared by the files of this folder.
#pragma once

#include <pthread.h>
#include <sys/types.h>
#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "client.hpp"
#include "own_threads.hpp"
#include "shmem/descendants.hpp"
#include "shmem/mailbox.hpp"
#include "thread_mask.hpp"

namespace drom::client {

inline constexpr auto kRelaxed = std::memory_order_relaxed;

/// The running team, as far as it is known since the last release.
enum class Team : uint8_t { Unknown, Fits, SharesCpus };

/// A release for the program's callback, handed from the agent's thread to the caller's thread (agent_thread.cpp).
struct Call {
    pthread_mutex_t lock;
    Request wanted;
    bool waits;
    Half news;               ///< futex
    std::atomic<bool> ends;  ///< no more releases come
};

struct State {
    char path[256];
    Ledger ledger;
    Pages* pages;
    alignas(Pages) unsigned char pages_room[sizeof(Pages)];
    Page* page;
    uint32_t slot, generation;
    uint64_t first_seq;  ///< the request at its join; 0: none
    pid_t pid;           ///< the process that joined; a child made by a bare clone() has another pid
    std::atomic<bool> joined;
    std::atomic<bool> follows;  ///< the program called drom_on_change
    std::atomic<bool> ever;     ///< join was called, and nothing since allows it to be called again
    std::atomic<pid_t> joiner;  ///< the process that called it
    bool watches_forks;
    std::atomic<int> disabled;
    // The page that this process had mapped when it was a client the last time. Threads that read it then may do so
    // until the next join.
    Ledger last_ledger;
    Page* last_page;
    // Threads publish regions at any time, also while this process leaves and joins.
    std::atomic<RegionArea*> region_area;  ///< in the page of this client; nullptr: it is none
    std::atomic<pid_t> region_process;     ///< as `pid`
    Half region_writers;                   ///< threads that may write there

    ThreadMask threads;
    CpuSet applied;  ///< the mask of the threads after the last release; smaller than the request's in a narrower
                     ///< cpuset
    CpuSet left;     ///< the mask of the release before that, as `known`
    std::atomic<uint64_t> alone;    ///< the number of the last release, if confine_late() is to be called for it;
                                    ///< otherwise 0
    Attempts attempts;              ///< since the last release; the thread that holds `releasing` may change it
    Half releasing;                 ///< 1: some thread is confining; 2: and the agent's thread waits for it
    KnownThreads known;             ///< the thread that holds `releasing` may change it
    KnownLauncher launcher{false};  ///< as `known`
    bool yielding;                  ///< waiting threads give their CPU away; as `known`
    CpuSet first_mask;              ///< the CPUs that it began with; constant while joined
    uint32_t first_cpus;            ///< their number
    std::atomic<Team> team;
    uint32_t fitting;  ///< teams in a row that had enough CPUs; only for the thread that opens teams
    Half nudge;        ///< futex: counts enable() and leave()
    std::atomic<bool> stop;
    Half agent_runs;     ///< futex: an agent thread has not ended
    Half agent_threads;  ///< their number
    OwnThreads agent;    ///< the agent's thread works, the caller's thread stays
    Half threads_begun;  ///< futex: counts drom's threads, as each begins
    Call call;
    std::atomic<bool> agent_ready;  ///< the agent's thread sleeps on requests or handles one: releases are left to it
    Half finished;                  ///< futex: counts releases
    Half finish_waiters;
    std::atomic<void (*)(const Request&)> on_release;
    // The newest request that could not be released (a cpuset that allows none of its CPUs), and when to try again.
    std::atomic<uint64_t> given_up, try_again_ns;
};

/// Replaces the client's page while it has none.
extern Page private_page;
extern State state;

/// The word at which a process that is no client reads requests.
extern const Word kNothing;

/// Returns whether the slot still is this process's.
bool is_current() noexcept;

/// Time until a request that could not be released is tried again.
inline constexpr uint64_t kTryAgain = 100 * kMillisecond;
/// Returns whether the request is not released, and the time to try again has not come.
bool is_given_up(uint64_t seq) noexcept;

/// Releases as release() does, in the calling thread.
bool release_here(const Request& wanted) noexcept;

/// Takes `releasing`, if no other thread has it. end_releasing() gives it back.
bool begin_releasing() noexcept;
void end_releasing() noexcept;

/// Moves the processes of the client that have been found since release `seq`, when the client was alone. For the
/// agent's thread, without `releasing`. Returns false when that has to be done again. Does nothing after a newer
/// request.
bool confine_late(uint64_t seq) noexcept;

/// Moves a child of fork() inside the newest request to its parent. Its mask is that of the forking thread when the
/// fork began, and the kernel lists it when the fork ends: a mover in between finds it only if it waits for the fork. A
/// mover that comes later finds it. Costs one system call; another one and a few microseconds when the child is
/// outside.
void move_child_inside() noexcept;

/// Needs `releasing`. While threads yield it looks each time for runtimes that were loaded since.
void adapt_waiting() noexcept;

}  // namespace drom::client
