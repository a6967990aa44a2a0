// SPDX-License-Identifier: BSD-3-Clause
// command_answer.hpp - what `drom run --ncpus` would choose, in words: drom.hpp and libdrom's inside cannot meet.
#pragma once

#include <vector>

#include "partition/in_words.hpp"

namespace drom::test {

struct CommandClient {
    const uint64_t* cpus;
    unsigned min_cpus;
};

/// Writes the CPUs of a newcomer that may run everywhere on the node; none: it is refused.
void command_answer(const partition::Locations& locations, const uint64_t* node,
                    const std::vector<CommandClient>& clients, unsigned count, uint64_t* chosen);

}  // namespace drom::test
