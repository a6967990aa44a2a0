// SPDX-License-Identifier: GPL-2.0-or-later
// mate_search.cpp - answers slurmctld's schedulers by questions to cons_tres and to the policy.
#include "mate_search.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "select_malleable/limits/extensions.hpp"
#include "select_malleable/slurmctld/bitmap_copy.hpp"
#include "select_malleable/slurmctld/comments.hpp"
#include "spare_nodes.hpp"

namespace drom::slurm {

using policy::Event;
using policy::IdleNodes;
using policy::JobId;
using policy::NodeSet;
using policy::Promise;
using policy::Refusal;
using policy::Seconds;

namespace {

/// Returns why a job that declared itself malleable may not share as it is asked about; empty: it may.
std::string bar(const Question& question) {
    if (question.leaves_cores_out()) return std::string(policy::waiting::kCoreReservation);
    return obstacle(*question.job);
}

/// Returns the nodes that the job's own list of nodes has, too; nothing: its list has another number than `count`.
std::optional<NodeSet> within_node_list(const job_record_t& job, const NodeSet& nodes, int count) {
    if (job.details->req_node_bitmap == nullptr) return nodes;
    const NodeSet listed = node_set(job.details->req_node_bitmap);
    if (listed.count() != count) return std::nullopt;
    return nodes.common(listed);
}

/// Asks the policy. Nothing is remembered of an answer that was given without the start.
Event plan_for(RunningJobs& running, const Search& search) {
    policy::Coscheduler& all = running.coscheduler();
    const auto& [guest, usable, offer, promises, idle, left_out] = search;
    const Seconds now = running.last_now();
    if (offer.start_is_known) return all.weigh(guest, usable, offer.static_start, now, idle);
    return all.what_if(all.rules(), guest, usable, offer.static_start, now, idle);
}

/// Returns nodes without which another plan may do: those of the mate that cannot be extended so far, or else the idle
/// ones, or else those of the first mate.
NodeSet unsuitable(const RunningJobs& running, const Event& plan, JobId beyond) {
    if (beyond == 0 && !plan.free.empty()) return plan.free;
    return running.nodes_of({beyond != 0 ? beyond : plan.mates.front()});
}

/// Asks cons_tres as if the mates had no cores. Memory, licenses, topology and everything else is as it is. A dry run
/// asks in the mode that leaves the job's record without resources.
bool places(RunningJobs& running, Question& question, const Event& proposal) {
    const NodeSet nodes = running.nodes_of(proposal);
    Question there = question;
    there.min_nodes = there.max_nodes = there.req_nodes = static_cast<uint32_t>(nodes.count());
    there.candidates = nullptr;
    there.preempted = nullptr;
    if (running.coscheduler().rules().dry_run) there.mode = SELECT_MODE_WILL_RUN;
    assign(there.nodes, nodes);
    if (there.ask_about_now(records_of(proposal.mates)) != SLURM_SUCCESS) return false;
    if (!(node_set(there.nodes) == nodes)) return false;
    if (!SELECT_IS_MODE_RUN_NOW(there.mode)) return there.job->start_time <= running.now();
    if (there.job->job_resrcs != nullptr && has_all_cores(*there.job)) return true;
    free_job_resources(&there.job->job_resrcs);
    return false;
}

}  // namespace

bool MateSearch::asks_to_start(const Question& question) const {
    const bool later = SELECT_IS_MODE_WILL_RUN(question.mode) && !SELECT_IS_MODE_RESV(question.mode);
    if (!running_.known() || !(later || SELECT_IS_MODE_RUN_NOW(question.mode))) return false;
    return !question.starts_after(running_.now()) && declared_malleable(*question.job);
}

std::nullopt_t MateSearch::waits(std::string_view word, const std::string& by) {
    waits_ = {std::string(word), by};
    return std::nullopt;
}

std::nullopt_t MateSearch::waits_for(Refusal refusal, const policy::LeftOut& left_out) {
    const std::string_view word = policy::waiting_word(refusal, left_out);
    return waits(word, word == policy::waiting::kMateLimit ? beyond_what_ : "");
}

/// Writes the reason where the job's user finds it. The main scheduler writes the first one only: it knows no idle
/// nodes, and its answer would take turns with that of backfill. The first partition of a job speaks for all.
void MateSearch::tell_user(const Question& question, bool plans) const {
    if (waits_.word.empty() || dry_run() || !is_in_first_partition(*question.job)) return;
    if (plans || !says_why_it_waits(*question.job))
        say_why_it_waits(*question.job, waits_.word, waits_.by, running_.last_now());
}

int MateSearch::test(Question& question) {
    const bool plans = SELECT_IS_MODE_WILL_RUN(question.mode) && (question.job->bit_flags & BACKFILL_TEST) != 0;
    if (plans || planned_ != question.job) planned_ = plans ? question.job : nullptr;
    waits_ = {};
    const int found = asks_to_start(question) ? counted_answer(question) : answer(question);
    if (plans || SELECT_IS_MODE_RUN_NOW(question.mode)) tell_user(question, plans);
    if (plans && found == SLURM_SUCCESS) promises_.note(*question.job, question.starts_from(), question.nodes);
    return found;
}

/// Answers, and counts the answer and its time.
int MateSearch::counted_answer(Question& question) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point begin = Clock::now();
    const int found = answer(question);
    counters_.search_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
    if (!waits_.word.empty()) ++counters_.answers[waits_.word];
    return found;
}

