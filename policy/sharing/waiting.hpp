// SPDX-License-Identifier: BSD-3-Clause
// waiting.hpp - why a malleable job that waits shares no nodes: a word for records, a sentence for its user, and what
// would help.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "policy/sharing/decision.hpp"

namespace drom::policy {

/// Words of reasons that are not the policy's alone.
namespace waiting {
inline constexpr std::string_view kCoreReservation = "core-reservation";
inline constexpr std::string_view kPartOfNodes = "part-of-nodes";
inline constexpr std::string_view kNodeList = "nodelist";
inline constexpr std::string_view kOwnLimit = "own-limit";
inline constexpr std::string_view kMateLimit = "mates-limit";
inline constexpr std::string_view kNoRoom = "no-room";
inline constexpr std::string_view kPromised = "promised";
}  // namespace waiting

struct WaitingReason {
    std::string_view word;
    std::string_view sentence;  ///< without its end: "it has no time limit"
    std::string_view help;      ///< what the user can do; a whole sentence
};

/// Returns all reasons, each once.
std::span<const WaitingReason> waiting_reasons() noexcept;
/// Returns the reason of a word; nullptr: there is none.
const WaitingReason* find_waiting_reason(std::string_view word) noexcept;

/// Nodes that a search for mates had to leave out.
struct LeftOut {
    bool promised = false;    ///< to jobs before this one in the queue
    bool mate_limit = false;  ///< of mates whose limits cannot be extended, or whose steps keep their cores
    bool no_room = false;     ///< of mates beside which the resource manager has no room
};

/// Returns the word of the reason for which a search that ended with `refusal` found no mates. Nodes that were left out
/// last count first.
std::string_view waiting_word(Refusal refusal, const LeftOut& left_out) noexcept;

}  // namespace drom::policy
