// SPDX-License-Identifier: BSD-3-Clause
// whole_texts.cpp - a thread that waits for the signals, and a lock around each text.
#include "verbs/whole_texts.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <mutex>
#include <thread>

#include "output/messages.hpp"

namespace drom::command {

namespace {

std::mutex& output_lock() {
    static std::mutex lock;
    return lock;
}

}  // namespace

void end_cleanly_at_signals() {
    constexpr int kNumbers[] = {SIGINT, SIGTERM};
    sigset_t set;
    sigemptyset(&set);
    for (const int number : kNumbers) sigaddset(&set, number);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::thread([set] {
        int number = 0;
        sigwait(&set, &number);
        const std::scoped_lock whole_texts(output_lock());
        _exit(kDone);
    }).detach();
}

std::unique_lock<std::mutex> without_such_an_end() { return std::unique_lock(output_lock()); }

bool print_whole(const std::string& text) {
    const auto whole_text = without_such_an_end();
    return print(text);
}

}  // namespace drom::command
