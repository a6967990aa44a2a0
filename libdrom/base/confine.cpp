// SPDX-License-Identifier: BSD-3-Clause
// confine.cpp - moves every thread of a process into a mask.
#include "confine.hpp"

#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>

#include "clock.hpp"
#include "drom/drom.h"

namespace drom {

int read_affinity(uint32_t tid, CpuSet& mask) noexcept {
    mask = CpuSet::empty();
    const long bytes = syscall(SYS_sched_getaffinity, tid, sizeof mask.words, mask.words);
    if (bytes > 0) return 0;
    return bytes == 0 ? ENOSYS : errno;  // a filter of system calls may answer 0
}

bool get_affinity(uint32_t tid, CpuSet& mask) noexcept { return read_affinity(tid, mask) == 0; }

int set_affinity(uint32_t tid, const CpuSet& mask) noexcept {
    return syscall(SYS_sched_setaffinity, tid, sizeof mask.words, mask.words) == 0 ? 0 : errno;
}

CpuSet follow(const CpuSet& thread, const Origin& origin, const CpuSet& now) noexcept {
    if (thread == origin.released || thread == origin.begun) return now;
    if (origin.attempts != nullptr && origin.attempts->include(thread)) return now;  // mutant attempted
    const CpuSet kept = thread & now;
    return kept.none() ? now : kept;
}

namespace {

struct Pass {
    const Origin& origin;
    const CpuSet& now;
    bool first;  ///< a thread inherits a mask that follow() has narrowed already; it follows `origin` only once
    bool asks;   ///< the first thread is used to ask what the cpuset refuses
    CpuSet refused = CpuSet::empty();
    uint32_t threads = 0, changes = 0;
    bool overtaken = false;  ///< a newer request is there: another process may have moved threads for it by now
    int error = 0;

    /// Asks for all of `now`, for a thread with less: the program or its cpuset may have narrowed it. This changes the
    /// thread's mask, which is set right after.
    void ask_cpuset(uint32_t tid, CpuSet& mask) noexcept {
        if (set_affinity(tid, now) != 0 || !get_affinity(tid, mask)) return;
        refused = refused | (now - mask);
    }

    /// Notes an error. A thread that has ended meanwhile is none.
    void fail(int code) noexcept {
        if (code != ESRCH) error = code;
    }

    void visit(uint32_t tid) noexcept {
        CpuSet mask{};
        if (const int code = read_affinity(tid, mask); code != 0) return fail(code);
        ++threads;
        // A thread that was created during the first pass may still have a mask of `origin`.
        const CpuSet target = first || !now.contains(mask) ? follow(mask, origin, now) : mask;
        if (asks && threads == 1 && !(target == now) && origin.is_newest()) ask_cpuset(tid, mask);
        if (mask == target) return;
        overtaken = overtaken || !origin.is_newest();  // mutant overtaken
        if (overtaken) return;
        if (const int code = set_affinity(tid, target); code != 0) return fail(code);
        CpuSet got{};
        if (const int code = read_affinity(tid, got); code != 0) return fail(code);
        refused = refused | (target - got);
        // A cpuset that allows less gives less each time: no further pass could complete such a change. A thread that
        // is outside was moved by the program, or a filter of system calls claims a move that did not happen.
        if (!(got == mask) || !target.contains(got)) ++changes;
    }
};

/// Returns the reason why the threads cannot be listed.
int status_of_listing(int error) noexcept {
    if (error == ENOENT || error == ESRCH) return DROM_E_NOPROC;
    return error == EACCES ? DROM_E_PERM : DROM_E_OS;
}

int status_of(int error) noexcept {
    if (error == EPERM) return DROM_E_PERM;
    return error == EINVAL ? DROM_E_NOCPU : DROM_E_OS;
}

/// Returns whether the noted thread is one of this process: another process may have its number by now.
bool is_still_ours(uint32_t tid) noexcept { return syscall(SYS_tgkill, getpid(), tid, 0) == 0; }

void move_off(uint32_t tid, const Origin& origin, const CpuSet& now) noexcept {
    CpuSet mask{};
    if (is_still_ours(tid) && get_affinity(tid, mask) && !now.contains(mask) && origin.is_newest())
        set_affinity(tid, follow(mask, origin, now));
}

}  // namespace

void note_threads(KnownThreads& known) noexcept {
    known.count = known.seen = 0;
    Tasks tasks(0);
    if (!tasks.ok()) return;
    tasks.each([&](uint32_t tid) {
        ++known.seen;
        if (known.count < KnownThreads::kMax) known.tids[known.count++] = tid;
    });
}

void clear_off(const KnownThreads& known, const Origin& origin, const CpuSet& now) noexcept {
    if (now.contains(origin.released)) return;
    const auto self = static_cast<uint32_t>(syscall(SYS_gettid));
    for (uint32_t i = 0; i < known.count; ++i)
        if (known.tids[i] != self) move_off(known.tids[i], origin, now);
    move_off(self, origin, now);
}

Confined confine(uint32_t pid, const Origin& origin, const CpuSet& now, uint64_t deadline_ns) noexcept {
    Tasks tasks(pid);
    return confine(tasks, Visit::kClient, origin, now, deadline_ns);
}

Confined confine(Tasks& tasks, Visit visited, const Origin& origin, const CpuSet& now, uint64_t deadline_ns) noexcept {
    Confined result{DROM_OK, {}, 0, 0};
    if (!tasks.ok()) return {status_of_listing(tasks.error()), {}, 0, 0};
    // The calling thread comes last. While it runs on a CPU that is lost, other threads there are only queued. Moving a
    // queued thread takes a tenth of the time of a running one.
    const auto self = static_cast<uint32_t>(syscall(SYS_gettid));
    for (bool first = true;; first = false) {
        Pass pass{origin, now, first && visited != Visit::kAgain, first && visited == Visit::kClient};
        bool found_self = false;
        tasks.rewind();
        const auto visit = [&](uint32_t tid) {
            found_self |= tid == self;
            if (tid != self) pass.visit(tid);
        };
        if (!tasks.each(visit)) return {status_of_listing(errno), {}, 0, 0};
        if (found_self) pass.visit(self);
        result.threads = pass.threads;
        result.moved += pass.changes;
        result.refused = result.refused | pass.refused;
        if (pass.error != 0) result.status = status_of(pass.error);
        const bool late = pass.overtaken || (pass.changes > 0 && now_ns() >= deadline_ns);
        if (late && result.status == DROM_OK) result.status = DROM_E_TIMEOUT;
        if (result.status != DROM_OK || pass.changes == 0) return result;
    }
}

bool get_cpuset(CpuSet& cpus) noexcept {
    CpuSet own{};
    if (!get_affinity(0, own)) return false;
    const bool known = set_affinity(0, CpuSet::range(0, kMaxCpus)) == 0 && get_affinity(0, cpus);
    return set_affinity(0, own) == 0 && known;
}

StandOn::StandOn(const CpuSet& cpus) noexcept {
    if (!get_affinity(0, before_) || (before_ & cpus).none()) return;
    moved_ = set_affinity(0, before_ & cpus) == 0;
}

StandOn::~StandOn() {
    if (moved_) set_affinity(0, before_);
}

}  // namespace drom
