// SPDX-License-Identifier: BSD-3-Clause
// coscheduler.cpp - events in, proposals out.
#include "policy/sharing/coscheduler.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

namespace drom::policy {
namespace {

constexpr std::size_t kRemembered = 65536;  ///< waiting jobs; no event tells of a job that is cancelled

bool earlier(const Event& a, const Event& b) { return a.at < b.at; }

/// Adds the event behind whatever happened in the same second, as it was told later.
void insert_in_order(std::vector<Event>& events, Event event) {
    events.insert(std::upper_bound(events.begin(), events.end(), event, earlier), std::move(event));
}

Event finish_of(JobId id, Seconds now) {
    Event event;
    event.what = Event::What::kFinish;
    event.at = now;
    event.job.id = id;
    return event;
}

/// Returns the answer unless something better is found.
Event question(const Job& job, Seconds static_start, Seconds now) {
    Event asked;
    asked.what = Event::What::kConsider;
    asked.at = now;
    asked.job = job;
    asked.static_start = static_start;
    asked.refusal = job.kind == Kind::kMalleable ? Refusal::kNoMates : Refusal::kNotMalleable;
    return asked;
}

/// Returns the limit with six decimals: a mean is then the same whatever the order of the sum. The order is that of the
/// cluster's slots, which is another one when the journal is told again.
double rounded(double limit) { return std::isinf(limit) ? limit : std::round(limit * 1e6) / 1e6; }

/// Returns whether the two ask for the same: a job that is no mate of one is then none of the other.
bool same_demand(const Job& a, const Job& b) {
    return a.request == b.request && a.nodes == b.nodes && a.min_cores == b.min_cores && a.submit == b.submit &&
           a.filter.contiguous == b.filter.contiguous && a.filter.memory_mb == b.filter.memory_mb && a.qos == b.qos &&
           a.user == b.user && a.account == b.account;
}

Machine machine_of(const Pool& pool) {
    Machine machine{pool.nodes.count(), pool.cores_per_node, {}};
    for (const NodeMemory& alike : pool.memory) machine.classes.push_back({alike.nodes, 0, alike.mb});
    if (machine.classes.empty()) machine.classes.push_back({pool.nodes, 0, 0});
    return machine;
}

bool same_nodes(const Pool& a, const Pool& b) { return a.cores_per_node == b.cores_per_node && a.nodes == b.nodes; }

NodeSet free_nodes_for(const Job& job, const Cluster& cluster) {
    NodeSet nodes;
    for (const NodeClass& alike : cluster.machine().classes)
        if (alike.suits(job.filter)) nodes.insert(cluster.free().common(alike.nodes));
    return nodes;
}

std::vector<Cluster> clusters_of(const std::vector<Pool>& pools) {
    std::vector<Cluster> clusters;
    clusters.reserve(pools.size());
    for (const Pool& pool : pools) clusters.emplace_back(machine_of(pool));
    return clusters;
}

}  // namespace

Coscheduler::Coscheduler(std::vector<Pool> pools, SlowdownRules rules, std::shared_ptr<JobNames> names)
    : layout_(std::move(pools)), rules_(std::move(rules)), names_(std::move(names)), clusters_(clusters_of(layout_)) {
    rules_.sharing.limits.set_numbers(*names_);
}

// ---- what happened ---------------------------------------------------------------------------------------------

bool Coscheduler::start(const Job& job, const NodeSet& nodes, Seconds now) {
    const auto pool = pool_of(nodes);
    if (!pool || knows(job.id) || clusters_[*pool].free().common(nodes).count() != nodes.count()) return false;
    Event event;
    event.at = now;
    event.job = job;
    event.nodes = nodes;
    where_[job.id] = {*pool, clusters_[*pool].start(job, nodes, now)};
    // It was requeued, or has the number of a job that was lost: what is told of that one goes on with this one.
    if (groups_.count(job.id) != 0) remember(event);
    happened(*pool, event);
    return true;
}

bool Coscheduler::share(const Job& job, const std::vector<JobId>& mates, int cores, Seconds now, const NodeSet& free) {
    Sharing sharing;
    sharing.cores = cores;
    sharing.free = free;
    std::optional<std::size_t> pool;
    int nodes = free.count();
    if (std::set<JobId>(mates.begin(), mates.end()).size() != mates.size()) return false;
    for (const JobId id : mates) {
        const auto mate = where_.find(id);
        if (mate == where_.end() || (pool && mate->second.pool != *pool)) return false;
        pool = mate->second.pool;
        const Cluster& cluster = cluster_of(mate->second);
        if (cluster.running(mate->second.slot).job.kind != Kind::kMalleable) return false;
        if (can_lend(cluster.lender(mate->second.slot), rules_.sharing) < cores) return false;
        sharing.mates.push_back(mate->second.slot);
        nodes += cluster.nodes_of(mate->second.slot).count();
    }
    if (!pool || cores < 1 || nodes != job.nodes || knows(job.id)) return false;
    if (clusters_[*pool].free().common(free).count() != free.count()) return false;
    Event event;
    event.what = Event::What::kShare;
    event.at = now;
    event.job = job;
    event.job.filter.within = nullptr;
    event.mates = mates;
    event.cores = cores;
    event.free = free;
    std::vector<JobId> together = mates;
    if (groups_.count(job.id) != 0) together.push_back(job.id);
    groups_[job.id] = group_with(together);
    where_[job.id] = {*pool, clusters_[*pool].share(event.job, sharing, now)};
    remember(event);
    happened(*pool, event);
    return true;
}

void Coscheduler::finish(JobId id, Seconds now) {
    const auto found = where_.find(id);
    if (found == where_.end()) return;
    const Location location = found->second;
    where_.erase(found);
    clusters_[location.pool].finish(location.slot, now);
    const Event event = finish_of(id, now);
    if (groups_.count(id) != 0) {
        remember(event);
        forget_group_of(id);
    }
    happened(location.pool, event);
}

bool Coscheduler::apply(const Event& event) {
    switch (event.what) {
        case Event::What::kStart: return start(event.job, event.nodes, event.at);
        case Event::What::kShare: return share(event.job, event.mates, event.cores, event.at, event.free);
        case Event::What::kFinish: finish(event.job.id, event.at); return true;
        case Event::What::kConsider:
        case Event::What::kNoRoom:
        case Event::What::kBeyondLimit: return true;
    }
    return false;
}

void Coscheduler::happened(std::size_t pool, const Event& event) {
    changed_.clear();
    for (const int slot : clusters_[pool].changed()) changed_.push_back(clusters_[pool].running(slot).job.id);
    decided_.erase(event.job.id);
    beyond_.erase(event.job.id);
    tell(text_of(event, *names_));
}

void Coscheduler::others_on(const NodeSet& nodes, int more) {
    for (const NodeRange& range : nodes.ranges()) {
        if (others_.size() <= static_cast<std::size_t>(range.last))
            others_.resize(static_cast<std::size_t>(range.last) + 1);
        for (int node = range.first; node <= range.last; ++node) others_[static_cast<std::size_t>(node)] += more;
    }
}

// ---- questions -------------------------------------------------------------------------------------------------

/// Asks about the pool's part of the nodes. Returns false when the job needs more nodes than these.
bool Coscheduler::ask_about(std::size_t pool, const NodeSet& usable, const std::vector<IdleNodes>& idle,
                            const SlowdownRules& rules, Event& asked) const {
    asked.nodes = usable.common(layout_[pool].nodes);
    asked.idle = idle_within(idle, asked.nodes.common(free_nodes_for(asked.job, clusters_[pool])));
    if (asked.nodes.count() < asked.job.nodes) return false;
    asked.limit = rounded(slowdown_limit(clusters_[pool], rules));
    return true;
}

Event Coscheduler::propose(const Job& job, const NodeSet& within, Seconds static_start, Seconds now,
                           const std::vector<IdleNodes>& idle) {
    Event best = weigh(job, within, static_start, now, idle);
    if (best.refusal == Refusal::kNone) agreed(best);
    return best;
}

Event Coscheduler::weigh(const Job& job, const NodeSet& within, Seconds static_start, Seconds now,
                         const std::vector<IdleNodes>& idle) {
    Event asked = question(job, static_start, now);
    if (asked.refusal == Refusal::kNotMalleable) return asked;
    const NodeSet usable = without_others(within);
    Event best = asked;
    std::optional<std::size_t> looked_at;
    for (std::size_t pool = 0; pool < clusters_.size(); ++pool) {
        if (!ask_about(pool, usable, idle, rules_, asked)) continue;
        best = no_mates_again(pool, asked) ? asked : consider_in(pool, asked, rules_);
        looked_at = pool;
        if (best.refusal == Refusal::kNone) break;
    }
    if (looked_at && best.refusal != Refusal::kNone) decided(best, *looked_at);
    return best;
}

void Coscheduler::agreed(const Event& decision) {
    if (const auto pool = pool_of(decision.nodes)) decided(decision, *pool);
}

void Coscheduler::beyond_limit(const Event& decision, JobId whose) {
    if (beyond_.size() > kRemembered) beyond_.clear();
    if (!beyond_[decision.job.id].insert(whose).second) return;
    Event event;
    event.what = Event::What::kBeyondLimit;
    event.at = decision.at;
    event.job.id = decision.job.id;
    event.mates = decision.mates;
    event.whose = whose;
    tell(text_of(event, *names_));
}

Event Coscheduler::what_if(const SlowdownRules& rules, const Job& job, const NodeSet& within, Seconds static_start,
                           Seconds now, const std::vector<IdleNodes>& idle) const {
    Event asked = question(job, static_start, now);
    if (asked.refusal == Refusal::kNotMalleable) return asked;
    const NodeSet usable = without_others(within);
    Event best = asked;
    for (std::size_t pool = 0; pool < clusters_.size(); ++pool) {
        if (!ask_about(pool, usable, idle, rules, asked)) continue;
        best = consider_in(pool, asked, rules);
        if (best.refusal == Refusal::kNone) break;
    }
    return best;
}

void Coscheduler::no_room(const Event& proposal, const NodeSet& idle) const {
    Event event;
    event.what = Event::What::kNoRoom;
    event.at = proposal.at;
    event.job.id = proposal.job.id;
    event.free = idle;
    if (idle.empty()) event.mates = proposal.mates;
    tell(text_of(event, *names_));
}

// As in the backfill pass: only a job that came since could be a mate of a job that found none.
bool Coscheduler::no_mates_again(std::size_t pool, const Event& asked) const {
    const auto found = decided_.find(asked.job.id);
    if (found == decided_.end() || rules_.sharing.jobs_per_node > 2) return false;
    const Decided& before = found->second;
    if (before.refusal != Refusal::kNoMates || before.pool != pool || asked.limit > before.limit) return false;
    if (!(before.within == asked.nodes) || !same_demand(before.job, asked.job)) return false;
    // Time only shortens what a guest can have of idle nodes.
    if (rules_.sharing.add_free_nodes && !asked.idle.empty() && asked.idle != before.idle) return false;
    return !has_new_mates(clusters_[pool], asked.job, before.version, asked.limit, rules_.sharing, asked.at);
}

Event Coscheduler::consider_in(std::size_t pool, Event asked, const SlowdownRules& rules) const {
    const Cluster& cluster = clusters_[pool];
    Job job = asked.job;
    job.filter.within = &asked.nodes;
    // Free nodes are the resource manager's to give: only those that it offers are in the map.
    static const NodeClass kSuitable;  // those that do not suit the job are not asked about
    const Availability offered = availability_of(asked.idle, kSuitable, asked.at);
    Consideration considered = consider(cluster, offered, job, asked.static_start, asked.limit, rules, asked.at);
    asked.refusal = considered.refusal;
    for (const Mate& mate : considered.mates.mates) {
        asked.mates.push_back(mate.id);
        asked.mate_ends.push_back(mate.end);
    }
    asked.cores = considered.mates.cores;
    asked.guest_end = considered.mates.guest_end;
    asked.free = idle_until(asked.idle, asked.guest_end, considered.mates.free_nodes);
    return asked;
}

void Coscheduler::decided(const Event& event, std::size_t pool) {
    if (decided_.size() > kRemembered) decided_.clear();
    const auto before = decided_.find(event.job.id);
    const bool told = before != decided_.end() && before->second.refusal == event.refusal &&
                      before->second.mates == event.mates && before->second.cores == event.cores &&
                      before->second.free == event.free;
    const std::uint64_t version = clusters_[pool].mates_version();
    decided_[event.job.id] = {event.refusal, pool,        version,     event.limit, event.nodes,
                              event.job,     event.mates, event.cores, event.free,  event.idle};
    if (!told) tell(text_of(event, *names_));
}

const RunningJob* Coscheduler::find(JobId id) const {
    const auto found = where_.find(id);
    return found == where_.end() ? nullptr : &cluster_of(found->second).running(found->second.slot);
}

std::vector<Held> Coscheduler::cores_of(JobId id) const {
    std::vector<Held> all;
    const auto found = where_.find(id);
    if (found == where_.end()) return all;
    const Cluster& cluster = cluster_of(found->second);
    for (const int number : cluster.running(found->second.slot).pieces)
        for (const Occupant& o : cluster.piece(number).occupants)
            if (o.job == found->second.slot) all.push_back({cluster.piece(number).nodes, o.cores});
    return all;
}

std::vector<JobId> Coscheduler::co_runners(JobId id) const {
    std::vector<JobId> others;
    const auto found = where_.find(id);
    if (found == where_.end()) return others;
    const Cluster& cluster = cluster_of(found->second);
    for (const int number : cluster.running(found->second.slot).pieces)
        for (const Occupant& o : cluster.piece(number).occupants)
            if (o.job != found->second.slot) others.push_back(cluster.running(o.job).job.id);
    std::sort(others.begin(), others.end());
    others.erase(std::unique(others.begin(), others.end()), others.end());
    return others;
}

std::vector<JobId> Coscheduler::whole_groups(std::vector<JobId> jobs) const {
    const auto is_one = [&jobs](JobId id) { return std::find(jobs.begin(), jobs.end(), id) != jobs.end(); };
    const auto misses_one = [this, &is_one](JobId id) {
        const std::vector<JobId> others = co_runners(id);
        return !std::all_of(others.begin(), others.end(), is_one);
    };
    for (;;) {  // a job that is left out leaves its co-runners out
        const auto found = std::find_if(jobs.begin(), jobs.end(), misses_one);
        if (found == jobs.end()) return jobs;
        jobs.erase(found);
    }
}

std::optional<std::size_t> Coscheduler::pool_of(const NodeSet& nodes) const {
    for (std::size_t pool = 0; pool < layout_.size(); ++pool)
        if (!nodes.empty() && layout_[pool].nodes.common(nodes).count() == nodes.count()) return pool;
    return std::nullopt;
}

NodeSet Coscheduler::without_others(NodeSet nodes) const {
    for (std::size_t node = 0; node < others_.size(); ++node)
        if (others_[node] > 0) nodes.erase({static_cast<int>(node), 1});
    return nodes;
}

// ---- the journal and the list of loans
// --------------------------------------------------------------------------------

void Coscheduler::tell(const std::string& line) const {
    if (journal_) journal_(line);
}

void Coscheduler::write_to(std::function<void(const std::string&)> journal) {
    journal_ = std::move(journal);
    tell(text_of(rules_));
    for (const Pool& pool : layout_) tell(text_of(pool));
    for (const Event& event : how_it_came()) tell(text_of(event, *names_));
}

/// Returns the history, and the starts of jobs that never shared.
std::vector<Event> Coscheduler::how_it_came() const {
    std::vector<Event> events = history_;
    for (const auto& [id, location] : where_)
        if (groups_.count(id) == 0) insert_in_order(events, start_of(id));
    return events;
}

Event Coscheduler::start_of(JobId id) const {
    const Location& location = where_.at(id);
    const RunningJob& running = cluster_of(location).running(location.slot);
    Event event;
    event.at = running.start;
    event.job = running.job;
    event.nodes = cluster_of(location).nodes_of(location.slot);
    return event;
}

/// Makes one group of all these jobs from now on, and of those in a group with them. Returns its number.
int Coscheduler::group_with(const std::vector<JobId>& jobs) {
    const int group = next_group_++;
    for (const JobId id : jobs) {
        const auto known = groups_.find(id);
        if (known == groups_.end()) {
            insert_in_order(history_, start_of(id));
            groups_[id] = group;
            continue;
        }
        const int before = known->second;
        for (auto& [member, number] : groups_)
            if (number == before) number = group;
    }
    return group;
}

void Coscheduler::remember(const Event& event) { insert_in_order(history_, event); }

void Coscheduler::forget_group_of(JobId gone) {
    const int group = groups_.at(gone);
    for (const auto& [id, number] : groups_)
        if (number == group && knows(id)) return;
    std::erase_if(history_, [&](const Event& event) { return groups_.at(event.job.id) == group; });
    std::erase_if(groups_, [&](const auto& member) { return member.second == group; });
}

std::string Coscheduler::loans() const {
    std::string text = text_of(rules_) + '\n';
    for (const Pool& pool : layout_) text += text_of(pool) + '\n';
    for (const Event& event : history_) text += text_of(event, *names_) + '\n';
    return text;
}

tl::expected<std::vector<Event>, std::string> Coscheduler::read_loans(std::string_view text) const {
    std::vector<Event> events;
    std::vector<Pool> pools;
    for (int number = 1; !text.empty(); ++number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const auto line = parse_line(text.substr(0, end), *names_);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!line) return tl::unexpected("its line " + std::to_string(number) + " " + line.error());
        if (const auto* pool = std::get_if<Pool>(&*line)) pools.push_back(*pool);
        const auto* event = std::get_if<Event>(&*line);
        if (event == nullptr) continue;
        if (!events.empty() && event->at < events.back().at)
            return tl::unexpected("its line " + std::to_string(number) + " is of an earlier time than the one before");
        events.push_back(*event);
    }
    if (!events.empty() && !std::equal(pools.begin(), pools.end(), layout_.begin(), layout_.end(), same_nodes))
        return tl::unexpected<std::string>("it is of a cluster with other nodes");
    return events;
}

