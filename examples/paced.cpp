// SPDX-License-Identifier: BSD-3-Clause
// paced.cpp - a job that does not compute: its work goes on at the pace of the CPUs that it owns, by drom_poll.
//
//   paced [--cpus N] [--milliseconds N]
//
// Its work takes that many milliseconds on that many CPUs, and it sleeps until that is done; on half of the CPUs it
// takes twice as long. On nodes that drom only plays (DROM_VIRTUAL) this is a job: a cluster of them fits on a laptop.
// Without a reservation it has all its CPUs all the time.
#include <drom/drom.h>

#include <unistd.h>
#include <algorithm>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "arguments.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::duration<double, std::milli>;
constexpr std::size_t kWords = 64;  // 4,096 CPUs

struct Options {
    int cpus = 1;
    int milliseconds = 1000;
};

int count_cpus(const std::uint64_t* words, std::size_t nwords) {
    int count = 0;
    for (std::size_t i = 0; i < nwords; ++i) count += std::popcount(words[i]);
    return count;
}

/// The work that is left, and its speed.
class Pace {
public:
    explicit Pace(const Options& options) : asked_(options.cpus), cpus_(options.cpus), left_(options.milliseconds) {}

    /// Holds from now on. The job is never faster than with the CPUs that it asked for.
    void set(int cpus) {
        const std::lock_guard lock(mutex_);
        change(cpus);
    }

    /// Does as set(), with the number that `look` returns. A call of set() in another thread waits meanwhile: its
    /// number is newer, and counts.
    template <typename Look>
    void set_by(Look look) {
        const std::lock_guard lock(mutex_);
        const int cpus = look();
        if (cpus > 0) change(cpus);
    }

    void wait_for_end() {
        std::unique_lock lock(mutex_);
        for (;;) {
            advance();
            if (left_.count() <= 0) return;
            const auto until = since_ + std::chrono::duration_cast<Clock::duration>(left_ / speed());
            changed_.wait_until(lock, until);
        }
    }

    int changes() const { return changes_; }

private:
    double speed() const { return static_cast<double>(cpus_) / asked_; }

    void advance() {
        const auto now = Clock::now();
        left_ -= Milliseconds(now - since_) * speed();
        since_ = now;
    }

    void change(int cpus) {
        advance();
        const int before = cpus_;
        cpus_ = std::clamp(cpus, 1, asked_);
        changes_ += cpus_ != before ? 1 : 0;
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    const int asked_;
    int cpus_;
    int changes_ = 0;
    Milliseconds left_;
    Clock::time_point since_ = Clock::now();
};

void follow(const std::uint64_t* words, std::size_t nwords, void* pace) {
    static_cast<Pace*>(pace)->set(count_cpus(words, nwords));
}

/// Returns the CPUs of this process's reservation; 0 when the table does not say.
int reserved_cpus() {
    drom_options options{};
    options.size = sizeof options;
    options.flags = DROM_READONLY;
    drom_table* table = nullptr;
    if (drom_open(&table, nullptr, &options, nullptr) < 0) return 0;
    std::uint64_t wanted[kWords] = {};
    const int status = drom_get_mask(table, getpid(), nullptr, wanted, kWords, nullptr);
    drom_close(table);
    return status < 0 ? 0 : count_cpus(wanted, kWords);
}

/// Returns false, with a sentence on stderr, when there is a reservation and it cannot be used.
bool join(Pace& pace) {
    if (std::getenv("DROM_SLOT") == nullptr) return true;
    drom_options options{};
    options.size = sizeof options;
    options.flags = DROM_ASYNC;
    drom_error error{};
    if (drom_init(nullptr, 0, &options, &error) < 0 || drom_on_change(follow, &pace, &options, &error) < 0) {
        std::fprintf(stderr, "paced: %s\n", error.text);
        return false;
    }
    pace.set_by(reserved_cpus);
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_arguments(argc, argv,
                        {{"--cpus", &options.cpus}, {"--milliseconds", &options.milliseconds, 1, 1'000'000'000}})) {
        std::fputs("usage: paced [--cpus N] [--milliseconds N]\n", stderr);
        return 2;
    }
    const auto begin = Clock::now();
    Pace pace(options);
    if (!join(pace)) return 1;
    pace.wait_for_end();
    const Milliseconds took = Clock::now() - begin;
    drom_finalize(nullptr);
    std::printf("paced: %d ms of work on %d CPUs took %.0f ms, with %d changes\n", options.milliseconds, options.cpus,
                took.count(), pace.changes());
    return 0;
}
