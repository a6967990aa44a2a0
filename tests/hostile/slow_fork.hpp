// SPDX-License-Identifier: BSD-3-Clause
// slow_fork.hpp - a fork that takes as long as the test wants.
#pragma once

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <csignal>
#include <thread>

#include "launched.hpp"
#include "table_fixture.hpp"
#include "two_cpus.hpp"

namespace drom::test {

inline void* held_page = nullptr;  ///< the page whose copying holds a fork
inline constexpr size_t kPage = 4096;

/// Returns a userfaultfd that holds each fork of this process until the event of it is read; less than 0: not here.
inline int hold_forks() {
    const auto file = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC));
    uffdio_api api{};
    api.api = UFFD_API;
    api.features = UFFD_FEATURE_EVENT_FORK;
    held_page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uffdio_register range{};
    range.range = {reinterpret_cast<uint64_t>(held_page), kPage};
    range.mode = UFFDIO_REGISTER_MODE_MISSING;
    if (file < 0 || ioctl(file, UFFDIO_API, &api) != 0 || ioctl(file, UFFDIO_REGISTER, &range) != 0) return -1;
    return file;
}

/// Lets the forks of a child go that was held. It has its parent's page, and another userfaultfd, which is not read.
inline void hold_no_fork() { syscall(SYS_munmap, held_page, kPage); }

/// Starts a process of the client that ends with its parent.
inline pid_t fork_descendant() {
    const pid_t pid = fork();
    if (pid == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

/// Lets a fork go that is held.
inline void end_held_fork(int file) {
    uffd_msg event{};
    (void)!read(file, &event, sizeof event);
}

/// Forks by the bare system call: the C library and a sanitizer hold locks inside fork(), which other threads need to
/// let go a fork that is held.
inline pid_t fork_bare() { return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)); }

/// Writes the number of the calling process, which a bare fork made. ThreadSanitizer's own store could wait there for a
/// lock that another thread of the parent held.
[[gnu::no_sanitize("thread")]] inline void store_pid(std::atomic<pid_t>& word) {
    *reinterpret_cast<volatile pid_t*>(&word) = static_cast<pid_t>(syscall(SYS_getpid));
}

// Steps of the program.
inline constexpr int kCannot = -1, kForks = 1, kLetGo = 2;

/// Forks; the fork is held until the test lets it go. The mask of the child is the one of the moment when it began.
/// `child`: what the child does.
inline void fork_slowly(const Shared& words, void (*child)(const Shared&)) {
    const int file = hold_forks();
    if (file < 0) {
        words->step.store(kCannot);
        return;
    }
    std::thread([&words, file] {
        await([&words] { return words->step.load() == kLetGo; });
        end_held_fork(file);
    }).detach();
    words->step.store(kForks);
    if (fork_bare() == 0) child(words);
}

/// Sleeps, as the process whose mask the test looks at.
inline void sleep_as_other(const Shared& words) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    store_pid(words->other);
    sleep_for_good();
}

inline void start_slow_fork(const Shared& words) {
    if (fork_descendant() == 0) {
        words->parent.store(getpid());
        fork_slowly(words, sleep_as_other);
        sleep_for_good();
    }
}

inline constexpr uint32_t kLongWait = 20'000;  // milliseconds, for a machine that is busy

/// A table whose clients fork while they are moved.
class WithForks : public WithTable {
protected:
    int release(const Launched& launched, uint64_t mask, uint32_t timeout_ms = 0) {
        const drom_options options = options_with(DROM_WAIT_RELEASED, timeout_ms);
        return drom_set_mask(table_, launched.program(), &mask, 1, &options, &error_);
    }
    /// Lets a fork go that was held, and has its client released. Checks that the child is on the first CPU, too.
    void expect_child_on_first(const Launched& launched) {
        launched.words->step.store(kLetGo);
        const pid_t child = launched.other();
        const int status = release(launched, kFirst, kLongWait);
        EXPECT_TRUE(status == DROM_OK || status == DROM_UNCHANGED) << error_.text;
        EXPECT_EQ(mask_of(child), kFirst);
    }
};

#define NEED_HELD_FORK(launched)                                                                    \
    await([&] { return (launched).words->step.load() != 0; });                                      \
    if ((launched).words->step.load() == kCannot) DROM_SKIP("userfaultfd cannot hold a fork here"); \
    usleep(20'000)

}  // namespace drom::test
