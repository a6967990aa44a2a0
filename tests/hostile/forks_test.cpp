// SPDX-License-Identifier: BSD-3-Clause
// forks_test.cpp - a client whose processes fork while they are moved: released is said only when no thread is left
// outside, and none will appear there.
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <new>
#include <ostream>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "file_text.hpp"
#include "launched.hpp"
#include "slow_fork.hpp"
#include "table_fixture.hpp"
#include "two_cpus.hpp"

namespace {

using namespace drom::test;
namespace fs = std::filesystem;

class Forking : public WithForks {};

[[noreturn]] void run_for_good() {
    for (std::atomic<uint64_t> turns{0};; turns.fetch_add(1)) {}
}

/// Starts a process that leaves hardly any of the first CPU to one of SCHED_IDLE.
Child run_on_first_cpu() {
    return Child::run([]() -> int {
        drom::set_affinity(0, cpus(kFirst));
        run_for_good();
    });
}

/// Returns how many threads the agent has in this process. A sanitizer has some of its own.
long count_agent_threads() {
    return std::count_if(fs::directory_iterator("/proc/self/task"), fs::directory_iterator(),
                         [](const auto& thread) { return file_text(thread.path() / "comm") == "drom\n"; });
}

// --- a fork that takes as long as the test wants -------------------------------------------------------------------

TEST_F(Forking, AProcessInsideAForkKeepsReleasedFromBeingSaidAtEachTry) {
    NEED_TWO_CPUS();
    const Launched launched(path_, kBoth, start_slow_fork);
    NEED_HELD_FORK(launched);
    EXPECT_EQ(release(launched, kFirst, 200), DROM_PENDING) << "its child will be outside";
    EXPECT_EQ(release(launched, kFirst, 200), DROM_PENDING) << "the parent was moved by the first try";
    expect_child_on_first(launched);
}

TEST_F(Forking, AnAdministratorThatWaitsMovesTheChildWhenTheForkEnds) {
    NEED_TWO_CPUS();
    const Launched launched(path_, kBoth, start_slow_fork);
    NEED_HELD_FORK(launched);
    std::thread later([&launched] {
        usleep(150'000);
        launched.words->step.store(kLetGo);
    });
    EXPECT_EQ(release(launched, kFirst, 5000), DROM_OK) << error_.text;
    later.join();
    EXPECT_EQ(mask_of(launched.other()), kFirst);
}

/// A fork that waited for longer than a starved process is waited for was given up as soon as it went on.
TEST_F(Forking, AForkThatWasHeldForLongIsWaitedForWhenItGoesOn) {
    NEED_TWO_CPUS();
    for (int i = 0; i < 10; ++i) {
        const Launched launched(path_, kBoth, start_slow_fork);
        NEED_HELD_FORK(launched);
        std::thread later([&launched] {
            usleep(100'000);
            launched.words->step.store(kLetGo);
        });
        const int status = release(launched, kFirst, 5000);
        later.join();
        EXPECT_EQ(status, DROM_OK) << error_.text;
        EXPECT_EQ(mask_of(launched.other()), kFirst);
    }
}

TEST_F(Forking, AnAgentMovesTheFirstChildThatWasBeingForkedAtItsRelease) {
    NEED_TWO_CPUS();
    const Launched launched(path_, kBoth, [](const Shared& words) {
        const drom_options options = options_with(DROM_ASYNC);
        if (drom_init(nullptr, 0, &options, nullptr) != DROM_OK) _exit(1);
        // The C library cannot create the agent's threads while it is inside a fork.
        await([] { return count_agent_threads() == 2; });
        fork_slowly(words, sleep_as_other);
    });
    NEED_HELD_FORK(launched);
    EXPECT_EQ(set(launched.program(), kFirst, DROM_WAIT_RELEASED | DROM_NEVER_CONFINE), DROM_OK) << error_.text;
    launched.words->step.store(kLetGo);
    const pid_t child = launched.other();
    await([child] { return mask_of(child) == kFirst; });
}

/// Takes the descriptor of another process; less than 0: not here.
int descriptor_of(pid_t pid, int file) {
    const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0U));
    const auto taken = static_cast<int>(syscall(SYS_pidfd_getfd, process, file, 0U));
    close(process);
    return taken;
}

/// A client without descendants is not waited for, and its first child kept the CPUs from before.
TEST_F(Forking, AChildWhoseForkWasNotWaitedForPutsItselfInside) {
    NEED_TWO_CPUS();
    const Launched launched(path_, kBoth, [](const Shared& words) {
        if (drom_init(nullptr, 0, nullptr, nullptr) != DROM_OK) _exit(1);
        const int file = hold_forks();
        words->parent.store(file);
        words->step.store(file < 0 ? kCannot : kForks);
        if (file < 0 || fork() != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        words->other.store(getpid());
        sleep_for_good();
    });
    NEED_HELD_FORK(launched);
    const int file = descriptor_of(launched.program(), launched.words->parent.load());
    if (file < 0) DROM_SKIP("pidfd_getfd is not allowed here");
    ASSERT_EQ(release(launched, kFirst, kLongWait), DROM_OK) << error_.text;
    end_held_fork(file);
    close(file);
    EXPECT_EQ(mask_of(launched.other()), kFirst);
}

/// A program of many threads that were shrunk to one CPU kept its other CPUs as long as it ran.
TEST_F(Forking, AProcessThatGetsHardlyAnyOfACpuIsNotWaitedForInVain) {
    NEED_TWO_CPUS();
    const Child busy[] = {run_on_first_cpu(), run_on_first_cpu(), run_on_first_cpu()};
    const Launched launched(path_, kBoth, [](const Shared& words) {
        if (fork_descendant() != 0) return;
        const sched_param nothing{};
        if (sched_setscheduler(0, SCHED_IDLE, &nothing) != 0) _exit(1);
        words->other.store(getpid());
        run_for_good();
    });
    (void)launched.other();
    EXPECT_EQ(release(launched, kFirst, 2000), DROM_OK) << error_.text;
}

TEST_F(Forking, TheParentOfAChildOfVforkIsNotWaitedFor) {
    NEED_TWO_CPUS();
    const Launched launched(path_, kBoth, [](const Shared& words) {
        if (fork_descendant() != 0) return;
        words->step.store(kForks);
        if (syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;) pause();  // as if its program came from a slow file system
        }
    });
    await([&] { return launched.words->step.load() != 0; });
    EXPECT_EQ(release(launched, kFirst), DROM_OK) << error_.text;
}

// --- chains of processes, each of which ends when it has forked the next one ----------------------------------------

constexpr int kChains = 3;

struct Chains {
    struct Chain {
        std::atomic<uint64_t> born, mask;
    };
    std::atomic<bool> stop;
    /// A test that is killed must not leave processes that fork for ever. It takes less, or its watchdog ends it.
    uint64_t end_ns = drom::deadline_in_ms(300'000);
    Chain of[kChains];
};

/// Runs one chain until it is stopped. `flags`: CLONE_PARENT, or 0.
[[noreturn]] void run_chain(Chains& chains, int number, unsigned long flags) {
    Chains::Chain& own = chains.of[number];
    while (!chains.stop.load() && drom::now_ns() < chains.end_ns) {
        own.mask.store(mask_of(0));
        own.born.fetch_add(1);
        if (syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0) > 0) _exit(0);
    }
    _exit(0);
}

struct Kind {
    const char* name;
    unsigned long flags;
    bool adopts;  ///< the client is the subreaper
    int requests = 100;
    size_t bytes = 0;  ///< of memory, which each fork copies the map of: 25 ms of a CPU per GiB
};
void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

/// Takes memory in small pages, and keeps it.
void fill_memory(size_t bytes) {
    void* room = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) throw std::bad_alloc();
    madvise(room, bytes, MADV_NOHUGEPAGE);
    memset(room, 1, bytes);
}

