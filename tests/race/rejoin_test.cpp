// SPDX-License-Identifier: BSD-3-Clause
// rejoin_test.cpp - who leaves and joins again at once is not refused because the thread of its first time is about to fall asleep.
//
// The agent's thread looks whether it is to stop, and then sleeps until there is a request; leave() says so, and then wakes it. Between the
// look and the sleep are some instructions only, so here every sleep begins late: with a `syscall` of ours, which libdrom.so finds before libc's.
#include <dlfcn.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "drom/drom.h"
#include "options.hpp"
#include "temp_dir.hpp"
#include "watchdog.hpp"

namespace {
constexpr useconds_t kLate_us = 2000;
constexpr int kTimes = 50;
std::atomic<int> late{0};  // sleeps

}  // namespace

extern "C" __attribute__((visibility("default"))) long syscall(long number, ...) {
    using Call = long (*)(long, long, long, long, long, long, long);
    static const auto libc_s = reinterpret_cast<Call>(dlsym(RTLD_NEXT, "syscall"));
    va_list list;
    va_start(list, number);
    long a[6];
    for (long& argument : a) argument = va_arg(list, long);
    va_end(list);
    if (number == SYS_futex && a[1] == FUTEX_WAIT_BITSET) {
        late.fetch_add(1);
        usleep(kLate_us);
    }
    return libc_s(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int main() {
    const drom::test::Watchdog watchdog(120);
    const drom::test::TempDir dir;
    setenv("DROM_TABLE", dir.table().c_str(), 1);
    const drom_options options = drom::test::options_with(DROM_ASYNC);
    int refused = 0;
    for (int time = 0; time < kTimes; ++time) {
        drom_error error{};
        if (drom_init(nullptr, 0, &options, &error) != DROM_OK) {
            std::printf("time %d: %s\n", time, error.text);
            ++refused;
            usleep(100'000);
            continue;
        }
        usleep(static_cast<useconds_t>(time % 10) * 400);
        drom_finalize(&error);
    }
    std::printf("rejoin: %d of %d refused, %d sleeps begun %u us late\n", refused, kTimes, late.load(), kLate_us);
    return refused == 0 && late >= kTimes ? 0 : 1;
}
