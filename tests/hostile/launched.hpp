// SPDX-License-Identifier: BSD-3-Clause
// launched.hpp - a client that a launcher started, as drom run does it.
#pragma once

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "base/confine.hpp"
#include "child.hpp"
#include "drom/drom.h"
#include "options.hpp"

namespace drom::test {

inline constexpr uint64_t kFirst = 1, kSecond = 2, kBoth = 3;

/// Words that the processes of a test share.
struct Words {
    std::atomic<pid_t> program;
    std::atomic<pid_t> other;   ///< a process whose mask the test looks at
    std::atomic<pid_t> parent;  ///< of `other`
    std::atomic<bool> ready;
    std::atomic<int> releases;
    std::atomic<int> step;  ///< counts what the test has allowed or a process has reached
    char slot[64];          ///< DROM_SLOT of the program's reservation
};

class Shared {
public:
    Shared() {
        void* room = mmap(nullptr, sizeof(Words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED) throw std::bad_alloc();
        words_ = new (room) Words{};
    }
    ~Shared() { munmap(words_, sizeof(Words)); }
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;
    Words* operator->() const { return words_; }

private:
    Words* words_;
};

inline CpuSet cpus(uint64_t word) {
    CpuSet mask = CpuSet::empty();
    mask.words[0] = word;
    return mask;
}

inline uint64_t mask_of(pid_t pid) {
    CpuSet mask{};
    return drom::get_affinity(static_cast<uint32_t>(pid), mask) ? mask.words[0] & kBoth : 0;
}

inline void await(const std::function<bool()>& done) {
    while (!done()) usleep(1000);
}

[[noreturn]] inline void sleep_for_good() {
    for (;;) pause();
}

/// A launcher, as drom run is, and its program.
class Launched {
public:
    using Body = std::function<void(const Shared&)>;

    /// Starts both. `program`: runs in the program when it has its CPUs. `launcher`: runs in the launcher then.
    Launched(
        const std::string& table, uint64_t mask, Body program, Body launcher = [](const Shared&) {})
        : table_(table), mask_(mask), program_(std::move(program)), launcher_(std::move(launcher)) {
        process_ = Child::run([this] { return launch(); });
        await([this] { return words->program.load() != 0; });
    }
    ~Launched() {
        process_.stop();
        for (const pid_t pid : {words->program.load(), words->other.load()})
            if (pid > 0) kill(pid, SIGKILL);
    }
    Launched(const Launched&) = delete;
    Launched& operator=(const Launched&) = delete;

    [[nodiscard]] pid_t program() const { return words->program.load(); }
    [[nodiscard]] pid_t other() const {
        await([this] { return words->other.load() != 0; });
        return words->other.load();
    }
    Child& process() { return process_; }

    Shared words;

private:
    int launch() {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        const Gate gate;
        const Child program = Child::run([&] {
            gate.pass();
            return run();
        });
        if (!reserve(program.pid())) return 1;
        gate.open();
        launcher_(words);
        words->program.store(program.pid());
        sleep_for_good();
    }

    int run() {
        prctl(PR_SET_PDEATHSIG, 0);
        setenv("DROM_TABLE", table_.c_str(), 1);
        setenv("DROM_SLOT", words->slot, 1);
        program_(words);
        sleep_for_good();
    }

    bool reserve(pid_t pid) {
        drom_table* table = nullptr;
        const drom_options options = options_with(DROM_TREE);
        auto** environment = static_cast<char**>(calloc(1, sizeof(char*)));
        if (drom_open(&table, table_.c_str(), nullptr, nullptr) != DROM_OK) return false;
        // The CPUs may be those of a client that is just being killed.
        await([&] { return drom_reserve(table, pid, &mask_, 1, &options, &environment, nullptr) >= 0; });
        for (char** entry = environment; *entry != nullptr; ++entry)
            if (strncmp(*entry, "DROM_SLOT=", 10) == 0) snprintf(words->slot, sizeof words->slot, "%s", *entry + 10);
        return drom::set_affinity(0, cpus(kBoth)) == 0 &&
               drom::set_affinity(static_cast<uint32_t>(pid), cpus(mask_)) == 0;
    }

    std::string table_;
    uint64_t mask_;
    Body program_, launcher_;
    Child process_;
};

}  // namespace drom::test
