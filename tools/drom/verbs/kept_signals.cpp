// SPDX-License-Identifier: BSD-3-Clause
// kept_signals.cpp - signals that arrive in the middle of a change take effect after it.
#include "verbs/kept_signals.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <initializer_list>

namespace drom::command {

namespace {

/// Returns the signals that ask to end, without those that are ignored: they ask for nothing, and would be seen as
/// pending all the same.
sigset_t ending_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
        struct sigaction action{};
        if (sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&set, number);
    }
    return set;
}

}  // namespace

KeptSignals::KeptSignals() {
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before_);
    const sigset_t ending = ending_signals();
    descriptor_ = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
}

KeptSignals::~KeptSignals() {
    if (descriptor_ >= 0) close(descriptor_);
    sigprocmask(SIG_SETMASK, &before_, nullptr);
}

bool KeptSignals::arrived() const {
    pollfd event{descriptor_, POLLIN, 0};
    return poll(&event, 1, 0) > 0;
}

}  // namespace drom::command
