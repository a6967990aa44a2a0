// SPDX-License-Identifier: BSD-3-Clause
// intent.cpp - the changes of several owner words that the holder of the administrator lock intends.
#include "intent.hpp"

namespace drom {

namespace {
template <class Visit>
void each_cpu(const Ledger& ledger, const CpuSet& cpus, Visit&& visit) noexcept {
    for (uint32_t cpu = cpus.first(); cpu < ledger.cpus(); cpu = cpus.next(cpu + 1, ledger.cpus())) visit(cpu);
}

/// Loads each word of a record of kind `what.kind` once, even while another process writes: the values that are checked
/// are the values that are used. Returns their checksum.
uint64_t load_record(const Ledger& ledger, Intent& what) noexcept {
    const IntentRecord& record = ledger.intent();
    uint64_t hash = 0xcbf29ce484222325;
    const auto mixed = [&hash](uint64_t word) noexcept {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15, hash ^= hash >> 29;
        return word;
    };
    mixed(what.kind);
    const uint64_t client = mixed(record.client.load(std::memory_order_relaxed));
    what.slot = static_cast<uint32_t>(client >> 32);
    what.generation = static_cast<uint32_t>(client);
    what.flags = mixed(record.flags.load(std::memory_order_relaxed));
    what.mask = CpuSet::empty();
    for (uint32_t i = 0; i < ledger.mask_words(); ++i)
        what.mask.words[i] = mixed(record.words[i].load(std::memory_order_relaxed));
    if (what.kind != intent::kMasks) return hash;
    each_cpu(ledger, what.mask, [&](uint32_t cpu) {
        const uint64_t target = mixed(ledger.intent_target(cpu).load());
        if (what.targets != nullptr) what.targets[cpu] = Owner::name(target);
    });
    return hash;
}

bool is_written(const Ledger& ledger, const Intent& what) noexcept {
    Intent there{};
    if (!read_intent(ledger, there) || there.kind != what.kind || there.slot != what.slot ||
        there.generation != what.generation || there.flags != what.flags || !(there.mask == what.mask))
        return false;
    bool same = true;
    if (what.kind == intent::kMasks)
        each_cpu(ledger, what.mask,
                 [&](uint32_t cpu) { same &= ledger.intent_target(cpu).load() == Owner::packed(what.targets[cpu]); });
    return same;
}

}  // namespace

void write_intent(const Ledger& ledger, const Intent& what) noexcept {
    // An administrator that completes the work of a dead one finds the intent written. Writing it again would make it
    // invalid for a moment.
    if (is_written(ledger, what)) return;
    IntentRecord& record = ledger.intent();
    record.kind.store(intent::kNothing);
    record.client.store(uint64_t{what.slot} << 32 | what.generation, std::memory_order_relaxed);
    record.flags.store(what.flags, std::memory_order_relaxed);
    for (uint32_t i = 0; i < ledger.mask_words(); ++i)
        record.words[i].store(what.mask.words[i], std::memory_order_relaxed);
    if (what.kind == intent::kMasks)
        each_cpu(ledger, what.mask, [&](uint32_t cpu) {
            ledger.intent_target(cpu).store(static_cast<uint32_t>(Owner::packed(what.targets[cpu])),
                                            std::memory_order_relaxed);
        });
    Intent written;
    written.kind = what.kind;
    record.checksum.store(load_record(ledger, written), std::memory_order_relaxed);
    record.kind.store(what.kind, std::memory_order_release);  // mutant intent-kind
}

void clear_intent(const Ledger& ledger) noexcept {
    ledger.intent().kind.store(intent::kNothing, std::memory_order_release);
}

bool read_intent(const Ledger& ledger, Intent& what) noexcept {
    const IntentRecord& record = ledger.intent();
    what.kind = record.kind.load(std::memory_order_acquire);  // mutant intent-read
    if (what.kind == intent::kNothing || what.kind > intent::kLast) return false;
    return load_record(ledger, what) == record.checksum.load();  // mutant intent-sum
}

}  // namespace drom
