// SPDX-License-Identifier: BSD-3-Clause
// intent.cpp - what the administrator whose turn it is means to do to several owner words.
#include "intent.hpp"

namespace drom {

namespace {
uint64_t intent_checksum(const Intent& record, uint64_t kind, uint32_t words) noexcept {
    uint64_t hash = 0xcbf29ce484222325;
    const auto mix = [&hash](uint64_t word) noexcept { hash = (hash ^ word) * 0x9e3779b97f4a7c15, hash ^= hash >> 29; };
    mix(kind);
    mix(record.who.load(std::memory_order_relaxed));
    mix(record.flags.load(std::memory_order_relaxed));
    for (uint32_t i = 0; i < words; ++i) mix(record.words[i].load(std::memory_order_relaxed));
    return hash;
}
}  // namespace

void write_intent(const Ledger& ledger, const Intention& what) noexcept {
    // Whoever finishes a dead administrator's work finds it written: writing it again would lose it for as long as that takes.
    if (Intention there; read_intent(ledger, there) && there.kind == what.kind && there.slot == what.slot &&
                         there.generation == what.generation && there.flags == what.flags && there.mask == what.mask)
        return;
    Intent& record = ledger.intent();
    const uint32_t words = ledger.mask_words();
    record.kind.store(intent::kNothing);
    record.who.store(uint64_t{what.slot} << 32 | what.generation, std::memory_order_relaxed);
    record.flags.store(what.flags, std::memory_order_relaxed);
    for (uint32_t i = 0; i < words; ++i) record.words[i].store(what.mask.words[i], std::memory_order_relaxed);
    record.checksum.store(intent_checksum(record, what.kind, words), std::memory_order_relaxed);
    record.kind.store(what.kind, std::memory_order_release);
}

void clear_intent(const Ledger& ledger) noexcept {
    ledger.intent().kind.store(intent::kNothing, std::memory_order_release);
}

bool read_intent(const Ledger& ledger, Intention& what) noexcept {
    const Intent& record = ledger.intent();
    const uint32_t words = ledger.mask_words();
    what = {};
    what.kind = record.kind.load(std::memory_order_acquire);
    if (what.kind == intent::kNothing || what.kind > intent::kLast) return false;
    if (record.checksum.load() != intent_checksum(record, what.kind, words)) return false;
    const uint64_t who = record.who.load();
    what.slot = static_cast<uint32_t>(who >> 32);
    what.generation = static_cast<uint32_t>(who);
    what.flags = record.flags.load();
    for (uint32_t i = 0; i < words; ++i) what.mask.words[i] = record.words[i].load();
    return true;
}

}  // namespace drom
