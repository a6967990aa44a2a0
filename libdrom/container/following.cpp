// SPDX-License-Identifier: BSD-3-Clause
// following.cpp - the CPUs of a process that follows its container, and the thread that looks at them.
#include "following.hpp"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/confine.hpp"
#include "base/env.hpp"
#include "base/process_identity.hpp"
#include "client/client.hpp"
#include "client/own_threads.hpp"
#include "client/runtime_waiting.hpp"
#include "cpu_quota.hpp"
#include "drom/drom.h"
#include "shmem/futex.hpp"
#include "start.hpp"

namespace drom::container {

namespace {

// --- what the program's threads read -------------------------------------------------------------------------------

/// A CPU set that one thread writes and others read at the same time.
class SharedSet {
public:
    void store(const CpuSet& set) noexcept {
        for (uint32_t i = 0; i < CpuSet::kWords; ++i) words_[i].store(set.words[i], std::memory_order_release);
    }
    void load(CpuSet& set) const noexcept {
        for (uint32_t i = 0; i < CpuSet::kWords; ++i) set.words[i] = words_[i].load(std::memory_order_acquire);
    }

private:
    std::atomic<uint64_t> words_[CpuSet::kWords]{};
};

/// The CPUs of the last look. A look fills the copy that is not current, and then counts. A reader that meets the look
/// after that one sees that the number has changed: each word is an acquire load of what the number came before.
class Told {
public:
    void publish(const CpuSet& mask, const CpuSet& usable) noexcept {
        const uint64_t next = seq_.load(std::memory_order_relaxed) + 1;
        copies_[next % 2].mask.store(mask);
        copies_[next % 2].usable.store(usable);
        seq_.store(next);
    }
    uint64_t read(CpuSet& mask, CpuSet& usable) const noexcept {
        for (;;) {
            const uint64_t seq = seq_.load();
            copies_[seq % 2].mask.load(mask);
            copies_[seq % 2].usable.load(usable);
            if (seq_.load() == seq) return seq;
        }
    }

private:
    struct Copy {
        SharedSet mask, usable;
    };
    std::atomic<uint64_t> seq_{0};
    Copy copies_[2]{};
};

enum class Stage : int { kNotYet, kBusy, kOff, kOn };

/// Of this process. But for the atomics only the thread that looks uses it, after the start.
struct Here {
    std::atomic<Stage> stage;
    std::atomic<pid_t> looker;   ///< the process that has the thread; a forked child has none yet
    client::OwnThreads threads;  ///< the one that works looks
    uint64_t seed;               ///< of the container
    CpuSet base;                 ///< CPUs inside which it may grow
    CpuSet first;                ///< CPUs of its start
    CpuSet mask;                 ///< CPUs of its threads
    CpuSet usable;               ///< CPUs of the last look, with no regard to quotas
    Attempts attempts;           ///< masks that a thread may have from the kernel, or from a move that did not end
    bool yields;                 ///< waiting threads give their CPU away
    bool verbose;
    char root[256];  ///< as cgroup_root(): another thread may change the environment later
    Told told;
};
constinit Here here{};

// --- the start -----------------------------------------------------------------------------------------------------

bool is_asked() noexcept {
    return env::flag("DROM_FOLLOW", false) && env::text("DROM_SLOT") == nullptr && !env::flag("DROM_DISABLE", false);
}

/// Returns whether the first thread's stack may grow to more than the start needs.
bool has_stack() noexcept {
    constexpr rlim_t kEnough = rlim_t{64} * 1024;
    rlimit limit{};
    return getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= kEnough;
}

void say(uint32_t quota) noexcept {
    char limit[48] = "no quota";
    if (quota != kNoQuota) snprintf(limit, sizeof limit, "a quota of %u", quota);
    dprintf(STDERR_FILENO, "drom: process %d: follows its container: %s of %u, %s\n", getpid(),
            CpusText(here.mask).text, here.usable.count(), limit);
}

bool begin() noexcept {
    Start start{};
    if (!is_asked() || !has_stack() || !find_start(start)) return false;
    CpuSet own{};
    if (get_affinity(0, own) && !(own == start.mask) && set_affinity(0, start.mask) != 0) return false;
    here.seed = start.seed;
    here.base = start.base;
    here.first = here.mask = start.mask;
    here.usable = start.usable;
    here.verbose = env::number("DROM_VERBOSE", 0) > 0;
    snprintf(here.root, sizeof here.root, "%s", cgroup_root());
    here.told.publish(start.mask, start.usable);
    if (here.verbose) say(start.quota);
    return true;
}

// --- the thread that looks -----------------------------------------------------------------------------------------

/// Reads the CPUs of the base that the cpuset allows. The calling thread is used to ask, and goes back.
bool read_usable(CpuSet& usable) noexcept {
    if (set_affinity(0, here.base) != 0) return false;
    const bool known = get_affinity(0, usable) && !usable.none();
    set_affinity(0, here.mask);
    return known;
}

/// Makes waiting threads yield while they are more than their CPUs, which were enough at the start.
void adapt_waiting() noexcept {
    bool crowded = false;
    if (here.mask.count() < here.first.count()) {
        KnownThreads known{};
        note_threads(known);
        const uint32_t own = client::has_worker(here.threads) ? 2 : 1;  // they wait in the kernel
        crowded = known.seen > here.mask.count() + own;
    }
    if ((crowded || here.yields) && waiting::yield(crowded)) here.yields = crowded;
}

/// Moves all threads. Those that the program has narrowed keep the rest of their masks. A second of a busy machine may
/// be too short: the next look moves the others.
void move_to(const CpuSet& mask, const CpuSet& usable) noexcept {
    here.told.publish(mask, usable);
    here.attempts.add(here.mask & usable);  // as the kernel has narrowed them in a smaller cpuset
    const Origin origin{here.mask, here.usable, nullptr, 0, &here.attempts};
    const Confined done = confine(0, origin, mask, deadline_in_ms(500));
    if (done.status != DROM_OK) return here.attempts.add(mask);
    here.attempts.clear();
    here.mask = mask;
    here.usable = usable;
}

void look(CpuQuota& quota) noexcept {
    uint32_t limit = 0;
    CpuSet usable{};
    if (!read_usable(usable) || !quota.read(limit)) return;
    const CpuSet mask = fit(here.mask, usable, std::min(limit, usable.count()), here.seed);
    const bool changed = !(mask == here.mask) || !(usable == here.usable);
    if (changed) move_to(mask, usable);
    adapt_waiting();
    if (changed && here.verbose) say(limit);
}

/// Leaves the program's descriptors: a program may count them, or close all of them. Keeps only the standard error, if
/// it has to write there. Returns false where the kernel refuses.
bool leave_descriptors() noexcept {
    if (!here.verbose) return client::have_own_descriptors();
    if (!client::have_own_descriptors(3)) return false;
    syscall(SYS_close_range, 0U, 1U, 0U);  // a reader of the program's output waits for its end
    return true;
}

/// Returns whether to go on. The C library ends a process with its last thread, and counts this one too, so it ends
/// once the first thread has. A program that has joined a table is moved by requests from then on.
bool goes_on() noexcept {
    uint64_t threads = 0;
    return !first_thread_has_ended(threads) && !client::joined();
}

void wait_a_second() noexcept {
    static constinit Half never{0};
    futex_wait(&never, 0, deadline_in_ms(1000));
}

void look_at_held_files() noexcept {
    CpuQuota quota(here.root);
    while (goes_on()) {
        look(quota);
        wait_a_second();
    }
}

void look_at_files_anew() noexcept {
    CpuQuota quota(here.root);
    look(quota);
}

void look_with_program_descriptors() noexcept {
    while (goes_on()) {
        look_at_files_anew();
        wait_a_second();
    }
}

void* looking_thread(void*) {
    if (leave_descriptors()) look_at_held_files();
    look_with_program_descriptors();
    return nullptr;
}

// --- the thread that stays -----------------------------------------------------------------------------------------

/// Lets this thread use all CPUs of the process: the one that created it may be bound to one.
void use_all_cpus() noexcept {
    CpuSet mask{};
    CpuSet usable{};
    uint64_t seq = 0;
    do {
        seq = here.told.read(mask, usable);
        set_affinity(0, mask);
    } while (here.told.read(mask, usable) != seq);
}

void* staying_thread(void*) {
    use_all_cpus();
    if (client::has_worker(here.threads))
        pthread_join(here.threads.worker, nullptr);
    else
        look_with_program_descriptors();
    client::let_exit_handlers_run(here.threads);
    return nullptr;
}

}  // namespace

bool follows() noexcept {
    Stage now = here.stage.load(std::memory_order_acquire);
    if (now != Stage::kNotYet) return now == Stage::kOn;
    if (!here.stage.compare_exchange_strong(now, Stage::kBusy)) return now == Stage::kOn;
    const int saved = errno;
    const bool on = begin();
    errno = saved;
    here.stage.store(on ? Stage::kOn : Stage::kOff, std::memory_order_release);
    return on;
}

void follow_from_here() noexcept {
    const pid_t me = getpid();
    if (here.looker.load(std::memory_order_relaxed) == me || here.looker.exchange(me) == me) return;
    const int saved = errno;
    waiting::begin();
    if (!client::joined() && env::flag("DROM_ASYNC", true) && client::watch_forks())
        client::create_own_threads(here.threads, staying_thread, looking_thread);
    errno = saved;
}

Request allowed() noexcept {
    Request told{};
    CpuSet usable{};
    told.seq = here.told.read(told.mask, usable);
    if (told.mask == usable) told = {0, CpuSet::empty()};
    return told;
}

CpuSet usable_cpus() noexcept {
    CpuSet mask{};
    CpuSet usable{};
    here.told.read(mask, usable);
    return usable;
}

CpuSet first_cpus() noexcept { return here.first; }

void forget_base() noexcept {
    char* text = getenv("DROM_FOLLOW_CPUS");
    if (text != nullptr && here.stage.load(std::memory_order_acquire) == Stage::kOn) *text = '\0';
}

}  // namespace drom::container
