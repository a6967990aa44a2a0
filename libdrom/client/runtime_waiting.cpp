// SPDX-License-Identifier: BSD-3-Clause
// runtime_waiting.cpp - the words by which OpenMP runtimes wait: found by their values, changed, and put back.
#include "runtime_waiting.hpp"

#include <link.h>
#include <pthread.h>
#include <strings.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "shmem/futex.hpp"

namespace drom::waiting {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
using Word32 = std::atomic<uint32_t>;
using Word64 = std::atomic<uint64_t>;

bool policy_is(const char* policy) noexcept {
    const char* text = getenv("OMP_WAIT_POLICY");
    return text != nullptr && strcasecmp(text, policy) == 0;
}

/// Reads GOMP_SPINCOUNT as libgomp does: a number with an optional k, M, G or T, or "infinite". Returns false when it
/// is unset or garbled.
bool spin_count_variable(uint64_t& count) noexcept {
    const char* text = getenv("GOMP_SPINCOUNT");
    if (text == nullptr) return false;
    while (*text == ' ') ++text;
    if (strncasecmp(text, "infinit", 7) == 0) {
        count = UINT64_MAX;
        return true;
    }
    char* end = nullptr;
    count = strtoull(text, &end, 10);
    if (end == text) return false;
    constexpr char kSuffixes[] = "kmgt";
    const char* suffix = *end != '\0' ? strchr(kSuffixes, *end | 0x20) : nullptr;
    for (const char* step = kSuffixes; suffix != nullptr && step <= suffix; ++step) count *= 1000;
    return true;
}

constexpr uint64_t kDefaultSpins = 300'000, kActiveSpins = 30'000'000'000;

constinit uint64_t own_spins = kDefaultSpins;

/// Returns whether the word is the count for more threads than CPUs, which is next to `count`.
bool is_throttled_count(uint64_t throttled, uint64_t count) noexcept {
    const auto capped = [count](uint64_t n) { return n < count ? n : count; };
    return throttled == capped(100) || throttled == capped(1000);
}

/// A word of a runtime, and its former value.
struct Word {
    uintptr_t at;
    uint64_t before, now;
    bool wide;  ///< 64 bits
};

bool is_changed(const Word& word) noexcept {
    return word.wide ? reinterpret_cast<Word64*>(word.at)->load(kRelaxed) == word.now
                     : reinterpret_cast<Word32*>(word.at)->load(kRelaxed) == word.now;
}

void write(const Word& word, uint64_t value) noexcept {
    if (word.wide)
        reinterpret_cast<Word64*>(word.at)->store(value, kRelaxed);
    else
        reinterpret_cast<Word32*>(word.at)->store(static_cast<uint32_t>(value), kRelaxed);
}

/// The runtime exports no names for the words. They are found where exactly one address in the object's data looks like
/// them; otherwise they are left alone.
struct Found {
    uintptr_t object;  ///< its load address
    Word words[2];
    uint32_t matches;
};

/// The runtimes that were changed. A runtime that was unloaded is noticed when its words are to be put back.
constexpr uint32_t kMaxRuntimes = 16;
constinit Found changed[kMaxRuntimes] = {};
constinit uint32_t changed_count = 0;

// The words of LLVM's runtime (and its derivatives): the turns of a waiting thread before its first sched_yield, and
// before each further one, __kmp_yield_init and __kmp_yield_next. Two count as one turn. They follow the word that says
// whether to yield at all.
constexpr uint32_t kFirstTurns = 1024, kNextTurns = 512, kOneTurn = 2, kWaysToYield = 3;

/// Reads a word of another object, which its threads may be writing. AddressSanitizer does not check it: a search
/// crosses the red zones between that object's variables.
__attribute__((no_sanitize("address"))) uint32_t seen(const uint32_t& word) noexcept {
    return __atomic_load_n(&word, __ATOMIC_RELAXED);
}
__attribute__((no_sanitize("address"))) uint64_t seen(const uint64_t& word) noexcept {
    return __atomic_load_n(&word, __ATOMIC_RELAXED);
}

void look_for_llvm(uintptr_t start, uintptr_t end, Found& found) noexcept {
    const auto* words = reinterpret_cast<const uint32_t*>(start);
    const uint64_t count = (end - start) / sizeof *words;
    for (uint64_t i = 1; i + 1 < count; ++i) {
        if (seen(words[i]) != kFirstTurns || seen(words[i + 1]) != kNextTurns) continue;
        if (seen(words[i - 1]) >= kWaysToYield) continue;
        found.words[0] = {reinterpret_cast<uintptr_t>(&words[i]), kFirstTurns, kOneTurn, false};
        found.words[1] = {reinterpret_cast<uintptr_t>(&words[i + 1]), kNextTurns, kOneTurn, false};
        ++found.matches;
    }
}

void look_for_spins(uintptr_t start, uintptr_t end, uint64_t spins, Found& found) noexcept {
    const auto* words = reinterpret_cast<const uint64_t*>(start);
    const uint64_t count = (end - start) / sizeof *words;
    for (uint64_t i = 1; i < count; ++i) {
        if (seen(words[i]) != spins) continue;
        const bool is_before = is_throttled_count(seen(words[i - 1]), spins);
        if (!is_before && (i + 1 == count || !is_throttled_count(seen(words[i + 1]), spins))) continue;
        const uint64_t& throttled = is_before ? words[i - 1] : words[i + 1];
        found.words[0] = {reinterpret_cast<uintptr_t>(&words[i]), spins, 0, true};
        found.words[1] = {reinterpret_cast<uintptr_t>(&throttled), seen(throttled), 0, true};
        ++found.matches;
    }
}

/// Looks for libgomp's counts, and for that of the present environment: a program may set it before it loads the
/// runtime.
void look_for_libgomp(uintptr_t start, uintptr_t end, Found& found) noexcept {
    for (const uint64_t spins : {kDefaultSpins, kActiveSpins}) look_for_spins(start, end, spins, found);
    if (own_spins != 0 && own_spins != kDefaultSpins && own_spins != kActiveSpins)
        look_for_spins(start, end, own_spins, found);
}

using Visit = void (*)(uintptr_t start, uintptr_t end, Found& found);

void each_writable_segment(const dl_phdr_info& info, Visit visit, Found& found) noexcept {
    for (const auto* header = info.dlpi_phdr; header != info.dlpi_phdr + info.dlpi_phnum; ++header) {
        if (header->p_type != PT_LOAD || (header->p_flags & PF_W) == 0) continue;
        constexpr uintptr_t kAlign = sizeof(uint64_t) - 1;
        const uintptr_t start = (info.dlpi_addr + header->p_vaddr + kAlign) & ~kAlign;
        const uintptr_t end = info.dlpi_addr + header->p_vaddr + header->p_memsz;
        if (end > start) visit(start, end, found);
    }
}

/// Returns whether the file's name is a runtime's; packagers lengthen it (libgomp-a34b3233.so.1). Its data tells which
/// runtime it is: conda's libgomp.so.1 is LLVM's.
bool is_runtime(const char* path) noexcept {
    const char* slash = strrchr(path, '/');
    const char* name = slash != nullptr ? slash + 1 : path;
    for (const char* start : {"libgomp", "libomp", "libiomp5"})
        if (strncmp(name, start, strlen(start)) == 0) return true;
    return false;
}

void change(const Found& found) noexcept {
    if (changed_count == kMaxRuntimes) return;
    changed[changed_count++] = found;
    for (const Word& word : found.words) write(word, word.now);
}

/// Changes runtimes; one that has been changed before does not look like one any more.
int make_yield(dl_phdr_info* info, size_t, void*) {
    if (!is_runtime(info->dlpi_name)) return 0;
    for (const Visit visit : {look_for_llvm, look_for_libgomp}) {
        Found found{info->dlpi_addr, {}, 0};
        each_writable_segment(*info, visit, found);
        if (found.matches == 1) change(found);
    }
    return 0;
}

void check_place(uintptr_t start, uintptr_t end, Found& found) noexcept {
    for (const Word& word : found.words)
        if (word.at >= start && word.at + sizeof(uint64_t) <= end) ++found.matches;
}

/// Restores only words that still hold the written values: another object may be loaded there by now.
int restore(dl_phdr_info* info, size_t, void*) {
    if (!is_runtime(info->dlpi_name)) return 0;
    for (Found& found : changed) {
        if (found.matches == 0 || found.object != info->dlpi_addr) continue;
        found.matches = 0;
        each_writable_segment(*info, check_place, found);
        if (found.matches != 2 || !is_changed(found.words[0]) || !is_changed(found.words[1])) continue;
        for (const Word& word : found.words) write(word, word.before);
    }
    return 0;
}

// ---- beside fork --------------------------------------------------------------------------------------------------

/// The thread of this process that looks at loaded objects, or forks; 0: none does.
constinit Half busy{0};

uint32_t this_thread() noexcept { return static_cast<uint32_t>(syscall(SYS_gettid)); }

/// Returns false when another thread has held `busy` for 100 ms. That one may wait for the loader's lock, which a
/// program that forks in a callback of dl_iterate_phdr holds.
bool begin_looking() noexcept {
    const uint64_t deadline = deadline_in_ms(100);
    for (;;) {
        uint32_t other = 0;
        if (busy.compare_exchange_strong(other, this_thread())) return true;
        if (now_ns() >= deadline) return false;
        futex_wait(&busy, other, deadline);
    }
}

/// Does nothing where another thread holds `busy`.
void end_looking() noexcept {
    uint32_t mine = this_thread();
    if (busy.compare_exchange_strong(mine, 0)) futex_wake(&busy);
}

void look(bool on) noexcept {
    if (on) {
        dl_iterate_phdr(make_yield, nullptr);
        return;
    }
    if (changed_count > 0) dl_iterate_phdr(restore, nullptr);
    changed_count = 0;
}

}  // namespace

// As libgomp's manual and its env.c say.
uint64_t spin_count() noexcept {
    uint64_t count = 0;
    if (spin_count_variable(count)) return count;
    if (policy_is("passive")) return 0;
    return policy_is("active") ? kActiveSpins : kDefaultSpins;
}

void begin() noexcept { own_spins = spin_count(); }

bool yield(bool on) noexcept {
    // A handler that forks on this thread would wait for it.
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const bool mine = begin_looking();
    if (mine) {
        look(on);
        end_looking();
    }
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    return mine;
}

void before_fork() noexcept { begin_looking(); }
void after_fork() noexcept { end_looking(); }
void after_fork_in_child() noexcept { busy.store(0); }

}  // namespace drom::waiting
