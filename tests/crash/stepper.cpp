// SPDX-License-Identifier: BSD-3-Clause
// stepper.cpp - stops this process after every store that changes a table.
#include "stepper.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

extern "C" {
void* __real_mmap(void*, size_t, int, int, int, off_t);
int __real_munmap(void*, size_t);
int __real_unlinkat(int, const char*, int);
}

namespace drom::crash {

namespace {

struct Mapping {
    char* start;
    size_t size;
};
constexpr size_t kMappings = 64;
Mapping mappings[kMappings];
std::string* watched = nullptr;
Recording* recording = nullptr;
Snapshot last;

void read_all(const std::string& path, char* out, size_t size) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    if (pread(fd, out, size, 0) < 0) out[0] = '\0';
    close(fd);
}

void record_state() {
    static Snapshot now;
    take_snapshot(*watched, now);
    ++recording->stores;
    if (recording->count > 0 && std::memcmp(&now, &last, sizeof now) == 0) return;
    last = now;
    if (recording->count == sizeof recording->snapshots / sizeof recording->snapshots[0])
        ++recording->lost;
    else
        recording->snapshots[recording->count++] = now;
}

void protect(int protection) {
    for (const Mapping& m : mappings)
        if (m.start != nullptr) mprotect(m.start, m.size, protection);
}

#ifdef __x86_64__
constexpr greg_t kTrapFlag = 0x100;

void on_fault(int, siginfo_t* info, void* context) {
    const auto* address = static_cast<const char*>(info->si_addr);
    bool ours = false;
    for (const Mapping& m : mappings) ours |= m.start != nullptr && address >= m.start && address < m.start + m.size;
    if (!ours || recording == nullptr) {
        signal(SIGSEGV, SIG_DFL);
        return;
    }
    protect(PROT_READ | PROT_WRITE);
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
}

void on_trap(int, siginfo_t*, void* context) {
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
    record_state();
    protect(PROT_READ);
}

void handle(int signal, void (*handler)(int, siginfo_t*, void*)) {
    struct sigaction action{};
    action.sa_sigaction = handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(signal, &action, nullptr);
}
#endif

}  // namespace

bool can_step() {
#ifdef __x86_64__
    return true;
#else
    return false;
#endif
}

Recording* make_recording() {
    void* memory = __real_mmap(nullptr, sizeof(Recording), PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : static_cast<Recording*>(memory);
}

void take_snapshot(const std::string& directory, Snapshot& out) {
    std::memset(&out, 0, sizeof out);
    read_all(directory + "/ledger", out.ledger, sizeof out.ledger);
    // The events are not part of the state; they begin in the bytes that were read.
    Header header{};
    std::memcpy(static_cast<void*>(&header), out.ledger, sizeof header);
    if (header.events_at < sizeof out.ledger)
        std::memset(out.ledger + header.events_at, 0, sizeof out.ledger - header.events_at);
    DIR* listing = opendir(directory.c_str());
    if (listing == nullptr) return;
    uint32_t count = 0;
    while (const dirent* entry = readdir(listing)) {
        Snapshot::File file{};
        if (std::sscanf(entry->d_name, "client.%u.%u", &file.slot, &file.generation) != 2 || count == kPages) continue;
        file.used = 1;
        read_all(directory + "/" + entry->d_name, file.bytes, sizeof file.bytes);
        out.pages[count++] = file;
    }
    closedir(listing);
    std::sort(out.pages, out.pages + count, [](const Snapshot::File& a, const Snapshot::File& b) {
        return std::pair(a.slot, a.generation) < std::pair(b.slot, b.generation);
    });
}

#ifdef __x86_64__
void start_stepping(const std::string& directory, Recording* into) {
    static std::string path;
    path = directory;
    watched = &path;
    recording = into;
    recording->count = recording->lost = 0;
    recording->stores = 0;
    record_state();
    handle(SIGSEGV, on_fault);
    handle(SIGTRAP, on_trap);
    protect(PROT_READ);
}

void stop_stepping() {
    protect(PROT_READ | PROT_WRITE);
    recording = nullptr;
    signal(SIGSEGV, SIG_DFL);
    signal(SIGTRAP, SIG_DFL);
}
#else
void start_stepping(const std::string&, Recording*) {}
void stop_stepping() {}
#endif

}  // namespace drom::crash

using namespace drom::crash;

extern "C" {

void* __wrap_mmap(void* address, size_t size, int protection, int flags, int fd, off_t offset) {
    void* memory = __real_mmap(address, size, protection, flags, fd, offset);
    const bool table = (flags & MAP_SHARED) != 0 && fd >= 0 && (protection & PROT_WRITE) != 0;
    if (memory == MAP_FAILED || !table) return memory;
    for (Mapping& m : mappings) {
        if (m.start != nullptr) continue;
        m = {static_cast<char*>(memory), size};
        if (recording != nullptr) mprotect(memory, size, PROT_READ);
        return memory;
    }
    std::fputs("crash-walk: too many mappings for the stepper\n", stderr);
    std::abort();
}

int __wrap_munmap(void* address, size_t size) {
    for (Mapping& m : mappings)
        if (m.start == address) m = {};
    return __real_munmap(address, size);
}

int __wrap_unlinkat(int directory, const char* name, int flags) {
    const int result = __real_unlinkat(directory, name, flags);
    if (recording != nullptr) record_state();
    return result;
}
}
