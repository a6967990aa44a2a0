// SPDX-License-Identifier: GPL-2.0-or-later
// sharing.cpp - a job comes to cores of running ones.
#include "sharing.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <utility>

#include "common/admin_comment.hpp"
#include "cons_tres.hpp"
#include "once_unlocked.hpp"
#include "select_malleable/core_sets.hpp"
#include "select_malleable/ledger_file.hpp"

namespace drom::slurm {

using policy::Event;
using policy::JobId;
using policy::NodeSet;
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

job_record_t* record_of(JobId id) { return find_job_record(static_cast<uint32_t>(id)); }

std::vector<job_record_t*> records_of(const std::vector<JobId>& ids) {
    std::vector<job_record_t*> records;
    for (const JobId id : ids)
        if (job_record_t* record = record_of(id); record != nullptr) records.push_back(record);
    return records;
}

bool is_on_its_nodes(const job_record_t* job) { return IS_JOB_RUNNING(job) || IS_JOB_SUSPENDED(job); }

std::string clock_text(Seconds at) {
    std::array<char, 32> text{};
    time_t time = at;
    slurm_make_time_str(&time, text.data(), static_cast<int>(text.size()));
    return text.data();
}

std::string list(const std::vector<JobId>& ids) {
    std::string text;
    for (const JobId id : ids) text += (text.empty() ? "" : ",") + std::to_string(id);
    return text;
}

uint32_t minutes(Seconds seconds) { return static_cast<uint32_t>((seconds + 59) / 60); }

template <class Body>
void each_running_job(const Body& body) {
    ListIterator each = list_iterator_create(job_list);
    while (const auto* job = static_cast<const job_record_t*>(list_next(each)))
        if (is_on_its_nodes(job) && job->job_resrcs != nullptr && job->job_resrcs->node_bitmap != nullptr) body(*job);
    list_iterator_destroy(each);
}

std::vector<job_record_t*> records_in(List jobs) {
    std::vector<job_record_t*> records;
    if (jobs == nullptr) return records;
    ListIterator each = list_iterator_create(jobs);
    while (auto* job = static_cast<job_record_t*>(list_next(each))) records.push_back(job);
    list_iterator_destroy(each);
    return records;
}

void set_comment(job_record_t& job, const std::string& text) {
    xfree(job.admin_comment);
    job.admin_comment = xstrdup(text.c_str());
    last_job_update = time(nullptr);
}

bool has_all_cores(const job_record_t& job) {
    for (int n = 0; n < bit_set_count(job.job_resrcs->node_bitmap); ++n) {
        const std::vector<bool> cores = cores_on(*job.job_resrcs, n);
        if (std::find(cores.begin(), cores.end(), false) != cores.end()) return false;
    }
    return true;
}

}  // namespace

int Question::ask_cons_tres() const {
    return cons_tres.job_test(job, nodes, min_nodes, max_nodes, req_nodes, mode, candidates, preempted, excluded_cores);
}

Seconds Sharing::now() { return last_now_ = std::max<Seconds>(last_now_, time(nullptr)); }

bool Sharing::shares(const job_record_t* job) const { return known_ && !known_->companions(job->job_id).empty(); }

NodeSet Sharing::nodes_of(const std::vector<JobId>& jobs) const {
    NodeSet nodes;
    for (const JobId id : jobs)
        for (const policy::Held& held : known_->cores_of(id)) nodes.insert(held.nodes);
    return nodes;
}

// ---- asked about -----------------------------------------------------------------------------------------------

bool Sharing::may_share(const Question& question) const {
    const bool later = SELECT_IS_MODE_WILL_RUN(question.mode) && !SELECT_IS_MODE_RESV(question.mode);
    if (!known_ || !(later || SELECT_IS_MODE_RUN_NOW(question.mode))) return false;
    if (question.excluded_cores != nullptr && bit_ffs(question.excluded_cores) >= 0) return false;
    return declared_malleable(*question.job) && obstacle(*question.job).empty();
}

int Sharing::test(Question& question) {
    if (SELECT_IS_MODE_RUN_NOW(question.mode)) ready_.job = nullptr;
    if (may_share(question)) return SELECT_IS_MODE_RUN_NOW(question.mode) ? run_now(question) : will_run(question);
    return ask(question);
}

