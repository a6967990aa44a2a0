// SPDX-License-Identifier: BSD-3-Clause
// outcome.hpp - what a simulation leaves: each job's times, why it started when it did, and the shape of the machine in
// a window.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/seldom.hpp"
#include "policy/job/resize_traits.hpp"
#include "policy/sharing/decision.hpp"
#include "workload/workload.hpp"

namespace drom::sim {

/// `nodes` nodes have a job in [from, to).
struct BusyNodes {
    int nodes = 0;
    Seconds from = 0, to = 0;
};

/// Changes of a job's nodes while it ran, or before it ran anew.
struct NodeHistory {
    /// A program: its nodes over time. Else those of runs that were preempted, and those until `shrunk_at`.
    std::vector<BusyNodes> held;
    int resizes = 0;  ///< changes of its number of nodes
    int shrunk = 0;   ///< nodes that it has since `shrunk_at`, when it left others; 0: it left none
    Seconds shrunk_at = -1;
    int preempted = 0;             ///< times that it was, and started anew
    double lost_node_seconds = 0;  ///< of node_seconds: in those runs
};

/// The numbers that led to a shared start.
struct SharedStart {
    std::vector<std::int64_t> mates;  ///< ids
    int lent_cores = 0;               ///< of each node of the mates
    double index = 0;                 ///< PI
    double limit = 0;                 ///< P
    Seconds static_start = 0;         ///< predicted start if it had waited
};

/// One job that was replayed. Jobs that are wider than the machine cannot be replayed; Outcome counts them. A year of a
/// log has a million jobs, so numbers that few jobs have are kept in memory of their own (Seldom).
struct JobOutcome {
    std::int64_t id = 0;  ///< the log's
    Seconds submit = 0;
    Seconds start = -1;  ///< -1: it was still waiting when the simulation was stopped
    Seconds end = -1;    ///< -1: it was still running then
    Seconds run = 0;     ///< on all its cores: the static run time
    Seconds request = 1;
    /// Nodes times seconds that it ran on; of a shared node its share of the cores. Times the power of a node at its
    /// operating point it is its energy.
    double node_seconds = 0;
    Seconds limit_end = -1;        ///< extended limit in force when it ended
    policy::OperatingPoint point;  ///< where it ran, and how fast
    Seldom<NodeHistory> history;
    Seldom<SharedStart> joined;
    int nodes = 1;   ///< that it asks for
    int molded = 0;  ///< nodes that it started on instead; 0: those that it asks for
    int user = -1;
    int application = -1;  ///< number in the log; -1: not known
    int program = -1;      ///< of Workload::programs
    int guests = 0;        ///< times it was a mate
    policy::JobClass rank = policy::JobClass::kGold;
    policy::How how = policy::How::kInOrder;
    policy::Refusal refusal = policy::Refusal::kNone;  ///< of the last try to share that was refused
    bool malleable = false;
    bool moldable = false;
    bool urgent = false;  ///< to the policy
    bool killed = false;  ///< at its limit
    bool hosted = false;  ///< it was a mate at least once

    bool ended() const noexcept { return end >= 0; }
    bool shared() const noexcept { return how == policy::How::kShared; }
    Seconds wait() const noexcept { return start - submit; }
    Seconds response() const noexcept { return end - submit; }
    /// Returns the nodes that it starts on.
    int size() const noexcept { return molded > 0 ? molded : nodes; }
    Seconds stretched() const noexcept { return end - start; }
};

/// A job on some nodes with some cores of each, for a while: what a Gantt chart draws.
struct Stretch {
    std::size_t job = 0;  ///< index into Outcome::jobs
    policy::NodeSet nodes;
    int cores = 0;
    Seconds from = 0, to = 0;
    int partition = 0;  ///< whose nodes these are
};

/// The input and the program of a simulation.
struct Provenance {
    std::string version, program_sha256;  ///< of the program; empty: unknown
    std::string log_sha256;               ///< of the log as it is stored; empty: generated, from stdin, or from a pipe
    std::vector<std::string> repairs;     ///< changes that the log needed, a sentence each
    Seconds zero = 0;                     ///< the log's zero in seconds since 1970, UTC; 0: unknown
};

/// A partition, as far as measures and pictures need it.
struct PartitionSetting {
    std::string name;
    int nodes = 0;
    double idle_watts = 0;
    int cores_per_node = 1;
};

/// The setting of a simulation, so that a reader can do it again.
struct Setting {
    std::string workload;                      ///< name
    std::string policy;                        ///< name in the registry
    std::string command;                       ///< the command line that does it again
    int nodes = 0, cores_per_node = 1;         ///< of all partitions; cores of the first one
    std::vector<PartitionSetting> partitions;  ///< empty: there is no energy model
    /// Name and value of everything that has an influence.
    std::vector<std::pair<std::string, std::string>> parameters;
    Provenance provenance{};
    std::size_t programs = 0;             ///< kinds of jobs that iterate
    std::optional<std::uint64_t> seed{};  ///< of the generated workload; none: a log
    bool jobs_have_partitions = true;     ///< some job says its partition
    bool jobs_have_users = true;          ///< some job says its user

    /// Returns the cores of each node of a partition.
    int cores_of(int partition) const noexcept {
        const auto at = static_cast<std::size_t>(partition);
        return at < partitions.size() ? partitions[at].cores_per_node : cores_per_node;
    }
};

/// Partitions and frequencies among which a policy chooses, in its order, by the application's number in the log and
/// the number of nodes.
using EntriesOfJobs = std::map<std::pair<int, int>, std::vector<policy::OperatingPoint>>;

struct Outcome {
    Setting setting;
    std::vector<JobOutcome> jobs;        ///< in the order of the workload
    std::vector<policy::NodeSet> nodes;  ///< on which each of them started last; empty: not asked for
    EntriesOfJobs entries;               ///< empty: the policy does not choose by an energy model
    std::size_t too_wide = 0;            ///< jobs wider than the machine, left out
    std::size_t unknown = 0;             ///< jobs of applications that the energy model lacks
    bool interrupted = false;            ///< stopped before the last job ended
    std::vector<Stretch> stretches;      ///< of the window that was asked for
    double seconds = 0;                  ///< that the simulation itself took
    std::size_t passes = 0, events = 0;
    std::size_t outlived = 0;    ///< guests that outlived a mate
    Seconds longest_shrink = 0;  ///< from the request to the program's answer, of those that were carried out
};

}  // namespace drom::sim
