// SPDX-License-Identifier: BSD-3-Clause
// run_choice.hpp - which CPUs drom run asks for, by its options and the state of the table.
#pragma once

#include <sys/types.h>
#include <string>

#include "client/rank.hpp"
#include "command_line/options.hpp"
#include "table/snapshot.hpp"
#include "verbs/run_cpus.hpp"

namespace drom::command {

/// The choice of the CPUs of one drom run.
class CpuChooser {
public:
    /// Prepares a choice. `exact`: what --cpus says; empty: it says nothing. `rank`: nullptr for what is no rank.
    CpuChooser(const CommandOptions& options, const CpuSet& exact, const Rank* rank, Table& table)
        : options_(options), exact_(exact), rank_(rank), table_(table) {}

    /// Chooses CPUs for the child that waits. E_BUSY: they may be had later.
    Expected<Choice> choose(pid_t child);

private:
    Expected<Choice> choose_exactly(const Snapshot& snapshot, pid_t child);
    [[nodiscard]] std::string outside_limits() const;
    [[nodiscard]] const ClientView* keeper_of(const Snapshot& snapshot) const;
    Expected<CpuSet> own_cpus(const CpuSet& affinity, pid_t child);
    [[nodiscard]] Expected<CpuSet> own_part(const CpuSet& cpus) const;
    Expected<Choice> choose_some(const Snapshot& snapshot, pid_t child);
    [[nodiscard]] Expected<Choice> choose_among(const Snapshot& snapshot, const CpuSet& cpus, unsigned max) const;
    [[nodiscard]] unsigned default_count(const RunOrder& order) const;

    const CommandOptions& options_;
    CpuSet exact_;
    const Rank* rank_;
    Table& table_;
    bool said_bound_ = false;
};

}  // namespace drom::command
