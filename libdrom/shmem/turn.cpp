// SPDX-License-Identifier: BSD-3-Clause
// turn.cpp - administrators take turns.
#include "turn.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/identity.hpp"
#include "waiting.hpp"

namespace drom {

namespace {
// A holder that is killed wakes nobody: look at it again at least this often.
constexpr uint64_t kLookAgain = 5 * kMillisecond;

bool try_take(Header& header, uint64_t from, uint64_t mine) noexcept {
    return header.turn.compare_exchange_strong(from, mine, std::memory_order_acquire);
}
}  // namespace

Turn::Turn(Header& header, uint64_t deadline_ns) noexcept : header_(header), mine_(packed(self())) {
    if (try_take(header_, 0, mine_)) return;
    header_.turn_waiters.fetch_add(1);
    for (;;) {
        const uint64_t holder = header_.turn.load();
        if (holder == 0) {
            if (try_take(header_, 0, mine_)) break;
            continue;
        }
        const uint64_t now = now_ns();
        if (now >= deadline_ns || verdict(unpacked(holder)) == Verdict::kDead) {
            inherited_ = true;
            if (try_take(header_, holder, mine_)) break;
            continue;
        }
        futex_wait(futex_half(header_.turn), static_cast<uint32_t>(holder), std::min(deadline_ns, now + kLookAgain));
    }
    header_.turn_waiters.fetch_sub(1);
}

Turn::~Turn() {
    // Lost to somebody who thought us stopped: it is theirs now.
    uint64_t mine = mine_;
    if (!header_.turn.compare_exchange_strong(mine, 0, std::memory_order_release)) return;
    if (header_.turn_waiters.load() > 0) futex_wake(futex_half(header_.turn));
}

}  // namespace drom