// ---- coming back -----------------------------------------------------------------------------------------------

namespace {

/// The second in which a job starts may be over before it is told of.
constexpr Seconds kSameStart = 2;

bool is_its_start(const Placed& seen, const Event& event) {
    const bool begins = event.what == Event::What::kStart || event.what == Event::What::kShare;
    return begins && event.job.id == seen.job.id && std::abs(seen.start - event.at) <= kSameStart;
}

/// Returns the list of loans without what has not happened to those that run. A resource manager that was killed may
/// have come back with a memory that is older than the list. Adds to `told` the jobs that the list tells of as they are
/// seen.
std::vector<Event> as_of(const std::vector<Event>& loans, const std::vector<Placed>& running, std::set<JobId>& told) {
    std::map<JobId, std::vector<std::size_t>> of_job;
    for (std::size_t i = 0; i < loans.size(); ++i) of_job[loans[i].job.id].push_back(i);
    std::map<JobId, std::size_t> happened;  // behind the last event of each job that did
    for (const Placed& seen : running) {
        const JobId id = seen.job.id;
        std::size_t& end = happened[id];
        for (const std::size_t i : of_job[id]) {
            if (is_its_start(seen, loans[i])) {
                told.insert(id);
                end = i + 1;
            } else if (loans[i].at <= seen.start && told.count(id) == 0) {
                end = i + 1;  // a former job with its number
            }
        }
    }
    std::vector<Event> events;
    for (std::size_t i = 0; i < loans.size(); ++i) {
        const auto end = happened.find(loans[i].job.id);
        if (end == happened.end() || i < end->second) events.push_back(loans[i]);
    }
    return events;
}

std::string misfit(const Coscheduler& known, const std::vector<Placed>& running, const std::set<JobId>& told) {
    for (const Placed& seen : running) {
        if (told.count(seen.job.id) == 0) continue;
        NodeSet nodes;
        for (const Held& held : known.cores_of(seen.job.id)) nodes.insert(held.nodes);
        if (!(nodes == seen.nodes)) return "job " + std::to_string(seen.job.id) + " is on other nodes than it says";
    }
    return "";
}

}  // namespace

