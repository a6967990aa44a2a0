// SPDX-License-Identifier: BSD-3-Clause
// mailbox.cpp - requests to a client and its acknowledgements.
#include "mailbox.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/clock.hpp"
#include "futex.hpp"
#include "slots.hpp"

namespace drom {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

uint64_t mix(uint64_t hash, uint64_t word) noexcept {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

uint64_t checksum_of(uint64_t stamp, const CpuSet& mask, uint32_t words) noexcept {
    uint64_t hash = mix(0, stamp);
    for (uint32_t i = 0; i < words; ++i) hash = mix(hash, mask.words[i]);
    return hash;
}

constexpr uint32_t kSeqBits = 40;
constexpr uint64_t kSeqMask = (uint64_t{1} << kSeqBits) - 1;

uint64_t new_stamp(Mailbox& mailbox) noexcept { return (mailbox.attempts.fetch_add(1, kRelaxed) + 1) << kSeqBits; }

/// Reads a half that was written under `stamp`. Returns false when it is not complete, or names CPUs that the table
/// does not have: no administrator posts those.
bool read_words(const Ledger& ledger, const RequestHalf& half, uint64_t stamp, CpuSet& mask) noexcept {
    const uint32_t words = ledger.mask_words();
    mask = CpuSet::empty();
    for (uint32_t i = 0; i < words; ++i) mask.words[i] = half.words[i].load(kRelaxed);
    const uint32_t used = ledger.cpus() % 64;  // of the last word; the bits behind them are 0
    const bool fits = used == 0 || mask.words[words - 1] >> used == 0;
    return fits && half.checksum.load(kRelaxed) == checksum_of(stamp, mask, words);  // mutant checksum
}

/// Reads the half as request `seq`. Returns false when it does not hold that request, completely.
bool read_half(const Ledger& ledger, const RequestHalf& half, uint64_t seq, CpuSet& mask) noexcept {
    const uint64_t stamp = half.stamp.load(std::memory_order_acquire);  // mutant half-stamp
    return (stamp & kSeqMask) == seq && read_words(ledger, half, stamp, mask);
}

bool is_of(uint64_t mark, uint32_t generation) noexcept {
    return mark >> kSeqBits == (confined_mark(generation, 0) >> kSeqBits);
}

/// Advances `confined` or `begun` of the slot's user `generation`, never back to an older request.
void advance(const Ledger& ledger, User user, Word& word, uint64_t seq) noexcept {
    const uint64_t mark = confined_mark(user.generation, seq);
    uint64_t old = word.load();
    // The slot's user may still change here. This mark is about no client then. At worst it hides the mark of the next
    // user, who is then confined once more.
    while (state_of(ledger.slot(user.slot)).generation == user.generation &&
           (!is_of(old, user.generation) || old < mark))
        if (word.compare_exchange_weak(old, mark)) return;  // mutant confined
}

/// Fills the half as request `expected` + 1, if `newest` is still `expected` and the slot is still `client`'s. An
/// administrator that takes the half over makes the last step here fail. Words that are stored here after that do not
/// fit the checksum with the other's stamp. So no client believes a mixture, nor a complete request of an administrator
/// that came too late.
bool write_half(const Ledger& ledger, Owner::Name client, uint64_t expected, const CpuSet& mask) noexcept {
    const uint64_t seq = expected + 1;
    Mailbox& mailbox = ledger.mailbox(client.slot);
    RequestHalf& half = ledger.half(client.slot, seq);  // mutant half
    uint64_t before = half.stamp.load(std::memory_order_acquire);
    if (mailbox.newest.load() != expected) return false;
    uint64_t mine = new_stamp(mailbox);
    if (!half.stamp.compare_exchange_strong(before, mine)) return false;  // mutant half-mine
    // Again: another administrator may have published a request in this half meanwhile, and clients may have read it.
    if (mailbox.newest.load() != expected) return false;          // mutant newest-again
    if (!(name_of(ledger, client.slot) == client)) return false;  // mutant half-user
    const uint32_t words = ledger.mask_words();
    for (uint32_t i = 0; i < words; ++i) half.words[i].store(mask.words[i], kRelaxed);
    half.checksum.store(checksum_of(mine | seq, mask, words), kRelaxed);
    return half.stamp.compare_exchange_strong(mine, mine | seq, std::memory_order_release, kRelaxed);  // mutant filled
}

}  // namespace

bool read_request(const Ledger& ledger, uint32_t slot, Request& posted) noexcept {
    const Mailbox& mailbox = ledger.mailbox(slot);
    for (int attempt = 0; attempt < 4; ++attempt) {
        // Acquire pairs with the publishing store: seeing the number implies seeing the words.
        posted.seq = mailbox.newest.load(std::memory_order_acquire);
        if (posted.seq == 0) return false;
        if (read_half(ledger, ledger.half(slot, posted.seq), posted.seq, posted.mask)) return true;
    }
    return false;
}

bool post_request(const Ledger& ledger, Owner::Name client, uint64_t base, const CpuSet& mask) noexcept {
    Mailbox& mailbox = ledger.mailbox(client.slot);
    const uint64_t seq = base + 1;
    if (!write_half(ledger, client, base, mask)) return false;  // mutant write-half
    mailbox.posted_ns.store(now_ns(), kRelaxed);
    // Sequentially consistent: this store is ordered before the look at the client's `sleeping`. The client's own
    // `sleeping = 1` is ordered before its last look at this word. One of the two processes sees the other.
    uint64_t expected = base;
    if (!mailbox.newest.compare_exchange_strong(expected, seq)) return false;  // mutant newest
    // Another administrator may have taken the half over just before this publication. Clients may have read its
    // contents by now, so they stay.
    CpuSet check;
    return read_half(ledger, ledger.half(client.slot, seq), seq, check) && check == mask;
}

uint64_t confined_mark(uint32_t generation, uint64_t seq) noexcept {
    return uint64_t{generation} << kSeqBits | (seq & kSeqMask);
}

void note_outside(const Ledger& ledger, uint32_t slot, uint32_t generation, const Request& confined) noexcept {
    if (state_of(ledger.slot(slot)).generation != generation) return;
    const uint64_t mark = confined_mark(generation, confined.seq);
    RequestHalf& half = ledger.outside(slot);
    const uint32_t words = ledger.mask_words();
    // Two administrators at once leave a mixture, which fits neither checksum: it is read as if nothing had been
    // written.
    half.stamp.store(0);  // mutant outside-begin
    for (uint32_t i = 0; i < words; ++i) half.words[i].store(confined.mask.words[i], kRelaxed);
    half.checksum.store(checksum_of(mark, confined.mask, words), kRelaxed);
    half.stamp.store(mark, std::memory_order_release);  // mutant outside-stamp
    Mailbox& mailbox = ledger.mailbox(slot);
    mailbox.confined_ns.store(now_ns(), kRelaxed);
    advance(ledger, {slot, generation}, mailbox.confined, confined.seq);
}

void note_begun(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t seq) noexcept {
    advance(ledger, {slot, generation}, ledger.mailbox(slot).begun, seq);
}

bool has_begun_since(const Ledger& ledger, uint32_t slot, const Page* page, uint64_t seq) noexcept {
    if (page != nullptr && page->began.load() > seq) return true;
    const uint64_t mark = ledger.mailbox(slot).begun.load(std::memory_order_acquire);
    return is_of(mark, state_of(ledger.slot(slot)).generation) && (mark & kSeqMask) > seq;
}

CpuSet begun_since(const Ledger& ledger, uint32_t slot, const Page* page, const Request& last, uint64_t seq) noexcept {
    CpuSet mask;
    if (!has_begun_since(ledger, slot, page, last.seq) || seq <= last.seq + 1 ||
        !read_half(ledger, ledger.half(slot, seq - 1), seq - 1, mask))
        return last.mask;
    return mask;
}

bool read_outside(const Ledger& ledger, uint32_t slot, Request& confined) noexcept {
    const uint64_t mark = ledger.outside(slot).stamp.load(std::memory_order_acquire);  // mutant outside-read
    confined.seq = mark & kSeqMask;
    return confined.seq != 0 && is_of(mark, state_of(ledger.slot(slot)).generation) &&
           read_words(ledger, ledger.outside(slot), mark, confined.mask);
}

bool was_requested(const Ledger& ledger, uint32_t slot, const CpuSet& affinity) noexcept {
    Request newest{};
    if (read_request(ledger, slot, newest) && newest.mask == affinity) return true;
    CpuSet before;
    if (newest.seq > 1 && read_half(ledger, ledger.half(slot, newest.seq - 1), newest.seq - 1, before) &&
        before == affinity)
        return true;
    Request confined{};
    return read_outside(ledger, slot, confined) && confined.mask == affinity;
}

uint64_t confined_seq(const Ledger& ledger, uint32_t slot) noexcept {
    const uint64_t mark = ledger.mailbox(slot).confined.load(std::memory_order_acquire);  // mutant confined-read
    return is_of(mark, state_of(ledger.slot(slot)).generation) ? mark & kSeqMask : 0;     // mutant confined-user
}

void write_applied(const Ledger& ledger, Page& page, uint64_t seq, const CpuSet& mask) noexcept {
    const uint32_t words = ledger.mask_words();
    for (uint32_t i = 0; i < words; ++i) page.applied[i].store(mask.words[i], kRelaxed);
    page.applied_checksum.store(checksum_of(seq, mask, words), kRelaxed);
}

bool read_applied(const Ledger& ledger, const Page& page, CpuSet& mask) noexcept {
    const uint64_t seq = page.released.load(std::memory_order_acquire);
    const uint32_t words = ledger.mask_words();
    mask = CpuSet::empty();
    for (uint32_t i = 0; i < words; ++i) mask.words[i] = page.applied[i].load(kRelaxed);
    return page.applied_checksum.load(kRelaxed) == checksum_of(seq, mask, words);
}

void blank_request(const Ledger& ledger, uint32_t slot) noexcept {
    Mailbox& mailbox = ledger.mailbox(slot);
    ledger.outside(slot).stamp.store(0);
    for (uint64_t seq = 0; seq < 2; ++seq) ledger.half(slot, seq).stamp.store(new_stamp(mailbox));
    mailbox.newest.store(0);
    mailbox.confined.store(0);
    mailbox.begun.store(0);
    mailbox.ack_waiters.store(0);
}

bool Pages::open(const Ledger* ledger, const char* path) noexcept {
    ledger_ = ledger;
    path_ = path;
    entries_ = static_cast<Entry*>(calloc(ledger->clients(), sizeof(Entry)));
    return entries_ != nullptr;
}

void Pages::drop(Entry& entry) noexcept {
    unmap_page(entry.page);
    entry = {nullptr, 0};
}

void Pages::clear() noexcept {
    for (uint32_t i = 0; entries_ != nullptr && i < ledger_->clients(); ++i) drop(entries_[i]);
    free(entries_);
    entries_ = nullptr;
}

Pages::Entry* Pages::entry(uint32_t slot) noexcept {
    Entry& entry = entries_[slot];
    const uint32_t generation = state_of(ledger_->slot(slot)).generation;
    if (entry.page != nullptr && entry.generation == generation) return &entry;
    drop(entry);
    entry.page = open_page(*ledger_, path_, slot, generation);
    entry.generation = generation;
    return entry.page != nullptr ? &entry : nullptr;
}

const Page* Pages::view(uint32_t slot) noexcept {
    const Entry* found = entry(slot);
    return found != nullptr ? found->page : nullptr;
}

void Pages::wake_client(uint32_t slot) noexcept {
    Entry* found = entry(slot);
    if (found == nullptr) return;
    if (holds_ && !refuses(slot)) return held_.add(slot);
    // The process that clears the flag wakes the client: a burst of requests costs one system call.
    const bool sleeping =
        ledger_->node_mode() || (found->page->sleeping.load() != 0 && found->page->sleeping.exchange(0) != 0);
    if (sleeping) futex_wake(futex_half(ledger_->mailbox(slot).newest));
}

bool Pages::refuses(uint32_t slot) noexcept {
    const Page* page = view(slot);
    return page != nullptr && page->disabled.load() != 0;
}

void Pages::wake_held() noexcept {
    holds_ = false;
    held_.each([this](uint32_t slot) {
        if (slot < ledger_->clients()) wake_client(slot);
    });
    held_ = {};
}

uint64_t released_seq(const Ledger& ledger, Pages& pages, uint32_t slot) noexcept {
    const Mailbox& mailbox = ledger.mailbox(slot);
    const uint64_t newest = mailbox.newest.load(std::memory_order_acquire);
    const Page* page = pages.view(slot);
    uint64_t acked = page != nullptr ? page->released.load(std::memory_order_acquire) : 0;
    // A client cannot have released what was never posted.
    if (acked > newest) acked = 0;  // mutant acked
    return std::max(acked, confined_seq(ledger, slot));
}

}  // namespace drom
