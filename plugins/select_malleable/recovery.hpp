// SPDX-License-Identifier: GPL-2.0-or-later
// recovery.hpp - what a slurmctld that comes back finds: the ledger of who shares with whom, and the journal of
// decisions.
#pragma once

#include "books.hpp"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "select_options.hpp"

namespace drom::slurm {

class Recovery {
public:
    Recovery(RunningJobs& running, Books& books) : running_(running), books_(books) {}

    /// Before slurmctld reads its jobs: where the ledger is.
    void restore(const std::string& directory) { ledger_path_ = directory + "/malleable.ledger"; }
    /// Works everything out anew, from the ledger and from who runs.
    void rebuild(const SelectOptions& options);
    /// Writes the ledger, if it has changed.
    void save();

private:
    void take_up(const std::vector<policy::Placed>& whole);
    void open_journal(const std::string& path);

    RunningJobs& running_;
    Books& books_;
    std::string ledger_path_, saved_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> journal_{nullptr, std::fclose};
    bool journal_failed_ = false;
};

}  // namespace drom::slurm
