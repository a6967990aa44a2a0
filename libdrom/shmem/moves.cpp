// SPDX-License-Identifier: BSD-3-Clause
// moves.cpp - movers tell one another when they move the processes of a client.
#include "moves.hpp"

#include <algorithm>

#include "base/process_identity.hpp"
#include "mailbox.hpp"

namespace drom {

namespace {

// An announcement is {tick:40, count:24}. The count makes it unlike the one before it.
constexpr unsigned kCountBits = 24;
constexpr uint64_t kCountMask = (uint64_t{1} << kCountBits) - 1;

uint64_t tick_of(uint64_t announced) noexcept { return announced >> kCountBits; }

}  // namespace

Moves::Moves(Word& own, const Word* other) noexcept
    : own_(own), other_(other), own_last_(own.load()), other_last_(other != nullptr ? other->load() : 0) {}

Moves::Moves(const Ledger& ledger, uint32_t slot, const Page* page, uint64_t released) noexcept
    : Moves(ledger.mailbox(slot).moved, page != nullptr ? &page->moved : nullptr) {
    see_attempts(ledger, slot, page, released);
}

Moves::Moves(const Ledger& ledger, uint32_t slot, Page& page, uint64_t released, uint64_t seq) noexcept
    : Moves(page.moved, &ledger.mailbox(slot).moved) {
    see_attempts(ledger, slot, &page, released);
    page.began.store(seq);
}

/// Notes attempts that have begun. Their announcements may have been read already, so these are looked at last.
void Moves::see_attempts(const Ledger& ledger, uint32_t slot, const Page* page, uint64_t released) noexcept {
    if (has_begun_since(ledger, slot, page, released))  // mutant attempts
        until_ = std::max({uint64_t{1}, tick_of(own_last_), tick_of(other_last_)});
}

void Moves::see(uint64_t announced, uint64_t& last) noexcept {
    if (announced == last) return;
    last = announced;
    until_ = std::max(until_, tick_of(announced));
}

void Moves::announce() noexcept {
    const uint64_t now = ticks_since_boot();
    uint64_t old = own_.load();
    uint64_t fresh = 0;
    do {
        see(old, own_last_);
        fresh = std::max(now, tick_of(old)) << kCountBits | ((old + 1) & kCountMask);
    } while (!own_.compare_exchange_weak(old, fresh));
    own_last_ = fresh;
}

bool Moves::may_include(uint64_t start) noexcept {
    constexpr uint64_t kRounding = 2;  // a time namespace shifts by part of a tick
    see(own_.load(), own_last_);       // mutant announced
    if (other_ != nullptr) see(other_->load(), other_last_);
    return until_ != 0 && start <= until_ + kRounding;
}

}  // namespace drom
