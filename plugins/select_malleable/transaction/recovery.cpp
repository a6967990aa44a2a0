// SPDX-License-Identifier: GPL-2.0-or-later
// recovery.cpp - saves the loans as slurmctld goes, and finds them as it comes back.
#include "recovery.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "select_malleable/state/loans_file.hpp"

namespace drom::slurm {

using policy::JobId;

void Recovery::save() {
    const std::string loans = running_.coscheduler().loans() + shared_jobs().text();
    if (loans == saved_ || loans_path_.empty()) return;
    if (const std::string wrong = write_loans(loans_path_, loans); !wrong.empty())
        slurm_error("select/malleable: %s; after a restart who shares with whom would have to be inferred",
                    wrong.c_str());
    else
        saved_ = loans;
}

/// Reads what is remembered of jobs, and returns the list of loans.
std::string Recovery::load() const {
    if (loans_path_.empty()) return "";
    auto read = read_loans(loans_path_);
    if (!read) slurm_error("select/malleable: %s; who shares with whom is inferred", read.error().c_str());
    std::string text = read.value_or("");
    const std::size_t jobs = std::min(text.find("\njob "), text.size());
    const std::string_view behind = std::string_view(text).substr(std::min(jobs + 1, text.size()));
    if (const auto known = shared_jobs().read(behind); !known)
        slurm_error("select/malleable: what jobs have had is counted anew, because of the list of loans %s",
                    known.error().c_str());
    text.resize(std::min(jobs + 1, text.size()));
    return text;
}

void Recovery::rebuild(const SelectOptions& options) {
    const bool comes_back = !running_.known();
    const std::string loans = comes_back ? load() : running_.coscheduler().loans();
    if (comes_back) {
        saved_.clear();  // a backup controller that takes over once more finds what another one has saved
        books_.take_up();
    }
    running_.start_over(options.rules);
    std::vector<policy::Placed> whole;
    each_running_job([&](const job_record_t& job) {
        policy::Placed seen = placed(job);
        if (has_whole_nodes(job)) return whole.push_back(std::move(seen));
        running_.add_other(job.job_id, seen.nodes);
    });
    const auto restored = running_.coscheduler().restore(loans, whole, running_.now());
    if (!restored)
        slurm_error(
            "select/malleable: the list of loans is not used, because %s; it is inferred from who "
            "runs",
            restored.error().c_str());
    take_up(whole);
    save();
    open_journal(options.log);
}

/// Brings slurmctld's records to the state that was restored.
void Recovery::take_up(const std::vector<policy::Placed>& whole) {
    std::vector<JobId> changed;
    int sharing = 0;
    for (const policy::Placed& seen : whole) {
        const JobId id = seen.job.id;
        const policy::RunningJob* running = running_.coscheduler().find(id);
        job_record_t* record = record_of(id);
        if (running == nullptr) {  // restore() counts its nodes as taken
            running_.note_other(id, seen.nodes);
            if (books_.was_sharing(id)) books_.comment(id);
            continue;
        }
        sharing += running_.coscheduler().co_runners(id).empty() ? 0 : 1;
        if (IS_JOB_SUSPENDED(record)) running_.add_other(id, seen.nodes);
        changed.push_back(id);
    }
    books_.assume(changed);
    books_.reconcile(changed, nullptr, running_.now());
    books_.set_limits(changed);
    for (const JobId id : changed)
        if (books_.was_sharing(id) || !running_.coscheduler().co_runners(id).empty()) books_.comment(id);
    slurm_info("select/malleable: %zu jobs have whole nodes, %d of them share; %zu others run", changed.size(), sharing,
               running_.others());
}

void Recovery::open_journal(const std::string& path) {
    journal_failed_ = false;
    journal_path_ = path;
    journal_.close();
    if (path.empty()) return;
    if (!journal_.open(path)) {
        slurm_error("select/malleable: sd_log=%s cannot be written: %s", path.c_str(), std::strerror(errno));
        return;
    }
    running_.coscheduler().write_to([this](const std::string& line) {
        if (journal_.append(line) || journal_failed_) return;
        journal_failed_ = true;  // a full disk is said once, not with each decision
        slurm_error("select/malleable: sd_log=%s: %s; it has gaps from here on", journal_path_.c_str(),
                    std::strerror(errno));
    });
}

void Recovery::follow_rotation() {
    if (!running_.known() || running_.now() == looked_at_journal_) return;
    looked_at_journal_ = running_.last_now();
    if (!journal_.was_rotated()) return;
    running_.coscheduler().write_to(nullptr);
    open_journal(journal_path_);
}

}  // namespace drom::slurm