tl::expected<void, std::string> Coscheduler::restore(std::string_view loans, std::vector<Placed> running, Seconds now) {
    const auto journal = std::exchange(journal_, nullptr);
    std::set<JobId> alive;
    for (const Placed& seen : running) alive.insert(seen.job.id);
    std::set<JobId> told;
    auto events = believable(loans, running, alive, told);
    const std::string why = events ? "" : events.error();
    if (!events) told.clear();
    *this = Coscheduler(layout_, rules_, names_);
    std::stable_sort(running.begin(), running.end(),
                     [](const Placed& a, const Placed& b) { return a.start < b.start; });
    replay(events.value_or(std::vector<Event>()), running, alive, told);
    for (const Placed& each : running)
        if (told.count(each.job.id) != 0 && !knows(each.job.id)) occupy(each.nodes);
    finish_all_but(alive, now);
    if (journal) write_to(journal);
    if (!why.empty()) return tl::unexpected(why);
    return {};
}

/// Returns the events of the list of loans that have happened to the jobs that run; `told` becomes those of the jobs.
/// Errors: why the list cannot be used. Leaves behind what the events made known.
tl::expected<std::vector<Event>, std::string> Coscheduler::believable(std::string_view loans,
                                                                      const std::vector<Placed>& running,
                                                                      const std::set<JobId>& alive,
                                                                      std::set<JobId>& told) {
    *this = Coscheduler(layout_, rules_, names_);
    auto events = read_loans(loans);
    if (!events) return events;
    events = as_of(*events, running, told);
    std::string why;
    // A job of the list of loans that does not run may start there on nodes that a running job still holds. The
    // resource manager never committed that start, so it is skipped.
    for (const Event& event : *events)
        if (!apply(event) && alive.count(event.job.id) != 0)
            why = "it says what cannot have been: " + text_of(event, *names_);
    if (why.empty()) why = misfit(*this, running, told);
    if (!why.empty()) return tl::unexpected(why);
    return events;
}

