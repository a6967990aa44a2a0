// SPDX-License-Identifier: BSD-3-Clause
// run_at_once.cpp - how the kernel schedules the agent's thread and a waiting administrator.
#include "run_at_once.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.hpp"

namespace drom {

namespace {

using Attributes = RunAtOnce::Attributes;

constexpr uint64_t kShortest = kMillisecond / 10;  // the shortest that the kernel grants

bool read_ordinary(Attributes& attributes) noexcept {
    return syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) == 0 && attributes.policy == SCHED_OTHER;
}

bool write(const Attributes& attributes) noexcept { return syscall(SYS_sched_setattr, 0, &attributes, 0) == 0; }

bool set_short_slices(Attributes attributes) noexcept {
    attributes.runtime = kShortest;
    return write(attributes);
}

/// Sets the lowest real-time priority: above every ordinary thread, below all others that the site runs at such
/// priorities.
bool set_real_time(const Attributes& ordinary) noexcept {
    return write({.size = sizeof(Attributes),
                  .policy = SCHED_FIFO,
                  .flags = ordinary.flags,
                  .nice = 0,
                  .priority = 1,
                  .runtime = 0,
                  .deadline = 0,
                  .period = 0});
}

}  // namespace

void ask_for_short_slices() noexcept {
    Attributes attributes{};
    if (read_ordinary(attributes)) set_short_slices(attributes);
}

RunAtOnce::RunAtOnce(bool wanted) noexcept {
    if (!wanted || !read_ordinary(before_)) return;
    granted_ = set_real_time(before_);
    changed_ = granted_ || set_short_slices(before_);
}

RunAtOnce::~RunAtOnce() {
    if (changed_) write(before_);
}

}  // namespace drom
