// SPDX-License-Identifier: BSD-3-Clause
// accesses.cpp - the entry points that -fsanitize=thread calls at every access to memory; accesses to shared words are
// points of the scheduler.
#include <cstdint>
#include <cstring>

#include "schedule.hpp"

namespace {

using namespace drom::explorer;

uint64_t word_at(size_t offset) {
    uint64_t word = 0;
    std::memcpy(&word, memory.ledger + offset / 8 * 8, sizeof word);
    return word;
}

bool is_point(const volatile void* address, size_t& offset) {
    offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(&memory);
    return offset < kSharedBytes && scheduler.exploring() && is_watched(offset);
}

template <class T, class Act>
T read(const volatile T* address, const Act& act) {
    size_t offset = 0;
    if (!is_point(address, offset)) return act();
    scheduler.before(offset, false);
    const T value = act();
    scheduler.after_read(offset, static_cast<uint64_t>(value));
    return value;
}

/// Calls `act`, which returns the value that the access gives the actor.
template <class T, class Act>
T change(volatile T* address, const Act& act) {
    size_t offset = 0;
    if (!is_point(address, offset)) return act();
    scheduler.before(offset, true);
    const uint64_t old_word = word_at(offset);
    const T told = act();
    scheduler.after_read(offset, static_cast<uint64_t>(told));
    scheduler.after_write(offset, old_word, word_at(offset));
    return told;
}

template <class T>
T exchange_if(volatile T* address, T* expected, T value) {
    return change(address, [=] {
        T old = *expected;
        __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
        // It returns the value that it finds in either case: `expected` itself, or the other value.
        return *expected == old ? old : *expected;
    });
}

void plain_read(const void* address, size_t size) {
    size_t offset = 0;
    if (!is_point(address, offset)) return;
    scheduler.before(offset, false);
    uint64_t value = 0;
    std::memcpy(&value, address, size < sizeof value ? size : sizeof value);
    scheduler.after_read(offset, value);
}

void plain_write(const void* address) {
    size_t offset = 0;
    char text[64];
    if (is_point(address, offset)) give_up("a store into the table that is not atomic", name_of_offset(offset, text));
}

}  // namespace

// The names and types are the compiler's.
#define DROM_ATOMICS(BITS, T)                                                               \
    T __tsan_atomic##BITS##_load(const volatile T* a, int) {                                \
        return read(a, [=] { return __atomic_load_n(a, __ATOMIC_SEQ_CST); });               \
    }                                                                                       \
    void __tsan_atomic##BITS##_store(volatile T* a, T v, int) {                             \
        change(a, [=] { return __atomic_store_n(a, v, __ATOMIC_SEQ_CST), T{0}; });          \
    }                                                                                       \
    T __tsan_atomic##BITS##_exchange(volatile T* a, T v, int) {                             \
        return change(a, [=] { return __atomic_exchange_n(a, v, __ATOMIC_SEQ_CST); });      \
    }                                                                                       \
    T __tsan_atomic##BITS##_fetch_add(volatile T* a, T v, int) {                            \
        return change(a, [=] { return __atomic_fetch_add(a, v, __ATOMIC_SEQ_CST); });       \
    }                                                                                       \
    T __tsan_atomic##BITS##_fetch_sub(volatile T* a, T v, int) {                            \
        return change(a, [=] { return __atomic_fetch_sub(a, v, __ATOMIC_SEQ_CST); });       \
    }                                                                                       \
    T __tsan_atomic##BITS##_fetch_or(volatile T* a, T v, int) {                             \
        return change(a, [=] { return __atomic_fetch_or(a, v, __ATOMIC_SEQ_CST); });        \
    }                                                                                       \
    T __tsan_atomic##BITS##_fetch_and(volatile T* a, T v, int) {                            \
        return change(a, [=] { return __atomic_fetch_and(a, v, __ATOMIC_SEQ_CST); });       \
    }                                                                                       \
    int __tsan_atomic##BITS##_compare_exchange_strong(volatile T* a, T* c, T v, int, int) { \
        const T wanted = *c;                                                                \
        return exchange_if(a, c, v) == wanted ? 1 : 0;                                      \
    }                                                                                       \
    int __tsan_atomic##BITS##_compare_exchange_weak(volatile T* a, T* c, T v, int, int) {   \
        const T wanted = *c;                                                                \
        return exchange_if(a, c, v) == wanted ? 1 : 0;                                      \
    }

#define DROM_PLAIN(SIZE)                                                                 \
    void __tsan_read##SIZE(void* address) { plain_read(address, SIZE); }                 \
    void __tsan_write##SIZE(void* address) { plain_write(address); }                     \
    void __tsan_unaligned_read##SIZE(const void* address) { plain_read(address, SIZE); } \
    void __tsan_unaligned_write##SIZE(void* address) { plain_write(address); }

extern "C" {
DROM_ATOMICS(8, uint8_t)
DROM_ATOMICS(32, uint32_t)
DROM_ATOMICS(64, uint64_t)
DROM_PLAIN(1)
DROM_PLAIN(2)
DROM_PLAIN(4)
DROM_PLAIN(8)
DROM_PLAIN(16)
void __tsan_read_range(void* address, unsigned long size) { plain_read(address, size); }
void __tsan_write_range(void* address, unsigned long) { plain_write(address); }
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_init() {}
}
