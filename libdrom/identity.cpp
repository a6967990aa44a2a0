// SPDX-License-Identifier: BSD-3-Clause
// identity.cpp - who a process is, and whether it still lives.
#include "identity.hpp"

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

namespace drom {

namespace {

/// Reads a small /proc file of one line without stdio; returns the length, or -errno. Half a line is none.
int read_file(const char* path, char* out, size_t size) noexcept {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -errno;
    const ssize_t length = read(fd, out, size - 1);
    const int error = errno;
    close(fd);
    if (length < 0) return -error;
    if (length == 0 || out[length - 1] != '\n') return -EIO;
    out[length] = '\0';
    return static_cast<int>(length);
}

struct Stat {
    char state;
    uint64_t start;
};

/// Fields 3 and 22 of /proc/PID/stat; the command in field 2 may hold anything, so count from its last ')'.
int read_stat(uint32_t pid, Stat& out) noexcept {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    char text[1024];
    const int length = read_file(path, text, sizeof text);
    if (length < 0) return length;
    const char* field = strrchr(text, ')');
    if (field == nullptr || field[1] != ' ') return -EINVAL;
    field += 2;
    out.state = *field;
    for (int number = 3; number < 22; ++number) {
        field = strchr(field, ' ');
        if (field == nullptr) return -EINVAL;
        ++field;
    }
    out.start = strtoull(field, nullptr, 10);
    return 0;
}

constexpr auto kRelaxed = std::memory_order_relaxed;

struct Cache {
    std::atomic<uint32_t> pid;  ///< 0: not known yet
    std::atomic<uint64_t> start, pidns;
};

/// A page that the kernel empties in every child that gets a copy of it, by whatever call: asking getpid each time whether we are
/// still who we were costs a seventh of a whole drom_set_mask. nullptr where that is not possible (Linux before 4.14).
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

}  // namespace

Who self() noexcept {
    Cache* cache = cache_of_this_process();
    if (cache != nullptr && cache->pid.load(std::memory_order_acquire) != 0)
        return {cache->pid.load(kRelaxed), cache->start.load(kRelaxed), cache->pidns.load(kRelaxed)};
    Stat stat{};
    Who who{static_cast<uint32_t>(getpid()), 0, own_pidns()};
    if (read_stat(who.pid, stat) == 0) who.start = stat.start;
    if (cache == nullptr || who.start == 0 || who.pidns == 0) return who;
    cache->start.store(who.start, kRelaxed);  // racing threads store the same
    cache->pidns.store(who.pidns, kRelaxed);
    cache->pid.store(who.pid, std::memory_order_release);
    return who;
}

int find_process(uint32_t pid, Who& who) noexcept {
    Stat stat{};
    const int status = pid != 0 ? read_stat(pid, stat) : -ENOENT;
    if (status != 0) return status == -ENOENT ? ESRCH : -status;
    if (stat.state == 'Z' || stat.state == 'X') return ESRCH;
    who = {pid, stat.start, self().pidns};
    return 0;
}

bool who_is(uint32_t pid, Who& who) noexcept { return find_process(pid, who) == 0; }

Verdict verdict(const Who& who) noexcept {
    if (who.pid == 0) return Verdict::kDead;
    if (who.pidns != self().pidns) return Verdict::kUnknown;
    if (who.start != 0 && who == self()) return Verdict::kAlive;  // who asks lives
    if (kill(static_cast<pid_t>(who.pid), 0) != 0 && errno == ESRCH) return Verdict::kDead;
    Stat stat{};
    const int status = read_stat(who.pid, stat);
    if (status == -ENOENT || status == -ESRCH) {
        // A mount that hides other users' processes answers ENOENT for the living too: only kill's word counts then.
        return kill(static_cast<pid_t>(who.pid), 0) != 0 && errno == ESRCH ? Verdict::kDead : Verdict::kUnknown;
    }
    if (status != 0) return Verdict::kUnknown;
    const bool other = stat.start != who.start;
    return other || stat.state == 'Z' || stat.state == 'X' ? Verdict::kDead : Verdict::kAlive;
}

void KnownProcess::forget() noexcept {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
}

Verdict KnownProcess::verdict(const Who& who) noexcept {
    // Signal 0 and not poll: a program may have closed the descriptor behind our back, and opened something else under its number.
    if (descriptor_ >= 0 && who == who_ && syscall(SYS_pidfd_send_signal, descriptor_, 0, nullptr, 0) == 0)
        return Verdict::kAlive;
    forget();
    // Before the verdict: if the number passes to another process in between, this one is dead and asked for no more.
    descriptor_ = static_cast<int>(syscall(SYS_pidfd_open, who.pid, 0));
    const Verdict found = drom::verdict(who);
    who_ = who;
    if (found != Verdict::kAlive) forget();
    return found;
}

uint64_t packed(const Who& who) noexcept { return uint64_t{who.pid & 0x3fffff} << 42 | (who.start & 0x3ffffffffff); }

Who unpacked(uint64_t bits) noexcept { return {static_cast<uint32_t>(bits >> 42), bits & 0x3ffffffffff, self().pidns}; }

uint32_t uid_of(uint32_t pid) noexcept {
    char path[32];
    snprintf(path, sizeof path, "/proc/%u", pid);
    struct stat info{};
    return stat(path, &info) == 0 ? info.st_uid : UINT32_MAX;
}

bool read_boot_id(uint64_t& id) noexcept {
    char text[64]{};  // for clang-tidy, which believes that errno may be negative
    const int length = read_file("/proc/sys/kernel/random/boot_id", text, sizeof text);
    id = 0;
    if (length < 0) return length == -ENOENT;
    id = 0xcbf29ce484222325;  // FNV-1a
    for (int i = 0; i < length; ++i) id = (id ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
    return true;
}

}  // namespace drom
