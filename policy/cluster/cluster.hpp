// SPDX-License-Identifier: BSD-3-Clause
// cluster.hpp - the machine and what runs on it, as the policies predict it: which job is where with how many cores,
// until when.
//
// State only: it neither decides nor looks at a clock. The simulator and the select plugin tell it what happened, in
// order of time. Nodes that are shared alike are one piece: a job that starts alone makes one, a guest joins pieces of
// its mates, or cuts its nodes out of them. So the cost of sharing does not depend on the number of nodes.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policy/cluster/occupancy.hpp"
#include "policy/job/node_set.hpp"

namespace drom::policy {

/// Nodes that are alike.
struct NodeClass {
    NodeSet nodes;
    std::uint64_t features = 0;
    std::int64_t memory_mb = 0;  ///< of each node; 0: not known, enough for every job

    bool suits(const NodeFilter& filter) const noexcept {
        return (filter.features & ~features) == 0 && (memory_mb == 0 || filter.memory_mb <= memory_mb);
    }
};

struct Machine {
    int nodes = 0;
    int cores_per_node = 1;
    std::vector<NodeClass> classes;  ///< every node in exactly one; the plainest first: they are given away first

    /// Returns a machine of `nodes` nodes that are alike.
    static Machine uniform(int nodes, int cores_per_node);
};

struct RunningJob {
    Job job;
    Seconds start = 0;
    Seconds end = 0;              ///< predicted: when it has used up its request, including what sharing adds
    Seconds limit_end = 0;        ///< its extended limit: the same of its limit; `end` where nothing is predicted
    std::int64_t left = 0;        ///< core-seconds on its busiest node that it had to do at `since`
    std::int64_t limit_left = 0;  ///< the same of its limit
    Seconds since = 0;
    int rate = 0;  ///< cores on its busiest node
    std::vector<int> pieces;
    bool guest = false;  ///< it began on nodes of mates
    bool runs = false;   ///< false: this slot is free

    Seconds wait() const noexcept { return start - job.submit; }
    /// Returns when its nodes count as free.
    Seconds release() const noexcept { return job.reserve_limit ? limit_end : end; }
    /// Returns the work that is left at `now`, in core-seconds on its busiest node.
    std::int64_t left_at(Seconds now) const noexcept { return left_of(left, now); }
    std::int64_t left_of(std::int64_t work, Seconds now) const noexcept {
        return work > rate * (now - since) ? work - rate * (now - since) : 0;
    }
};

/// Returns the predicted slowdown on requested time if the job ends at `end` (thesis, equation 5.4: (wait + increase +
/// request) / request).
inline double slowdown(const Job& job, Seconds end) noexcept {
    return static_cast<double>(end - job.submit) / static_cast<double>(job.request);
}

/// A running malleable job, as the search for mates has to know it.
struct Lender {
    Seconds end = 0;  ///< predicted
    int slot = 0;
    int rate = 0;          ///< cores on its busiest node
    int min_cores = 1;     ///< that it keeps
    int jobs_on_node = 1;  ///< most jobs on any of its nodes
};

/// Nodes on which the same jobs have the same cores.
struct SharedNodes {
    NodeSet nodes;
    Occupants occupants;
    Seconds free_at = 0;  ///< predicted
};

/// How a guest comes in.
struct Sharing {
    std::vector<int> mates;  ///< slots
    int cores = 0;           ///< lent on each of their nodes
    NodeSet free;            ///< nodes besides them that no job has
    NodeSet on{};            ///< only these of their nodes; empty: all
};

/// Where a job is, and until when by its limit.
struct Stay {
    NodeSet nodes;
    Seconds until = 0;
};

/// Nodes that jobs keep for longer if a guest comes.
struct Postponed {
    NodeSet nodes;
    NodeFilter filter;  ///< of a job that has them
    Seconds from = 0;   ///< when they are free without the guest
    Seconds to = 0;     ///< the same with it
};

/// When nodes become free.
struct Release {
    Seconds at = 0;
    int piece = 0;
    int nodes = 0;
};

class Cluster {
public:
    explicit Cluster(Machine machine);

