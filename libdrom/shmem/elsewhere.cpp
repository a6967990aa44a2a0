// SPDX-License-Identifier: BSD-3-Clause
// elsewhere.cpp - a look at every process of the machine, for the clients of other pid namespaces.
#include "elsewhere.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "base/tasks.hpp"
#include "claims.hpp"

namespace drom {

namespace {

constexpr uint64_t kInitial = 0xeffffffc;  // PROC_PID_INIT_INO of the kernel: the namespace above all others
constexpr uint64_t kPeriod = 1000 * kMillisecond;
std::atomic<uint64_t> next_look_ns{0};
/// For each slot, the pid here of a process that the slot lived in the last time: the first one to look at.
std::atomic<uint32_t> last_seen[kMaxClients];

bool is_elsewhere(const ProcessIdentity& identity) noexcept {
    return identity.pid != 0 && identity.pidns != self().pidns;
}

bool may_have_ended(const ProcessIdentity& identity) noexcept {
    return is_elsewhere(identity) ? identity.start != 0 && identity.pidns != 0 : liveness(identity) == Liveness::kDead;
}

/// Returns whether a process with this start time may be the client: two time namespaces round differently.
bool began_as(uint64_t start, const ProcessIdentity& identity) noexcept {
    return (start > identity.start ? start - identity.start : identity.start - start) <= 2;
}

/// Returns whether a mount of /proc has an option that hides processes. All mounts are asked, because the one in use is
/// not known.
bool hides(const char* mounts) noexcept {
    return strstr(mounts, "hidepid=") != nullptr || strstr(mounts, "subset=") != nullptr;
}

/// Returns whether every process of this namespace is shown, those of other users included.
bool shows_all(int proc) noexcept {
    char number[16]{};
    if (readlinkat(proc, "self", number, sizeof number - 1) <= 0 || strtol(number, nullptr, 10) != getpid())
        return false;
    const int mounts = openat(proc, "self/mounts", O_RDONLY | O_CLOEXEC);
    if (mounts < 0) return false;
    constexpr size_t kOverlap = 16;  // longer than either word
    char text[kOverlap + 2048 + 1];
    size_t kept = 0;
    bool hidden = false;
    ssize_t length = read(mounts, text, sizeof text - 1);
    const bool any = length > 0;
    for (; length > 0 && !hidden; length = read(mounts, text + kept, sizeof text - 1 - kept)) {
        const size_t end = kept + static_cast<size_t>(length);
        text[end] = '\0';
        hidden = hides(text);
        kept = end < kOverlap ? end : kOverlap;
        memmove(text, text + end - kept, kept);
    }
    close(mounts);
    return any && !hidden && length == 0;
}

/// Reads the process's numbers in the namespaces below this one, as /proc/PID/status gives them. Returns false when
/// they cannot be read; an empty text when the process has ended.
bool read_numbers(int proc, uint32_t pid, char (&text)[4096], const char*& numbers) noexcept {
    numbers = "";
    snprintf(text, sizeof text, "%u/status", pid);
    const int status = openat(proc, text, O_RDONLY | O_CLOEXEC);
    if (status < 0) return errno == ENOENT;
    const ssize_t length = read(status, text, sizeof text - 1);
    const int code = errno;
    close(status);
    if (length < 0) return code == ESRCH;
    text[length] = '\0';
    const char* line = strstr(text, "\nNSpid:");
    if (line == nullptr || strchr(line + 1, '\n') == nullptr) return false;
    char* end = nullptr;
    strtoul(line + strlen("\nNSpid:"), &end, 10);  // the process's number here
    numbers = end;
    return true;
}

}  // namespace

void Elsewhere::add(uint32_t slot, uint64_t seen) noexcept {
    const ProcessIdentity client = read_identity(ledger_.slot(slot).client);
    const ProcessIdentity launcher = read_identity(ledger_.slot(slot).launcher);
    if (!is_elsewhere(client) && !is_elsewhere(launcher)) return;
    if (!may_have_ended(client) || !may_have_ended(launcher)) return;
    asked_.add(slot);
    seen_[slot] = seen;
    any_ = true;
}

bool Elsewhere::all_live() const noexcept {
    bool all = true;
    asked_.each([&](uint32_t slot) { all &= living_.has(slot); });
    return all;
}

/// Returns false when it cannot be known which clients have ended.
bool Elsewhere::look() noexcept {
    const uint64_t now = now_ns();
    if (ledger_.virtual_node() || self().pidns != kInitial) return false;
    if (now < next_look_ns.load(std::memory_order_relaxed)) return false;
    next_look_ns.store(now + kPeriod, std::memory_order_relaxed);
    const int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0) return false;
    // Twice: a process may start another one where the list has been read already, and end before it is read itself.
    const bool told = shows_all(proc) && look_where_they_were(proc) &&
                      (all_live() || (look_through(proc) && (all_live() || look_through(proc))));
    close(proc);
    return told;
}

bool Elsewhere::look_where_they_were(int proc) noexcept {
    bool told = true;
    asked_.each([&](uint32_t slot) {
        const uint32_t pid = last_seen[slot].load(std::memory_order_relaxed);
        told = told && (pid == 0 || note(proc, pid));
    });
    return told;
}

bool Elsewhere::look_through(int proc) noexcept {
    Tasks all(proc, ".");
    bool told = all.ok();
    return told && all.each([&](uint32_t pid) { told = told && note(proc, pid); }) && told;
}

/// Marks the clients that process `pid` belongs to as living. Returns false when its numbers cannot be known.
bool Elsewhere::note(int proc, uint32_t pid) noexcept {
    char text[4096];
    const char* numbers = nullptr;
    if (!read_numbers(proc, pid, text, numbers)) return false;
    const bool is_below = *numbers == '\t';
    while (*numbers == '\t') {
        char* end = nullptr;
        if (!note_number(pid, static_cast<uint32_t>(strtoul(numbers, &end, 10)))) return false;
        numbers = end;
    }
    note_reservation(pid, is_below);
    return true;
}

bool Elsewhere::note_number(uint32_t pid, uint32_t number) noexcept {
    bool told = true;
    asked_.each([&](uint32_t slot) {
        const ProcessIdentity client = read_identity(ledger_.slot(slot).client);
        const ProcessIdentity launcher = read_identity(ledger_.slot(slot).launcher);
        if (living_.has(slot) || (client.pid != number && launcher.pid != number)) return;
        ProcessIdentity identity{};
        const int code = find_process(pid, identity);
        told &= code == 0 || code == ESRCH;
        const auto is = [&](const ProcessIdentity& it) {
            return is_elsewhere(it) && it.pid == number && began_as(identity.start, it);
        };
        if (code != 0 || (!is(client) && !is(launcher))) return;
        living_.add(slot);
        last_seen[slot].store(pid, std::memory_order_relaxed);
    });
    return told;
}

/// Marks the slots whose reservation the process carries: descendants that outlive the client and its launcher keep the
/// CPUs. `is_below`: the process is in a namespace where users may have other numbers than here.
void Elsewhere::note_reservation(uint32_t pid, bool is_below) noexcept {
    asked_.each([&](uint32_t slot) {
        const SlotState state = unpack_state(seen_[slot]);
        if (living_.has(slot) || (state.flags & slot_flag::kTree) == 0) return;
        const Claim claim{table_, slot, state.generation, ledger_.slot(slot).uid.load(std::memory_order_relaxed)};
        if (!(is_below ? may_carry(pid, claim) : carries(pid, claim))) return;
        living_.add(slot);
        last_seen[slot].store(pid, std::memory_order_relaxed);
    });
}

}  // namespace drom
