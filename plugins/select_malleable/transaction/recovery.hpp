// SPDX-License-Identifier: GPL-2.0-or-later
// recovery.hpp - what a slurmctld that comes back finds: the list of loans, and the journal of
// decisions.
#pragma once

#include "select_malleable/books/books.hpp"

#include <string>
#include <vector>

#include "select_malleable/state/journal_file.hpp"
#include "select_malleable/state/select_options.hpp"

namespace drom::slurm {

class Recovery {
public:
    Recovery(RunningJobs& running, Books& books) : running_(running), books_(books) {}

    /// Notes where the list of loans is, before slurmctld reads its jobs.
    void restore(const std::string& directory) { loans_path_ = directory + "/malleable.loans"; }
    /// Works everything out anew, from the list of loans and from who runs.
    void rebuild(const SelectOptions& options);
    /// Goes on with a new journal, which begins with the present state, when the old one was renamed or emptied. Looks
    /// once per second.
    void follow_rotation();
    /// Writes the list of loans, with what is remembered of jobs that share, if it has changed.
    void save();

private:
    std::string load() const;
    void take_up(const std::vector<policy::Placed>& whole);
    void open_journal(const std::string& path);

    RunningJobs& running_;
    Books& books_;
    std::string loans_path_, saved_;
    JournalFile journal_;
    std::string journal_path_;
    policy::Seconds looked_at_journal_ = 0;
    bool journal_failed_ = false;
};

}  // namespace drom::slurm
