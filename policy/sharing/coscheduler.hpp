// SPDX-License-Identifier: BSD-3-Clause
// coscheduler.hpp - which jobs share nodes in a cluster that a resource manager runs; decides by consider() which may
// next.
//
// The resource manager places jobs as it likes and tells of them. Those that have all cores of their nodes are kept in
// one Cluster per pool, with the thesis's predictions; the others only keep their nodes from being shared. Every event
// is a line of a journal, and the same lines in the same order make the same Coscheduler: that is how a controller that
// was killed comes back, and how `drom-sim replay` checks it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/sharing/journal.hpp"

namespace drom::policy {

/// The job's cores on some of its nodes.
struct Held {
    NodeSet nodes;
    int cores = 0;  ///< on each
};

/// A job as the resource manager shows it.
struct Placed {
    Job job;
    NodeSet nodes;
    Seconds start = 0;
    int cores = 0;    ///< on each node, now, but for `whole`; 0: they differ
    NodeSet whole{};  ///< nodes that are said to be all its own
};

class Coscheduler {
public:
    /// Makes a controller. `names`: of the numbers that jobs have. It gets those of the limits of `rules`, too.
    Coscheduler(std::vector<Pool> pools, SlowdownRules rules,
                std::shared_ptr<JobNames> names = std::make_shared<JobNames>());

    const std::vector<Pool>& pools() const noexcept { return layout_; }
    const SlowdownRules& rules() const noexcept { return rules_; }
    const std::shared_ptr<JobNames>& names() const noexcept { return names_; }

    /// Calls `journal` with each line of the journal of decisions: at once with the lines that lead to the present
    /// state.
    void write_to(std::function<void(const std::string&)> journal);

    // ---- what happened, in order of time -------------------------------------------------------------------------

    /// Notes that the job has all cores of `nodes`. Returns false, and changes nothing, when they are not of one pool
    /// or not free, or when the job is known.
    bool start(const Job& job, const NodeSet& nodes, Seconds now);
    /// Notes that the job came as consider() proposed, and has all cores of `free` besides. Returns false, and changes
    /// nothing, when a mate is gone, or cannot lend so much any more. The same when the job is known, or another one is
    /// known to be on one of the free nodes.
    bool share(const Job& job, const std::vector<JobId>& mates, int cores, Seconds now, const NodeSet& free = {});
    /// Ends a job that start() or share() made known; no other job is looked for.
    void finish(JobId id, Seconds now);
    /// Applies any of these events, as a journal has it. A decision changes nothing.
    bool apply(const Event& event);
    /// Notes that a job that is not in a cluster is on these nodes; vacate() that it has left them.
    void occupy(const NodeSet& nodes) { others_on(nodes, 1); }
    void vacate(const NodeSet& nodes) { others_on(nodes, -1); }

    // ---- questions -----------------------------------------------------------------------------------------------

    /// Decides by consider() whether the job should start now, beside running ones on nodes of `within`, instead of
    /// waiting until `static_start`. Where the rules allow free nodes, those of `idle` that are in `within` may
    /// complete the mates' nodes; none is taken that is wanted before the guest's predicted end, or has a job that is
    /// known. Changes nothing but what is remembered to answer faster next time. No line of the journal tells of jobs
    /// that are not malleable.
    Event propose(const Job& job, const NodeSet& within, Seconds static_start, Seconds now,
                  const std::vector<IdleNodes>& idle = {});
    /// Returns what propose() would answer, and writes a refusal into the journal as it does. A decision to share is
    /// written when agreed() is told that the limits allow it.
    Event weigh(const Job& job, const NodeSet& within, Seconds static_start, Seconds now,
                const std::vector<IdleNodes>& idle = {});
    /// Notes that what weigh() decided is within the limits that the resource manager knows.
    void agreed(const Event& decision);
    /// Notes that the limits of `whose`, the guest or one of the mates, forbid what weigh() decided. Changes nothing
    /// but the journal, which is told once.
    void beyond_limit(const Event& decision, JobId whose);
    /// Returns what propose() would answer by these rules, whose limits are numbered as names() says, from the running
    /// jobs alone. Remembers nothing, and writes no journal. Cost: that of a search, always.
    Event what_if(const SlowdownRules& rules, const Job& job, const NodeSet& within, Seconds static_start, Seconds now,
                  const std::vector<IdleNodes>& idle = {}) const;

    /// Notes that the resource manager has no room for the job on these idle nodes. Without any, it has none on the
    /// nodes of the mates. Changes nothing but the journal.
    void no_room(const Event& proposal, const NodeSet& idle = {}) const;