/// Applies the events, and between them, in order of time, the starts of the running jobs that are not `told` by them.
void Coscheduler::replay(const std::vector<Event>& events, const std::vector<Placed>& running,
                         const std::set<JobId>& alive, const std::set<JobId>& told) {
    auto seen = running.begin();
    const auto start_before = [&](Seconds at) {
        for (; seen != running.end() && seen->start < at; ++seen)
            if (told.count(seen->job.id) == 0) start_as_seen(*seen, alive);
    };
    for (const Event& event : events) {
        start_before(event.at);
        apply(event);
    }
    start_before(kNever);
}

void Coscheduler::start_as_seen(const Placed& seen, const std::set<JobId>& alive) {
    finish(seen.job.id, seen.start);
    // A job that the list of loans has on these nodes and that does not run any more has gone since the list was
    // written.
    if (start(seen.job, seen.nodes, seen.start)) return;
    for (const JobId id : known_on(seen.nodes))
        if (alive.count(id) == 0) finish(id, seen.start);
    if (!infer(seen)) occupy(seen.nodes);
}

void Coscheduler::finish_all_but(const std::set<JobId>& alive, Seconds now) {
    std::vector<JobId> gone;
    for (const auto& [id, location] : where_)
        if (alive.count(id) == 0) gone.push_back(id);
    for (const JobId id : gone) finish(id, now);
}

/// Takes in a running job that is alone on its nodes, or shares exactly those of known jobs. Returns false when it
/// cannot be told which job has how much of them.
bool Coscheduler::infer(const Placed& seen) {
    if (start(seen.job, seen.nodes, seen.start)) return true;
    const std::vector<JobId> mates = known_on(seen.nodes);
    NodeSet theirs;
    for (const JobId id : mates) theirs.insert(cluster_of(where_.at(id)).nodes_of(where_.at(id).slot));
    NodeSet own = seen.nodes;
    own.erase(theirs);
    if (theirs.common(seen.nodes).count() != theirs.count() || own.common(seen.whole).count() != own.count())
        return false;
    return share(seen.job, mates, seen.cores, seen.start, own);
}

std::vector<JobId> Coscheduler::known_on(const NodeSet& nodes) const {
    std::vector<JobId> ids;
    for (const auto& [id, location] : where_)
        if (!cluster_of(location).nodes_of(location.slot).common(nodes).empty()) ids.push_back(id);
    return ids;
}

}  // namespace drom::policy