int MateSearch::answer(Question& question) {
    if (SELECT_IS_MODE_RUN_NOW(question.mode)) ready_.job = nullptr;
    if (!asks_to_start(question)) return question.ask_with_co_runners(running_);
    const std::string barred = bar(question);
    if (barred.empty()) return SELECT_IS_MODE_RUN_NOW(question.mode) ? run_now(question) : will_run(question);
    const int found = question.ask_with_co_runners(running_);
    const bool starts = SELECT_IS_MODE_RUN_NOW(question.mode) || question.job->start_time <= running_.now();
    if (found != SLURM_SUCCESS || !starts) waits(barred);
    return found;
}

// The backfill scheduler asks when and where the job could start.
int MateSearch::will_run(Question& question) {
    const BitmapCopy may_have(question.nodes);
    const int in_window = question.ask_cons_tres();
    const bool is_later = in_window != SLURM_SUCCESS && question.window != nullptr && question.window->end != 0;
    const BitmapCopy in_window_on(question.nodes);
    const time_t start_in_window = question.job->start_time;
    if (is_later) bit_copybits(question.nodes, may_have);
    const int answer = is_later ? question.ask_for_any_time() : in_window;
    const time_t static_start = question.job->start_time;
    const JobInPartition asked_in = question.asked_in();
    offers_.withdraw(asked_in);
    offers_.note_start(asked_in, answer == SLURM_SUCCESS ? static_start : policy::kNever);
    if (answer == SLURM_SUCCESS && static_start > running_.now() && offer_now(question, may_have)) return SLURM_SUCCESS;
    bit_copybits(question.nodes, in_window_on);
    question.job->start_time = start_in_window;
    return in_window;
}

/// Offers the job a start beside mates now, instead of the later one that is in its record. Returns whether there is
/// one.
bool MateSearch::offer_now(Question& question, const bitstr_t* may_have) {
    const int count = bit_set_count(question.nodes);
    if (!asks_for_whole_nodes(*question.job, question.nodes, count)) return waits(policy::waiting::kPartOfNodes), false;
    const Seconds static_start = question.job->start_time;
    const Offer offer{std::min<Seconds>(static_start, offers_.start_elsewhere(question)), count, running_.now(),
                      idle_nodes(question, node_set(may_have))};
    if (offer.static_start <= running_.now()) return false;
    if (!arrange(question, node_set(may_have), offer) || dry_run()) return false;
    offers_.make(question.asked_in(), offer);
    return true;
}

int MateSearch::run_now(Question& question) {
    const BitmapCopy may_have(question.nodes);
    const int answer = question.ask_with_co_runners(running_);
    if (answer == SLURM_SUCCESS) return answer;
    Asked asked{running_.now(), question.min_nodes, question.max_nodes, described(*question.job, 1),
                node_set(may_have)};
    const JobInPartition asked_in = question.asked_in();
    if (refusals_.stands(asked_in, asked) && !offers_.is_made(asked_in)) return answer;
    const BitmapCopy statically(question.nodes);
    const time_t start_before = question.job->start_time;
    if (auto proposal = look_for_mates(question, asked.nodes); proposal && !dry_run()) {
        ready_.job = question.job;
        ready_.proposal = std::move(*proposal);
        return SLURM_SUCCESS;
    }
    bit_copybits(question.nodes, statically);
    question.job->start_time = start_before;  // a dry run asks as backfill does
    refusals_.note(asked_in, std::move(asked));
    return answer;
}

std::optional<Proposal> MateSearch::look_for_mates(Question& question, const NodeSet& within) {
    auto offer = offers_.without_question(question);
    if (!offer) return std::nullopt;
    if (!offer->idle.empty()) offer->idle = in_both(offer->idle, idle_nodes(question, within));
    return arrange(question, within, *offer);
}

/// Returns idle nodes for the guest, where it may have any. Only the backfill scheduler is told of them: it has planned
/// all jobs of a higher priority before it asks.
std::vector<IdleNodes> MateSearch::idle_nodes(const Question& question, const NodeSet& may_have) const {
    if (!running_.coscheduler().rules().sharing.add_free_nodes) return {};
    return spare_nodes(*question.job, may_have, running_.last_now());
}

