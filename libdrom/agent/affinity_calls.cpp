// SPDX-License-Identifier: BSD-3-Clause
// affinity_calls.cpp - keeps affinities that the program or its OpenMP runtime sets inside the CPUs of the process.
//
// A release confines the threads that exist. LLVM's runtime gives a thread the mask of the process's start when it
// creates the thread, or when the thread opens its first region. Programs pin threads at any time. Either would put a
// thread back on a CPU that was given away. So the calls that set an affinity come before libc's, and do what the
// kernel does for a process in a cpuset: a thread gets the part of its mask that the process has. The kernel refuses a
// mask without any CPU of the cpuset; here the thread gets all CPUs of the process instead. The program did nothing
// wrong, and some programs end themselves on an error here. A mask of CPUs that the machine does not have is refused,
// as natively: programs count CPUs that way.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

#include "callers.hpp"
#include "client/client.hpp"
#include "client/reserved.hpp"
#include "container/following.hpp"
#include "drom/drom.h"
#include "openmp/objects.hpp"
#include "starting.hpp"

namespace {

using drom::CpuSet;

/// Returns the function of this name that comes after drom's; null when no library has it.
template <class Function>
Function* next(std::atomic<void*>& known, const char* name) noexcept {
    void* function = known.load(std::memory_order_relaxed);
    if (function == nullptr) known.store(function = dlsym(RTLD_NEXT, name), std::memory_order_relaxed);
    return reinterpret_cast<Function*>(function);
}

/// Blocks signals: a handler that adopted a request now would wait for this thread's AffinityGuard.
class SignalsBlocked {
public:
    SignalsBlocked() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    [[nodiscard]] const sigset_t& before() const noexcept { return before_; }

private:
    sigset_t before_;
};

bool takes_part() noexcept { return drom::client::joined() || drom::client::is_child_of_client(); }

/// Returns the CPUs of a process that is no client: those of its container if it follows that, else those of its
/// reservation.
drom::Request told() noexcept {
    return drom::container::follows() ? drom::container::allowed() : drom::client::reserved();
}

/// Sets as client::set_allowed(), for a process that is no client: its affinity is set at any time.
template <class Set>
auto set_told(const Set& set) noexcept {
    for (;;) {
        const drom::Request allowed = told();
        const auto result = set(allowed);
        if (told().seq == allowed.seq) return result;
    }
}

using SetAffinity = int(pid_t, size_t, const cpu_set_t*);

/// Returns libc's sched_setaffinity; null when no library has it.
SetAffinity* next_set_affinity() noexcept {
    static constinit std::atomic<void*> known{nullptr};
    return next<SetAffinity>(known, "sched_setaffinity");
}

/// Sets an affinity past drom's own entry point, of the thread `tid` or the calling one: 0.
int set_affinity(pid_t tid, const CpuSet& set) noexcept {
    auto* real = next_set_affinity();
    return real == nullptr ? -1 : real(tid, sizeof set.words, reinterpret_cast<const cpu_set_t*>(set.words));
}

/// Returns the CPUs of the machine, as far as this process could have them.
CpuSet cpus_there() noexcept {
    if (takes_part()) return drom::client::cpus_of_node();
    return drom::container::follows() ? drom::container::usable_cpus() : drom::client::reserved_node();
}

/// Returns the CPUs for a thread that asks for `wanted` in a process that has `mask`. Returns none, which the kernel
/// refuses, when the machine has none of these CPUs.
CpuSet inside_of(const CpuSet& wanted, const CpuSet& mask) noexcept {
    if (wanted.intersects(mask)) return wanted & mask;
    return wanted.intersects(cpus_there()) ? mask : CpuSet::empty();
}

/// Returns whether the program may have just these CPUs: a quota is for so many, and leaves the choice to it. The masks
/// that an OpenMP runtime sets come from its start, and not from the program.
bool may_choose(const CpuSet& wanted, const CpuSet& mask, bool by_program) noexcept {
    return by_program && !takes_part() && drom::container::follows() && wanted.count() <= mask.count();
}

/// Calls `set` with the part of `wanted` that this process may use, and with `wanted` where its cpuset allows nothing
/// of that.
template <class Set>
[[gnu::noinline]] auto set_inside(const CpuSet& wanted, bool by_program, const Set& set) noexcept {
    const SignalsBlocked blocked;
    const auto inside = [&](const drom::Request& allowed) {
        if (allowed.seq == 0 || may_choose(wanted, allowed.mask, by_program)) return set(wanted);
        const CpuSet both = inside_of(wanted, allowed.mask);
        const auto result = set(both);
        return result == 0 || both.none() ? result : set(wanted);
    };
    return takes_part() ? drom::client::set_allowed(inside) : set_told(inside);
}

/// Returns whether the caller is libdrom.so: its calls are inside the CPUs already, and must not wait for themselves.
bool is_ours(const void* caller) noexcept {
    static constinit drom::Object core{};
    static constinit std::atomic<bool> known{false};
    if (!known.load(std::memory_order_acquire)) {
        core = drom::object_of(reinterpret_cast<const void*>(&drom::client::hot));
        known.store(true, std::memory_order_release);
    }
    return core.holds(caller);
}

int not_there() noexcept {
    errno = ENOSYS;
    return -1;
}

/// Returns how many bytes of a mask the kernel reads: programs pass more room than they have filled, or even own.
size_t bytes_of_mask() noexcept {
    static constinit std::atomic<size_t> known{0};
    size_t bytes = known.load(std::memory_order_relaxed);
    if (bytes != 0) return bytes;
    CpuSet any{};
    const int saved = errno;
    const long filled = syscall(SYS_sched_getaffinity, 0, sizeof any.words, any.words);
    errno = saved;
    bytes = filled > 0 ? static_cast<size_t>(filled) : sizeof any.words;
    known.store(bytes, std::memory_order_relaxed);
    return bytes;
}

void read_mask(size_t size, const void* mask, CpuSet& set) noexcept {
    set = CpuSet::empty();
    memcpy(set.words, mask, std::min(size, bytes_of_mask()));
}

/// Returns whether the mask can be read. A wild pointer gives EFAULT, and must not end the program here. The kernel
/// reads the mask, for a thread that does not exist.
bool is_readable(size_t size, const void* mask) noexcept {
    auto* real = next_set_affinity();
    const int saved = errno;
    const bool readable =
        real == nullptr || real(-1, size, static_cast<const cpu_set_t*>(mask)) == 0 || errno != EFAULT;
    errno = saved;
    return readable;
}

bool is_own_thread(pid_t tid) noexcept {
    if (tid == 0 || tid == getpid()) return true;
    const int saved = errno;
    const bool own = tid > 0 && syscall(SYS_tgkill, getpid(), tid, 0) == 0;
    errno = saved;
    return own;
}

// ---- what the program has set -------------------------------------------------------------------------------------
//
// A mask does not tell whether the program has narrowed it or a request. So what the first thread sets for itself is
// noted: its first region makes the team.

/// Only the first thread uses it. The process is noted, because another thread may be the first one of a forked child.
struct Choice {
    pid_t process;
    bool narrows;  ///< it leaves out CPUs that the process had at that time
    CpuSet wanted;
};

/// Affinities that the program has set, and not its OpenMP runtime.
struct Settings {
    std::atomic<bool> any;     ///< of one of its threads
    std::atomic<bool> others;  ///< of the first thread, by another one
    Choice choice;             ///< of the first thread, by itself
};

/// Two: a child that shares this process's memory (vfork) must not change what that finds here.
constinit Settings own_settings{};
constinit Settings childs_settings{};

Settings& settings() noexcept { return drom::starting::is_forked_child() ? childs_settings : own_settings; }

/// Returns whether it is so in this process, or was in the one that has forked it.
bool is_set(std::atomic<bool> Settings::* what) noexcept {
    return (own_settings.*what).load(std::memory_order_relaxed) || (settings().*what).load(std::memory_order_relaxed);
}

void note_setting() noexcept {
    settings().any.store(true, std::memory_order_relaxed);
    drom::container::forget_base();
}

/// Writes the CPUs of the process's start. Returns false where drom does not know them.
bool start_of_process(CpuSet& cpus) noexcept {
    if (!takes_part() && drom::container::follows()) {
        cpus = drom::container::first_cpus();
        return true;
    }
    if (!takes_part()) return drom::client::start_cpus(cpus);
    cpus = drom::client::first_mask();
    return drom::client::moves_threads();
}

bool is_first_thread() noexcept { return syscall(SYS_gettid) == getpid(); }

drom::Request newest_request() noexcept {
    if (!takes_part()) return told();
    const drom::client::AffinityGuard guard(!drom::client::is_child_of_client());
    return guard.allowed();
}

/// Returns the CPUs that the process has at this moment.
[[gnu::noinline]] CpuSet cpus_now() noexcept {
    const SignalsBlocked blocked;
    const drom::Request allowed = newest_request();
    CpuSet cpus = allowed.mask;
    if (allowed.seq == 0 && !start_of_process(cpus)) cpus = cpus_there();
    return cpus;
}

/// Notes that the program sets the affinity of the calling thread, or of another one. The kernel refuses a mask without
/// any CPU of the machine.
[[gnu::noinline]] void note_choice(bool of_calling_thread, const CpuSet& wanted) noexcept {
    const int saved = errno;
    const bool first = is_first_thread();
    if (!first && !of_calling_thread) settings().others.store(true, std::memory_order_relaxed);
    if (first && of_calling_thread && wanted.intersects(cpus_there())) {
        Choice& choice = settings().choice;
        choice.process = getpid();
        choice.narrows = !wanted.contains(cpus_now());
        choice.wanted = wanted;
    }
    errno = saved;
}

/// Writes the CPUs that the calling thread would have without any request. Returns false where drom does not know that:
/// other threads than the first one have what their creators had.
bool cpus_without_requests(CpuSet& cpus) noexcept {
    if (!start_of_process(cpus)) return false;
    if (!is_set(&Settings::any)) return true;
    if (!is_first_thread() || is_set(&Settings::others)) return false;
    const Choice& childs = childs_settings.choice;
    const Choice& choice = childs.process == getpid() ? childs : own_settings.choice;
    if (choice.process != 0 && choice.process != getpid()) return false;
    if (!choice.narrows) return true;
    const CpuSet wanted = choice.wanted & cpus_there();
    cpus = may_choose(wanted, cpus, true) ? wanted : inside_of(wanted, cpus);
    return true;
}

/// Returns whether requests move this thread of another process, as those of a script's jobs (taskset -p).
bool is_moved_with_us(pid_t tid) noexcept {
    if (tid <= 0) return false;
    const int saved = errno;
    const auto thread = static_cast<uint32_t>(tid);
    const bool moved = takes_part() ? drom::client::is_in_client(thread)
                                    : !drom::container::follows() && drom::client::is_in_reservation(thread);
    errno = saved;
    return moved;
}

bool is_confined() noexcept { return takes_part() ? drom::client::moves_threads() : told().seq != 0; }

bool is_calling_thread(pid_t tid) noexcept { return tid == 0 || syscall(SYS_gettid) == tid; }

/// Notes a call that sets affinities. Returns whether drom carries it out. Otherwise the call goes on unchanged: it is
/// about another client or a stranger, or drom confines nothing here, or the call is wrong and the kernel refuses it
/// best.
[[gnu::noinline]] bool accept_setting(pid_t tid, bool of_calling_thread, size_t size, const void* mask,
                                      const void* caller, CpuSet& wanted) noexcept {
    if (mask == nullptr || is_ours(caller) || !is_readable(size, mask)) return false;
    read_mask(size, mask, wanted);
    if (wanted.none()) return false;
    const bool own = is_own_thread(tid);
    if (own && !drom::callers::called_by_runtime(caller)) {
        note_setting();
        note_choice(of_calling_thread, wanted);
    }
    return is_confined() && (own || is_moved_with_us(tid));  // mutant moved-with-us
}

/// Returns whether LLVM's runtime counts CPUs, at the first region or when the program first asks for the number. Its
/// default team keeps the size of that count, and a request may have come before, even before the program. So the
/// runtime gets the CPUs that the thread would have without any request; those of the process's start where drom does
/// not know. The team has the size that it has without any request.
bool counts_cpus(pid_t tid, const void* mask, const void* caller) noexcept {
    return mask != nullptr && (tid == 0 || tid == getpid()) && drom::callers::called_by_runtime(caller);
}

/// Returns whether libgomp counts CPUs, which it does each time that the program asks for their number; it gets the
/// same answer as LLVM's runtime. Where drom does not know, it gets the kernel's.
bool counts_own_cpus(pthread_t thread, const void* mask, const void* caller) noexcept {
    return pthread_equal(thread, pthread_self()) != 0 && counts_cpus(0, mask, caller);
}

/// Returns whether a library counts CPUs for its pool of threads, which it does once: OpenBLAS as it is loaded, oneTBB
/// at its first use. A request may have come before. The pool is as large as without any request then, and so the
/// results are the same. Where drom does not know, it gets the kernel's answer, as libgomp does.
bool counts_for_pool(pid_t tid, const void* caller) noexcept {
    return (tid == 0 || tid == getpid()) && drom::callers::called_by_pool(caller);
}

/// Returns whether the kernel writes into so many bytes. It refuses too few, and libgomp tries more then.
bool has_room(size_t size) noexcept {
    CpuSet any{};
    const int saved = errno;
    const bool room = syscall(SYS_sched_getaffinity, 0, std::min(size, sizeof any.words), any.words) > 0;
    errno = saved;
    return room;
}

/// Writes as much of the mask as the caller has room for. The kernel refuses a room that is too small (EINVAL).
void write_mask(const CpuSet& set, size_t size, void* mask) noexcept {
    const size_t known = std::min(size, sizeof set.words);
    memcpy(mask, set.words, known);  // not after a memset of all: another thread may be reading
    memset(static_cast<char*>(mask) + known, 0, size - known);
}

// Not inlined into syscall(), which has to do with little stack for every other number.

/// Answers LLVM's runtime, which counts CPUs.
[[gnu::noinline]] void write_count(size_t size, void* mask) noexcept {
    CpuSet counted{};
    if (cpus_without_requests(counted) || start_of_process(counted)) write_mask(counted, size, mask);
}

using SystemCall = long(long, ...);

[[gnu::noinline]] long set_by_number(SystemCall* real, pid_t tid, size_t size, const void* mask,
                                     const void* caller) noexcept {
    CpuSet wanted{};
    if (!accept_setting(tid, is_calling_thread(tid), size, mask, caller, wanted))
        return real(SYS_sched_setaffinity, tid, size, mask);
    return set_inside(wanted, !drom::callers::called_by_runtime(caller),
                      [&](const CpuSet& set) { return real(SYS_sched_setaffinity, tid, sizeof set.words, set.words); });
}

/// Returns the CPUs of the attributes; false: none, or all possible ones.
bool bound_to(const pthread_attr_t& attributes, CpuSet& cpus) noexcept {
    cpus = CpuSet::empty();
    if (pthread_attr_getaffinity_np(&attributes, sizeof cpus.words, reinterpret_cast<cpu_set_t*>(cpus.words)) != 0)
        return false;
    return !cpus.none() && cpus.count() < drom::kMaxCpus;
}

// ---- threads that are bound as they are created -------------------------------------------------------------------
//
// set_allowed() calls again while the mask changes, but a thread can be created only once. So it is bound to the CPUs
// of the process at its creation, and looks again itself, before it runs any code of the program. An administrator that
// posts later finds it listed.

struct Started {
    void* (*start)(void*);
    void* argument;
};

struct Bound {
    Started started;
    CpuSet wanted;     ///< the program's mask
    bool by_program;   ///< and not by its OpenMP runtime
    sigset_t signals;  ///< blocked in the new thread; all are blocked while it is created
    uint64_t seq;      ///< of the request by which it was bound
};

/// Looks again, frees `bound`, and returns what the thread runs. Signals come after that.
[[gnu::noinline]] Started look_again(Bound* bound) noexcept {
    if (newest_request().seq != bound->seq)
        set_inside(bound->wanted, bound->by_program, [](const CpuSet& set) { return set_affinity(0, set); });
    const Started started = bound->started;
    const sigset_t signals = bound->signals;
    free(bound);
    pthread_sigmask(SIG_SETMASK, &signals, nullptr);
    return started;
}

/// Runs in the new thread, and holds little of its stack. Not noexcept: pthread_exit unwinds through it.
void* start_bound(void* bound) {
    const Started started = look_again(static_cast<Bound*>(bound));
    return started.start(started.argument);
}

/// Returns the blocked signals of the attributes, or the creating thread's.
sigset_t signals_of(const pthread_attr_t& attributes, const sigset_t& creators) noexcept {
    sigset_t signals = creators;
#if __GLIBC_PREREQ(2, 32)
    if (pthread_attr_getsigmask_np(&attributes, &signals) != 0) return creators;
#endif
    return signals;
}

/// Copies attributes. A plain copy would share the memory that they point to.
bool copy_with(const pthread_attr_t& from, const CpuSet& cpus, pthread_attr_t& to) noexcept {
    int detached = 0;
    size_t guard = 0;
    size_t size = 0;
    void* stack = nullptr;
    pthread_attr_getdetachstate(&from, &detached);
    pthread_attr_getguardsize(&from, &guard);
    pthread_attr_getstack(&from, &stack, &size);
    int inherits = 0;
    int policy = 0;
    sched_param priority{};
    pthread_attr_getinheritsched(&from, &inherits);
    pthread_attr_getschedpolicy(&from, &policy);
    pthread_attr_getschedparam(&from, &priority);
    if (pthread_attr_init(&to) != 0) return false;
    pthread_attr_setdetachstate(&to, detached);
    pthread_attr_setguardsize(&to, guard);
    // Without a stack of its own the attributes' stack address is null less the size.
    const bool own_stack = reinterpret_cast<uintptr_t>(stack) + size != 0;
    if (own_stack)
        pthread_attr_setstack(&to, stack, size);
    else if (size != 0)
        pthread_attr_setstacksize(&to, size);
    pthread_attr_setinheritsched(&to, inherits);
    pthread_attr_setschedpolicy(&to, policy);
    pthread_attr_setschedparam(&to, &priority);
    if (pthread_attr_setaffinity_np(&to, sizeof cpus.words, reinterpret_cast<const cpu_set_t*>(cpus.words)) == 0)
        return true;
    pthread_attr_destroy(&to);
    return false;
}

using Create = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);

