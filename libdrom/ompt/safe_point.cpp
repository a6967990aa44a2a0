// SPDX-License-Identifier: BSD-3-Clause
// safe_point.cpp - where an OpenMP program adopts requests: poll, release, ask the contract, resize, place, acknowledge.
#include "safe_point.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "agent.hpp"
#include "client.hpp"
#include "clock.hpp"
#include "env.hpp"
#include "gate.hpp"
#include "loop_expansion.hpp"
#include "notes.hpp"
#include "pinning.hpp"
#include "runtime.hpp"

/// Says that an agent is in this process; a second copy of the library sees the first one's.
extern "C" DROM_EXPORT const int drom_agent_loaded;
extern "C" const int drom_agent_loaded = 1;

namespace drom {

constinit std::atomic<uintptr_t> drom_known[DROM_KNOWN_MASK + 1] = {};

namespace safe_point {

namespace {

using contract::Decision;
using contract::Mode;
using contract::Party;
using contract::Verdict;
using runtime::Name;

constexpr auto kRelaxed = std::memory_order_relaxed;

/// Before a team is shrunk whose left-over threads would spin for long, one region is run with waiting threads that yield. They fall asleep
/// after it, each as soon as it gets a CPU; until then the waiting stays as it is.
enum class Drain : uint8_t { None, Asked, Running, Settling };
constexpr uint64_t kSettle = 20 * kMillisecond;

struct Team {
    contract::Contract contract;
    Parties parties;
    runtime::Runtime runtime;
    client::Wanted adopted;  ///< seq 0: no request so far
    uint32_t cpus;           ///< of the adopted request; UINT32_MAX before the first
    uint32_t first_cpus;     ///< of the first one
    uint64_t acknowledged;   ///< newest request that was said to be resized or held
    bool follows;            ///< what was said
    Drain drain;
    uint64_t settled_ns;  ///< when it has settled
    bool callbacks;       ///< OMPT instead of entry points
    Party last_party;     ///< who opened the last region
    uint32_t last_door;   ///< and where it came in
    uint32_t clause;      ///< num_threads of the region that starts next; 0: none
    bool crowded;         ///< the last region had a clause for more threads than there are CPUs
    int num_procs;        ///< at program start
    long verbose;
    std::atomic<bool> ready;  ///< what is set up once a process is
    pthread_key_t key;
};
constinit Team team{};
constinit Notes notes{};

/// Whoever changes `team`. Taken by the primary thread; found taken by a signal handler that interrupted it, or by a thread that
/// wants to become the primary at this moment: both pass.
constinit std::atomic<bool> busy{false};

class Turn {
public:
    Turn() noexcept : mine_(!busy.exchange(true, std::memory_order_acquire)), errno_(errno) {}
    ~Turn() {
        if (mine_) busy.store(false, std::memory_order_release);
        errno = errno_;  // we are inside the program's own calls
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    [[nodiscard]] bool mine() const noexcept { return mine_; }

private:
    bool mine_;
    int errno_;
};

uint64_t regions() noexcept { return drom_gate.regions.load(kRelaxed)->load(kRelaxed); }

void count(Word& word) noexcept { word.store(word.load(kRelaxed) + 1, kRelaxed); }

bool is_primary() noexcept { return drom_gate.primary.load(kRelaxed) == this_thread(); }

// ---- becoming the primary thread ------------------------------------------------------------------------------------------------

/// Everybody passes from now on.
void retire() noexcept {
    drom_gate.primary.store(nobody(), kRelaxed);
    drom_gate.claimable.store(0, kRelaxed);
    drom_gate.attention.store(0, kRelaxed);
    drom_gate.watching.store(0, kRelaxed);
}

void after_fork_in_child() {
    retire();
    busy.store(false, kRelaxed);
}

/// The program ends. Its runtime is finalized from here on, and only what the program itself calls may still be called; a handler that
/// asks now is answered by the runtime alone.
void at_exit() noexcept;

/// The primary thread ends: the next one that opens a region may be it.
void after_primary(void*) {
    const void* self = this_thread();
    if (drom_gate.primary.compare_exchange_strong(self, nullptr)) drom_gate.claimable.store(1, kRelaxed);
}

Mode mode_of(const char* text) noexcept {
    if (text != nullptr && strcmp(text, "eager") == 0) return Mode::Eager;
    return text != nullptr && strcmp(text, "never") == 0 ? Mode::Never : Mode::Safe;
}

/// libc's allocator and streams take locks once a process has a second thread. A program with one is left with one: there is no team
/// to resize, and an administrator can move one thread from outside. A rank that has no team is different: it may wait in MPI for long.
bool has_one_thread() noexcept {
    constexpr nlink_t kLinksOfOne =
        3;  // a directory has two links, and one more for each directory in it: here, a thread
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

/// What is set up once, whoever is the primary thread.
bool set_up_process(const void* function, uint32_t door) noexcept {
    if (team.ready.load(kRelaxed)) return true;
    const bool alone = is_only_agent() && runtime::describe(function, team.runtime);
    // Asked before joining: the runtime counts its CPUs when it is first asked, and a request that comes first would leave it fewer.
    if (alone) team.num_procs = team.runtime.num_procs();
    if (!alone || !join(door)) {
        retire();
        return false;
    }
    team.verbose = env::number("DROM_VERBOSE", 0);
    team.cpus = team.first_cpus = UINT32_MAX;
    pinning::begin(client::released().mask, runtime::binds_threads());
    pthread_atfork(nullptr, nullptr, after_fork_in_child);
    pthread_key_create(&team.key, after_primary);
    atexit(at_exit);
    team.ready.store(true, std::memory_order_release);
    return true;
}

/// Joining came with a request for the CPUs that the program started with: nobody has to move for that one.
void adopt_first() noexcept {
    const client::Wanted released = client::released();
    if (released.seq == 0 || team.adopted.seq != 0) return;
    team.adopted = released;
    team.cpus = team.first_cpus = released.mask.count();
    team.contract.set_cpus(team.cpus);
}

/// The calling thread becomes the primary one.
void set_up_team() noexcept {
    const auto size = static_cast<uint32_t>(team.runtime.max_threads());
    team.contract.begin(mode_of(env::text("DROM_RESIZE")), size);
    if (team.callbacks && !queries_are_seen())
        team.contract.fix_all("the agent is not preloaded: it cannot see what the program asks");
    adopt_first();
    team.runtime.waiting.begin();
    pthread_setspecific(team.key, &team);
    Page& page = client::page();
    page.start_size.store(size, kRelaxed);
    page.team_size.store(size, kRelaxed);
    page.resize.store(team.contract.mode() == Mode::Never ? DROM_RESIZE_NEVER : DROM_RESIZE_FOLLOWS, kRelaxed);
    drom_gate.regions.store(&page.safe_points, kRelaxed);
    drom_gate.team_size.store(size, kRelaxed);
    drom_gate.watching.store(team.contract.deaf() ? 0 : 1, std::memory_order_release);
    drom_gate.primary.store(this_thread(), std::memory_order_release);
}

/// True when the calling thread is the primary one, or becomes it. A thread that has only asked so far gives way to one that opens a
/// region. `function` belongs to the runtime.
bool claim(const void* function, bool opens_region, uint32_t door) noexcept {
    const void* primary = drom_gate.primary.load(kRelaxed);
    const bool mine = primary == this_thread();
    if (!mine) {
        if (drom_gate.claimable.load(kRelaxed) == 0 || (primary != nullptr && !opens_region)) return false;
        if (!set_up_process(function, door) || team.runtime.level() != 0) return false;
        set_up_team();
    }
    if (opens_region) drom_gate.claimable.store(0, kRelaxed);
    return true;
}

Party party_of(const void* address) noexcept {
    Object fresh{};
    const Party party = team.parties.of(address, fresh);
    if (fresh.has_tls && fresh.needs_openmp) team.contract.keeps_thread_data(party);
    if (fresh.asks_each_time) team.contract.keeps_nothing(party);
    return party;
}

// ---- adopting a request ------------------------------------------------------------------------------------------------------------

/// A question may come from a signal handler that interrupted the runtime, which then holds locks or allocates: nothing of the
/// runtime's is called there that the program does not call itself.
enum class Moment : uint8_t { Boundary, Question };

/// True while the shrink to `cpus` has to wait for a region that drains the team.
bool must_drain(uint32_t cpus, Moment moment) noexcept {
    const bool leaves_spinners = team.runtime.waiting.spins_long() && cpus < team.contract.size();
    if (!leaves_spinners || team.drain == Drain::Running) {
        if (team.drain == Drain::Asked) team.drain = Drain::None;
        if (team.drain != Drain::Running) return false;
        team.drain = Drain::Settling;
        team.settled_ns = now_ns() + kSettle;
        return false;
    }
    if (moment == Moment::Question) return true;
    team.runtime.waiting.yield(true);
    team.drain = Drain::Asked;
    return true;
}

/// A program that called drom_init says itself where it adapts: by drom_poll, or by drom_poll_apply and then as everywhere else. Only how
/// its threads wait is left to us.
bool leaves_it_to_the_program() noexcept {
    if ((client::page().doors.load(kRelaxed) & DROM_DOOR_EXPLICIT) == 0) return false;
    team.cpus = client::released().mask.count();
    return true;
}

/// Releases the newest request if nobody has, and tells the contract about it.
void adopt(Moment moment) noexcept {
    client::Wanted wanted{};
    if (!client::pending() || !client::newest(wanted)) return;
    // Somebody else may be releasing it at this moment: then the next safe point takes it up.
    if (client::released().seq < wanted.seq && !client::release(wanted)) return;
    const client::Wanted released = client::released();
    const uint32_t cpus = released.mask.count();
    if (released.seq <= team.adopted.seq || must_drain(cpus, moment)) return;
    team.adopted = released;
    team.cpus = cpus;
    team.contract.set_cpus(cpus);
    pinning::ask_for_placement();
}

/// The call that GCC puts at the start of a loop with a static schedule: nothing that the program knows of.
bool is_compilers(const Note& note) noexcept {
    if (!note.team_size || team.last_door == DROM_DOOR_KMP) return false;
    const Object object = object_of(reinterpret_cast<const void*>(note.site));
    const UnwindTable unwinding(object.unwinding, object.low, object.high);
    return is_loop_expansion(reinterpret_cast<const void*>(note.site), object.low, object.high, unwinding);
}

/// Tells the contract what was answered inside the regions before.
void take_notes() noexcept {
    Note note{};
    while (notes.take(note)) {
        if (is_compilers(note)) continue;
        const Party party = party_of(reinterpret_cast<const void*>(note.site));
        team.contract.answered_in_region(party, note.answer);
    }
    if (notes.overflowed())
        team.contract.fix_all("the program asks for its thread count inside regions in very many places");
}

void report(const Decision& decision, uint32_t before) noexcept {
    const CpuText cpus(team.adopted.mask);
    dprintf(STDERR_FILENO, "drom: process %d: request %llu, mask %s: team of %u, now of %u: %s\n", getpid(),
            static_cast<unsigned long long>(team.adopted.seq), cpus.text, before, decision.size, decision.why);
}

/// One acknowledgement a request; a second one when a team that was held could follow after all.
void acknowledge(const Decision& decision, uint32_t before) noexcept {
    if (team.verbose > 1) report(decision, before);
    if (team.adopted.seq == 0 || decision.verdict == Verdict::Later) return;
    const bool follows = decision.verdict == Verdict::Follows;
    if (team.acknowledged == team.adopted.seq && (team.follows || !follows)) return;
    team.acknowledged = team.adopted.seq;
    team.follows = follows;
    const auto held = team.contract.mode() == Mode::Never ? DROM_RESIZE_NEVER : DROM_RESIZE_HELD;
    client::acknowledge_resize(team.adopted.seq, decision.size, follows ? DROM_RESIZE_FOLLOWS : held, decision.why);
    if (team.verbose == 1) report(decision, before);
}

void resize(uint32_t size) noexcept {
    const auto before = static_cast<uint32_t>(team.runtime.max_threads());
    if (before == size) return;
    if (size > before && team.runtime.kind == runtime::Kind::Gomp && team.adopted.seq != 0)
        pinning::widen_this_thread();
    team.runtime.set_num_threads(static_cast<int>(size));
    pinning::ask_for_placement();
}

void update_attention() noexcept {
    const bool placing = team.adopted.seq != 0 && pinning::is_due(team.contract.size(), team.adopted.mask);
    const bool unfinished =
        team.crowded || team.drain != Drain::None || drom_gate.team_size.load(kRelaxed) != team.contract.size();
    const bool wanted = !team.contract.settled() || placing || notes.waiting() || unfinished;
    drom_gate.attention.store(wanted ? 1 : 0, kRelaxed);
    drom_gate.watching.store(team.contract.deaf() ? 0 : 1, kRelaxed);
    drom_gate.roomy.store(team.cpus < team.first_cpus ? team.cpus : UINT32_MAX, kRelaxed);
}

/// The decision is what the program knows from now on. The next region start sets it, if that has not been done.
uint32_t promise(const Decision& decision) noexcept {
    const uint32_t before = client::page().team_size.exchange(decision.size);
    acknowledge(decision, before);
    update_attention();
    return decision.size;
}

/// Threads share CPUs: those of this team, or those of the teams inside it, which do not shrink with it.
bool shares_cpus(uint32_t size) noexcept {
    if (size > team.cpus) return true;
    const auto levels = team.runtime.max_active_levels;
    return team.cpus < team.first_cpus && levels != nullptr && levels() > 1;
}

/// Makes the team what the contract says.
void follow(const Decision& decision) noexcept {
    resize(decision.size);
    drom_gate.team_size.store(decision.size, kRelaxed);
    if (team.drain == Drain::Settling && now_ns() >= team.settled_ns) team.drain = Drain::None;
    if (team.drain == Drain::None) team.runtime.waiting.yield(shares_cpus(decision.size));
    promise(decision);
}

void at_exit() noexcept {
    const Turn turn;
    if (turn.mine() && is_primary() && team.runtime.level() == 0) resize(team.contract.size());
    retire();
}

/// A region with more threads than CPUs by its own clause: they yield while it runs.
void yield_for_clause(uint32_t clause) noexcept {
    team.clause = 0;
    team.crowded = clause > team.cpus;
    if (!team.crowded) return;
    team.runtime.waiting.yield(true);
    update_attention();
}

/// Placing is due: the plan is made, and the team runs through the thunk.
bool place(const Decision& decision) noexcept {
    if (team.adopted.seq == 0 || !pinning::is_due(decision.size, team.adopted.mask)) return false;
    pinning::plan(decision.size, team.adopted.mask);
    return true;
}

bool same_runtime(const void* function) noexcept {
    if (team.runtime.object.holds(function) || team.runtime.is_shadowed) return true;
    team.contract.fix_all("the program uses two OpenMP runtimes");
    return false;
}

}  // namespace

// ---- doors ---------------------------------------------------------------------------------------------------------------------

bool is_only_agent() noexcept {
    const void* first = dlsym(RTLD_DEFAULT, "drom_agent_loaded");
    return first == nullptr || runtime::is_ours(first);
}

bool has_runtime() noexcept {
    return team.ready.load(std::memory_order_acquire) || runtime::real<int()>(Name::MaxThreads, nullptr) != nullptr;
}

void use_callbacks() noexcept { team.callbacks = true; }

const void* region_entry(const void* function, const Entry& entry) noexcept {
    if (team.callbacks != (entry.door == DROM_DOOR_OMPT)) return function;
    const Turn turn;
    if (!turn.mine() || !claim(entry.runtime, true, entry.door)) return function;
    client::add_doors(entry.door);
    const auto address = reinterpret_cast<uintptr_t>(function);
    if (team.runtime.level() != 0 || !same_runtime(entry.runtime)) {
        drom_known[known_index(function)].store(address, kRelaxed);
        return function;
    }
    count(*drom_gate.regions.load(kRelaxed));
    take_notes();
    if (!leaves_it_to_the_program()) adopt(Moment::Boundary);
    team.last_party = party_of(function);
    team.last_door = entry.door;
    const Decision decision = team.contract.region(team.last_party, address);
    follow(decision);
    yield_for_clause(entry.clause != 0 ? entry.clause : team.clause);
    drom_known[known_index(function)].store(address, kRelaxed);
    if (team.drain == Drain::Asked) team.drain = Drain::Running;
    if (!place(decision)) return function;
    drom_gate.placing = function;
    update_attention();
    return entry.thunk;
}

void expect_team(uint32_t threads) noexcept {
    const Turn turn;
    if (!turn.mine() || !is_primary() || team.runtime.level() != 0) return;
    team.clause = threads;
    drom_gate.attention.store(1, kRelaxed);
}

void uses_teams(const void* runtime) noexcept {
    const Turn turn;
    if (!turn.mine() || !claim(runtime, true, 0)) return;
    team.contract.fix_all("the program uses leagues of teams");
    if (team.runtime.level() == 0) follow(team.contract.between(team.last_party));
}

void place_thread(uint32_t index) noexcept { pinning::place_thread(index); }

void place_this_thread() noexcept { pinning::place_thread(static_cast<uint32_t>(team.runtime.thread_num())); }

void between_regions() noexcept {
    if (!is_primary()) return;
    const Turn turn;
    if (!turn.mine() || team.runtime.level() != 0) return;
    take_notes();
    if (!leaves_it_to_the_program()) adopt(Moment::Boundary);
    follow(team.contract.between(team.last_party));
}

bool queries_are_seen() noexcept { return runtime::is_ours(dlsym(RTLD_DEFAULT, "omp_get_max_threads")); }

// ---- queries -------------------------------------------------------------------------------------------------------------------

namespace {

using Query = int();

/// A thread that is not the primary one, or that is inside a region, was answered `answer`.
void note_answer(int answer, const void* site, bool team_size) noexcept {
    if (drom_gate.watching.load(std::memory_order_acquire) == 0) return;
    const auto address = reinterpret_cast<uintptr_t>(site);
    if (notes.knows(address)) return;
    const auto size = static_cast<uint32_t>(answer);
    if (size != drom_gate.team_size.load(kRelaxed))
        return;  // not what we decide about: a clause, a nested region, a limit
    if (team.runtime.level() == 0) return;
    notes.add({address, size, team_size});
    drom_gate.attention.store(1, kRelaxed);
}

/// True when the calling thread is the primary one, outside regions; everything that happened before is known to the contract.
bool asks_outside(const void* function) noexcept {
    if (!claim(function, false, DROM_DOOR_QUERY) || !same_runtime(function) || team.runtime.level() != 0) return false;
    count(client::page().queries);
    client::add_doors(DROM_DOOR_QUERY);
    take_notes();
    if (!leaves_it_to_the_program()) adopt(Moment::Question);
    return true;
}

contract::Site site_of(const void* site, const void* frame) noexcept {
    return {reinterpret_cast<uintptr_t>(site), reinterpret_cast<uintptr_t>(frame), regions()};
}

bool may_ask(const void* primary) noexcept {
    return primary == this_thread() || drom_gate.claimable.load(kRelaxed) != 0;
}

}  // namespace

int max_threads(const void* site, const void* frame) noexcept {
    auto* real = runtime::real<Query>(Name::MaxThreads, site);
    if (real == nullptr) return 1;
    if (may_ask(drom_gate.primary.load(kRelaxed))) {
        const Turn turn;
        if (turn.mine() && asks_outside(reinterpret_cast<const void*>(real))) {
            return static_cast<int>(promise(team.contract.asked_max(party_of(site), site_of(site, frame))));
        }
    }
    const int answer = real();
    note_answer(answer, site, false);
    return answer;
}

int num_procs(const void* site, const void* frame) noexcept {
    auto* real = runtime::real<Query>(Name::NumProcs, site);
    if (real == nullptr) return 1;
    if (may_ask(drom_gate.primary.load(kRelaxed))) {
        const Turn turn;
        if (turn.mine() && asks_outside(reinterpret_cast<const void*>(real)))
            promise(team.contract.asked_procs(party_of(site), site_of(site, frame)));
    }
    // What it was at the start, whatever the CPUs are now: by then every thread has the same answer.
    const bool ready = team.ready.load(std::memory_order_acquire);
    return ready && team.runtime.object.holds(reinterpret_cast<const void*>(real)) ? team.num_procs : real();
}

int num_threads(const void* site) noexcept {
    auto* real = runtime::real<Query>(Name::NumThreads, site);
    if (real == nullptr) return 1;
    const int answer = real();
    note_answer(answer, site, true);
    return answer;
}

void set_num_threads(int size, const void* site) noexcept {
    auto* real = runtime::real<void(int)>(Name::SetNumThreads, site);
    if (real == nullptr) return;
    if (size > 0 && may_ask(drom_gate.primary.load(kRelaxed))) {
        const Turn turn;
        if (turn.mine() && asks_outside(reinterpret_cast<const void*>(real))) {
            follow(team.contract.told(party_of(site), static_cast<uint32_t>(size)));
            client::page().start_size.store(team.contract.start_size(), kRelaxed);
            if (size > 1 && env::flag("DROM_ASYNC", true)) client::start_agent();
            return;
        }
    }
    real(size);
}

}  // namespace safe_point

bool apply_now() noexcept {
    using namespace safe_point;
    const Turn turn;
    const auto* function = reinterpret_cast<const void*>(runtime::real<Query>(Name::MaxThreads, nullptr));
    if (!turn.mine() || function == nullptr || !claim(function, true, 0) || team.runtime.level() != 0) return false;
    take_notes();
    adopt(Moment::Boundary);
    follow(team.contract.between(team.last_party));
    return team.acknowledged == team.adopted.seq && !client::pending();
}

}  // namespace drom
