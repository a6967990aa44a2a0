// SPDX-License-Identifier: BSD-3-Clause
// as_user.hpp - root's work in a child with the rights of a user. The user can stop and kill that child; root waits
// until a deadline only.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "output/messages.hpp"
#include "verbs/kept_signals.hpp"

namespace drom::command {

struct Answer {
    int status = kRefused;
    std::string output;        ///< what the child has printed; nothing when it did not end by itself
    std::string failure = {};  ///< why the child did not end by itself, and what helps; empty: it did
};

/// Carries `work` out in a child with the rights of `uid`, for good. The child's messages go out at once, and its
/// output comes back. A child that is stopped is continued; a child that has not ended after `limit` is killed. A child
/// is also killed when it goes on a second after a signal has arrived that `kept` holds back. `kept` may be null.
Answer as_user(uid_t uid, const std::function<int()>& work, std::chrono::milliseconds limit, const KeptSignals* kept);

struct UserWork {
    uid_t uid;
    std::function<int()> work;
};

/// Carries all of it out at once, likewise. Returns the answers in the order of the work.
std::vector<Answer> as_users(const std::vector<UserWork>& works, std::chrono::milliseconds limit);

}  // namespace drom::command