    bool knows(JobId id) const { return where_.count(id) != 0; }
    /// Returns what is known of the job; nullptr: nothing.
    const RunningJob* find(JobId id) const;
    std::vector<Held> cores_of(JobId id) const;
    /// Returns the jobs on its nodes besides it, by id.
    std::vector<JobId> co_runners(JobId id) const;
    /// Returns the largest subset of `jobs` closed under node sharing, in their order. Preempting exactly this set
    /// gives no surviving job extra cores. Cost: the jobs squared.
    std::vector<JobId> whole_groups(std::vector<JobId> jobs) const;
    /// Returns the jobs whose cores or predicted end the last start, share or finish changed.
    const std::vector<JobId>& changed() const noexcept { return changed_; }

    // ---- coming back ---------------------------------------------------------------------------------------------

    /// Returns lines from which restore() makes the same again, of jobs that share, or shared with one that still runs.
    /// Cost: those.
    std::string loans() const;
    /// Makes the running jobs known: those in the list of loans as it happened there, and all others from what is seen.
    /// Jobs of the list that do not run any more end `now`. Where the list does not fit what is seen (or is empty)
    /// sharing is inferred: the job that came later to a node is the guest of those that were there before. Errors: why
    /// the list was not used; what is seen is known all the same.
    tl::expected<void, std::string> restore(std::string_view loans, std::vector<Placed> running, Seconds now);

private:
    struct Location {
        std::size_t pool = 0;
        int slot = 0;
    };
    /// The last decision about a waiting job: it is looked at again only when something changed, and told once.
    struct Decided {
        Refusal refusal = Refusal::kNone;
        std::size_t pool = 0;       ///< the last that was searched
        std::uint64_t version = 0;  ///< of its mates
        double limit = 0;
        NodeSet within;
        Job job;  ///< as it was then
        std::vector<JobId> mates;
        int cores = 0;
        NodeSet free;
        std::vector<IdleNodes> idle;
    };

    const Cluster& cluster_of(const Location& location) const { return clusters_[location.pool]; }
    std::optional<std::size_t> pool_of(const NodeSet& nodes) const;
    void others_on(const NodeSet& nodes, int more);
    NodeSet without_others(NodeSet nodes) const;
    bool ask_about(std::size_t pool, const NodeSet& usable, const std::vector<IdleNodes>& idle,
                   const SlowdownRules& rules, Event& asked) const;
    bool no_mates_again(std::size_t pool, const Event& asked) const;
    Event consider_in(std::size_t pool, Event asked, const SlowdownRules& rules) const;
    void happened(std::size_t pool, const Event& event);
    void decided(const Event& event, std::size_t pool);
    void tell(const std::string& line) const;

    tl::expected<std::vector<Event>, std::string> believable(std::string_view loans, const std::vector<Placed>& running,
                                                             const std::set<JobId>& alive, std::set<JobId>& told);
    void replay(const std::vector<Event>& events, const std::vector<Placed>& running, const std::set<JobId>& alive,
                const std::set<JobId>& told);
    void start_as_seen(const Placed& seen, const std::set<JobId>& alive);
    void finish_all_but(const std::set<JobId>& alive, Seconds now);
    bool infer(const Placed& seen);
    std::vector<JobId> known_on(const NodeSet& nodes) const;

    Event start_of(JobId id) const;
    int group_with(const std::vector<JobId>& jobs);
    void remember(const Event& event);
    void forget_group_of(JobId gone);
    std::vector<Event> how_it_came() const;
    tl::expected<std::vector<Event>, std::string> read_loans(std::string_view text) const;

    std::vector<Pool> layout_;
    SlowdownRules rules_;
    std::shared_ptr<JobNames> names_;
    std::vector<Cluster> clusters_;
    std::map<JobId, Location> where_;
    std::map<JobId, Decided> decided_;
    std::map<JobId, std::set<JobId>> beyond_;  ///< of each waiting job: whose limits the journal has told of
    std::vector<int> others_;                  ///< of each node: how many jobs are there that are not in a cluster
    std::vector<JobId> changed_;
    /// Events of jobs that share, or did, with a job that runs; in order of time.
    std::vector<Event> history_;
    std::map<JobId, int> groups_;  ///< of each job in history_: jobs that shared, directly or over others
    int next_group_ = 0;
    std::function<void(const std::string&)> journal_;
};

}  // namespace drom::policy
