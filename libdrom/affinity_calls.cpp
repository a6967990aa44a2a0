// SPDX-License-Identifier: BSD-3-Clause
// affinity_calls.cpp - the program, or its OpenMP runtime, sets the affinity of its own threads: inside the CPUs it has.
//
// A release confines the threads that there are. LLVM's runtime gives every thread that it creates, or that opens its first region, the
// mask that the process had at its start, and programs pin threads when they like; either would put a thread back on a CPU that was given
// away. So the three calls that set an affinity stand in front of libc's, and do what the kernel does for a process in a cpuset: a thread
// gets what it asked for as far as the process has it. Where the kernel refuses a mask with nothing of the cpuset in it, the
// thread gets all CPUs of the process: the program did nothing wrong, and some end themselves on an error here.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "client.hpp"
#include "drom/drom.h"
#include "ompt/runtime.hpp"

namespace {

using drom::CpuSet;
using Syscall = long(long, ...);

/// The function of this name that our own stands in front of; null when no library has it.
template <class Function>
Function* next(std::atomic<void*>& known, const char* name) noexcept {
    void* function = known.load(std::memory_order_relaxed);
    if (function == nullptr) known.store(function = dlsym(RTLD_NEXT, name), std::memory_order_relaxed);
    return reinterpret_cast<Function*>(function);
}

/// A handler that came now and adopted a request would wait for this thread's AffinityGuard.
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

private:
    sigset_t before_;
};

/// Calls `set` with what of `wanted` this process may use, and with `wanted` where its cpuset allows nothing of that.
template <class Set>
auto set_inside(const CpuSet& wanted, const Set& set) noexcept {
    const SignalsBlocked blocked;
    return drom::client::set_allowed([&](const drom::client::Wanted& allowed) {
        if (allowed.seq == 0) return set(wanted);
        const CpuSet both = wanted & allowed.mask;
        const auto result = set(both.none() ? allowed.mask : both);
        return result == 0 ? result : set(wanted);
    });
}

int not_there() noexcept {
    errno = ENOSYS;
    return -1;
}

CpuSet read_mask(size_t size, const void* mask) noexcept {
    CpuSet set = CpuSet::empty();
    memcpy(set.words, mask, std::min(size, sizeof set.words));
    return set;
}

bool is_own_thread(pid_t tid) noexcept {
    if (tid == 0 || tid == getpid()) return true;
    const int saved = errno;
    const bool own = tid > 0 && syscall(SYS_tgkill, getpid(), tid, 0) == 0;
    errno = saved;
    return own;
}

/// False: the call is not about us, or it is wrong and the kernel says so best. It goes on as it came.
bool concerns_us(pid_t tid, size_t size, const void* mask, const void* caller) noexcept {
    const bool client = drom::client::joined() || drom::client::is_child_of_client();
    return client && drom::client::moves_threads() && mask != nullptr && !drom::runtime::is_ours(caller) &&
           is_own_thread(tid) && !read_mask(size, mask).none();
}

}  // namespace

// Only right in the outermost function, hence a macro.
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

extern "C" {

DROM_EXPORT int sched_setaffinity(pid_t tid, size_t size, const cpu_set_t* mask) noexcept {
    static constinit std::atomic<void*> known{nullptr};
    auto* real = next<int(pid_t, size_t, const cpu_set_t*)>(known, "sched_setaffinity");
    if (real == nullptr) return not_there();
    if (!concerns_us(tid, size, mask, CALLER)) return real(tid, size, mask);
    return set_inside(read_mask(size, mask), [&](const CpuSet& set) {
        return real(tid, sizeof set.words, reinterpret_cast<const cpu_set_t*>(set.words));
    });
}

DROM_EXPORT int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* mask) noexcept {
    static constinit std::atomic<void*> known{nullptr};
    auto* real = next<int(pthread_t, size_t, const cpu_set_t*)>(known, "pthread_setaffinity_np");
    if (real == nullptr) return ENOSYS;
    if (!concerns_us(0, size, mask, CALLER)) return real(thread, size, mask);
    return set_inside(read_mask(size, mask), [&](const CpuSet& set) {
        return real(thread, sizeof set.words, reinterpret_cast<const cpu_set_t*>(set.words));
    });
}

#if defined(__x86_64__)

// affinity_calls.S: libc's syscall(), which LLVM's runtime sets affinities by. Any other number goes straight on.
extern std::atomic<Syscall*> drom_next_syscall;

[[gnu::visibility("hidden"), gnu::used]] long drom_set_affinity(long number, pid_t tid, size_t size, const void* mask,
                                                                const void* caller) {
    Syscall* real = drom_next_syscall.load(std::memory_order_relaxed);
    if (!concerns_us(tid, size, mask, caller)) return real(number, tid, size, mask);
    return set_inside(read_mask(size, mask),
                      [&](const CpuSet& set) { return real(number, tid, sizeof set.words, set.words); });
}

/// Whoever else stands in front of libc's. Before this has run, in the constructors of other libraries, the kernel is called directly:
/// looking a symbol up may allocate, and an allocator may be what called.
[[gnu::constructor]] static void find_next_syscall() {
    if (void* real = dlsym(RTLD_NEXT, "syscall"); real != nullptr)
        drom_next_syscall.store(reinterpret_cast<Syscall*>(real), std::memory_order_relaxed);
}

#endif

}  // extern "C"