/// Creates the thread, which owns `bound` from then on, unless none was created.
int create_inside(Create* real, pthread_t* thread, const pthread_attr_t& attributes, Bound* bound) noexcept {
    const SignalsBlocked blocked;
    bound->signals = signals_of(attributes, blocked.before());
    const auto create = [&](const drom::Request& allowed) {
        const bool free = allowed.seq == 0 || may_choose(bound->wanted, allowed.mask, bound->by_program);
        const CpuSet cpus = free ? bound->wanted : inside_of(bound->wanted, allowed.mask);
        bound->seq = allowed.seq;
        pthread_attr_t inside;
        if (!copy_with(attributes, cpus, inside)) return EAGAIN;
        const int code = real(thread, &inside, start_bound, bound);
        pthread_attr_destroy(&inside);
        return code;
    };
    if (!takes_part()) return create(told());
    const drom::client::AffinityGuard guard(!drom::client::is_child_of_client());
    return create(guard.allowed());
}

/// Creates a thread, inside the CPUs of the process if the attributes bind it.
[[gnu::noinline]] int create_with(Create* real, pthread_t* thread, const pthread_attr_t& attributes,
                                  const Started& started, const void* caller) noexcept {
    const auto create = [&] { return real(thread, &attributes, started.start, started.argument); };
    CpuSet wanted{};
    if (!bound_to(attributes, wanted)) return create();
    const bool by_program = !drom::callers::called_by_runtime(caller);
    if (by_program) note_setting();
    if (!is_confined()) return create();
    auto* bound = static_cast<Bound*>(malloc(sizeof(Bound)));
    if (bound == nullptr) return EAGAIN;
    bound->started = started;
    bound->wanted = wanted;
    bound->by_program = by_program;
    const int code = create_inside(real, thread, attributes, bound);
    if (code != 0) free(bound);
    // The kernel refuses a wrong mask best.
    return code == EINVAL ? create() : code;
}

}  // namespace

