// SPDX-License-Identifier: BSD-3-Clause
// replayed.hpp - a controller's log of decisions told again: what happened is believed, what was decided is decided
// anew.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "engine/settings.hpp"
#include "policy/sharing/coscheduler.hpp"

namespace drom::sim {

/// A decision of the log, and what the same question is answered now.
struct Redecided {
    std::size_t line = 0;  ///< of the log, from 1
    policy::Event then;    ///< as the controller decided
    policy::Event now;     ///< as the policy decides
    bool differs = false;
};

/// A shared start that is not what the controller had decided last about the job.
struct Astray {
    std::size_t line = 0;
    policy::Event happened;
    std::size_t decided_line = 0;
    policy::Event decided;
};

/// The events of a log. Times are seconds since the log's own zero.
struct Replayed {
    std::size_t lines = 0;
    std::size_t clusters = 0;  ///< a controller that was restarted or reconfigured begins a new one
    std::size_t dry_runs = 0;  ///< those of which the controller only decided, and let no job share
    std::size_t starts = 0, shared_starts = 0, ends = 0;
    std::vector<std::size_t> unfinished;  ///< lines that a killed controller left half-written: left out
    std::vector<Redecided> decisions;
    std::vector<Astray> astray;
    std::size_t no_room = 0;       ///< decisions to share of which the controller says that there was no room
    std::size_t beyond_limit = 0;  ///< decisions to share that limits of jobs forbade, as the controller says
    /// Parameters with another value than the log's; empty: the question is whether the log is true.
    Assignments others;

    std::size_t differing() const;
    /// Counts the decisions with that outcome, of the controller or (`now`) of the policy. kNone: to share.
    std::size_t with(policy::Refusal outcome, bool now) const;
};

/// Tells `text` again. With `others` decisions are made by these parameters instead of the log's, each where the log
/// stands, with what really happened before it; they differ then when outcome, mates or cores do. Without, the whole
/// line has to be the same. Errors: what is wrong with the log, as "line 12 has no job= where it should be". Cost: a
/// search for mates and about 1 KiB a decision.
tl::expected<Replayed, std::string> replay_log(std::string_view text, const Assignments& others = {});

}  // namespace drom::sim
