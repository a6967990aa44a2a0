// SPDX-License-Identifier: BSD-3-Clause
// process_identity.cpp - the identity of a process, and whether it still lives.
#include "process_identity.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "clock.hpp"
#include "process_stat.hpp"

namespace drom {

namespace {

/// Returns 0 or errno.
int read_stat_of(uint32_t pid, ProcessStat& stat) noexcept {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    return read_stat(AT_FDCWD, path, stat);
}

constexpr auto kRelaxed = std::memory_order_relaxed;

struct Cache {
    std::atomic<uint32_t> pid;  ///< 0: not known yet
    std::atomic<uint64_t> start, pidns;
    std::atomic<uint32_t> shift_known;
    std::atomic<int64_t> boot_shift_ns, clock_shift_ns;
};

/// Returns a page that the kernel empties in every child that gets a copy of it, by any call. Asking getpid each time
/// whether this still is the same process costs a seventh of a whole drom_set_mask. Returns nullptr where that is not
/// possible (Linux before 4.14).
Cache* cache_of_this_process() noexcept {
    constexpr size_t kSize = 4096;
    static std::atomic<void*> page{nullptr};
    if (void* known = page.load(std::memory_order_acquire); known != nullptr) return static_cast<Cache*>(known);
    void* fresh = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return nullptr;
    void* other = nullptr;
    if (madvise(fresh, kSize, MADV_WIPEONFORK) == 0 && page.compare_exchange_strong(other, fresh))
        return static_cast<Cache*>(fresh);
    munmap(fresh, kSize);
    return static_cast<Cache*>(other);
}

uint64_t own_pidns() noexcept {
    struct stat info{};
    return stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

/// How far the clocks of this process's time namespace are ahead of the machine's.
struct Shift {
    bool known;
    int64_t boot_ns, clock_ns;
};

Shift read_shift() noexcept {
    constexpr ino_t kInitial = 0xeffffffa;  // PROC_TIME_INIT_INO of the kernel
    struct stat own{};
    struct stat children{};
    if (stat("/proc/self/ns/time", &own) != 0) return {errno == ENOENT, 0, 0};  // before Linux 5.6
    if (own.st_ino == kInitial) return {true, 0, 0};
    // Only the shift of the children's clocks can be read. After a call of unshare it is not this process's.
    const bool same = stat("/proc/self/ns/time_for_children", &children) == 0 && children.st_ino == own.st_ino;
    char text[256]{};
    if (!same || read_text(AT_FDCWD, "/proc/self/timens_offsets", text, sizeof text) < 0) return {false, 0, 0};
    long clock_s = 0;
    long clock_ns = 0;
    long boot_s = 0;
    long boot_ns = 0;
    if (sscanf(text, "monotonic %ld %ld boottime %ld %ld", &clock_s, &clock_ns, &boot_s, &boot_ns) != 4)
        return {false, 0, 0};
    return {true, boot_s * 1'000'000'000 + boot_ns, clock_s * 1'000'000'000 + clock_ns};
}

Shift shift() noexcept {
    Cache* cache = cache_of_this_process();
    if (cache != nullptr && cache->shift_known.load(std::memory_order_acquire) != 0)
        return {true, cache->boot_shift_ns.load(kRelaxed), cache->clock_shift_ns.load(kRelaxed)};
    const int saved = errno;
    const Shift found = read_shift();
    errno = saved;
    if (cache == nullptr || !found.known) return found;
    cache->boot_shift_ns.store(found.boot_ns, kRelaxed);
    cache->clock_shift_ns.store(found.clock_ns, kRelaxed);
    cache->shift_known.store(1, std::memory_order_release);
    return found;
}

constexpr int64_t kTickNs = 10'000'000;  // USER_HZ is 100 on every architecture that glibc knows but for alpha and ia64

/// Returns whole ticks: rounded down here, and up below, where a time namespace shifts by part of a tick.
int64_t whole_ticks(int64_t ns) noexcept { return ns / kTickNs - (ns % kTickNs < 0 ? 1 : 0); }
int64_t ticks_or_more(int64_t ns) noexcept { return -whole_ticks(-ns); }

/// Returns the start time that is recorded: the machine's tick, or the one after it. 0 while it is not known.
uint64_t noted_start(uint64_t shown) noexcept {
    const Shift by = shift();
    return by.known ? shown - static_cast<uint64_t>(whole_ticks(by.boot_ns)) : 0;
}

/// Returns whether the start time may be the noted one: the machine's tick, or the one before it. Another process that
/// has the pid by now began later, never earlier.
bool may_be_start(uint64_t shown, const Shift& by, uint64_t noted) noexcept {
    const uint64_t now = shown - static_cast<uint64_t>(ticks_or_more(by.boot_ns));
    return noted >= now && noted - now <= 2;
}

}  // namespace

int64_t clock_shift_ns() noexcept { return shift().clock_ns; }

uint64_t ticks_since_boot() noexcept {
    timespec now{};
    clock_gettime(CLOCK_BOOTTIME, &now);
    const int64_t here = static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
    return static_cast<uint64_t>((here - shift().boot_ns) / kTickNs);
}

uint64_t start_of(const ProcessStat& stat) noexcept { return noted_start(stat.start); }

bool is_same(const ProcessIdentity& a, const ProcessIdentity& b) noexcept {
    const uint64_t apart = a.start > b.start ? a.start - b.start : b.start - a.start;
    return a.pid == b.pid && a.pidns == b.pidns && apart <= 1;
}

ProcessIdentity self() noexcept {
    Cache* cache = cache_of_this_process();
    if (cache != nullptr && cache->pid.load(std::memory_order_acquire) != 0)
        return {cache->pid.load(kRelaxed), cache->start.load(kRelaxed), cache->pidns.load(kRelaxed)};
    ProcessStat stat;
    ProcessIdentity identity{static_cast<uint32_t>(getpid()), 0, own_pidns()};
    if (read_stat_of(identity.pid, stat) == 0) identity.start = noted_start(stat.start);
    if (cache == nullptr || identity.start == 0 || identity.pidns == 0) return identity;
    cache->start.store(identity.start, kRelaxed);  // racing threads store the same
    cache->pidns.store(identity.pidns, kRelaxed);
    cache->pid.store(identity.pid, std::memory_order_release);
    return identity;
}

int find_process(uint32_t pid, ProcessIdentity& identity) noexcept {
    ProcessStat stat;
    const int error = pid != 0 ? read_stat_of(pid, stat) : ESRCH;
    if (error != 0) return error == ENOENT ? ESRCH : error;
    if (stat.has_ended()) return ESRCH;
    identity = {pid, noted_start(stat.start), self().pidns};
    return identity.start != 0 ? 0 : EIO;
}

bool identify(uint32_t pid, ProcessIdentity& identity) noexcept { return find_process(pid, identity) == 0; }

bool first_thread_has_ended(uint64_t& threads) noexcept {
    ProcessStat own;
    if (read_stat(AT_FDCWD, "/proc/self/stat", own) != 0 || own.state != 'Z') return false;
    threads = own.threads;
    return true;
}

bool is_no_process(uint32_t pid) noexcept {
    // Before a look in /proc: a mount that hides other users' processes says also of living ones that there is no such
    // process.
    if (kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return true;
    ProcessStat stat;
    return read_stat_of(pid, stat) == 0 && stat.has_ended();
}

Liveness liveness(const ProcessIdentity& identity) noexcept {
    if (identity.pid == 0) return Liveness::kDead;
    if (identity.pidns != self().pidns) return Liveness::kUnknown;           // mutant pidns
    if (identity.start != 0 && identity == self()) return Liveness::kAlive;  // the calling process lives
    if (kill(static_cast<pid_t>(identity.pid), 0) != 0 && errno == ESRCH) return Liveness::kDead;  // mutant no-process
    ProcessStat stat;
    const int error = read_stat_of(identity.pid, stat);
    if (error == ENOENT || error == ESRCH) {
        // A mount that hides other users' processes answers ENOENT for living ones too: then only the answer of kill
        // counts.
        return kill(static_cast<pid_t>(identity.pid), 0) != 0 && errno == ESRCH ? Liveness::kDead : Liveness::kUnknown;
    }
    return error == 0 ? liveness(identity, stat) : Liveness::kUnknown;
}

Liveness liveness(const ProcessIdentity& identity, const ProcessStat& stat) noexcept {
    const Shift by = shift();
    if (!by.known) return Liveness::kUnknown;
    const bool other = !may_be_start(stat.start, by, identity.start);       // mutant start
    return other || stat.has_ended() ? Liveness::kDead : Liveness::kAlive;  // mutant ended
}

void KnownProcess::forget() noexcept {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
}

Liveness KnownProcess::liveness(const ProcessIdentity& identity) noexcept {
    // Signal 0 and not poll: the program may have closed the descriptor, and opened another file under its number.
    if (descriptor_ >= 0 && identity == identity_ && syscall(SYS_pidfd_send_signal, descriptor_, 0, nullptr, 0) == 0)
        return Liveness::kAlive;
    forget();
    // Before liveness(): if the number passes to another process in between, this one is dead and not asked again.
    descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, identity.pid, 0));
    const Liveness found = drom::liveness(identity);
    identity_ = identity;
    if (found != Liveness::kAlive) forget();
    return found;
}

uint64_t packed(const ProcessIdentity& identity) noexcept {
    return uint64_t{identity.pid & 0x3fffff} << 42 | (identity.start & 0x3ffffffffff);
}

ProcessIdentity unpacked(uint64_t bits) noexcept {
    return {static_cast<uint32_t>(bits >> 42), bits & 0x3ffffffffff, self().pidns};
}

uint32_t uid_of(uint32_t pid) noexcept {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u", pid);
    struct stat info{};
    return stat(path, &info) == 0 ? info.st_uid : UINT32_MAX;
}

bool read_boot_id(uint64_t& id) noexcept {
    char text[64]{};  // for clang-tidy, which believes that errno may be negative
    const int length = read_text(AT_FDCWD, "/proc/sys/kernel/random/boot_id", text, sizeof text);
    id = 0;
    if (length < 0) return length == -ENOENT;
    id = 0xcbf29ce484222325;  // FNV-1a
    for (int i = 0; i < length; ++i) id = (id ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
    return true;
}

}  // namespace drom