    const Machine& machine() const noexcept { return machine_; }
    const NodeSet& free() const noexcept { return free_; }
    /// Returns free nodes for the job: plain classes first, low numbers first; empty when there are not enough.
    NodeSet pick(const Job& job) const;

    /// Starts the job on nodes that are free. Returns its slot. Cost: the ranges of the free nodes.
    int start(const Job& job, const NodeSet& nodes, Seconds now);
    /// Starts the job as a guest. Extends the predicted ends of it and of its mates. Returns its slot.
    int share(const Job& job, const Sharing& sharing, Seconds now);
    /// Gives the job, which shares no node, another number of whole nodes: free ones, or fewer of its own. `end` is its
    /// predicted end from now on.
    void resize(int slot, int nodes, Seconds now, Seconds end);
    /// Takes the job, which shares no node, off those of its nodes that are in `nodes`; it has to keep one. It goes on
    /// with the rest, and its predicted end and its limit move as if half the nodes took twice the time. A prediction
    /// that was shorter than its limit is forgotten.
    void leave_nodes(int slot, const NodeSet& nodes, Seconds now);
    /// Ends the job: its cores return, and the predicted ends of those that it shared with move.
    void finish(int slot, Seconds now);
    /// Doubles the requests of jobs that run at or after their predicted ends, or makes them the limits. Returns
    /// whether a prediction has moved. Cost: the releases that are due, and the sizes of malleable jobs.
    bool correct_predictions(Seconds now);
    /// Returns when the next malleable job runs at its predicted end, and not at its limit; kNever. Cost: the sizes of
    /// malleable jobs.
    Seconds next_overrun(Seconds now) const;
    /// Returns how many guests still ran when a job ended that had lent them cores.
    std::size_t outlived() const noexcept { return outlived_; }

    const RunningJob& running(int slot) const { return jobs_[index(slot)]; }
    const SharedNodes& piece(int number) const { return pieces_[index(number)]; }
    /// Returns the number below which slots may be in use.
    int slots() const noexcept { return static_cast<int>(jobs_.size()); }
    NodeSet nodes_of(int slot) const;
    /// Returns the job's pieces as a runtime model takes them.
    std::vector<Piece> cores_of(int slot) const;
    /// Returns the most jobs on any of the job's nodes.
    int max_jobs_on_node(int slot) const;
    /// Returns the jobs that share nodes with this one, also through others: what one of them does moves the ends of
    /// all. Without the job itself. Cost: those jobs squared times their pieces.
    std::vector<int> sharers(int slot) const;

    /// Returns the running malleable jobs by their number of nodes; those that end last first.
    const std::map<int, std::vector<Lender>>& malleable() const noexcept { return malleable_; }
    /// Returns the list entry of a running malleable job.
    const Lender& lender(int slot) const { return listed_[index(slot)]; }
    /// Returns the slots of jobs of at most `nodes` nodes that have become possible mates since mates_version() was
    /// `version`. No other job has: time only shortens what others can lend. Returns nothing when that is too long ago
    /// to be known. Cost: what happened since.
    std::optional<std::vector<int>> new_mates(std::uint64_t version, int nodes) const;
    /// Returns all releases in order of time.
    const std::vector<Release>& releases() const noexcept { return releases_; }
    /// Returns the running jobs whose cores or predicted end the last start, share or finish changed, without the one
    /// that ended.
    const std::vector<int>& changed() const noexcept { return changed_; }
    /// Returns a number that grows with every change of what runs, where, or until when.
    std::uint64_t version() const noexcept { return version_; }
    /// Returns a number that grows whenever a job becomes one that could be a mate and was none before.
    std::uint64_t mates_version() const noexcept { return oldest_news_ + news_.size(); }

    /// Returns the mean predicted slowdown of the running jobs (the thesis's DynAVGSD); 1 when none runs. Cost: the
    /// slots.
    double mean_slowdown() const;