class ProcessChain : public Forking, public testing::WithParamInterface<Kind> {
protected:
    ProcessChain() {
        void* room = mmap(nullptr, sizeof(Chains), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED) throw std::bad_alloc();
        chains_ = new (room) Chains{};
    }
    ~ProcessChain() override {
        chains_->stop.store(true);
        usleep(20'000);
        munmap(chains_, sizeof(Chains));
    }

    void start() const {
        signal(SIGCHLD, SIG_IGN);
        prctl(PR_SET_CHILD_SUBREAPER, GetParam().adopts ? 1 : 0);
        if (GetParam().bytes > 0) fill_memory(GetParam().bytes);
        for (int i = 0; i < kChains; ++i)
            if (fork() == 0) {
                prctl(PR_SET_PDEATHSIG, 0);
                run_chain(*chains_, i, GetParam().flags);
            }
    }

    /// Returns how many chains are outside `mask`, after each of them had two processes more.
    [[nodiscard]] int count_outside(uint64_t mask) const {
        int outside = 0;
        for (Chains::Chain& chain : chains_->of) {
            const uint64_t before = chain.born.load();
            await([&chain, before] { return chain.born.load() >= before + 2; });
            outside += (chain.mask.load() & ~mask) != 0 ? 1 : 0;
        }
        return outside;
    }

    Chains* chains_ = nullptr;
};

/// About 1 of 100 releases left a chain outside for good. A busy machine may leave requests pending. It may also take
/// so long that a process is not waited for any longer (protocol.md): such a release proves nothing.
TEST_P(ProcessChain, NoneIsOutsideAfterAReleaseHoweverItForked) {
    NEED_TWO_CPUS();
    const Launched launched(
        path_, kBoth, [this](const Shared&) { start(); }, [](const Shared&) { signal(SIGCHLD, SIG_IGN); });
    // A client without an agent is not waited for that is about to have its first child (protocol.md).
    for (const Chains::Chain& chain : chains_->of) await([&chain] { return chain.born.load() > 0; });
    constexpr uint64_t kPatience = 50 * drom::kMillisecond;
    // Where each request takes its whole second, not all of them are made: under a sanitizer, beside other suites.
    const uint64_t enough = drom::deadline_in_ms(40'000);
    for (int i = 0; i < GetParam().requests && drom::now_ns() < enough; ++i) {
        const uint64_t mask = i % 2 == 0 ? kFirst : kSecond;
        const uint64_t began = drom::now_ns();
        const int status = release(launched, mask);
        const bool proves = drom::now_ns() - began < kPatience;
        if (status == DROM_PENDING || !proves) continue;
        ASSERT_EQ(status, DROM_OK) << error_.text;
        ASSERT_EQ(count_outside(mask), 0) << "after " << i << " requests";
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ProcessChain,
                         testing::Values(Kind{"adopted_by_the_launcher", 0, false},
                                         Kind{"adopted_by_the_client", 0, true},
                                         Kind{"born_as_siblings", CLONE_PARENT, false},
                                         Kind{"of_large_processes", 0, false, 40, size_t{128} << 20}),
                         [](const auto& kind) { return std::string(kind.param.name); });

}  // namespace
