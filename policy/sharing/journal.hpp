// SPDX-License-Identifier: BSD-3-Clause
// journal.hpp - what happened to a Coscheduler and what it decided, one line each: for people, for replay and for
// restoring.
//
//   sd-policy 1 limit=dynamic sharing_factor=0.5 max_mates=2 jobs_per_node=2 gain=0 add_free_nodes=yes dry_run=yes
//   pool cores=48 nodes=0-49 memory=190000:0-39/380000:40-49
//   start at=100 job=12 submit=90 request=3600 count=4 min_cores=1 partition=long kind=malleable nodes=0-3
//   consider at=200 job=13 submit=190 request=60 count=5 min_cores=1 qos=high within=0-49 static=3700
//       idle=4-5:900/8:never limit=1.9 outcome=share cores=24 mates=12 free=4 end=320
//   share at=200 job=13 submit=190 request=60 count=5 min_cores=1 qos=high cores=24 mates=12 free=4
//   finish at=320 job=13
//   no-room at=330 job=14 mates=12
//   beyond-limit at=340 job=15 mates=12 whose=15
//
// The second line of "consider" is its end. Jobs have partition=, qos= and max_slowdown= only where they are set, and
// decisions idle= and free=. The same holds for user= and account=. Behind gain= are the limits of partitions and QOS,
// and what is admitted. With dry_run=yes no job shares, whatever was decided.
// "no-room" follows a decision to share: the resource manager has no room for the job on the nodes of these mates. With
// free= in place of mates=, it has none on these idle nodes. "beyond-limit" stands for a decision to share with these
// mates. The limit of the job behind whose=, the guest or a mate, cannot be extended so far. The nodes of such a mate
// are not in within= of what is decided then. Where memory is a resource, pools have memory=, in MB of each node, and
// jobs that ask for some have memory= behind min_cores=.
//
// A line "sd-policy" begins a new cluster: what came before it says nothing about what follows. Times are seconds since
// an arbitrary zero.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <tl/expected.hpp>

#include "policy/cluster/idle_nodes.hpp"
#include "policy/sharing/slowdown.hpp"

namespace drom::policy {

/// Nodes, and the memory of each of them that jobs can have.
struct NodeMemory {
    std::int64_t mb = 1;
    NodeSet nodes;
    friend bool operator==(const NodeMemory&, const NodeMemory&) = default;
};

/// Nodes of one size. Jobs share nodes of one pool.
struct Pool {
    int cores_per_node = 1;
    NodeSet nodes;
    std::vector<NodeMemory> memory = {};  ///< each node once, the least memory first; empty: enough for every job
    friend bool operator==(const Pool&, const Pool&) = default;
};

struct RulesLine {
    SlowdownRules rules;
};

/// One thing that happened, or was decided.
struct Event {
    enum class What : std::uint8_t { kStart, kShare, kFinish, kConsider, kNoRoom, kBeyondLimit };
    What what = What::kStart;
    Seconds at = 0;
    Job job;        ///< kFinish, kNoRoom, kBeyondLimit: its id only
    NodeSet nodes;  ///< kStart: the job's own; kConsider: those that it may have

    std::vector<JobId> mates;     ///< kShare, kNoRoom, kBeyondLimit, and kConsider with the outcome to share
    int cores = 0;                ///< that they lend, of each of their nodes
    NodeSet free;                 ///< idle nodes that complete those of the mates
    std::vector<IdleNodes> idle;  ///< kConsider: nodes that the job may have besides those of mates
    Seconds static_start = 0;     ///< kConsider: predicted start without sharing
    Seconds guest_end = 0;        ///< kConsider: when the guest ends at the latest
    double limit = 0;             ///< kConsider: of slowdowns, in force
    Refusal refusal = Refusal::kNone;
    JobId whose = 0;                 ///< kBeyondLimit: whose limit cannot be extended
    std::vector<Seconds> mate_ends;  ///< predicted, in the order of `mates`; is in no line
};

using Line = std::variant<RulesLine, Pool, Event>;

/// Returns one line, without its end.
std::string text_of(const SlowdownRules& rules);
std::string text_of(const Pool& pool);
/// Writes the event. `names`: of the numbers that the job has; a number without a name is written as such.
std::string text_of(const Event& event, const JobNames& names = {});

/// Reads what text_of() wrote. Names that are new get a number in `names`. Errors: what is wrong with the line, as the
/// rest of a sentence ("has no job=").
tl::expected<Line, std::string> parse_line(std::string_view text, JobNames& names);

}  // namespace drom::policy
