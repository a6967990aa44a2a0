// SPDX-License-Identifier: GPL-2.0-or-later
// mate_search.cpp - answers slurmctld's schedulers by questions to cons_tres and to the policy.
#include "mate_search.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <tuple>
#include <utility>

#include "policy/sharing/waiting.hpp"
#include "select_malleable/limits/accounts.hpp"
#include "select_malleable/limits/bounds.hpp"
#include "select_malleable/slurmctld/cons_tres.hpp"

namespace drom::slurm {

using policy::Consumption;
using policy::Event;
using policy::IdleNodes;
using policy::JobId;
using policy::NodeSet;
using policy::Promise;
using policy::Refusal;
using policy::Seconds;

namespace {

/// A copy of a bitmap for as long as it lives.
class Bits {
public:
    explicit Bits(const bitstr_t* bits) : own_(bit_copy(const_cast<bitstr_t*>(bits))) {}
    ~Bits() { bit_free(own_); }
    Bits(const Bits&) = delete;
    Bits& operator=(const Bits&) = delete;
    operator bitstr_t*() const { return own_; }

private:
    bitstr_t* own_;
};

}  // namespace

bool Question::starts_after(Seconds now) const { return window != nullptr && window->start > now; }

Seconds Question::starts_from() const {
    return std::max<Seconds>(job->start_time, window == nullptr ? 0 : window->start);
}

bool Question::leaves_cores_out() const {
    const bitstr_t* cores = excluded == nullptr ? nullptr : excluded_cores(*excluded);
    return cores != nullptr && bit_ffs(const_cast<bitstr_t*>(cores)) >= 0;
}

int Question::ask_about_now(const std::vector<job_record_t*>& without) const {
    const uint64_t search_later = ~job->bit_flags & TEST_NOW_ONLY;
    job->bit_flags |= TEST_NOW_ONLY;
    const WithoutCores gone(without);
    const int answer = ask_cons_tres();
    job->bit_flags &= ~search_later;
    return answer;
}

bool MateSearch::asks_to_start(const Question& question) const {
    const bool later = SELECT_IS_MODE_WILL_RUN(question.mode) && !SELECT_IS_MODE_RESV(question.mode);
    if (!running_.known() || !(later || SELECT_IS_MODE_RUN_NOW(question.mode))) return false;
    return !question.starts_after(running_.now()) && declared_malleable(*question.job);
}

std::string MateSearch::bar(const Question& question) const {
    if (question.leaves_cores_out()) return std::string(policy::waiting::kCoreReservation);
    return obstacle(*question.job);
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
    if (!asks_to_start(question)) return ask(question);
    const std::string barred = bar(question);
    if (barred.empty()) return SELECT_IS_MODE_RUN_NOW(question.mode) ? run_now(question) : will_run(question);
    const int found = ask(question);
    const bool starts = SELECT_IS_MODE_RUN_NOW(question.mode) || question.job->start_time <= running_.now();
    if (found != SLURM_SUCCESS || !starts) waits(barred);
    return found;
}

/// Asks cons_tres. Jobs that share a node are preempted all together or not at all: if only some of them ended, the
/// others would take over their cores.
int MateSearch::ask(Question& question) const {
    const std::vector<job_record_t*> candidates = records_in(question.candidates);
    const auto is_shared = [this](const job_record_t* job) { return running_.shares(job); };
    if (std::none_of(candidates.begin(), candidates.end(), is_shared)) return question.ask_cons_tres();
    std::vector<JobId> ids(candidates.size());
    std::transform(candidates.begin(), candidates.end(), ids.begin(), [](const auto* job) { return job->job_id; });
    const std::unique_ptr<list_t, void (*)(list_t*)> together{list_create(nullptr), list_destroy};
    for (job_record_t* job : records_of(running_.coscheduler().whole_groups(ids))) list_append(together.get(), job);
    Question narrowed = question;
    narrowed.candidates = together.get();
    const int answer = narrowed.ask_cons_tres();
    if (answer == SLURM_SUCCESS && question.preempted != nullptr) add_co_runners(*question.preempted, question.nodes);
    return answer;
}

void MateSearch::add_co_runners(list_t* preempted, const bitstr_t* nodes) const {
    std::vector<job_record_t*> all = records_in(preempted);
    for (std::size_t i = 0; i < all.size(); ++i)  // it grows
        for (job_record_t* co_runner : records_of(running_.coscheduler().co_runners(all[i]->job_id))) {
            const bool is_there = bit_overlap_any(co_runner->node_bitmap, const_cast<bitstr_t*>(nodes)) != 0;
            if (!is_there || std::find(all.begin(), all.end(), co_runner) != all.end()) continue;
            all.push_back(co_runner);
            list_append(preempted, co_runner);
        }
}

/// Asks cons_tres when the job would start, also behind the window of the question.
int MateSearch::ask_for_any_time(Question& question) const {
    will_run_data_t* const window = std::exchange(question.window, nullptr);
    const int answer = question.ask_cons_tres();
    question.window = window;
    return answer;
}

// The backfill scheduler asks when and where the job could start.
int MateSearch::will_run(Question& question) {
    const Bits may_have(question.nodes);
    const int in_window = question.ask_cons_tres();
    const bool is_later = in_window != SLURM_SUCCESS && question.window != nullptr && question.window->end != 0;
    const Bits in_window_on(question.nodes);
    const time_t start_in_window = question.job->start_time;
    if (is_later) bit_copybits(question.nodes, may_have);
    const int answer = is_later ? ask_for_any_time(question) : in_window;
    const time_t static_start = question.job->start_time;
    const JobInPartition asked_in{question.job->job_id, partition_of(*question.job)};
    offers_.erase(asked_in);
    constexpr std::size_t kRemembered = 65536;  // jobs that were cancelled are not told of
    if (starts_.size() > kRemembered) starts_.clear();
    starts_[asked_in] = {answer == SLURM_SUCCESS ? static_start : policy::kNever, running_.now()};
    if (answer == SLURM_SUCCESS && static_start > running_.now() && offer_now(question, may_have, asked_in))
        return SLURM_SUCCESS;
    bit_copybits(question.nodes, in_window_on);
    question.job->start_time = start_in_window;
    return in_window;
}

/// Offers the job a start beside mates now, instead of the later one that is in its record. Returns whether there is
/// one.
bool MateSearch::offer_now(Question& question, const bitstr_t* may_have, const JobInPartition& asked_in) {
    const int count = bit_set_count(question.nodes);
    if (!asks_for_whole_nodes(*question.job, question.nodes, count)) return waits(policy::waiting::kPartOfNodes), false;
    const Seconds static_start = question.job->start_time;
    const Offer offer{std::min<Seconds>(static_start, start_elsewhere(question)), count, running_.now(),
                      idle_nodes(question, node_set(may_have))};
    if (offer.static_start <= running_.now()) return false;
    if (!arrange(question, node_set(may_have), offer) || dry_run()) return false;
    offers_[asked_in] = offer;
    return true;
}

int MateSearch::run_now(Question& question) {
    const Bits may_have(question.nodes);
    const int answer = ask(question);
    if (answer == SLURM_SUCCESS) return answer;
    NotNow asked{running_.now(), question.min_nodes, question.max_nodes, described(*question.job, 1),
                 node_set(may_have)};
    const JobInPartition asked_in{asked.job.id, partition_of(*question.job)};
    if (refused_as_before(asked_in, asked)) return answer;
    const Bits statically(question.nodes);
    const time_t start_before = question.job->start_time;
    if (auto proposal = look_for_mates(question, asked.nodes); proposal && !dry_run()) {
        ready_.job = question.job;
        ready_.proposal = std::move(*proposal);
        return SLURM_SUCCESS;
    }
    bit_copybits(question.nodes, statically);
    question.job->start_time = start_before;  // a dry run asks as backfill does
    not_now_[asked_in] = std::move(asked);
    return answer;
}

std::optional<Proposal> MateSearch::look_for_mates(Question& question, const NodeSet& within) {
    auto offer = offer_without_question(question);
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

/// Returns whether an earlier refusal stands. The main scheduler asks about the first job of the queue after each
/// submission. The time of its start is costly to find. A refusal therefore stands until the backfill scheduler has
/// made a new offer, or for half a minute.
bool MateSearch::refused_as_before(const JobInPartition& asked_in, const NotNow& asked) const {
    constexpr Seconds kLong = 30;
    const auto found = not_now_.find(asked_in);
    if (found == not_now_.end() || asked.at - found->second.at > kLong || offers_.count(asked_in) != 0) return false;
    const NotNow& before = found->second;
    const auto demand = [](const NotNow& n) {
        return std::tuple(n.min_nodes, n.max_nodes, n.job.request, n.job.min_cores, n.job.submit, n.job.kind,
                          n.job.filter.contiguous, n.job.filter.memory_mb, n.job.qos, n.job.account);
    };
    return demand(before) == demand(asked) && before.nodes == asked.nodes;
}

/// Returns what estimate() would, if that is known. Otherwise the start is left open, where the request says the number
/// of nodes: most jobs of which the main scheduler asks find no mates whenever they would start. cons_tres searches the
/// start at the end of each running job. A job without a reason yet is to be told the right one, which depends on its
/// start. Nothing: the job asks for parts of nodes.
std::optional<MateSearch::Offer> MateSearch::offer_without_question(const Question& question) {
    if (const Offer* offer = fresh_offer(question)) return *offer;
    const job_record_t& job = *question.job;
    if (job.part_ptr == nullptr || job.part_ptr->node_bitmap == nullptr) return std::nullopt;
    const int count = static_cast<int>(question.min_nodes);
    const auto whole = asks_for_whole_nodes_of_any(job, job.part_ptr->node_bitmap, count);
    if (whole == WholeNodes::kNone) return std::nullopt;
    const bool needs_start = whole == WholeNodes::kSome || question.min_nodes != question.max_nodes;
    if (needs_start || !says_why_it_waits(job)) return estimate(question);
    return Offer{policy::kNever, count, running_.now(), {}, false};
}

const MateSearch::Offer* MateSearch::fresh_offer(const Question& question) {
    constexpr Seconds kFresh = 5;
    const auto offered = offers_.find({question.job->job_id, partition_of(*question.job)});
    const bool fresh = offered != offers_.end() && running_.now() - offered->second.made <= kFresh;
    return fresh ? &offered->second : nullptr;
}

/// Returns when the job would start without sharing, in any of its partitions, and on how many nodes in this one. The
/// backfill scheduler may have been told that just now; else cons_tres is asked about all nodes. Returns nothing when
/// the job could start now on other nodes, or never.
std::optional<MateSearch::Offer> MateSearch::estimate(const Question& question) {
    if (const Offer* offer = fresh_offer(question)) return *offer;
    auto offer = ask_later(question);
    if (!offer || offer->nodes == 0) return std::nullopt;
    offer->static_start = std::min(offer->static_start, start_elsewhere(question));
    return offer->static_start > running_.now() ? offer : std::nullopt;
}

/// Asks cons_tres when the job would start on the nodes of its present partition. Nothing: never. No nodes: these are
/// not whole ones.
std::optional<MateSearch::Offer> MateSearch::ask_later(const Question& question) const {
    job_record_t& job = *question.job;
    if (job.part_ptr == nullptr || job.part_ptr->node_bitmap == nullptr) return std::nullopt;
    const Bits nodes(job.part_ptr->node_bitmap);
    erase_unavailable(nodes);
    if (job.details->exc_node_bitmap != nullptr) bit_and_not(nodes, job.details->exc_node_bitmap);
    const time_t start_before = job.start_time;
    const uint64_t flags_before = job.bit_flags;
    job.bit_flags &= ~static_cast<uint64_t>(TEST_NOW_ONLY);
    Question later = question;
    later.nodes = nodes;
    later.mode = SELECT_MODE_WILL_RUN;
    later.candidates = nullptr;
    later.preempted = nullptr;
    const int answer = ask_for_any_time(later);
    const Seconds start = job.start_time;
    job.start_time = start_before;
    job.bit_flags = flags_before;
    if (answer != SLURM_SUCCESS) return std::nullopt;
    const int count = bit_set_count(nodes);
    return Offer{start, asks_for_whole_nodes(job, nodes, count) ? count : 0, running_.last_now()};
}

/// Returns when the job would start without sharing in another of its partitions; never, where it has only one. Cost: a
/// question to cons_tres for each of which backfill has not asked of late.
Seconds MateSearch::start_elsewhere(const Question& question) {
    Seconds earliest = policy::kNever;
    for (part_record_t* partition : other_partitions(*question.job))
        earliest = std::min(earliest, start_in(question, *partition));
    return earliest;
}

Seconds MateSearch::start_in(const Question& question, part_record_t& partition) {
    constexpr Seconds kOfLate = 60;
    const auto told = starts_.find({question.job->job_id, partition.name});
    if (told != starts_.end() && running_.now() - told->second.made <= kOfLate && told->second.at > running_.now())
        return told->second.at;
    part_record_t* const present = std::exchange(question.job->part_ptr, &partition);
    const auto offer = ask_later(question);
    question.job->part_ptr = present;
    return offer ? offer->static_start : policy::kNever;
}

const NodeSet& MateSearch::kept_by_steps() {
    if (kept_.at == running_.now()) return kept_.nodes;
    kept_.at = running_.now();
    kept_.nodes = {};
    const double factor = running_.coscheduler().rules().sharing.sharing_factor;
    each_running_job([&](const job_record_t& job) {
        const int kept = declared_malleable(job) ? cores_that_steps_keep(job) : 0;
        if (kept <= 1) return;
        const policy::Placed seen = placed(job);
        const int share = static_cast<int>(std::floor(factor * seen.cores + 1e-9));
        const int lends = std::min(share, seen.cores - std::max(1, seen.job.min_cores));
        if (kept > seen.cores - lends) kept_.nodes.insert(seen.nodes);
    });
    return kept_.nodes;
}

/// Removes nodes that are promised to others until the guest's end, and those on which cons_tres had no room for it.
void MateSearch::leave_out(NodeSet& usable, const policy::Job& guest, const std::vector<Promise>& promises,
                           policy::LeftOut& left_out) const {
    const Seconds now = running_.now();
    const double factor = running_.coscheduler().rules().sharing.sharing_factor;
    const int before = usable.count();
    usable =
        free_of(promises, usable, delay_max_, now + static_cast<Seconds>(static_cast<double>(guest.request) / factor));
    left_out.promised = usable.count() < before;
    const NodeSet no_room = no_room_.nodes_without(guest, now);
    left_out.no_room = !usable.common(no_room).empty();
    usable.erase(no_room);
}

/// Completes an offer without a start. Returns false when the job needs no mates, or never starts.
bool MateSearch::learn_start(const Question& question, Offer& offer) {
    auto estimated = estimate(question);
    if (!estimated || estimated->nodes != offer.nodes) return false;
    offer = *std::move(estimated);
    return true;
}

/// Asks the policy. Nothing is remembered of an answer that was given without the start.
Event MateSearch::plan_for(const policy::Job& guest, const NodeSet& usable, const Offer& offer,
                           const std::vector<IdleNodes>& idle) {
    policy::Coscheduler& all = running_.coscheduler();
    const Seconds now = running_.last_now();
    if (offer.start_is_known) return all.weigh(guest, usable, offer.static_start, now, idle);
    return all.what_if(all.rules(), guest, usable, offer.static_start, now, idle);
}

std::optional<Proposal> MateSearch::arrange(Question& question, const NodeSet& within, Offer offer) {
    constexpr int kTries = 4;  // under slurmctld's locks, for each waiting job
    const policy::Job guest = described(*question.job, offer.nodes);
    NodeSet usable = within;
    if (const bitstr_t* nodes = question.job->details->req_node_bitmap; nodes != nullptr) {
        const NodeSet required = node_set(nodes);
        if (required.count() != offer.nodes) return waits(policy::waiting::kNodeList);
        usable = usable.common(required);
    }
    const std::vector<Promise> promises = promises_.before(*question.job, planned_ == question.job);
    policy::LeftOut left_out;
    leave_out(usable, guest, promises, left_out);
    beyond_what_.clear();
    const Seconds now = running_.now();
    const std::vector<IdleNodes> idle = until_promised(offer.idle, promises);
    for (int tries = 0; tries < kTries; ++tries) {
        Event plan = plan_for(guest, usable, offer, idle);
        if (plan.refusal != Refusal::kNone) return waits_for(plan.refusal, left_out);
        // The guest can keep its idle nodes until its limit, which is later than its predicted end.
        const NodeSet late = plan.free.common(wanted_before(idle, limit_end(*question.job, plan.guest_end)));
        if (!late.empty()) {
            usable.erase(late);
            continue;
        }
        const JobId beyond = beyond_limits(*question.job, plan, promises);
        if (beyond != 0) running_.coscheduler().beyond_limit(plan, beyond);
        if (beyond == guest.id) return waits(policy::waiting::kOwnLimit, beyond_what_);
        if (beyond == 0 && !offer.start_is_known) {
            if (!learn_start(question, offer)) return std::nullopt;
            --tries;
            continue;
        }
        if (beyond == 0) running_.coscheduler().agreed(plan);
        if (beyond == 0 && places(question, plan)) {
            ++counters_.answers["share"];
            std::vector<Promise> moved = moved_by(*question.job, plan, promises);
            return Proposal{std::move(plan), std::move(moved)};
        }
        const NodeSet without = unsuitable(plan, beyond);
        usable.erase(without);
        // Otherwise each mate whose steps keep its cores would use up a try, in every cycle anew.
        if (tries == 0) usable.erase(kept_by_steps());
        (beyond != 0 ? left_out.mate_limit : left_out.no_room) = true;
        if (beyond != 0) continue;
        running_.coscheduler().no_room(plan, plan.free);
        no_room_.note(guest, without, now);
    }
    return waits_for(Refusal::kNoMates, left_out);
}

/// Returns nodes without which another plan may do: those of the mate that cannot be extended so far, or else the idle
/// ones, or else those of the first mate.
NodeSet MateSearch::unsuitable(const Event& plan, JobId beyond) const {
    if (beyond == 0 && !plan.free.empty()) return plan.free;
    return running_.nodes_of({beyond != 0 ? beyond : plan.mates.front()});
}

/// Asks cons_tres as if the mates had no cores. Memory, licenses, topology and everything else is as it is. A dry run
/// asks in the mode that leaves the job's record without resources.
bool MateSearch::places(Question& question, const Event& proposal) {
    const NodeSet nodes = running_.nodes_of(proposal);
    Question there = question;
    there.min_nodes = there.max_nodes = there.req_nodes = static_cast<uint32_t>(nodes.count());
    there.candidates = nullptr;
    there.preempted = nullptr;
    if (dry_run()) there.mode = SELECT_MODE_WILL_RUN;
    assign(there.nodes, nodes);
    if (there.ask_about_now(records_of(proposal.mates)) != SLURM_SUCCESS) return false;
    if (!(node_set(there.nodes) == nodes)) return false;
    if (!SELECT_IS_MODE_RUN_NOW(there.mode)) return there.job->start_time <= running_.now();
    if (there.job->job_resrcs != nullptr && has_all_cores(*there.job)) return true;
    free_job_resources(&there.job->job_resrcs);
    return false;
}

/// Returns the first, of the guest and its mates, that cannot have its limit extended so far; 0: all can. A mate whose
/// steps keep what it is to lend counts as such.
JobId MateSearch::beyond_limits(const job_record_t& guest, const Event& proposal,
                                const std::vector<Promise>& promises) {
    const Seconds guest_end = limit_end(guest, proposal.guest_end);
    const std::vector<Consumption> taken = consumptions(guest, proposal);
    for (std::size_t i = 0; i < proposal.mates.size(); ++i) {
        const job_record_t* mate = record_of(proposal.mates[i]);
        if (mate == nullptr || cores_that_steps_keep(*mate) > placed(*mate).cores - proposal.cores ||
            !mate_may(*mate, limit_end(*mate, proposal.mate_ends[i]), guest_end, promises) ||
            !affords(*mate, taken[i], taken))
            return proposal.mates[i];
    }
    const NodeSet nodes = running_.nodes_of(proposal);
    const bool may = may_end(guest, bounds_of(guest, nodes, running_.last_now()), guest_end);
    return may && affords(guest, taken.back(), taken) ? 0 : proposal.job.id;
}

/// Returns what the mates take, in their order, and then the guest.
std::vector<Consumption> MateSearch::consumptions(const job_record_t& guest, const Event& proposal) const {
    std::vector<Consumption> taken;
    std::vector<const job_record_t*> mates;
    for (std::size_t i = 0; i < proposal.mates.size(); ++i) {
        const job_record_t* mate = record_of(proposal.mates[i]);
        if (mate != nullptr) mates.push_back(mate);
        taken.push_back(mate == nullptr ? Consumption{}
                                        : consumption_of(*mate, limit_until(*mate, proposal.mate_ends[i]), {}, {}));
    }
    taken.push_back(consumption_of(guest, limit_until(guest, proposal.guest_end), mates, proposal.free));
    return taken;
}

bool MateSearch::affords(const job_record_t& job, const Consumption& taken, const std::vector<Consumption>& together) {
    const std::string limit = reached(job, taken, together);
    if (!limit.empty()) beyond(job, limit);
    return limit.empty();
}

/// Notes which limit the job would be extended beyond.
void MateSearch::beyond(const job_record_t& job, const std::string& what) {
    slurm_verbose("select/malleable: job %u cannot share: its limit would be extended beyond %s", job.job_id,
                  what.c_str());
    beyond_what_ = what;
}

/// Returns whether a mate may be extended to `end`, and a guest stay on its nodes until `guest_end`.
bool MateSearch::mate_may(const job_record_t& mate, Seconds end, Seconds guest_end,
                          const std::vector<Promise>& promises) {
    const NodeSet nodes = running_.nodes_of({mate.job_id});
    if (!may_end(mate, bounds_of(mate, nodes, running_.last_now()), end)) return false;
    std::vector<policy::Bound> bounds;
    for (const Promise& promise : promises)
        if (auto bound = bound_by(promise, nodes, delay_max_)) bounds.push_back(std::move(*bound));
    return may_end(mate, bounds, std::max(end, guest_end));
}

bool MateSearch::may_end(const job_record_t& job, const std::vector<policy::Bound>& bounds, Seconds limit_end) {
    const policy::Bound* bound = policy::passed(bounds, limit_end);
    if (bound != nullptr) beyond(job, bound->what);
    return bound == nullptr;
}

/// Returns the limit in minutes with which the job can run until `end`.
uint32_t MateSearch::limit_until(const job_record_t& job, Seconds end) const {
    const policy::RunningJob* running = running_.coscheduler().find(job.job_id);
    const Seconds start = running != nullptr ? running->start : running_.last_now();
    return limit_for(job, end - start, running != nullptr ? running->job.request : requested(job));
}

/// Returns when slurmctld would end a job with that limit.
Seconds MateSearch::limit_end(const job_record_t& job, Seconds end) const {
    return end_with(job, limit_until(job, end), running_.last_now());
}

/// Returns those of the promises that are moved. Without a bound, and without any freedom, none is counted. Idle nodes
/// move none.
std::vector<Promise> MateSearch::moved_by(const job_record_t& guest, const Event& proposal,
                                          std::vector<Promise> promises) const {
    if (delay_max_ == 0 || delay_max_ >= policy::kNever) return {};
    const Seconds guest_end = limit_end(guest, proposal.guest_end);
    for (Promise& promise : promises) {
        Seconds most = 0;
        for (std::size_t i = 0; i < proposal.mates.size(); ++i) {
            const Seconds end = std::max(guest_end, limit_end(*record_of(proposal.mates[i]), proposal.mate_ends[i]));
            most = std::max(most, move_of(promise, running_.nodes_of({proposal.mates[i]}), end));
        }
        promise.moved = most == 0 ? 0 : promise.moved + most;
    }
    std::erase_if(promises, [](const Promise& promise) { return promise.moved == 0; });
    return promises;
}

std::optional<Proposal> MateSearch::take_proposal(const job_record_t* job) {
    if (ready_.job != job) return std::nullopt;
    ready_.job = nullptr;
    return std::move(ready_.proposal);
}

void MateSearch::forget_offer(JobId id) {
    const auto is_of_job = [id](const auto& kept) { return kept.first.first == id; };
    std::erase_if(offers_, is_of_job);
    std::erase_if(starts_, is_of_job);
}

void MateSearch::forget_refusals() {
    not_now_.clear();
    no_room_.forget();
}

void MateSearch::forget_all() {
    starts_.clear();
    planned_ = nullptr;
    promises_ = {};
    ready_.job = nullptr;
    offers_.clear();
    forget_refusals();
}

}  // namespace drom::slurm
