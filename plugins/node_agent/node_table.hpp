// SPDX-License-Identifier: GPL-2.0-or-later
// node_table.hpp - brings the node's table, and the processes, to what the node agent's state says.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "common/settings.hpp"
#include "drom/drom.h"
#include "state_file.hpp"

namespace drom::slurm {

/// The outcome of a plan.
struct BroughtTo {
    std::string trouble;    ///< what is not as planned, in words; empty: nothing
    bool all_moved = true;  ///< the table has the masks, although a CPU may still be in use by its previous owner
};

bool dead(const TaskState& task);

/// One thread at a time.
class NodeTable {
public:
    /// Opens the node's table, or makes it (root: in node mode). Errors: a sentence.
    static tl::expected<NodeTable, Refusal> open(const AgentSettings& settings);

    NodeTable(NodeTable&& other) noexcept
        : table_(std::exchange(other.table_, nullptr)), real_(other.real_), timeout_ms_(other.timeout_ms_) {}
    NodeTable& operator=(NodeTable&&) = delete;
    NodeTable(const NodeTable&) = delete;
    NodeTable& operator=(const NodeTable&) = delete;
    ~NodeTable() { drom_close(table_); }

    /// Applies the masks of the tasks that live. Moves running clients. Reserves for newcomers, which the table lists
    /// as `name`, and sets their affinity if they are malleable on a real node. Takes the CPUs of parked tasks. A
    /// parked malleable task that lives runs on those of place_of(). Returns when the CPUs are free or the timeout has
    /// passed.
    BroughtTo bring_to(const std::vector<TaskState>& tasks, const std::string& name);

    /// Releases the task's CPUs. Returns an empty text, or what is in the way.
    std::string release(const TaskState& task);

    /// Returns the wanted mask; empty when the table does not know the task.
    [[nodiscard]] CpuSet wanted(const TaskState& task) const;
    /// Returns whether the task's program has joined: it answers requests by itself.
    [[nodiscard]] bool follows(const TaskState& task) const;
    /// Sets the affinity of the processes that a script starts from outside: they have no reservation of their own and
    /// know of no request. Those that had `before` get `now`. Returns an empty text, or what is in the way.
    [[nodiscard]] std::string move_descendants(const TaskState& task, const CpuSet& before, const CpuSet& now) const;

private:
    NodeTable(drom_table* table, bool real, uint32_t timeout_ms)
        : table_(table), real_(real), timeout_ms_(timeout_ms) {}

    struct Move {
        const TaskState* task;
        CpuSet before;  // where its first thread is
    };

    [[nodiscard]] std::vector<Move> moves_of(const std::vector<TaskState>& tasks) const;
    [[nodiscard]] uint32_t patience(const std::vector<Move>& moves) const;
    BroughtTo move_running(const std::vector<TaskState>& tasks);
    [[nodiscard]] std::string keep_in_place(const TaskState& parked, const std::vector<TaskState>& tasks) const;
    std::string reserve(const TaskState& task, const std::string& name);
    void wait_for_user(const TaskState& task) const;

    drom_table* table_;
    bool real_;  // else a virtual node: masks are accounted for, no thread is moved
    uint32_t timeout_ms_;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Returns the variables by which this task alone finds its reservation in a table; none when it has no reservation.
/// Any user may ask, also the task itself. Errors: a sentence, where the user may not read the table; the step daemon,
/// as root, has reported all else.
tl::expected<Variables, Refusal> environment_of(const std::string& table, pid_t task);

}  // namespace drom::slurm
