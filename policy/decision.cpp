// SPDX-License-Identifier: BSD-3-Clause
// decision.cpp - decisions in words.
#include "policy/decision.hpp"

#include <cmath>
#include <cstdio>

namespace drom::policy {
namespace {

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", value);
    return std::isinf(value) ? "inf" : text;
}

std::string mates_text(const MateSet& chosen) {
    std::string text;
    for (const Mate& mate : chosen.mates) {
        if (!text.empty()) text += " and ";
        text += std::to_string(mate.id) + " (" + std::to_string(mate.nodes) + (mate.nodes == 1 ? " node" : " nodes") +
                ", slowdown " + number(mate.slowdown) + ")";
    }
    return text;
}

}  // namespace

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
        case Refusal::kHarm: return "mates lose more";
    }
    return "";
}

std::string sentence(const Decision& decision, const Job& job) {
    std::string text = "job " + std::to_string(job.id) + " (" + std::to_string(job.nodes) +
                       (job.nodes == 1 ? " node, " : " nodes, ") + std::to_string(job.request) + " s requested): ";
    if (decision.how != How::kShared) {
        text += std::string(decision.how == How::kInOrder ? "started in order" : "backfilled") + " after " +
                std::to_string(decision.wait(job)) + " s";
        if (decision.refusal != Refusal::kNone) text += std::string("; not shared before: ") + word(decision.refusal);
        return text;
    }
    const MateSet& with = decision.mate_set;
    text += "shares nodes of " + mates_text(with) + ", " + std::to_string(with.cores) + " cores each";
    if (with.free_nodes > 0) text += ", and " + std::to_string(with.free_nodes) + " free nodes";
    const Seconds alone = decision.static_start + job.request;
    return text + "; ends at " + std::to_string(with.guest_end) + " at the latest instead of " + std::to_string(alone) +
           " after waiting; PI " + number(with.index) + ", limit " + number(decision.limit);
}

}  // namespace drom::policy