/// cons_tres, where who shares can be preempted together with its companions only: of a part of them the others would have the cores.
int Sharing::ask(Question& question) const {
    const std::vector<job_record_t*> candidates = records_in(question.candidates);
    const auto is_shared = [this](const job_record_t* job) { return shares(job); };
    if (std::none_of(candidates.begin(), candidates.end(), is_shared)) return question.ask_cons_tres();
    std::vector<JobId> ids(candidates.size());
    std::transform(candidates.begin(), candidates.end(), ids.begin(), [](const auto* job) { return job->job_id; });
    const std::unique_ptr<xlist, void (*)(List)> together{list_create(nullptr), list_destroy};
    for (job_record_t* job : records_of(known_->whole_companies(ids))) list_append(together.get(), job);
    Question narrowed = question;
    narrowed.candidates = together.get();
    const int answer = narrowed.ask_cons_tres();
    if (answer == SLURM_SUCCESS && question.preempted != nullptr) add_companions(*question.preempted, question.nodes);
    return answer;
}

void Sharing::add_companions(List preempted, const bitstr_t* nodes) const {
    std::vector<job_record_t*> all = records_in(preempted);
    for (std::size_t i = 0; i < all.size(); ++i)  // it grows
        for (job_record_t* companion : records_of(known_->companions(all[i]->job_id))) {
            const bool is_there = bit_overlap_any(companion->node_bitmap, const_cast<bitstr_t*>(nodes)) != 0;
            if (!is_there || std::find(all.begin(), all.end(), companion) != all.end()) continue;
            all.push_back(companion);
            list_append(preempted, companion);
        }
}

// What the backfill scheduler asks: when, and where?
int Sharing::will_run(Question& question) {
    const Bits may_have(question.nodes);
    const int answer = question.ask_cons_tres();
    const time_t static_start = question.job->start_time;
    offers_.erase(question.job->job_id);
    if (answer != SLURM_SUCCESS || static_start <= now()) return answer;
    const int count = bit_set_count(question.nodes);
    if (!asks_for_whole_nodes(*question.job, question.nodes, count)) return answer;
    const Bits statically(question.nodes);
    const Offer offer{static_start, count, now()};
    if (arrange(question, node_set(may_have), offer)) {
        offers_[question.job->job_id] = offer;
        return SLURM_SUCCESS;
    }
    bit_copybits(question.nodes, statically);
    question.job->start_time = static_start;
    return answer;
}

int Sharing::run_now(Question& question) {
    const Bits may_have(question.nodes);
    const int answer = ask(question);
    if (answer == SLURM_SUCCESS) return answer;
    const JobId id = question.job->job_id;
    NotNow asked{now(), question.min_nodes, question.max_nodes, described(*question.job, 1), node_set(may_have)};
    if (refused_as_before(asked)) return answer;
    const Bits statically(question.nodes);
    if (auto proposal = look_for_mates(question, asked.nodes)) {
        ready_.job = question.job;
        ready_.proposal = std::move(*proposal);
        return SLURM_SUCCESS;
    }
    bit_copybits(question.nodes, statically);
    not_now_[id] = std::move(asked);
    return answer;
}

std::optional<Event> Sharing::look_for_mates(Question& question, const NodeSet& within) {
    const auto offer = estimate(question);
    return offer ? arrange(question, within, *offer) : std::nullopt;
}

/// The main scheduler asks about the first of the queue after each submission. To work out when it would start is dear; to wait with that until
/// the backfill scheduler has made a new offer, or half a minute, changes little.
bool Sharing::refused_as_before(const NotNow& asked) const {
    constexpr Seconds kLong = 30;
    const auto found = not_now_.find(asked.job.id);
    if (found == not_now_.end() || asked.at - found->second.at > kLong || offers_.count(asked.job.id) != 0)
        return false;
    const NotNow& before = found->second;
    const auto demand = [](const NotNow& n) {
        return std::tuple(n.min_nodes, n.max_nodes, n.job.request, n.job.min_cores, n.job.submit, n.job.kind,
                          n.job.filter.contiguous);
    };
    return demand(before) == demand(asked) && before.nodes == asked.nodes;
}

