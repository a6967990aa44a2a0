// SPDX-License-Identifier: BSD-3-Clause
// advice_text.hpp - what came of telling a journal of drom advise again, in words.
#pragma once

#include <string>

#include "engine/advice_replay.hpp"

namespace drom::sim {

/// Counts, and the first `max` advices that differ.
std::string journal_summary(const ReplayedJournal& replayed, std::size_t max = 20);

/// Returns "round 3 was cut at line 12".
std::string cut_text(const CutRound& cut);

}  // namespace drom::sim
