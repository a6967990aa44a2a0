// SPDX-License-Identifier: BSD-3-Clause
// completion.hpp - what may stand at the end of a command line: the one source of the completions of bash, zsh and
// fish.
#pragma once

#include <string>
#include <vector>

namespace drom::command {

/// Prints the candidates for the last of `words`, one line each: the word, a tab, its meaning. The words of drom itself
/// are `words`, without its name. A line ":files", ":folders" or ":commands" asks the shell for its own candidates.
/// Prints nothing when anything may stand there.
int complete(const std::vector<std::string>& words);

}  // namespace drom::command
