// SPDX-License-Identifier: GPL-2.0-or-later
// recovery.hpp - what a slurmctld that comes back finds: the list of loans, and the journal of
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

    /// Notes where the list of loans is, before slurmctld reads its jobs.
    void restore(const std::string& directory) { loans_path_ = directory + "/malleable.loans"; }
    /// Works everything out anew, from the list of loans and from who runs.
    void rebuild(const SelectOptions& options);
    /// Writes the list of loans, with what is remembered of jobs that share, if it has changed.
    void save();

private:
    std::string load() const;
    void take_up(const std::vector<policy::Placed>& whole);
    void open_journal(const std::string& path);

    RunningJobs& running_;
    Books& books_;
    std::string loans_path_, saved_;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> journal_{nullptr, std::fclose};
    bool journal_failed_ = false;
};

}  // namespace drom::slurm