/// When the job would start without sharing, and on how many nodes: as the backfill scheduler has just been told, or by asking about all nodes of
/// its partition. Nothing: it could start now, on others than these; or never.
std::optional<Sharing::Offer> Sharing::estimate(const Question& question) {
    constexpr Seconds kFresh = 5;
    const auto offered = offers_.find(question.job->job_id);
    if (offered != offers_.end() && now() - offered->second.made <= kFresh) return offered->second;
    if (question.job->part_ptr == nullptr || avail_node_bitmap == nullptr) return std::nullopt;
    const Bits nodes(question.job->part_ptr->node_bitmap);
    bit_and(nodes, avail_node_bitmap);
    const time_t start_before = question.job->start_time;
    Question later = question;
    later.nodes = nodes;
    later.mode = SELECT_MODE_WILL_RUN;
    later.candidates = nullptr;
    later.preempted = nullptr;
    const int answer = later.ask_cons_tres();
    const Offer offer{question.job->start_time, bit_set_count(nodes), now()};
    question.job->start_time = start_before;
    if (answer != SLURM_SUCCESS || offer.static_start <= now()) return std::nullopt;
    if (!asks_for_whole_nodes(*question.job, nodes, offer.nodes)) return std::nullopt;
    return offer;
}

std::optional<Event> Sharing::arrange(Question& question, const NodeSet& within, const Offer& offer) {
    constexpr int kTries = 4;  // under slurmctld's locks, for each waiting job
    const policy::Job guest = described(*question.job, offer.nodes);
    NodeSet usable = within;
    if (question.job->details->req_node_bitmap != nullptr) {
        const NodeSet required = node_set(question.job->details->req_node_bitmap);
        if (required.count() != offer.nodes) return std::nullopt;
        usable = usable.common(required);
    }
    for (int tries = 0; tries < kTries; ++tries) {
        Event proposal = known_->propose(guest, usable, offer.static_start, now());
        if (proposal.refusal != Refusal::kNone) return std::nullopt;
        const JobId beyond = beyond_limits(*question.job, proposal);
        if (beyond == guest.id) return std::nullopt;
        if (beyond == 0 && places(question, proposal)) return proposal;
        usable.erase(nodes_of({beyond != 0 ? beyond : proposal.mates.front()}));
    }
    return std::nullopt;
}

/// What cons_tres says if the mates had no cores. Memory, licenses, topology and everything else is as it is.
bool Sharing::places(Question& question, const Event& proposal) {
    const NodeSet nodes = nodes_of(proposal.mates);
    Question there = question;
    there.min_nodes = there.max_nodes = there.req_nodes = static_cast<uint32_t>(nodes.count());
    there.candidates = nullptr;
    there.preempted = nullptr;
    assign(there.nodes, nodes);
    {
        const WithoutCores without(records_of(proposal.mates));
        if (there.ask_cons_tres() != SLURM_SUCCESS) return false;
    }
    if (!(node_set(there.nodes) == nodes)) return false;
    if (!SELECT_IS_MODE_RUN_NOW(question.mode)) return there.job->start_time <= now();
    if (there.job->job_resrcs != nullptr && has_all_cores(*there.job)) return true;
    free_job_resources(&there.job->job_resrcs);
    return false;
}

/// The first, of the guest and its mates, that cannot have its limit extended so far; 0: all can.
JobId Sharing::beyond_limits(const job_record_t& guest, const Event& proposal) const {
    for (std::size_t i = 0; i < proposal.mates.size(); ++i) {
        const job_record_t* mate = record_of(proposal.mates[i]);
        if (mate == nullptr || !why_not(*mate, nodes_of({proposal.mates[i]}), proposal.mate_ends[i]).empty())
            return proposal.mates[i];
    }
    return why_not(guest, nodes_of(proposal.mates), proposal.guest_end).empty() ? 0 : proposal.job.id;
}

std::string Sharing::why_not(const job_record_t& job, const NodeSet& nodes, Seconds end) const {
    const job_record_t* record = &job;  // Slurm's macros want a pointer's name
    const bool pending = IS_JOB_PENDING(record);
    const Seconds start = pending ? last_now_ : static_cast<Seconds>(job.start_time);
    std::string why;
    if (job.part_ptr != nullptr && job.part_ptr->max_time != INFINITE && minutes(end - start) > job.part_ptr->max_time)
        why = "MaxTime of partition " + std::string(job.part_ptr->name);
    else if (const std::string name = reservation_before(job, nodes, last_now_, end); !name.empty())
        why = "the beginning of reservation " + name;
    if (!why.empty())
        slurm_verbose("select/malleable: job %u cannot share: its limit would be extended beyond %s", job.job_id,
                      why.c_str());
    return why;
}

// ---- committed, and undone -------------------------------------------------------------------------------------