/// Removes nodes that are promised to others until the guest's end, and those on which cons_tres had no room for it.
void MateSearch::leave_out(Search& search) const {
    const Seconds now = running_.now();
    const double factor = running_.coscheduler().rules().sharing.sharing_factor;
    const auto longest = static_cast<Seconds>(static_cast<double>(search.guest.request) / factor);
    const int before = search.usable.count();
    search.usable = free_of(search.promises, search.usable, delay_max_, now + longest);
    search.left_out.promised = search.usable.count() < before;
    const NodeSet no_room = no_room_.nodes_without(search.guest, now);
    search.left_out.no_room = !search.usable.common(no_room).empty();
    search.usable.erase(no_room);
}

/// Returns the first job that the plan would take beyond its limit; 0: none. Notes what bounds it.
JobId MateSearch::beyond_limit(const Question& question, const Search& search, const Event& plan) {
    const auto [beyond, what] = first_beyond(running_, *question.job, plan, search.promises, delay_max_);
    if (!what.empty()) beyond_what_ = what;
    if (beyond != 0) running_.coscheduler().beyond_limit(plan, beyond);
    return beyond;
}

/// Leaves out what made a plan fail: a job beyond its limit, or nodes where cons_tres has no room.
void MateSearch::narrow(Search& search, const Event& plan, JobId beyond) {
    const NodeSet without = unsuitable(running_, plan, beyond);
    search.usable.erase(without);
    (beyond != 0 ? search.left_out.mate_limit : search.left_out.no_room) = true;
    if (beyond != 0) return;
    running_.coscheduler().no_room(plan, plan.free);
    no_room_.note(search.guest, without, running_.now());
}

std::optional<Proposal> MateSearch::arrange(Question& question, const NodeSet& within, const Offer& offer) {
    auto listed = within_node_list(*question.job, within, offer.nodes);
    if (!listed) return waits(policy::waiting::kNodeList);
    std::vector<Promise> promises = promises_.before(*question.job, planned_ == question.job);
    std::vector<IdleNodes> idle = until_promised(offer.idle, promises);
    Search search{
        described(*question.job, offer.nodes), *std::move(listed), offer, std::move(promises), std::move(idle), {}};
    leave_out(search);
    beyond_what_.clear();
    return arrange(question, search);
}

/// Asks the policy for one plan after the other, until cons_tres places the job as planned.
std::optional<Proposal> MateSearch::arrange(Question& question, Search& search) {
    constexpr int kTries = 4;  // under slurmctld's locks, for each waiting job
    for (int tries = 0; tries < kTries; ++tries) {
        Event plan = plan_for(running_, search);
        if (plan.refusal != Refusal::kNone) return waits_for(plan.refusal, search.left_out);
        // The guest can keep its idle nodes until its limit, which is later than its predicted end.
        const Seconds until = limit_end(running_, *question.job, plan.guest_end);
        if (const NodeSet late = plan.free.common(wanted_before(search.idle, until)); !late.empty()) {
            search.usable.erase(late);
            continue;
        }
        const JobId beyond = beyond_limit(question, search, plan);
        if (beyond == search.guest.id) return waits(policy::waiting::kOwnLimit, beyond_what_);
        if (beyond == 0 && !search.offer.start_is_known) {
            if (!offers_.learn_start(question, search.offer)) return std::nullopt;
            --tries;
            continue;
        }
        if (beyond == 0 && is_placed(question, plan)) return proposal(question, search, std::move(plan));
        narrow(search, plan, beyond);
        // Otherwise each mate whose steps keep its cores would use up a try, in every cycle anew.
        if (tries == 0) search.usable.erase(kept_by_steps_.nodes(running_));
    }
    return waits_for(Refusal::kNoMates, search.left_out);
}

bool MateSearch::is_placed(Question& question, const Event& plan) {
    running_.coscheduler().agreed(plan);
    return places(running_, question, plan);
}

Proposal MateSearch::proposal(const Question& question, const Search& search, Event plan) {
    ++counters_.answers["share"];
    std::vector<Promise> moved = moved_by(running_, *question.job, plan, search.promises, delay_max_);
    return {std::move(plan), std::move(moved)};
}

std::optional<Proposal> MateSearch::take_proposal(const job_record_t* job) {
    if (ready_.job != job) return std::nullopt;
    ready_.job = nullptr;
    return std::move(ready_.proposal);
}

void MateSearch::forget_offer(JobId id) { offers_.forget(id); }

void MateSearch::forget_refusals() {
    refusals_.forget();
    no_room_.forget();
}

void MateSearch::forget_all() {
    planned_ = nullptr;
    promises_ = {};
    ready_.job = nullptr;
    offers_.forget_all();
    forget_refusals();
}

}  // namespace drom::slurm