    /// Returns the predicted end of `mate` if it lent `cores` cores of each of its nodes at `now` to a guest. The guest
    /// needs `guest_left` core-seconds on its busiest node. Nodes with `jobs_per_node` jobs are not lent. Returns
    /// kNever when a guest on its nodes would then outlive the job that lent it cores. Exact also where the mate shares
    /// already. Cost: the jobs it shares with.
    Seconds end_if_lending(int mate, int cores, std::int64_t guest_left, int jobs_per_node, Seconds now) const;

    /// Returns the nodes and limits of all jobs concerned if the guest started at `now` as `sharing` says. Concerned
    /// are the guest, its co-runners, their other co-runners, and so on. Each runs to its limit; the guest is the last.
    /// The limits are those that share() would make. With up to three jobs on a node no limit becomes longer when
    /// another job ends early. Cost: the jobs concerned squared, times their pieces.
    std::vector<Stay> stays_if_sharing(const Job& guest, const Sharing& sharing, Seconds now) const;

    /// Returns the nodes of the same jobs that would become free later than they are now predicted to. The free nodes
    /// that the guest takes are among them. A mate that keeps its nodes until its limit is taken to lose all of the
    /// guest's limit: the guest may outrun its prediction. Cost: that of stays_if_sharing().
    std::vector<Postponed> postponed_if_sharing(const Job& guest, const Sharing& sharing, Seconds now) const;

    /// Returns a sentence that says what is inconsistent, empty when nothing is: for tests.
    std::string inconsistency() const;

private:
    static std::size_t index(int number) noexcept { return static_cast<std::size_t>(number); }

    int new_slot(const Job& job, Seconds now);
    int new_piece(NodeSet nodes);
    int cut_out(int piece, const NodeSet& nodes);
    void join_pieces_alone(int slot);
    void join(int slot, int piece) { jobs_[index(slot)].pieces.push_back(piece); }
    void list_as_malleable(int slot);
    void unlist(int slot);
    void note_new_mate(int slot);
    std::vector<int> component(std::vector<int> slots) const;
    std::vector<int> pieces_of(const std::vector<int>& members) const;
    std::vector<Occupants> renumbered(const std::vector<int>& members, const std::vector<int>& pieces) const;
    void predict(const std::vector<int>& members, Seconds now);
    std::vector<SharedNodes> parts_if_sharing(const std::vector<int>& members, const Sharing& sharing,
                                              Seconds now) const;
    std::vector<Seconds> limits_if_sharing(const std::vector<int>& members, const std::vector<SharedNodes>& parts,
                                           const Job& guest, Seconds now) const;
    std::vector<Seconds> releases_if_sharing(const std::vector<int>& members, const std::vector<SharedNodes>& parts,
                                             const Job& guest, std::size_t mates, Seconds now) const;
    std::int64_t limit_left_at(int slot, Seconds now) const;
    void predict_limits(const std::vector<int>& members, Seconds now);
    std::vector<int> overrun(Seconds now) const;
    void correct_request(int slot, Seconds now);
    std::set<int> guests_of(int slot) const;
    void account_work(int slot, Seconds now);
    void set_release(int piece, Seconds at);
    void drop_release(int piece);
    void refresh_releases(int slot);

    Machine machine_;
    NodeSet free_;
    std::vector<RunningJob> jobs_;
    std::vector<int> free_slots_;
    std::vector<SharedNodes> pieces_;
    std::vector<int> free_pieces_;
    std::vector<Release> releases_;
    std::map<int, std::vector<Lender>> malleable_;
    std::vector<Lender> listed_;  ///< of each slot, as it is in malleable_; end 0: it is not there
    std::vector<int> news_;       ///< slots that became possible mates; the oldest are forgotten
    std::uint64_t oldest_news_ = 0;
    std::uint64_t version_ = 1;
    std::vector<int> changed_;
    int running_count_ = 0;
    std::size_t outlived_ = 0;
};

}  // namespace drom::policy