// Only right in the outermost function, hence a macro.
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

extern "C" {

DROM_EXPORT int sched_setaffinity(pid_t tid, size_t size, const cpu_set_t* mask) noexcept {
    auto* real = next_set_affinity();
    if (real == nullptr) return not_there();
    CpuSet wanted{};
    if (!accept_setting(tid, is_calling_thread(tid), size, mask, CALLER, wanted)) return real(tid, size, mask);
    const bool by_program = !drom::callers::called_by_runtime(CALLER);
    return set_inside(wanted, by_program, [&](const CpuSet& set) { return set_affinity(tid, set); });
}

DROM_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* mask) noexcept {
    static constinit std::atomic<void*> known{nullptr};
    auto* real = next<int(pthread_t, size_t, const cpu_set_t*)>(known, "pthread_setaffinity_np");
    if (real == nullptr) return ENOSYS;
    const bool of_calling_thread = pthread_equal(thread, pthread_self()) != 0;
    CpuSet wanted{};
    if (!accept_setting(0, of_calling_thread, size, mask, CALLER, wanted)) return real(thread, size, mask);
    return set_inside(wanted, !drom::callers::called_by_runtime(CALLER), [&](const CpuSet& set) {
        return real(thread, sizeof set.words, reinterpret_cast<const cpu_set_t*>(set.words));
    });
}

