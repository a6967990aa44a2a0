// SPDX-License-Identifier: BSD-3-Clause
// advice_replay.hpp - a journal of drom advise told again: an adviser of the same policy sees the same rounds, and has
// to advise the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "policy/node/adviser.hpp"

namespace drom::sim {

/// An advice of the journal that is another one now.
struct AdviceDifference {
    std::size_t line = 0;  ///< from 1
    long round = 0;        ///< of its command
    policy::NodeProgram program;
    policy::Advice then, now;
};

/// A round whose lines are not all there.
struct CutRound {
    std::size_t line = 0;  ///< that is the last of what is there
    long round = 0;        ///< 0: not even its first line is whole
};

struct ReplayedJournal {
    std::size_t lines = 0;
    std::size_t commands = 0;  ///< that wrote it, one after the other
    std::size_t rounds = 0;    ///< without those that were cut
    std::size_t advices = 0;
    std::size_t changes = 0;  ///< advices that change CPUs
    std::vector<CutRound> cut;
    std::vector<AdviceDifference> differences;
};

/// Decides all rounds again. Errors: what is wrong with the journal, as "line 12 has no cpus". Cost: that of the
/// policy.
tl::expected<ReplayedJournal, std::string> replay_journal(std::string_view text);

}  // namespace drom::sim
