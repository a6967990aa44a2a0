// SPDX-License-Identifier: GPL-2.0-or-later
// once_unlocked.cpp - a thread that waits for slurmctld's lock.
#include "slurmctld.hpp"

extern "C" {
#include "src/slurmctld/locks.h"
}
#pragma weak lock_slurmctld
#pragma weak slurmctld_config
#pragma weak unlock_slurmctld

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

namespace {

// Never destroyed: the thread is there as long as the process.
struct Due {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_set = false;
    std::chrono::steady_clock::time_point at;
    void (*body)() = nullptr;
    bool has_thread = false;
};

Due& due() {
    static auto* const one = new Due;
    return *one;
}

void wait_for_due() {
    std::unique_lock lock(due().mutex);
    for (;;) {
        due().changed.wait(lock, [] { return due().is_set; });
        const auto at = due().at;
        if (due().changed.wait_until(lock, at) == std::cv_status::no_timeout) continue;
        due().is_set = false;
        once_unlocked(due().body);
    }
}

}  // namespace

void in_a_while(int seconds, void (*body)()) {
    const auto at = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    const std::lock_guard lock(due().mutex);
    due().body = body;
    if (due().is_set && due().at <= at) return;
    due().is_set = true;
    due().at = at;
    if (!due().has_thread) std::thread(wait_for_due).detach();
    due().has_thread = true;
    due().changed.notify_one();
}

void if_control_goes(void (*body)()) {
    if (!slurmctld_config.resume_backup) return;
    slurmctld_lock_t locks = {};
    locks.job = WRITE_LOCK;
    lock_slurmctld(locks);
    body();
    unlock_slurmctld(locks);
}

}  // namespace drom::slurm
