// SPDX-License-Identifier: BSD-3-Clause
// waiting.cpp - the table of reasons.
#include "policy/sharing/waiting.hpp"

#include <algorithm>
#include <iterator>

namespace drom::policy {
namespace {

constexpr std::string_view kShorter = "A shorter time limit (-t) makes it fit sooner.";

constexpr WaitingReason kReasons[] = {
    {"heterogeneous", "it is a part of a heterogeneous job", "Submit the parts as jobs of their own."},
    {"generic-resources", "it asks for generic resources (--gres)", "Leave --gres out, if the job can do without."},
    {"exclusive", "it keeps its nodes for itself",
     "Ask for all CPUs of the nodes (-c) in place of --exclusive; sbatch has said why it could not do so itself."},
    {"core-spec", "it asks for specialised cores (--core-spec)", "Leave --core-spec out."},
    {"expands", "it is to expand another job", "Submit it without that dependency."},
    {"switches", "it asks for switches (--switches)", "Leave --switches out."},
    {"step-manager", "its steps are managed on its node", "Leave out --stepmgr."},
    {"some-threads", "it uses some threads of each core (--hint, --threads-per-core)",
     "Leave the option out, and let the program use one thread of each core (OMP_PLACES=cores)."},
    {"features", "it asks for features by number or alternative (-C)", "Name features without [a|b] and a*2."},
    {"time-min", "its time limit depends on when it starts (--time-min, --deadline)", "Give one time limit (-t)."},
    {"no-time-limit", "it has no time limit", "Give one (-t)."},
    {waiting::kCoreReservation, "a reservation of cores is in force", "It can share when that has ended."},
    {waiting::kPartOfNodes, "it asks for a part of its nodes only", "Ask for whole nodes (--exclusive --malleable)."},
    {waiting::kNodeList, "it names some of its nodes and not all (--nodelist)", "Name all of them, or none."},
    {"not-admitted", "its partition, QOS or account does not share here", "Ask the administrators which ones do."},
    {"too-few-cores", "a share of a node has fewer cores than it needs there",
     "Start fewer tasks on each node, or give --malleable a smaller minimum."},
    {"waiting-is-sooner", "it will end sooner if it waits", "Nothing has to be done."},
    {"no-mates", "no running jobs have as many nodes, enough time left, and are slowed down little enough", kShorter},
    {"mates-lose-more", "running jobs would lose more than it wins", kShorter},
    {waiting::kPromised, "on nodes that no job before it is promised, no running job can lend it cores", kShorter},
    {waiting::kMateLimit,
     "the limits of possible mates cannot be extended so far, or steps of these mates keep their cores", kShorter},
    {waiting::kOwnLimit, "its own limit would be extended too far", kShorter},
    {waiting::kNoRoom, "Slurm has no room for it on the nodes of possible mates",
     "Ask for less memory (--mem), and leave out what only some nodes have."},
};

std::string_view of_policy(Refusal refusal) noexcept {
    switch (refusal) {
        case Refusal::kTooFewCores: return "too-few-cores";
        case Refusal::kWaitingIsSooner: return "waiting-is-sooner";
        case Refusal::kHarm: return "mates-lose-more";
        case Refusal::kNotAdmitted: return "not-admitted";
        case Refusal::kNone:
        case Refusal::kNotMalleable:
        case Refusal::kNoMates: break;
    }
    return "no-mates";
}

}  // namespace

std::span<const WaitingReason> waiting_reasons() noexcept { return kReasons; }

const WaitingReason* find_waiting_reason(std::string_view word) noexcept {
    const auto* found =
        std::find_if(std::begin(kReasons), std::end(kReasons), [word](const auto& r) { return r.word == word; });
    return found == std::end(kReasons) ? nullptr : found;
}

std::string_view waiting_word(Refusal refusal, const LeftOut& left_out) noexcept {
    // Refusals that do not depend on the nodes.
    if (refusal != Refusal::kNoMates && refusal != Refusal::kHarm) return of_policy(refusal);
    if (left_out.no_room) return waiting::kNoRoom;
    if (left_out.mate_limit) return waiting::kMateLimit;
    if (left_out.promised && refusal != Refusal::kHarm) return waiting::kPromised;
    return of_policy(refusal);
}

}  // namespace drom::policy