int Sharing::begin(job_record_t* job) {
    if (!known_ || ready_.job != job) return SLURM_SUCCESS;
    ready_.job = nullptr;
    not_now_.clear();
    const Event& plan = ready_.proposal;
    // An element of an array gets a number of its own only now.
    policy::Job guest = plan.job;
    guest.id = job->job_id;
    const Seconds at = now();
    const bool all_run = std::all_of(plan.mates.begin(), plan.mates.end(), [](JobId id) {
        const job_record_t* mate = record_of(id);
        return mate != nullptr && IS_JOB_RUNNING(mate);
    });
    if (!all_run || job->job_resrcs == nullptr || !known_->share(guest, plan.mates, plan.cores, at)) {
        slurm_info(
            "select/malleable: job %u does not start: of job %s, whose nodes it was to share, something has changed",
            job->job_id, list(plan.mates).c_str());
        return SLURM_ERROR;
    }
    const std::vector<JobId> changed = known_->changed();
    settle(changed, job);
    save();
    set_limits(plan.mates);
    for (const JobId id : changed) comment(id);
    slurm_info(
        "select/malleable: job %u shares %d nodes of job %s, %d cores of each: it ends by %s; without sharing it would "
        "have started at %s",
        job->job_id, guest.nodes, list(plan.mates).c_str(), plan.cores, clock_text(plan.guest_end).c_str(),
        plan.static_start >= policy::kNever ? "no known time" : clock_text(plan.static_start).c_str());
    return SLURM_SUCCESS;
}

void Sharing::booked(job_record_t* job) {
    not_now_.clear();
    offers_.erase(job->job_id);
    if (!known_ || !is_on_its_nodes(job) || others_.count(job->job_id) != 0) return;
    if (known_->knows(job->job_id)) {
        // The backfill scheduler is about to give the job its own limit once more.
        unconfirmed_.push_back(job->job_id);
        return once_unlocked(call_confirm_);
    }
    if (job->job_resrcs == nullptr || job->job_resrcs->node_bitmap == nullptr) return;
    const policy::Placed seen = placed(*job);
    if (has_whole_nodes(*job) && has_all_cores(*job) && known_->start(seen.job, seen.nodes, now())) return;
    others_[job->job_id] = seen.nodes;
    known_->occupy(seen.nodes);
}

void Sharing::ended(job_record_t* job) {
    not_now_.clear();
    give_back_time(job);
    if (!known_) return;
    const bool stranger = others_.count(job->job_id) != 0 && !known_->knows(job->job_id);
    forget(job->job_id);
    if (stranger) settle_beside(*job);
    if (!known_->knows(job->job_id)) return;
    const std::vector<JobId> others = known_->companions(job->job_id);
    known_->finish(job->job_id, now());
    const std::vector<JobId> changed = known_->changed();
    comment(job->job_id);
    if (changed.empty()) return save();
    settle(changed, nullptr);
    save();
    set_limits(changed);
    for (const JobId id : changed) comment(id);
    slurm_info("select/malleable: job %u has ended; its cores go to job %s", job->job_id, list(others).c_str());
}

/// Nothing was known of the job, but it may have had cores of jobs that are known.
void Sharing::settle_beside(const job_record_t& gone) {
    if (gone.job_resrcs == nullptr || gone.job_resrcs->node_bitmap == nullptr) return;
    const NodeSet nodes = node_set(gone.job_resrcs->node_bitmap);
    std::vector<JobId> beside;
    each_running_job([&](const job_record_t& job) {
        if (known_->knows(job.job_id) && !nodes_of({job.job_id}).common(nodes).empty()) beside.push_back(job.job_id);
    });
    if (!beside.empty()) settle(beside, nullptr);
}

/// Also of a job that has ended: it may be requeued at any time later, of which nobody tells us, and asks for its own time again.
void Sharing::give_back_time(job_record_t* job) {
    if (!value_of(comment_of(*job), kLimitWord)) return;
    job->time_limit = own_limit(*job);
    set_comment(*job, with_value(comment_of(*job), kLimitWord, ""));
}

void Sharing::forget(JobId id) {
    offers_.erase(id);
    const auto found = others_.find(id);
    if (found == others_.end()) return;
    known_->vacate(found->second);
    others_.erase(found);
}

// A suspended job's cores are anybody's: what it lent or was lent stays as it is until it ends.
void Sharing::suspended(const job_record_t* job) {
    not_now_.clear();
    if (!known_ || job->job_resrcs == nullptr || others_.count(job->job_id) != 0) return;
    others_[job->job_id] = node_set(job->job_resrcs->node_bitmap);
    known_->occupy(others_[job->job_id]);
}