DROM_EXPORT int sched_getaffinity(pid_t tid, size_t size, cpu_set_t* mask) noexcept {
    static constinit std::atomic<void*> known{nullptr};
    auto* real = next<int(pid_t, size_t, cpu_set_t*)>(known, "sched_getaffinity");
    if (real == nullptr) return not_there();
    const int code = real(tid, size, mask);  // also for a pool: the kernel refuses a wrong pointer, or too little room
    CpuSet counted{};
    if (code == 0 && counts_for_pool(tid, CALLER) && cpus_without_requests(counted)) write_mask(counted, size, mask);
    return code;
}

DROM_EXPORT int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* mask) noexcept {
    static constinit std::atomic<void*> known{nullptr};
    auto* real = next<int(pthread_t, size_t, cpu_set_t*)>(known, "pthread_getaffinity_np");
    if (real == nullptr) return ENOSYS;
    CpuSet counted{};
    const bool counts = counts_own_cpus(thread, mask, CALLER) && has_room(size) && cpus_without_requests(counted);
    if (!counts) return real(thread, size, mask);
    // libgomp has one mask for all threads that count: it must not hold the kernel's answer, even for a moment.
    write_mask(counted, size, mask);
    return 0;
}

/// Answers LLVM's runtime, which sets and counts by numbers. Passes every other number straight on, with six arguments
/// whether given or not, as libc does it.
DROM_EXPORT long syscall(long number, ...) noexcept {
    static constinit std::atomic<void*> known{nullptr};
    va_list list;
    va_start(list, number);
    long argument[6];
    for (long& each : argument) each = va_arg(list, long);
    va_end(list);
    auto* real = next<SystemCall>(known, "syscall");
    if (real == nullptr) return not_there();
    const auto tid = static_cast<pid_t>(argument[0]);
    const auto size = static_cast<size_t>(argument[1]);
    auto* mask = reinterpret_cast<void*>(argument[2]);
    if (number == SYS_sched_getaffinity && counts_cpus(tid, mask, CALLER)) {
        const long filled = real(number, tid, size, mask);
        if (filled > 0) write_count(static_cast<size_t>(filled), mask);
        return filled;
    }
    if (number == SYS_sched_setaffinity) return set_by_number(real, tid, size, mask, CALLER);
    return real(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

/// Creates a thread inside the CPUs of the process: libgomp binds threads for good as it creates them.
DROM_EXPORT int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                               void* argument) noexcept {
    static constinit std::atomic<void*> known{nullptr};
    auto* real = next<Create>(known, "pthread_create");
    if (real == nullptr) return EAGAIN;
    if (is_ours(CALLER)) return real(thread, attributes, start, argument);
    drom::starting::before_thread(CALLER);
    if (attributes == nullptr) return real(thread, attributes, start, argument);
    return create_with(real, thread, *attributes, {start, argument}, CALLER);
}

/// Creates a thread as C11 has it, which has no attributes. glibc's does not call pthread_create by its name.
DROM_EXPORT int thrd_create(thrd_t* thread, thrd_start_t start, void* argument) {
    static constinit std::atomic<void*> known{nullptr};
    auto* real = next<int(thrd_t*, thrd_start_t, void*)>(known, "thrd_create");
    if (real == nullptr) return thrd_error;
    drom::starting::before_thread(CALLER);
    return real(thread, start, argument);
}

}  // extern "C"
