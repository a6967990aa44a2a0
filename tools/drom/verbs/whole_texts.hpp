// SPDX-License-Identifier: BSD-3-Clause
// whole_texts.hpp - the end of a verb that prints until it is interrupted: with status 0, and never in mid-text.
#pragma once

#include <mutex>
#include <string>

namespace drom::command {

/// Lets SIGINT and SIGTERM end this process with status 0, between two texts of print_whole(). Needs to be called once,
/// before any thread is started.
void end_cleanly_at_signals();

/// Lets no such end happen until the lock is released.
std::unique_lock<std::mutex> without_such_an_end();

/// Prints like print(), but is never cut by such an end.
bool print_whole(const std::string& text);

}  // namespace drom::command
