// SPDX-License-Identifier: BSD-3-Clause
// progress.cpp - a bar, and signals.
#include "cli/progress.hpp"

#include <unistd.h>
#include <csignal>
#include <cstdio>
#include <utility>

namespace drom::sim {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "it is set in a signal handler");

extern "C" void on_signal(int number) {
    if (stop.exchange(true)) {
        std::signal(number, SIG_DFL);
        std::raise(number);
    }
}

constexpr int kWidth = 40;

}  // namespace

const std::atomic<bool>& stopped() { return stop; }

void stop_on_signals() {
    std::signal(SIGINT, on_signal);
    std::signal(SIGTERM, on_signal);
}

Progress::Progress(std::string what, std::size_t total, bool quiet)
    : what_(std::move(what)), total_(total), shown_(!quiet && total > 0 && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::add(std::size_t done) {
    if (!shown_) return;
    const std::size_t now = done_.fetch_add(done) + done;
    const int percent = static_cast<int>(now * 100 / total_);
    if (percent_.exchange(percent) == percent) return;
    char bar[kWidth + 1] = {};
    for (int i = 0; i < kWidth; ++i) bar[i] = i < percent * kWidth / 100 ? '#' : '.';
    std::fprintf(stderr, "\r%s [%s] %3d %%", what_.c_str(), bar, percent);
}

}  // namespace drom::sim
