// SPDX-License-Identifier: BSD-3-Clause
// kernel.cpp - the system calls of the code under test, answered by the machine. Each is one step, before or after
// which other actors may run. The linker puts these in place of the C library's (--wrap, see CMakeLists.txt); the test
// itself still gets the real ones.
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "schedule.hpp"
#include "shmem/descendants.hpp"
#include "shmem/elsewhere.hpp"
#include "shmem/forks.hpp"

namespace drom::explorer {
void note_anonymous_page(void* page);
}

namespace {

using namespace drom;
using namespace drom::explorer;

constexpr int kTaskFile = 3000, kStatFile = 4000, kProcessFile = 5000;
constexpr uint64_t kStart = 100;  // of process 0, in ticks since boot

bool inside() { return entered() != kNoProcess; }

size_t offset_of(const Word& word) {
    return static_cast<size_t>(reinterpret_cast<const unsigned char*>(&word) - memory.ledger);
}

uint64_t ask(const Word& word) {
    if (!scheduler.exploring()) return word.load();
    scheduler.before(offset_of(word), false);
    const uint64_t value = word.load();
    scheduler.after_read(offset_of(word), value);
    return value;
}

void tell(Word& word, uint64_t value) {
    if (scheduler.exploring()) scheduler.before(offset_of(word), true);
    const uint64_t old = word.exchange(value);
    if (scheduler.exploring()) scheduler.after_write(offset_of(word), old, value);
}

/// Returns the next number, in one step: two processes that make files at once make two files.
uint64_t next(Word& word) {
    if (scheduler.exploring()) scheduler.before(offset_of(word), true);
    const uint64_t number = word.fetch_add(1);
    if (scheduler.exploring()) scheduler.after_read(offset_of(word), number);
    if (scheduler.exploring()) scheduler.after_write(offset_of(word), number, number + 1);
    return number;
}

int failed(int error) {
    errno = error;
    return -1;
}

/// Returns the living process of a pid, or of 0 for the caller; kNoProcess: none.
uint32_t living(long pid) {
    if (pid == 0) return entered();
    const auto process = static_cast<uint32_t>(pid) - kFirstPid;
    return process < kProcesses && ask(memory.kernel.alive[process]) != 0 ? process : kNoProcess;
}

// --- files of /proc ------------------------------------------------------------------------------------------------

int open_proc(const char* path) {
    unsigned pid = 0;
    char rest[16] = "";
    if (std::sscanf(path, "/proc/self/%15s", rest) == 1) {
        pid = pid_of(entered());
    } else if (std::sscanf(path, "/proc/%u/%15s", &pid, rest) != 2) {
        give_up("open", path);
    }
    const uint32_t process = living(pid);
    if (process == kNoProcess) return failed(ENOENT);
    memory.processes[entered()].threads_listed = false;
    if (std::strcmp(rest, "task") == 0) return kTaskFile + static_cast<int>(process);
    if (std::strcmp(rest, "stat") == 0) return kStatFile + static_cast<int>(process);
    return failed(ENOENT);
}

ssize_t read_stat(int file, void* out, size_t size) {
    const int process = file - kStatFile;
    return std::snprintf(static_cast<char*>(out), size, "%d (client) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 %lu 0\n",
                         static_cast<int>(kFirstPid) + process,
                         static_cast<unsigned long>(kStart) + static_cast<unsigned long>(process));
}

long list_threads(int file, void* out) {
    bool& listed = memory.processes[entered()].threads_listed;
    if (listed) return 0;
    listed = true;
    auto* entry = static_cast<dirent64*>(out);
    entry->d_reclen = sizeof(dirent64);
    std::snprintf(entry->d_name, sizeof entry->d_name, "%d", static_cast<int>(kFirstPid) + file - kTaskFile);
    return entry->d_reclen;
}

// --- calls that have no wrapper in the C library -------------------------------------------------------------------

long wait_on(const uint32_t* word, uint32_t expected, const timespec& limit) {
    const uint64_t deadline =
        memory.clock_ns + static_cast<uint64_t>(limit.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(limit.tv_nsec);
    if (!scheduler.exploring()) {  // no other actor runs now
        memory.clock_ns = std::max(memory.clock_ns, deadline);
        return failed(ETIMEDOUT);
    }
    const auto* place = reinterpret_cast<const unsigned char*>(word);
    const bool shared = place >= memory.ledger && place < memory.ledger + kSharedBytes;
    const auto offset = static_cast<size_t>(place - memory.ledger);
    if (shared) scheduler.before(offset, false);
    const uint32_t value = *static_cast<const volatile uint32_t*>(word);
    if (shared) scheduler.after_read(offset, value);
    if (value != expected) return failed(EAGAIN);
    const bool woken = scheduler.sleep(word, deadline);
    scheduler.observe(woken ? 1 : 2);
    return woken ? 0 : failed(ETIMEDOUT);
}

long get_affinity(long pid, uint64_t* words) {
    const uint32_t process = living(pid);
    if (process == kNoProcess) return failed(ESRCH);
    words[0] = ask(memory.kernel.affinity[process]);
    return 8;
}

long set_affinity(long pid, const uint64_t* words) {
    const uint32_t process = living(pid);
    if (process == kNoProcess) return failed(ESRCH);
    const uint64_t allowed = words[0] & ((1U << kCpus) - 1);
    if (allowed == 0) return failed(EINVAL);
    tell(memory.kernel.affinity[process], allowed);
    return 0;
}

long answer(long number, const long (&a)[6]) {
    switch (number) {
        case SYS_gettid: return pid_of(entered());
        case SYS_sched_getaffinity: return get_affinity(a[0], reinterpret_cast<uint64_t*>(a[2]));
        case SYS_sched_setaffinity: return set_affinity(a[0], reinterpret_cast<const uint64_t*>(a[2]));
        case SYS_getdents64: return list_threads(static_cast<int>(a[0]), reinterpret_cast<void*>(a[1]));
        case SYS_tgkill: return living(a[1]) != kNoProcess ? 0 : failed(ESRCH);
        case SYS_pidfd_open: {
            const uint32_t process = living(a[0]);
            return process != kNoProcess ? kProcessFile + static_cast<int>(process) : failed(ESRCH);
        }
        case SYS_pidfd_send_signal:
            return living(a[0] - kProcessFile + long{kFirstPid}) != kNoProcess ? 0 : failed(ESRCH);
        case SYS_sched_getattr: return failed(EPERM);
        case SYS_futex: break;
        default: give_up("a system call that the machine does not know", std::to_string(number).c_str());
    }
    const auto* word = reinterpret_cast<const uint32_t*>(a[0]);
    if (a[1] == FUTEX_WAIT) return wait_on(word, static_cast<uint32_t>(a[2]), *reinterpret_cast<const timespec*>(a[3]));
    if (scheduler.exploring()) scheduler.wake(word);
    return 0;
}

}  // namespace

// --- descendants.hpp: the machine's processes have none ------------------------------------------------------------

namespace drom {
void KnownLauncher::forget() noexcept {}
ClientTree::ClientTree(const Ledger& ledger, const char* table, uint32_t slot, uint32_t pid,
                       KnownLauncher* known) noexcept
    : ledger_(ledger), table_(table), slot_(slot), pid_(pid), known_(known), threads_(Tasks::Kept{0}) {}
void ClientTree::forget_process() noexcept { threads_.forget(); }
Confined ClientTree::confine(const Origin& origin, const CpuSet& now, uint64_t deadline_ns, Moves&) noexcept {
    if (!threads_.ok()) return {DROM_OK, {}, 0, 0};
    return drom::confine(pid_, origin, now, deadline_ns);
}
uint32_t ClientTree::list(int32_t*, uint32_t) noexcept { return 0; }
bool is_within(const Ledger&, const char*, uint32_t, const CpuSet&) noexcept { return true; }
uint32_t find_left(const Ledger&, const char*, uint32_t, ProcessIdentity&) noexcept { return 0; }
bool pass_on(const Ledger&, const char*, uint32_t) noexcept { return false; }
bool is_in_tree(const Ledger&, const char*, uint32_t, uint32_t) noexcept { return false; }

// --- stack_room.hpp: a simulated process has stack enough --------------------------------------------------------

bool has_stack_room() noexcept { return true; }

// --- forks.hpp: a simulated process has no child ------------------------------------------------------------------

bool Forks::note(uint32_t, Tasks&) noexcept { return true; }
bool Forks::are_over(uint32_t, const Tasks&) noexcept { return true; }

// --- moves.hpp: there is one mover at a time -----------------------------------------------------------------------

Moves::Moves(const Ledger& ledger, uint32_t slot, const Page*, uint64_t) noexcept
    : own_(ledger.mailbox(slot).moved), other_(nullptr), own_last_(0), other_last_(0) {}
Moves::Moves(const Ledger&, uint32_t, Page& page, uint64_t, uint64_t) noexcept
    : own_(page.moved), other_(nullptr), own_last_(0), other_last_(0) {}
void Moves::announce() noexcept {}

// --- elsewhere.hpp: nor has it other pid namespaces ----------------------------------------------------------------

void Elsewhere::add(uint32_t, uint64_t) noexcept {}
bool Elsewhere::look() noexcept { return false; }
}  // namespace drom

extern "C" {
int __real_open(const char*, int, ...);
int __real_openat(int, const char*, int, ...);
ssize_t __real_read(int, void*, size_t);
int __real_close(int);
off_t __real_lseek(int, off_t, int);
int __real_stat(const char*, struct stat*);
int __real_kill(pid_t, int);
pid_t __real_getpid();
pid_t __real_getsid(pid_t);
int __real_clock_gettime(clockid_t, timespec*);
int __real_pthread_atfork(void (*)(), void (*)(), void (*)());
void* __real_mmap(void*, size_t, int, int, int, off_t);
void* __real_malloc(size_t);
void* __real_calloc(size_t, size_t);
void __real_free(void*);
long __real_syscall(long, long, long, long, long, long, long);

int __wrap_open(const char* path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    const auto mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    return inside() ? open_proc(path) : __real_open(path, flags, mode);
}

int __wrap_openat(int directory, const char* path, int flags, ...) {
    return inside() ? open_proc(path) : __real_openat(directory, path, flags);
}

ssize_t __wrap_read(int file, void* out, size_t size) {
    return inside() && file >= kStatFile ? read_stat(file, out, size) : __real_read(file, out, size);
}

int __wrap_close(int file) { return inside() && file >= kTaskFile ? 0 : __real_close(file); }

off_t __wrap_lseek(int file, off_t to, int from) {
    if (!inside()) return __real_lseek(file, to, from);
    memory.processes[entered()].threads_listed = false;
    return 0;
}

/// Answers for the owner of a process: all are of one user. Namespaces are the machine's own.
int __wrap_stat(const char* path, struct stat* info) {
    if (!inside() || std::strncmp(path, "/proc/self/ns/", 14) == 0) return __real_stat(path, info);
    unsigned pid = 0;
    if (std::sscanf(path, "/proc/%u", &pid) != 1) give_up("stat", path);
    if (living(pid) == kNoProcess) return failed(ENOENT);
    info->st_uid = geteuid();
    return 0;
}

int __wrap_kill(pid_t pid, int signal) {
    if (!inside()) return __real_kill(pid, signal);
    return living(pid) != kNoProcess ? 0 : failed(ESRCH);
}

pid_t __wrap_getpid() { return inside() ? static_cast<pid_t>(pid_of(entered())) : __real_getpid(); }

pid_t __wrap_getsid(pid_t pid) {
    if (!inside()) return __real_getsid(pid);
    return living(pid) != kNoProcess ? 1 : failed(ESRCH);
}

int __wrap_clock_gettime(clockid_t clock, timespec* out) {
    if (!inside()) return __real_clock_gettime(clock, out);
    *out = {static_cast<time_t>(memory.clock_ns / 1'000'000'000), static_cast<long>(memory.clock_ns % 1'000'000'000)};
    if (scheduler.exploring()) scheduler.observe(memory.clock_ns);
    return 0;
}

int __wrap_pthread_atfork(void (*before)(), void (*parent)(), void (*child)()) {
    return inside() ? 0 : __real_pthread_atfork(before, parent, child);
}

void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
    void* page = __real_mmap(at, size, protection, flags, file, offset);
    if ((flags & MAP_ANONYMOUS) != 0 && page != MAP_FAILED) note_anonymous_page(page);
    return page;
}

// Pieces that are written before they are read. To bring them back for each schedule would take longer than the
// schedule.
constexpr size_t kLarge = size_t{16} * 1024;
alignas(64) unsigned char large_heap[1024 * 1024];

void* __wrap_malloc(size_t size) {
    if (!inside()) return __real_malloc(size);
    if (size >= kLarge) {
        void* large = large_heap + memory.large_used;
        memory.large_used += (size + 63) / 64 * 64;
        if (memory.large_used > sizeof large_heap) give_up("malloc", "the processes' heap for large pieces is full");
        return large;
    }
    void* piece = memory.heap + memory.heap_used;
    memory.heap_used += (size + 63) / 64 * 64;
    if (memory.heap_used > sizeof memory.heap) give_up("malloc", "the processes' heap is full");
    return piece;
}

void* __wrap_calloc(size_t count, size_t size) {
    return inside() ? std::memset(__wrap_malloc(count * size), 0, count * size) : __real_calloc(count, size);
}

void __wrap_free(void* piece) {
    const auto* place = static_cast<unsigned char*>(piece);
    if (place >= large_heap && place < large_heap + sizeof large_heap) return;
    if (place < memory.heap || place >= memory.heap + sizeof memory.heap) __real_free(piece);
}

long __wrap_syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (long& argument : a) argument = va_arg(list, long);
    va_end(list);
    return inside() ? answer(number, a) : __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

// --- the table's files (segment.hpp) -------------------------------------------------------------------------------
// C++ functions by their linker names. The name of each page's file is one word; each call is one step.

int __real__ZN4drom11open_ledgerEPKcbRNS_6LedgerEP10drom_error(const char*, bool, Ledger&, drom_error*);
void __real__ZN4drom12close_ledgerERNS_6LedgerE(Ledger&);
CpuSet __real__ZN4drom12present_cpusEv();

int __wrap__ZN4drom11open_ledgerEPKcbRNS_6LedgerEP10drom_error(const char* path, bool read_only, Ledger& ledger,
                                                               drom_error* error) {
    if (!inside()) return __real__ZN4drom11open_ledgerEPKcbRNS_6LedgerEP10drom_error(path, read_only, ledger, error);
    if (!read_only && !may_write(entered())) return DROM_E_PERM;
    ledger = ledger_view();
    ledger.writable = may_write(entered());
    return DROM_OK;
}

void __wrap__ZN4drom12close_ledgerERNS_6LedgerE(Ledger& ledger) {
    if (inside() || ledger.base == reinterpret_cast<char*>(memory.ledger)) {
        ledger = Ledger{};
        return;
    }
    __real__ZN4drom12close_ledgerERNS_6LedgerE(ledger);
}

int __wrap__ZN4drom11still_thereERKNS_6LedgerEPKcP10drom_error(const Ledger&, const char*, drom_error*) {
    return DROM_OK;
}

/// Returns more CPUs than the table has: then the code does not ask /sys which of them are online.
CpuSet __wrap__ZN4drom12present_cpusEv() {
    return inside() ? CpuSet::range(0, kCpus + 1) : __real__ZN4drom12present_cpusEv();
}

Page* __wrap__ZN4drom11create_pageERKNS_6LedgerEPKcjjjP10drom_error(const Ledger&, const char*, uint32_t slot,
                                                                    uint32_t generation, uint32_t, drom_error*) {
    const uint64_t number = next(memory.kernel.pages_made);
    if (number >= kPages) give_up("create_page", "more pages than the machine has room for");
    auto* page = reinterpret_cast<Page*>(memory.pages[number]);
    page->magic = kPageMagic;
    page->layout_version = kLayoutVersion;
    page->slot = slot;
    page->generation = generation;
    tell(memory.kernel.page_names[number], (uint64_t{slot} + 1) << 32 | generation);
    return page;
}

Page* __wrap__ZN4drom9open_pageERKNS_6LedgerEPKcjj(const Ledger&, const char*, uint32_t slot, uint32_t generation) {
    for (uint32_t i = 0; i < kPages; ++i)
        if (ask(memory.kernel.page_names[i]) == ((uint64_t{slot} + 1) << 32 | generation))
            return reinterpret_cast<Page*>(memory.pages[i]);
    return nullptr;
}

void __wrap__ZN4drom11remove_pageERKNS_6LedgerEPKcjj(const Ledger&, const char*, uint32_t slot, uint32_t generation) {
    for (Word& name : memory.kernel.page_names)
        if (ask(name) == ((uint64_t{slot} + 1) << 32 | generation)) tell(name, 0);
}

void __wrap__ZN4drom10unmap_pageEPNS_4PageE(Page*) {}
}
