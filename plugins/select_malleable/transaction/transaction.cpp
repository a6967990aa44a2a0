// SPDX-License-Identifier: GPL-2.0-or-later
// transaction.cpp - commits the start of a job on cores of running ones, and undoes it.
#include "transaction.hpp"

#include <algorithm>
#include <utility>

#include "select_malleable/slurmctld/comments.hpp"
#include "select_malleable/slurmctld/ending_message.hpp"
#include "select_malleable/slurmctld/once_unlocked.hpp"

namespace drom::slurm {

using policy::JobId;
using policy::Seconds;

namespace {

/// Returns the part of a sentence about idle nodes that a guest has besides.
std::string idle_nodes_text(int count) {
    if (count == 0) return "";
    return ", and has " + std::to_string(count) + (count == 1 ? " idle node" : " idle nodes");
}

/// A time of slurmctld's that is so many seconds old is when a job started, or ended, just now.
constexpr Seconds kLate = 60;

/// Returns when a job has ended for which slurmctld gives its cores back.
Seconds end_of(const job_record_t& job, Seconds now) {
    return job.end_time > now - kLate && job.end_time < now ? job.end_time : now;
}

}  // namespace

void Transaction::rebuild() {
    counters_written_ = 0;
    search_.forget_all();
    search_.allow_delay(options_.delay_max);
    recovery_.rebuild(options_);
    once_unlocked(call_confirm_);
}

void Transaction::leave() {
    search_.forget_all();
    running_.forget();
    unconfirmed_.clear();
}

int Transaction::test(Question& question) {
    recovery_.follow_rotation();
    const int found = search_.test(question);
    write_counters_now_and_then();
    return found;
}

int Transaction::begin(job_record_t* job) {
    recovery_.follow_rotation();
    const auto proposal = running_.known() ? search_.take_proposal(job) : std::nullopt;
    if (!proposal) return SLURM_SUCCESS;
    search_.forget_refusals();
    const policy::Event& plan = proposal->plan;
    // An element of an array gets a number of its own only now.
    policy::Job guest = plan.job;
    guest.id = job->job_id;
    const Seconds at = running_.now();
    const bool all_run = std::all_of(plan.mates.begin(), plan.mates.end(), [](JobId id) {
        const job_record_t* mate = record_of(id);
        return mate != nullptr && IS_JOB_RUNNING(mate);
    });
    if (!all_run || job->job_resrcs == nullptr ||
        !running_.coscheduler().share(guest, plan.mates, plan.cores, at, plan.free)) {
        slurm_info(
            "select/malleable: job %u does not start: of job %s, whose nodes it was to share, something has changed",
            job->job_id, text_of(plan.mates).c_str());
        return SLURM_ERROR;
    }
    const std::vector<JobId> changed = running_.coscheduler().changed();
    books_.reconcile(changed, job, std::max<Seconds>(job->start_time, at - kLate));
    ++counters_.shared_starts;
    extend(plan.mates);
    for (const JobId id : changed) books_.comment(id);
    for (const policy::Promise& promise : proposal->moved) books_.note_delay(promise.job, promise.moved);
    recovery_.save();
    slurm_info(
        "select/malleable: job %u shares %d nodes of job %s, %d cores of each%s: it ends by %s; without sharing it "
        "would have started at %s",
        job->job_id, guest.nodes - plan.free.count(), text_of(plan.mates).c_str(), plan.cores,
        idle_nodes_text(plan.free.count()).c_str(), clock_text(plan.guest_end).c_str(),
        plan.static_start >= policy::kNever ? "no known time" : clock_text(plan.static_start).c_str());
    return SLURM_SUCCESS;
}

void Transaction::booked(job_record_t* job) {
    search_.forget_refusals();
    search_.forget_offer(job->job_id);
    if (is_on_its_nodes(job)) forget_why_it_waited(*job);
    if (!running_.known() || !is_on_its_nodes(job) || running_.is_other(job->job_id)) return;
    if (running_.coscheduler().knows(job->job_id)) {
        // The backfill scheduler is about to give the job its own limit once more.
        unconfirmed_.push_back(job->job_id);
        return once_unlocked(call_confirm_);
    }
    if (job->job_resrcs == nullptr || job->job_resrcs->node_bitmap == nullptr) return;
    const policy::Placed seen = placed(*job);
    if (has_whole_nodes(*job) && has_all_cores(*job) &&
        running_.coscheduler().start(seen.job, seen.nodes, running_.now()))
        return;
    running_.add_other(job->job_id, seen.nodes);
}

void Transaction::confirm() {
    if (!running_.known()) return;
    extend(std::exchange(unconfirmed_, {}));
    books_.give_back(running_.now());
    const bool all_said = books_.say_all();
    constexpr int kSoon = 6, kMinute = 60;  // slurmctld tells slurmdbd about jobs that have started each five seconds
    if (!shared_jobs().ids().empty()) in_a_while(all_said ? kMinute : kSoon, call_confirm_);
    recovery_.save();
    write_counters();
}

/// Brings the limits of jobs to what sharing costs them, and counts what is added.
void Transaction::extend(const std::vector<JobId>& jobs) {
    const std::vector<job_record_t*> records = records_of(jobs);
    std::vector<uint32_t> before;
    for (const job_record_t* record : records) before.push_back(record->time_limit);
    books_.set_limits(jobs);
    for (std::size_t i = 0; i < records.size(); ++i)
        counters_.extended_minutes += std::max(records[i]->time_limit, before[i]) - before[i];
}

void Transaction::write_counters_now_and_then() {
    constexpr Seconds kBetween = 10;
    if (!running_.known() || running_.now() - counters_written_ < kBetween) return;
    write_counters();
}

void Transaction::write_counters() {
    if (options_.metrics.empty() || !running_.known()) return;
    counters_written_ = running_.now();
    counters_.sharing_jobs = 0;
    each_running_job([this](const job_record_t& job) { counters_.sharing_jobs += running_.shares(&job) ? 1 : 0; });
    const std::string wrong = drom::slurm::write_counters(options_.metrics, text_of(counters_));
    if (!wrong.empty() && !counters_failed_) slurm_error("select/malleable: sd_metrics: %s", wrong.c_str());
    counters_failed_ = !wrong.empty();
}

void Transaction::ended(job_record_t* job) {
    recovery_.follow_rotation();
    search_.forget_refusals();
    books_.give_back_time(job);
    tell_nodes(*job, {});
    if (!running_.known()) return;
    const Seconds at = end_of(*job, running_.now());
    books_.close(job, at);
    const bool stranger = running_.is_other(job->job_id) && !running_.coscheduler().knows(job->job_id);
    forget(job->job_id);
    if (stranger) books_.reconcile_beside(*job, at);
    if (running_.coscheduler().knows(job->job_id)) pass_on(*job, at);
    take_in(*job, at);
    recovery_.save();
}

/// Gives the cores of a job that has ended to those with which it shared.
void Transaction::pass_on(job_record_t& ended, Seconds at) {
    const std::vector<JobId> others = running_.coscheduler().co_runners(ended.job_id);
    const policy::NodeSet nodes = running_.nodes_of({ended.job_id});
    running_.coscheduler().finish(ended.job_id, running_.now());
    const std::vector<JobId> changed = running_.coscheduler().changed();
    if (changed.empty()) return;
    books_.reconcile(changed, nullptr, at);
    tell_nodes(ended, steps_of_sole_jobs(others, nodes));
    books_.set_limits(changed);
    for (const JobId id : changed) books_.comment(id);
    once_unlocked(call_confirm_);
    slurm_info("select/malleable: job %u has ended; its cores go to job %s", ended.job_id, text_of(others).c_str());
}

/// Gives whole nodes back to jobs of which it is not known with which others they share, once they are alone there. A
/// guest is such a job after its mate has given back one of the nodes.
void Transaction::take_in(const job_record_t& gone, Seconds at) {
    if (running_.others() == 0 || gone.job_resrcs == nullptr) return;
    const policy::NodeSet nodes = node_set(gone.job_resrcs->node_bitmap);
    std::vector<JobId> taken;
    each_running_job([&](const job_record_t& job) {
        const bool is_stranger = running_.is_other(job.job_id) && !running_.coscheduler().knows(job.job_id);
        if (!is_stranger || !has_whole_nodes(job)) return;
        const policy::Placed seen = placed(job);
        if (seen.nodes.common(nodes).empty()) return;
        running_.remove_other(job.job_id);
        if (running_.coscheduler().start(seen.job, seen.nodes, running_.now()))
            taken.push_back(seen.job.id);
        else
            running_.add_other(job.job_id, seen.nodes);
    });
    if (taken.empty()) return;
    books_.reconcile(taken, nullptr, at);
    slurm_info("select/malleable: job %s has its whole nodes again", text_of(taken).c_str());
}

void Transaction::forget(JobId id) {
    search_.forget_offer(id);
    running_.remove_other(id);
}

// The cores of a suspended job are for other jobs. The cores that it lent or borrowed stay as they are until it ends.
void Transaction::suspended(const job_record_t* job) {
    search_.forget_refusals();
    if (running_.known()) books_.pause(*job, true);
    if (!running_.known() || job->job_resrcs == nullptr || running_.is_other(job->job_id)) return;
    running_.add_other(job->job_id, node_set(job->job_resrcs->node_bitmap));
}

void Transaction::resumed(const job_record_t* job) {
    search_.forget_refusals();
    if (running_.known()) books_.pause(*job, false);
    if (running_.known() && running_.coscheduler().knows(job->job_id)) forget(job->job_id);
}

}  // namespace drom::slurm
