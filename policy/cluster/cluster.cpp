// SPDX-License-Identifier: BSD-3-Clause
// cluster.cpp - what runs where, and the predictions that change with it.
#include "policy/cluster/cluster.hpp"

#include <algorithm>

namespace drom::policy {
namespace {

struct LaterEnd {
    bool operator()(const Lender& a, const Lender& b) const { return a.end != b.end ? a.end > b.end : a.slot < b.slot; }
};

struct EarlierRelease {
    bool operator()(const Release& a, const Release& b) const { return a.at != b.at ? a.at < b.at : a.piece < b.piece; }
};

}  // namespace

Machine Machine::uniform(int nodes, int cores_per_node) {
    Machine machine;
    machine.nodes = nodes;
    machine.cores_per_node = cores_per_node;
    machine.classes.push_back({NodeSet(0, nodes), 0, 0});
    return machine;
}

Cluster::Cluster(Machine machine) : machine_(std::move(machine)) {
    for (const NodeClass& alike : machine_.classes) free_.insert(alike.nodes);
}

NodeSet Cluster::pick(const Job& job) const {
    NodeSet nodes;
    const bool plain = machine_.classes.size() == 1 && machine_.classes.front().suits(job.filter);
    for (const NodeClass& alike : machine_.classes) {
        if (!alike.suits(job.filter)) continue;
        NodeSet here = plain ? free_ : free_.common(alike.nodes);
        if (job.filter.contiguous)
            nodes.insert(here);
        else
            nodes.insert(here.take_first(job.nodes - nodes.count()));
    }
    if (job.filter.contiguous) return nodes.adjacent(job.nodes);
    return nodes.count() == job.nodes ? nodes : NodeSet();
}

// ---- starts and ends -------------------------------------------------------------------------------------------

int Cluster::start(const Job& job, const NodeSet& nodes, Seconds now) {
    changed_.clear();
    const int slot = new_slot(job, now);
    free_.erase(nodes);
    const int piece = new_piece(nodes);
    pieces_[index(piece)].occupants.push_back({slot, machine_.cores_per_node, kNoJob});
    join(slot, piece);
    predict({slot}, now);
    return slot;
}

int Cluster::share(const Job& job, const Sharing& sharing, Seconds now) {
    changed_.clear();
    const int slot = new_slot(job, now);
    for (const int mate : sharing.mates)
        for (const int whole : std::vector<int>(jobs_[index(mate)].pieces)) {
            const int piece = sharing.on.empty() ? whole : cut_out(whole, sharing.on);
            if (piece == kNoJob) continue;
            lend(pieces_[index(piece)].occupants, mate, slot, sharing.cores);
            join(slot, piece);
        }
    if (!sharing.free.empty()) {
        free_.erase(sharing.free);
        const int piece = new_piece(sharing.free);
        pieces_[index(piece)].occupants.push_back({slot, machine_.cores_per_node, kNoJob});
        join(slot, piece);
    }
    jobs_[index(slot)].guest = true;
    predict(component({slot}), now);
    return slot;
}

void Cluster::finish(int slot, Seconds now) {
    changed_.clear();
    ++version_;
    const std::vector<int> others = sharers(slot);
    outlived_ += guests_of(slot).size();
    RunningJob& gone = jobs_[index(slot)];
    unlist(slot);
    for (const int number : gone.pieces) {
        SharedNodes& piece = pieces_[index(number)];
        leave(piece.occupants, slot);
        if (!piece.occupants.empty()) continue;
        drop_release(number);
        free_.insert(piece.nodes);
        free_pieces_.push_back(number);
    }
    gone = RunningJob{};
    free_slots_.push_back(slot);
    --running_count_;
    if (others.empty()) return;
    for (const int other : others) join_pieces_alone(other);
    predict(others, now);
    for (const int other : others) note_new_mate(other);
}

// Jobs that have cores of this one.
std::set<int> Cluster::guests_of(int slot) const {
    std::set<int> guests;
    for (const int piece : jobs_[index(slot)].pieces)
        for (const Occupant& o : pieces_[index(piece)].occupants)
            if (o.lender == slot) guests.insert(o.job);
    return guests;
}

void Cluster::resize(int slot, int nodes, Seconds now, Seconds end) {
    changed_.clear();
    unlist(slot);
    RunningJob& running = jobs_[index(slot)];
    const int number = running.pieces.front();
    drop_release(number);
    SharedNodes& piece = pieces_[index(number)];
    if (nodes > piece.nodes.count()) {
        Job more = running.job;
        more.nodes = nodes - piece.nodes.count();
        const NodeSet added = pick(more);
        free_.erase(added);
        piece.nodes.insert(added);
    } else {
        NodeSet given = std::move(piece.nodes);
        piece.nodes = given.take_first(nodes);
        free_.insert(given);
    }
    running.job.nodes = nodes;
    running.since = now;
    running.left = running.limit_left = (end - now) * machine_.cores_per_node;
    predict({slot}, now);
}

void Cluster::leave_nodes(int slot, const NodeSet& nodes, Seconds now) {
    changed_.clear();
    unlist(slot);
    account_work(slot, now);
    RunningJob& running = jobs_[index(slot)];
    const int number = running.pieces.front();
    drop_release(number);
    NodeSet& kept = pieces_[index(number)].nodes;
    const NodeSet left = kept.common(nodes);
    kept.erase(left);
    free_.insert(left);
    const auto stretched = [from = running.job.nodes, to = kept.count()](std::int64_t work) {
        return (work * from + to - 1) / to;
    };
    if (running.job.limit > 0) {
        running.job.request = running.job.limit;
        running.left = running.limit_left;
    }
    running.left = stretched(running.left);
    running.limit_left = stretched(running.limit_left);
    running.job.nodes = kept.count();
    predict({slot}, now);
    note_new_mate(slot);
}

int Cluster::new_slot(const Job& job, Seconds now) {
    if (free_slots_.empty()) {
        free_slots_.push_back(slots());
        jobs_.emplace_back();
    }
    const int slot = free_slots_.back();
    free_slots_.pop_back();
    RunningJob& running = jobs_[index(slot)];
    running.job = job;
    running.start = running.since = now;
    running.left = job.request * machine_.cores_per_node;
    running.limit_left = job.limit * machine_.cores_per_node;
    running.runs = true;
    ++running_count_;
    note_new_mate(slot);
    return slot;
}

int Cluster::new_piece(NodeSet nodes) {
    if (free_pieces_.empty()) {
        free_pieces_.push_back(static_cast<int>(pieces_.size()));
        pieces_.emplace_back();
    }
    const int number = free_pieces_.back();
    free_pieces_.pop_back();
    pieces_[index(number)] = {std::move(nodes), {}, kNever};
    return number;
}

// Returns the piece with those nodes of `piece` that are in `nodes`; kNoJob when there are none.
int Cluster::cut_out(int piece, const NodeSet& nodes) {
    NodeSet part = pieces_[index(piece)].nodes.common(nodes);
    if (part.empty()) return kNoJob;
    if (part.count() == pieces_[index(piece)].nodes.count()) return piece;
    const Seconds free_at = pieces_[index(piece)].free_at;
    drop_release(piece);
    pieces_[index(piece)].nodes.erase(part);
    const int other = new_piece(std::move(part));
    pieces_[index(other)].occupants = pieces_[index(piece)].occupants;
    for (const Occupant& o : pieces_[index(other)].occupants) join(o.job, other);
    set_release(piece, free_at);
    set_release(other, free_at);
    return other;
}

// The nodes that a job has for itself become one piece again.
void Cluster::join_pieces_alone(int slot) {
    std::vector<int>& pieces = jobs_[index(slot)].pieces;
    const auto alone = [&](int piece) { return pieces_[index(piece)].occupants.size() == 1; };
    const auto first = std::find_if(pieces.begin(), pieces.end(), alone);
    if (first == pieces.end() || std::none_of(first + 1, pieces.end(), alone)) return;
    const Seconds free_at = pieces_[index(*first)].free_at;
    drop_release(*first);
    const auto joined = std::remove_if(first + 1, pieces.end(), [&](int piece) {
        if (!alone(piece)) return false;
        drop_release(piece);
        pieces_[index(*first)].nodes.insert(pieces_[index(piece)].nodes);
        free_pieces_.push_back(piece);
        return true;
    });
    pieces.erase(joined, pieces.end());
    set_release(*first, free_at);
}

// Replaces what is listed of the job, if it is malleable, by what holds now.
void Cluster::list_as_malleable(int slot) {
    const RunningJob& running = jobs_[index(slot)];
    if (running.job.kind != Kind::kMalleable) return;
    unlist(slot);
    const Lender lender{running.end, slot, running.rate, running.job.min_cores, max_jobs_on_node(slot)};
    std::vector<Lender>& bucket = malleable_[running.job.nodes];
    bucket.insert(std::upper_bound(bucket.begin(), bucket.end(), lender, LaterEnd{}), lender);
    listed_[index(slot)] = lender;
}

void Cluster::unlist(int slot) {
    listed_.resize(jobs_.size());
    if (listed_[index(slot)].jobs_on_node == 0 || listed_[index(slot)].end == 0) return;
    const auto bucket = malleable_.find(jobs_[index(slot)].job.nodes);
    const auto place = std::lower_bound(bucket->second.begin(), bucket->second.end(), listed_[index(slot)], LaterEnd{});
    bucket->second.erase(place);
    if (bucket->second.empty()) malleable_.erase(bucket);
    listed_[index(slot)] = {};
}

void Cluster::note_new_mate(int slot) {
    constexpr std::size_t kRemembered = 4096;
    if (jobs_[index(slot)].job.kind != Kind::kMalleable) return;
    if (news_.size() == 2 * kRemembered) {
        news_.erase(news_.begin(), news_.begin() + kRemembered);
        oldest_news_ += kRemembered;
    }
    news_.push_back(slot);
}

std::optional<std::vector<int>> Cluster::new_mates(std::uint64_t version, int nodes) const {
    if (version < oldest_news_) return std::nullopt;
    std::vector<int> slots;
    for (std::size_t i = static_cast<std::size_t>(version - oldest_news_); i < news_.size(); ++i) {
        const RunningJob& running = jobs_[index(news_[i])];
        if (running.runs && running.job.nodes <= nodes) slots.push_back(news_[i]);
    }
    return slots;
}

// ---- predictions -----------------------------------------------------------------------------------------------

std::vector<int> Cluster::component(std::vector<int> slots) const {
    for (std::size_t i = 0; i < slots.size(); ++i)
        for (const int piece : jobs_[index(slots[i])].pieces)
            for (const Occupant& o : pieces_[index(piece)].occupants)
                if (std::find(slots.begin(), slots.end(), o.job) == slots.end()) slots.push_back(o.job);
    return slots;
}

// Counts the work so far, at the rate that the job had until now.
void Cluster::account_work(int slot, Seconds now) {
    RunningJob& running = jobs_[index(slot)];
    running.limit_left = running.left_of(running.limit_left, now);
    running.left = running.left_at(now);
    running.since = now;
}

/// Returns the members' pieces with the members' places in `members` instead of their slots.
std::vector<Occupants> Cluster::renumbered(const std::vector<int>& members, const std::vector<int>& pieces) const {
    const auto place = [&members](int slot) {
        return slot == kNoJob ? kNoJob
                              : static_cast<int>(std::find(members.begin(), members.end(), slot) - members.begin());
    };
    std::vector<Occupants> own;
    own.reserve(pieces.size() + 1);  // a guest may have nodes of its own besides
    for (const int piece : pieces) {
        own.push_back(pieces_[index(piece)].occupants);
        for (Occupant& o : own.back()) o = {place(o.job), o.cores, place(o.lender)};
    }
    return own;
}

std::vector<int> Cluster::pieces_of(const std::vector<int>& members) const {
    std::vector<int> pieces;
    for (const int slot : members)
        for (const int piece : jobs_[index(slot)].pieces)
            if (std::find(pieces.begin(), pieces.end(), piece) == pieces.end()) pieces.push_back(piece);
    return pieces;
}

void Cluster::predict(const std::vector<int>& members, Seconds now) {
    ++version_;
    std::vector<Planned> planned;
    for (const int slot : members) {
        account_work(slot, now);
        planned.push_back({jobs_[index(slot)].left, now});
    }
    forecast(planned, renumbered(members, pieces_of(members)), now);
    for (std::size_t i = 0; i < members.size(); ++i) {
        RunningJob& running = jobs_[index(members[i])];
        running.end = running.limit_end = planned[i].end;
        running.rate = machine_.cores_per_node;
        for (const Piece& piece : cores_of(members[i])) running.rate = std::min(running.rate, piece.cores);
        changed_.push_back(members[i]);
    }
    predict_limits(members, now);
    for (const int slot : members) {
        refresh_releases(slot);
        list_as_malleable(slot);
    }
}

// Where some member's request is a prediction, limits are another forecast.
void Cluster::predict_limits(const std::vector<int>& members, Seconds now) {
    const auto limited = [this](int slot) { return jobs_[index(slot)].job.limit > 0; };
    if (std::none_of(members.begin(), members.end(), limited)) return;
    std::vector<Planned> planned;
    for (const int slot : members) planned.push_back({limit_left_at(slot, now), now});
    forecast(planned, renumbered(members, pieces_of(members)), now);
    for (std::size_t i = 0; i < members.size(); ++i) {
        RunningJob& running = jobs_[index(members[i])];
        const Job& job = running.job;
        running.limit_end = job.extend_as_predicted ? running.end + job.limit - job.request : planned[i].end;
    }
}

// Where nodes are reserved until the limit, only the list of malleable jobs goes by predictions.
std::vector<int> Cluster::overrun(Seconds now) const {
    std::vector<int> late;
    const auto note = [&](int slot) {
        const RunningJob& running = jobs_[index(slot)];
        if (running.end <= now && running.job.request < running.job.limit) late.push_back(slot);
    };
    for (const Release& release : releases_) {
        if (release.at > now) break;
        for (const Occupant& o : pieces_[index(release.piece)].occupants) note(o.job);
    }
    for (const auto& [nodes, lenders] : malleable_)
        for (auto last = lenders.rbegin(); last != lenders.rend() && last->end <= now; ++last) note(last->slot);
    return late;
}

bool Cluster::correct_predictions(Seconds now) {
    const std::vector<int> late = overrun(now);
    for (const int slot : late)
        if (jobs_[index(slot)].end <= now) correct_request(slot, now);
    return !late.empty();
}

Seconds Cluster::next_overrun(Seconds now) const {
    Seconds next = kNever;
    for (const auto& [nodes, lenders] : malleable_) {
        const auto later = std::find_if(lenders.rbegin(), lenders.rend(), [now, this](const Lender& lender) {
            const Job& job = jobs_[index(lender.slot)].job;
            return lender.end > now && job.request < job.limit;
        });
        if (later != lenders.rend()) next = std::min(next, later->end);
    }
    return next;
}

// Doubles until something of it is left, or the limit is reached.
void Cluster::correct_request(int slot, Seconds now) {
    RunningJob& running = jobs_[index(slot)];
    account_work(slot, now);
    const std::int64_t done = running.job.limit * machine_.cores_per_node - running.limit_left;
    Job& job = running.job;
    do job.request = job.correct_to_limit ? job.limit : std::min(2 * job.request, job.limit);
    while (job.request * machine_.cores_per_node <= done && job.request < job.limit);
    running.left = std::max<std::int64_t>(0, job.request * machine_.cores_per_node - done);
    predict(component({slot}), now);
    note_new_mate(slot);
}

void Cluster::refresh_releases(int slot) {
    for (const int number : jobs_[index(slot)].pieces) {
        Seconds last = 0;
        for (const Occupant& o : pieces_[index(number)].occupants) last = std::max(last, jobs_[index(o.job)].release());
        if (last != pieces_[index(number)].free_at) set_release(number, last);
    }
}

void Cluster::set_release(int piece, Seconds at) {
    drop_release(piece);
    SharedNodes& shared = pieces_[index(piece)];
    shared.free_at = at;
    const Release release{at, piece, shared.nodes.count()};
    releases_.insert(std::upper_bound(releases_.begin(), releases_.end(), release, EarlierRelease{}), release);
}

void Cluster::drop_release(int piece) {
    const Release known{pieces_[index(piece)].free_at, piece, 0};
    if (known.at == kNever) return;
    releases_.erase(std::lower_bound(releases_.begin(), releases_.end(), known, EarlierRelease{}));
    pieces_[index(piece)].free_at = kNever;
}

/// Returns the work that is left at `now` if the job runs to its limit.
std::int64_t Cluster::limit_left_at(int slot, Seconds now) const {
    const RunningJob& running = jobs_[index(slot)];
    return running.job.limit > 0 ? running.left_of(running.limit_left, now) : running.left_at(now);
}

double Cluster::mean_slowdown() const {
    double sum = 0;
    for (const RunningJob& running : jobs_)
        if (running.runs) sum += slowdown(running.job, running.end);
    return running_count_ == 0 ? 1 : sum / running_count_;
}

// ---- questions -------------------------------------------------------------------------------------------------

NodeSet Cluster::nodes_of(int slot) const {
    NodeSet nodes;
    for (const int piece : jobs_[index(slot)].pieces) nodes.insert(pieces_[index(piece)].nodes);
    return nodes;
}

std::vector<Piece> Cluster::cores_of(int slot) const {
    std::vector<Piece> cores;
    for (const int number : jobs_[index(slot)].pieces) {
        const SharedNodes& piece = pieces_[index(number)];
        for (const Occupant& o : piece.occupants)
            if (o.job == slot) cores.push_back({piece.nodes.count(), o.cores});
    }
    return cores;
}

int Cluster::max_jobs_on_node(int slot) const {
    std::size_t max = 0;
    for (const int piece : jobs_[index(slot)].pieces) max = std::max(max, pieces_[index(piece)].occupants.size());
    return static_cast<int>(max);
}

std::vector<int> Cluster::sharers(int slot) const {
    std::vector<int> others = component({slot});
    std::erase(others, slot);
    return others;
}

std::string Cluster::inconsistency() const {
    NodeSet used = free_;
    int busy = free_.count();
    for (const Release& release : releases_) {
        const SharedNodes& piece = pieces_[index(release.piece)];
        used.insert(piece.nodes);
        busy += piece.nodes.count();
        int cores = 0;
        for (const Occupant& o : piece.occupants) {
            cores += o.cores;
            if (o.cores < 1)
                return "job " + std::to_string(running(o.job).job.id) + " has no core on " + piece.nodes.text();
        }
        if (cores != machine_.cores_per_node)
            return std::to_string(cores) + " cores are given away on each of " + piece.nodes.text();
        if (release.at != piece.free_at) return "nodes " + piece.nodes.text() + " are released twice";
    }
    if (busy != used.count()) return "a node is free and busy, or in two pieces";
    return used.count() == machine_.nodes ? "" : "a node is nowhere";
}

}  // namespace drom::policy
