// SPDX-License-Identifier: BSD-3-Clause
// admin_lock.cpp - one administrator changes the table at a time.
#include "admin_lock.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/process_identity.hpp"
#include "futex.hpp"

namespace drom {

namespace {
// A holder that is killed wakes no waiter: each waiter looks at the holder at least this often.
constexpr uint64_t kLookAgain = 5 * kMillisecond;

bool try_take(Header& header, uint64_t from, uint64_t mine) noexcept {
    return header.admin_lock.compare_exchange_strong(from, mine, std::memory_order_acquire);  // mutant lock
}
}  // namespace

AdminLock::AdminLock(Header& header, uint64_t deadline_ns) noexcept : header_(header), mine_(packed(self())) {
    if (try_take(header_, 0, mine_)) return;
    header_.admin_lock_waiters.fetch_add(1);
    for (;;) {
        const uint64_t holder = header_.admin_lock.load();
        if (holder == 0) {
            if (try_take(header_, 0, mine_)) break;
            continue;
        }
        const uint64_t now = now_ns();
        if (now >= deadline_ns || liveness(unpacked(holder)) == Liveness::kDead) {
            inherited_ = true;
            if (try_take(header_, holder, mine_)) break;
            continue;
        }
        futex_wait(futex_half(header_.admin_lock), static_cast<uint32_t>(holder),
                   std::min(deadline_ns, now + kLookAgain));
    }
    header_.admin_lock_waiters.fetch_sub(1);
}

AdminLock::~AdminLock() {
    // Another administrator may have taken this one for stopped, and the lock from it: then there is nothing to give
    // back.
    uint64_t mine = mine_;
    if (!header_.admin_lock.compare_exchange_strong(mine, 0, std::memory_order_release)) return;  // mutant unlock
    if (header_.admin_lock_waiters.load() > 0) futex_wake(futex_half(header_.admin_lock));
}

}  // namespace drom
