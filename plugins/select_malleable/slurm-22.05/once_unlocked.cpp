// SPDX-License-Identifier: GPL-2.0-or-later
// once_unlocked.cpp - a thread that waits for slurmctld's lock.
#include "slurmctld.hpp"

extern "C" {
#include "src/slurmctld/locks.h"
}
#pragma weak lock_slurmctld
#pragma weak slurmctld_config
#pragma weak unlock_slurmctld

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "once_unlocked.hpp"

namespace drom::slurm {
namespace {

// Never destroyed: the thread is there as long as the process.
struct Waiting {
    std::mutex mutex;
    std::condition_variable asked;
    void (*body)() = nullptr;
    bool has_thread = false;
};

Waiting& waiting() {
    static auto* const one = new Waiting;
    return *one;
}

void serve() {
    for (;;) {
        void (*body)() = nullptr;
        {
            std::unique_lock lock(waiting().mutex);
            waiting().asked.wait(lock, [] { return waiting().body != nullptr; });
            body = std::exchange(waiting().body, nullptr);
        }
        slurmctld_lock_t locks = {};
        locks.conf = READ_LOCK;
        locks.job = WRITE_LOCK;
        locks.node = READ_LOCK;
        locks.part = READ_LOCK;
        lock_slurmctld(locks);
        if (slurmctld_config.shutdown_time == 0) body();
        unlock_slurmctld(locks);
    }
}

}  // namespace

void once_unlocked(void (*body)()) {
    const std::lock_guard lock(waiting().mutex);
    if (!waiting().has_thread) std::thread(serve).detach();
    waiting().has_thread = true;
    waiting().body = body;
    waiting().asked.notify_one();
}

void in_a_while(void (*body)()) {
    static std::atomic<bool> waits = false;
    if (waits.exchange(true)) return;
    std::thread([body] {
        constexpr auto kWhile = std::chrono::seconds(6);
        std::this_thread::sleep_for(kWhile);  // no event: slurmctld's thread for slurmdbd tells of none
        waits = false;
        once_unlocked(body);
    }).detach();
}

}  // namespace drom::slurm
