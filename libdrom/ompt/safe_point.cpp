// SPDX-License-Identifier: BSD-3-Clause
// safe_point.cpp - the place where an OpenMP program adopts requests: poll, release, decide, place, acknowledge.
#include "safe_point.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "client/client.hpp"
#include "client/unmodified.hpp"
#include "follow.hpp"
#include "gate.hpp"
#include "objects.hpp"
#include "pinning.hpp"
#include "runtime.hpp"

/// Tells that these entry points are in this process; a second copy of the library sees the first one's.
extern "C" DROM_EXPORT const int drom_omp_loaded;
extern "C" const int drom_omp_loaded = 1;

namespace drom {

namespace safe_point {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

/// Before a team shrinks whose left-over threads would spin for long, one region runs with waiting threads that yield.
/// They fall asleep after it, each as soon as it gets a CPU; until then the way of waiting stays.
enum class Drain : uint8_t { None, Asked, Running, Settling };
constexpr uint64_t kSettle = 20 * kMillisecond;

struct Team {
    runtime::Runtime runtime;
    follow::Resize said;    ///< DROM_RESIZE
    Request adopted;        ///< seq 0: no request so far
    uint32_t cpus;          ///< of the adopted request; UINT32_MAX before the first
    uint32_t first_cpus;    ///< of the first one
    uint32_t start;         ///< the primary thread's own number of threads when it opened its first region
    uint32_t size;          ///< of the last region without a clause
    uint64_t acknowledged;  ///< newest request that was acknowledged as resized or kept
    bool follows;           ///< the last acknowledgement said so
    bool own_number;        ///< the program has set its number
    bool leagues;
    Object openblas, other;  ///< seen last; each opens regions
    Drain drain;
    uint64_t settled_ns;  ///< time of the end of settling
    long verbose;
    std::atomic<bool> ready;  ///< the process has been set up, which happens once
    pthread_key_t key;
};
constinit Team team{};

/// The lock of `team`. The primary thread takes it. A signal handler that interrupted that thread finds it taken, as
/// does a thread that wants to become the primary at this moment: both pass.
constinit std::atomic<bool> busy{false};

class TeamLock {
public:
    TeamLock() noexcept : mine_(!busy.exchange(true, std::memory_order_acquire)), errno_(errno) {}
    ~TeamLock() {
        if (mine_) busy.store(false, std::memory_order_release);
        errno = errno_;  // this is inside the program's own calls
    }
    TeamLock(const TeamLock&) = delete;
    TeamLock& operator=(const TeamLock&) = delete;
    [[nodiscard]] bool mine() const noexcept { return mine_; }

private:
    bool mine_;
    int errno_;
};

void count(Word& word) noexcept { word.store(word.load(kRelaxed) + 1, kRelaxed); }

uint32_t own_threads() noexcept { return static_cast<uint32_t>(team.runtime.max_threads()); }

// ---- becoming the primary thread ----------------------------------------------------------------------------------

/// Returns whether this is the first copy of the library: there may be a second one.
bool is_first() noexcept { return dlsym(RTLD_DEFAULT, "drom_omp_loaded") == &drom_omp_loaded; }

/// Lets every thread pass from now on.
void retire() noexcept {
    drom_gate.primary.store(nobody(), kRelaxed);
    drom_gate.claimable.store(0, kRelaxed);
    drom_gate.attention.store(0, kRelaxed);
}

void after_fork_in_child() {
    retire();
    busy.store(false, kRelaxed);
}

/// Allows another primary thread when the present one ends: the next thread that opens a region may become it.
void after_primary(void*) {
    const void* self = this_thread();
    if (drom_gate.primary.compare_exchange_strong(self, nullptr)) drom_gate.claimable.store(1, kRelaxed);
}

/// Returns whether the program has one thread. libc's allocator and streams take locks once a process has a second
/// thread, so such a program gets none: it has no team to resize, and an administrator can move one thread from
/// outside. A rank without a team is different: it may wait in MPI for long.
bool has_one_thread() noexcept {
    constexpr nlink_t kLinksOfOne = 3;  // a directory has two links, and one more per directory in it: here, per thread
    struct stat tasks{};
    return team.runtime.max_threads() == 1 && stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink == kLinksOfOne;
}

bool join(uint32_t door) noexcept {
    if (client::joined()) {
        client::add_doors(door);
        return true;
    }
    const CpuSet places = runtime::binds_threads() ? runtime::places_of(team.runtime) : CpuSet::empty();
    return agent::join({door, places, !has_one_thread()});
}

/// Sets the process up, once, for any primary thread.
bool set_up_process(const void* function, uint32_t door) noexcept {
    if (team.ready.load(kRelaxed)) return true;
    if (!is_first() || !runtime::describe(function, team.runtime) || !join(door)) {
        retire();
        return false;
    }
    team.verbose = env::number("DROM_VERBOSE", 0);
    team.said = follow::resize_of(env::text("DROM_RESIZE"));
    team.cpus = team.first_cpus = UINT32_MAX;
    pinning::begin(client::released().mask, runtime::binds_threads());
    pthread_atfork(nullptr, nullptr, after_fork_in_child);
    pthread_key_create(&team.key, after_primary);
    atexit(retire);
    team.ready.store(true, std::memory_order_release);
    return true;
}

/// Adopts the first request, which came with the join and has the CPUs of the program's start: no thread has to move
/// for it.
void adopt_first() noexcept {
    const Request released = client::released();
    if (released.seq == 0 || team.adopted.seq != 0) return;
    team.adopted = released;
    team.cpus = team.first_cpus = released.mask.count();
}

/// Returns the number that the environment gives; 0: none that can be read.
uint32_t first_number() noexcept {
    const char* text = getenv("OMP_NUM_THREADS");
    return text == nullptr ? 0 : static_cast<uint32_t>(strtoul(text, nullptr, 10));
}

follow::Answer judge() noexcept;

/// Makes the calling thread the primary one.
void set_up_team() noexcept {
    team.start = team.size = own_threads();
    const uint32_t given = first_number();
    team.own_number = given != 0 && given != team.start;
    adopt_first();
    team.runtime.waiting.begin(judge().follows);
    pthread_setspecific(team.key, &team);
    Page& page = client::page();
    page.start_size.store(team.start, kRelaxed);
    page.team_size.store(team.start, kRelaxed);
    drom_gate.regions.store(&page.safe_points, kRelaxed);
    drom_gate.primary.store(this_thread(), std::memory_order_release);
}

/// Returns whether the calling thread is the primary one, or becomes it. `function` belongs to the runtime.
bool claim(const void* function, uint32_t door) noexcept {
    if (drom_gate.primary.load(kRelaxed) == this_thread()) return true;
    if (drom_gate.claimable.load(kRelaxed) == 0) return false;
    if (!set_up_process(function, door) || team.runtime.level() != 0) return false;
    set_up_team();
    drom_gate.claimable.store(0, kRelaxed);
    return true;
}

// ---- adopting a request -------------------------------------------------------------------------------------------

/// Returns whether the shrink to `cpus` has to wait for a region that drains the team.
bool must_drain(uint32_t cpus) noexcept {
    const bool leaves_spinners = team.runtime.waiting.spins_long() && cpus < team.size && judge().follows;
    if (!leaves_spinners || team.drain == Drain::Running) {
        if (team.drain == Drain::Asked) team.drain = Drain::None;
        if (team.drain != Drain::Running) return false;
        team.drain = Drain::Settling;
        team.settled_ns = now_ns() + kSettle;
        return false;
    }
    team.runtime.waiting.drain(true);
    team.drain = Drain::Asked;
    return true;
}

/// Returns whether the program itself says where it adapts (drom_init, then drom_poll or drom_poll_apply). Then only
/// the way in which its threads wait is decided here.
bool adapts_by_itself() noexcept { return (client::page().doors.load(kRelaxed) & DROM_DOOR_EXPLICIT) != 0; }

/// Adopts the newest request, and releases it first if no other thread has. Also adopts one that the program has
/// handled itself (drom_poll_apply).
void adopt() noexcept {
    Request wanted{};
    const bool fresh = client::pending() && client::newest(wanted);
    // Another thread may be releasing it at this moment: then the next region adopts it.
    if (fresh && client::released().seq < wanted.seq && !client::release(wanted)) return;
    const Request released = client::released();
    const uint32_t cpus = released.mask.count();
    if (released.seq <= team.adopted.seq || must_drain(cpus)) return;
    team.adopted = released;
    team.cpus = cpus;
    pinning::ask_for_placement();
}

follow::Facts facts() noexcept {
    return {team.said,
            team.runtime.dynamic() != 0,
            client::program_follows(),
            adapts_by_itself(),
            team.own_number || drom_own_number != 0,
            team.leagues,
            false};
}

follow::Answer judge() noexcept { return follow::judge(facts()); }

/// Returns whether the caller is OpenBLAS. It divides a product among its own number of threads, and does not use a
/// clause. Each thread waits for the parts of the others: a smaller team would wait for ever.
bool is_openblas(const void* caller) noexcept {
    if (team.openblas.holds(caller)) return true;
    if (team.other.holds(caller)) return false;
    const bool is_it = may_define(caller, "openblas_get_num_threads");
    (is_it ? team.openblas : team.other) = object_of(caller);
    return is_it;
}

/// Judges a region that `caller` opens.
follow::Answer judge(const void* caller, uint32_t own) noexcept {
    follow::Facts region = facts();
    region.blas = team.cpus < own && follow::judge(region).follows && is_openblas(caller);
    return follow::judge(region);
}

void report(const follow::Answer& answer, uint32_t before) noexcept {
    const CpuText cpus(team.adopted.mask);
    dprintf(STDERR_FILENO, "drom: process %d: request %llu, mask %s: team of %u, now of %u: %s\n", getpid(),
            static_cast<unsigned long long>(team.adopted.seq), cpus.text, before, team.size, answer.why);
}

/// Acknowledges a request once; a second time when a team that was kept could follow after all.
void acknowledge(const follow::Answer& answer, uint32_t before) noexcept {
    if (team.verbose > 1) report(answer, before);
    if (team.adopted.seq == 0 || adapts_by_itself()) return;
    if (team.acknowledged == team.adopted.seq && (team.follows || !answer.follows)) return;
    team.acknowledged = team.adopted.seq;
    team.follows = answer.follows;
    const auto kept = answer.allowed ? DROM_RESIZE_HELD : DROM_RESIZE_KEEPS;
    client::acknowledge_resize(team.adopted.seq, team.size, answer.follows ? DROM_RESIZE_FOLLOWS : kept, answer.why);
    if (team.verbose == 1) report(answer, before);
}

/// Returns whether threads share CPUs: those of this team, or those of inner teams, which do not shrink with it.
bool shares_cpus(uint32_t size) noexcept {
    if (size > team.cpus) return true;
    const auto levels = team.runtime.max_active_levels;
    return team.cpus < team.first_cpus && levels != nullptr && levels() > 1;
}

void update_attention(bool follows) noexcept {
    const bool limited = team.cpus < team.first_cpus || (follows && team.cpus < team.start);
    const bool placing = team.adopted.seq != 0 && pinning::is_due(team.size, team.adopted.mask);
    drom_gate.attention.store(limited || placing || team.drain != Drain::None ? 1 : 0, kRelaxed);
}

/// Makes the plan when placing is due; then the team runs through the thunk.
bool place(uint32_t size) noexcept {
    if (team.adopted.seq == 0 || !pinning::is_due(size, team.adopted.mask)) return false;
    pinning::plan(size, team.adopted.mask);
    return true;
}

/// Prepares a change of the team's size: new threads inherit the affinity of the thread that creates them.
void prepare_for(uint32_t size) noexcept {
    if (size == team.size) return;
    if (size > team.size && team.runtime.kind == runtime::Kind::Gomp && team.adopted.seq != 0)
        pinning::widen_this_thread();
    pinning::ask_for_placement();
}

/// Returns the number of threads of the starting region, as a clause would; 0: the runtime's own number.
uint32_t decide(uint32_t clause, const void* caller) noexcept {
    const uint32_t own = own_threads();
    // Set by code that has the runtime's address (threadpoolctl has): it counts as the program's own number.
    if (own != team.start) team.own_number = true;
    const follow::Answer answer = judge(caller, own);
    const uint32_t size = answer.follows ? follow::threads_of(own, team.cpus) : own;
    prepare_for(size);
    const uint32_t before = team.size;
    team.size = size;
    client::page().team_size.store(size, kRelaxed);
    if (team.adopted.seq == 0 || team.adopted.seq != team.acknowledged || answer.follows != team.follows) {
        const auto kept = answer.allowed ? DROM_RESIZE_HELD : DROM_RESIZE_KEEPS;
        client::page().resize.store(answer.follows ? DROM_RESIZE_FOLLOWS : kept, kRelaxed);
    }
    acknowledge(answer, before);
    if (team.drain == Drain::Settling && now_ns() >= team.settled_ns) team.drain = Drain::None;
    if (team.drain == Drain::None) {
        team.runtime.waiting.drain(false);
        runtime::Waiting::yield(shares_cpus(clause != 0 ? clause : size));
    }
    update_attention(judge().follows);
    return clause != 0 || size == own ? clause : size;
}

bool is_other_runtime(const void* function) noexcept {
    return !team.runtime.object.holds(function) && !team.runtime.is_shadowed;
}

}  // namespace

// ---- entry points -------------------------------------------------------------------------------------------------

Start region_entry(const void* function, const Entry& entry) noexcept {
    const Start unchanged{function, entry.clause};
    const TeamLock lock;
    if (!lock.mine() || !claim(entry.runtime, entry.door)) return unchanged;
    client::add_doors(entry.door);
    // The team of another runtime has threads of its own, besides those of the resized team.
    if (team.runtime.level() != 0 || is_other_runtime(entry.runtime)) return unchanged;
    count(*drom_gate.regions.load(kRelaxed));
    adopt();
    const uint32_t threads = decide(entry.clause, entry.caller);
    if (team.drain == Drain::Asked) team.drain = Drain::Running;
    const uint32_t size = threads != 0 ? threads : team.size;
    if (!place(size)) return {function, threads};
    drom_gate.placing = function;
    return {entry.thunk, threads};
}

void uses_teams(const void* runtime) noexcept {
    const TeamLock lock;
    if (lock.mine() && claim(runtime, 0)) team.leagues = true;
}

void place_thread(uint32_t index) noexcept { pinning::place_thread(index); }

void place_this_thread() noexcept { pinning::place_thread(static_cast<uint32_t>(team.runtime.thread_num())); }

}  // namespace safe_point

}  // namespace drom
