// SPDX-License-Identifier: BSD-3-Clause
// stack.hpp - a stack that is large enough, whatever the limit of the user is.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace drom::command {

/// Calls the function. Where `ulimit -s` is small, and only there, the function has a stack of its own: the libraries
/// need more than some users allow for the programs that they start. One call per process; the function must not throw.
void with_stack(const std::function<void()>& function);

/// Returns the bytes of stack that a program has left at its start: the limit, less its arguments and the environment.
size_t stack_of_program(const std::vector<std::string>& command);

}  // namespace drom::command