void Sharing::resumed(const job_record_t* job) {
    not_now_.clear();
    if (known_ && known_->knows(job->job_id)) forget(job->job_id);
}

/// Gives each job of these, and of those that share with them, as many cores on each node as the coscheduler knows. `not_booked`: a guest that
/// cons_tres has not in its books yet, and whose cores are all those of its nodes.
void Sharing::settle(const std::vector<JobId>& changed, const job_record_t* not_booked) {
    std::set<JobId> all(changed.begin(), changed.end());
    for (const JobId id : changed)
        for (const JobId other : known_->companions(id)) all.insert(other);
    const std::vector<job_record_t*> records = records_of({all.begin(), all.end()});
    std::vector<job_record_t*> booked;
    std::copy_if(records.begin(), records.end(), std::back_inserter(booked), [&](auto* r) { return r != not_booked; });
    const WithoutCores without(booked);
    const NodeSet nodes = nodes_of({all.begin(), all.end()});
    for (const policy::NodeRange& range : nodes.ranges())
        for (int node = range.first; node <= range.last; ++node) settle_node(node, records, not_booked);
}

void Sharing::settle_node(int node, const std::vector<job_record_t*>& records, const job_record_t* not_booked) {
    std::vector<Share> shares;
    std::vector<job_record_t*> there;
    // Whatever is known of sharing, nobody is given a core that somebody else has.
    each_running_job([&](const job_record_t& job) {
        const job_record_t* other = &job;  // Slurm's macros want a pointer's name
        const int n = position(*job.job_resrcs, node);
        if (n < 0 || !IS_JOB_RUNNING(other) || std::find(records.begin(), records.end(), other) != records.end())
            return;
        std::vector<bool> cores = cores_on(*job.job_resrcs, n);
        const auto count = std::count(cores.begin(), cores.end(), true);
        shares.push_back({std::move(cores), static_cast<int>(count)});
    });
    const std::size_t strangers = shares.size();
    for (job_record_t* record : records) {
        const int n = record->job_resrcs == nullptr ? -1 : position(*record->job_resrcs, node);
        if (n < 0) continue;
        Share share{cores_on(*record->job_resrcs, n), 0};
        if (record == not_booked) share.cores.assign(share.cores.size(), false);
        for (const policy::Held& held : known_->cores_of(record->job_id))
            if (held.nodes.contains(node)) share.wanted = held.cores;
        shares.push_back(std::move(share));
        there.push_back(record);
    }
    // With somebody of whom nothing is known that is how it is: a state that is older than all that the ledger remembers.
    if (!redistribute(shares) && strangers == 0)
        slurm_error("select/malleable: node %s has fewer cores than jobs have to have there; they keep what they have",
                    node_record_table_ptr[node]->name);
    for (std::size_t i = 0; i < there.size(); ++i) {
        job_resources_t& resources = *there[i]->job_resrcs;
        set_cores_on(resources, position(resources, node), shares[strangers + i].cores);
    }
}

// The job's own limit is in its admin comment, which slurmctld saves together with the limit: a controller that comes back with an older state
// finds what belongs to that.
void Sharing::set_limits(const std::vector<JobId>& changed) {
    for (const JobId id : changed) {
        job_record_t* record = record_of(id);
        const policy::RunningJob* running = known_->find(id);
        if (record == nullptr || running == nullptr || record->time_limit == INFINITE) continue;
        const Seconds whole = running->end - running->start;
        const uint32_t more = minutes(whole) - std::min(minutes(whole), minutes(running->job.request));
        const uint32_t own = own_limit(*record);
        const std::string word = more == 0 ? "" : std::to_string(own) + "+" + std::to_string(more);
        if (value_of(comment_of(*record), kLimitWord).value_or("") != word)
            set_comment(*record, with_value(comment_of(*record), kLimitWord, word));
        if (own + more == record->time_limit) continue;
        record->end_time += (static_cast<time_t>(own + more) - static_cast<time_t>(record->time_limit)) * 60;
        record->time_limit = own + more;
        last_job_update = time(nullptr);
    }
}

void Sharing::confirm() {
    if (known_) set_limits(std::exchange(unconfirmed_, {}));
}

