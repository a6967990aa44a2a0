// SPDX-License-Identifier: BSD-3-Clause
// events.cpp - the ring of what happened.
#include "events.hpp"

#include "base/clock.hpp"
#include "futex.hpp"

namespace drom {

namespace {
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr uint64_t kPatience = 64;

/// The result of one look at an entry of the ring. A second look could find another state, and nothing may be concluded
/// from the two together.
enum class Look { kCopied, kUnfinished, kWrittenOver };

Look copy_event(const Event& entry, uint64_t index, drom_event& out) noexcept {
    const uint64_t there = entry.index.load(std::memory_order_acquire);  // mutant event-index
    if (there != index + 1) return there <= index ? Look::kUnfinished : Look::kWrittenOver;
    const uint64_t what = entry.what.load(kRelaxed);
    const uint64_t value = entry.value.load(kRelaxed);
    out = {index,
           own_clock_ns(entry.time_ns.load(kRelaxed)),
           entry.seq.load(kRelaxed),
           static_cast<uint32_t>(what >> 56),
           static_cast<uint32_t>(what >> 32 & 0xffffff),
           static_cast<uint32_t>(what),
           static_cast<uint32_t>(value >> 32),
           static_cast<int32_t>(value),
           0};
    std::atomic_thread_fence(std::memory_order_acquire);
    return entry.index.load(kRelaxed) == there ? Look::kCopied : Look::kWrittenOver;  // mutant written-over
}
}  // namespace

void record(const Ledger& ledger, const EventFacts& facts) noexcept {
    if (!ledger.writable) return;
    Header& header = ledger.header();
    const uint64_t index = header.event_head.fetch_add(1);
    Event& entry = ledger.event(index);
    entry.index.store(0, kRelaxed);
    std::atomic_thread_fence(std::memory_order_release);
    entry.time_ns.store(facts.time_ns != 0 ? facts.time_ns : now_ns(), kRelaxed);
    entry.seq.store(facts.seq, kRelaxed);
    entry.what.store(uint64_t{facts.type} << 56 | uint64_t{facts.slot & 0xffffff} << 32 | facts.cpu, kRelaxed);
    entry.value.store(uint64_t{facts.value} << 32 | facts.pid, kRelaxed);
    entry.index.store(index + 1, std::memory_order_release);  // mutant event-end
    header.event_bell.fetch_add(1);
    if (header.event_waiters.load() > 0) futex_wake(&header.event_bell);
}

size_t copy_events(const Ledger& ledger, uint64_t& next, drom_event* out, size_t capacity) noexcept {
    const uint64_t head = ledger.header().event_head.load(std::memory_order_acquire);
    if (next > head) next = head;
    if (head - next > kEvents) next = head - kEvents;
    size_t copied = 0;
    for (; next < head && copied < capacity; ++next) {
        const Look look = copy_event(ledger.event(next), next, out[copied]);
        // Its recorder will ring the bell. When many events came after it, its recorder has died.
        if (look == Look::kUnfinished && head - next < kPatience) break;  // mutant patience
        copied += look == Look::kCopied ? 1 : 0;
    }
    return copied;
}

}  // namespace drom
