// SPDX-License-Identifier: BSD-3-Clause
// decision.cpp - decisions in words.
#include "policy/sharing/decision.hpp"

namespace drom::policy {

const char* word(How how) noexcept {
    switch (how) {
        case How::kInOrder: return "in order";
        case How::kBackfilled: return "backfilled";
        case How::kShared: return "shared";
    }
    return "";
}

const char* word(Refusal refusal) noexcept {
    switch (refusal) {
        case Refusal::kNone: return "";
        case Refusal::kNotMalleable: return "not malleable";
        case Refusal::kTooFewCores: return "too few cores for its ranks";
        case Refusal::kWaitingIsSooner: return "waiting ends sooner";
        case Refusal::kNoMates: return "no mates";
        case Refusal::kNotAdmitted: return "not admitted";
        case Refusal::kHarm: return "mates lose more";
    }
    return "";
}

}  // namespace drom::policy