/// squeue -O admin_comment shows who shares with whom, since when, and how slow it is predicted to be; then for how long it has shared.
void Sharing::comment(JobId id) {
    job_record_t* record = record_of(id);
    if (record == nullptr) return;
    std::string text(comment_of(*record));
    const std::vector<JobId> with = known_->companions(id);
    if (!with.empty()) {
        if (since_.emplace(id, last_now_).second) text = with_value(text, "since", clock_text(last_now_));
        std::array<char, 32> slowdown{};
        const policy::RunningJob& running = *known_->find(id);
        std::snprintf(slowdown.data(), slowdown.size(), "%.2f", policy::slowdown(running.job, running.end));
        text = with_value(with_value(text, "sharing", list(with)), "slowdown", slowdown.data());
    } else if (const auto since = since_.find(id); since != since_.end()) {
        Seconds shared = last_now_ - since->second;
        if (const auto before = value_of(text, "shared")) shared += std::atol(std::string(*before).c_str());
        since_.erase(since);
        for (const char* word : {"since", "sharing", "slowdown"}) text = with_value(text, word, "");
        text = with_value(text, "shared", std::to_string(shared) + "s");
    }
    set_comment(*record, text);
}

// ---- coming and going of slurmctld -----------------------------------------------------------------------------

void Sharing::save() {
    const std::string ledger = known_->ledger();
    if (ledger == saved_ || ledger_path_.empty()) return;
    if (const std::string wrong = write_ledger(ledger_path_, ledger); !wrong.empty())
        slurm_error("select/malleable: %s; after a restart who shares with whom would have to be inferred",
                    wrong.c_str());
    else
        saved_ = ledger;
}

void Sharing::rebuild() {
    std::string ledger = known_ ? known_->ledger() : "";
    if (!known_ && !ledger_path_.empty()) {
        auto read = read_ledger(ledger_path_);
        if (!read) slurm_error("select/malleable: %s; who shares with whom is inferred", read.error().c_str());
        ledger = read.value_or("");
    }
    known_ = std::make_unique<policy::Coscheduler>(pools(), options_.rules);
    ready_.job = nullptr;
    offers_.clear();
    not_now_.clear();
    others_.clear();
    since_.clear();
    std::vector<policy::Placed> whole;
    each_running_job([&](const job_record_t& job) {
        policy::Placed seen = placed(job);
        if (has_whole_nodes(job)) return whole.push_back(std::move(seen));
        others_[job.job_id] = seen.nodes;
        known_->occupy(seen.nodes);
    });
    const auto restored = known_->restore(ledger, whole, now());
    if (!restored)
        slurm_error(
            "select/malleable: the ledger of who shares with whom is not used, because %s; it is inferred from who "
            "runs",
            restored.error().c_str());
    take_up(whole);
    save();
    open_journal();
}

/// What follows for slurmctld's records from what was restored.
void Sharing::take_up(const std::vector<policy::Placed>& whole) {
    std::vector<JobId> changed;
    int sharing = 0;
    for (const policy::Placed& seen : whole) {
        const JobId id = seen.job.id;
        const policy::RunningJob* running = known_->find(id);
        job_record_t* record = record_of(id);
        const auto since = value_of(comment_of(*record), "since");
        if (since) since_[id] = parse_time(std::string(*since).data(), 1);
        if (since && since_[id] == 0) since_[id] = last_now_;  // somebody wrote something else there
        if (running == nullptr) {                              // restore() counts its nodes as somebody else's
            others_[id] = seen.nodes;
            comment(id);
            continue;
        }
        sharing += known_->companions(id).empty() ? 0 : 1;
        if (IS_JOB_SUSPENDED(record)) suspended(record);
        changed.push_back(id);
    }
    settle(changed, nullptr);
    set_limits(changed);
    for (const JobId id : changed)
        if (since_.count(id) != 0 || !known_->companions(id).empty()) comment(id);
    slurm_info("select/malleable: %zu jobs have whole nodes, %d of them share; %zu others run", changed.size(), sharing,
               others_.size());
}

void Sharing::open_journal() {
    journal_failed_ = false;
    journal_.reset(options_.log.empty() ? nullptr : std::fopen(options_.log.c_str(), "ae"));
    if (!journal_) {
        if (!options_.log.empty())
            slurm_error("select/malleable: sd_log=%s cannot be written: %s", options_.log.c_str(),
                        std::strerror(errno));
        return;
    }
    known_->write_to([this](const std::string& line) {
        std::fprintf(journal_.get(), "%s\n", line.c_str());
        if (std::fflush(journal_.get()) == 0 || journal_failed_) return;
        journal_failed_ = true;  // a full disk is said once, not with each decision
        slurm_error("select/malleable: sd_log=%s: %s; it has gaps from here on", options_.log.c_str(),
                    std::strerror(errno));
    });
}

}  // namespace drom::slurm
