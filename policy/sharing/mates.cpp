// SPDX-License-Identifier: BSD-3-Clause
// mates.cpp - the search for the least sum of predicted slowdowns.
#include "policy/sharing/mates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace drom::policy {
namespace {

bool better_mate(const Mate& a, const Mate& b) {
    return a.slowdown != b.slowdown ? a.slowdown < b.slowdown : a.id < b.id;
}

bool all_within(const Cluster& cluster, int slot, const NodeSet& nodes) {
    for (const int number : cluster.running(slot).pieces) {
        const NodeSet& own = cluster.piece(number).nodes;
        if (own.common(nodes).count() != own.count()) return false;
    }
    return true;
}

/// Returns whether every node of the job's pieces suits the filter and has the memory left.
bool nodes_suit(const Cluster& cluster, int slot, const NodeFilter& filter) {
    if (filter.within != nullptr && !all_within(cluster, slot, *filter.within)) return false;
    if (filter.features == 0 && filter.memory_mb == 0) return true;
    for (const int number : cluster.running(slot).pieces) {
        const SharedNodes& piece = cluster.piece(number);
        NodeFilter with_others = filter;
        for (const Occupant& o : piece.occupants) with_others.memory_mb += cluster.running(o.job).job.filter.memory_mb;
        for (const NodeClass& alike : cluster.machine().classes)
            if (!alike.suits(with_others) && !piece.nodes.common(alike.nodes).empty()) return false;
    }
    return true;
}

Seconds end_of_mate(const Cluster& cluster, const Lender& lender, int cores, Seconds length, std::int64_t guest_left,
                    int jobs_per_node, Seconds now) {
    if (lender.jobs_on_node > 1) return cluster.end_if_lending(lender.slot, cores, guest_left, jobs_per_node, now);
    // Alone on its nodes: the closed form of the same. The work that is left when the guest goes runs at full speed.
    const int all = cluster.machine().cores_per_node;
    const std::int64_t rest = cluster.running(lender.slot).left_at(now) - (all - cores) * length;
    return now + length + (rest < 0 ? -1 : seconds_for(rest, all));
}

/// Returns whether the job leaves its nodes before they are booked, if it ends at `end`.
bool ends_in_time(const Cluster& cluster, int slot, Seconds end, const SharingRules& rules, Seconds now) {
    if (rules.booked == nullptr) return true;
    const Seconds until = std::max(end, cluster.running(slot).limit_end);
    return rules.booked->lets_stay(cluster.nodes_of(slot), now, until);
}

/// The search for one number of lent cores.
class Search {
public:
    Search(const Cluster& cluster, const Job& job, const SharingRules& rules, std::vector<Mate> candidates)
        : cluster_(cluster), job_(job), rules_(rules) {
        if (rules.best_candidates > 0) keep_best(candidates, static_cast<std::size_t>(rules.best_candidates));
        for (Mate& mate : candidates) sizes_[mate.nodes].push_back(mate);
        for (auto& [nodes, mates] : sizes_) {
            if (!one_by_one()) keep_best(mates, static_cast<std::size_t>(rules.max_mates));
        }
    }

    /// Finds mates with `nodes` nodes together, or up to `spare` fewer: the rest are free nodes.
    void find(int nodes, int spare) {
        spare_ = spare;
        if (one_by_one())
            enumerate(flat(), 0, nodes, 0);
        else
            combine(sizes_.rbegin(), nodes, rules_.max_mates, 0);
    }

    bool found() const { return found_; }
    MateSet take() { return std::move(best_); }

private:
    using Sizes = std::map<int, std::vector<Mate>>;

    /// Returns whether a set of mates depends on more than their sizes: on adjacency, or on which jobs share nodes
    /// already.
    bool one_by_one() const { return job_.filter.contiguous || rules_.jobs_per_node > 2; }

    static void keep_best(std::vector<Mate>& mates, std::size_t count) {
        const auto end = mates.begin() + static_cast<std::ptrdiff_t>(std::min(count, mates.size()));
        std::partial_sort(mates.begin(), end, mates.end(), better_mate);
        mates.erase(end, mates.end());
    }

    // Sums are taken in another order than the final one: a whisker more than the best must not be cut off.
    bool hopeless(double index) const { return found_ && index > best_.index * (1 + 1e-12); }

    void combine(Sizes::const_reverse_iterator size, int nodes, int mates, double index) {
        // One mate more would only add to the sum.
        if (nodes <= spare_) return complete(nodes);
        if (mates == 0 || hopeless(index)) return;
        if (mates == 1 && spare_ == 0) return last(size, nodes, index);
        for (; size != sizes_.rend(); ++size) {
            if (size->first > nodes) continue;
            take_from(size, nodes, mates, index);
        }
    }

    // One, two ... of this size, and the rest from smaller ones.
    void take_from(const Sizes::const_reverse_iterator& size, int nodes, int mates, double index) {
        const std::size_t before = chosen_.size();
        const auto smaller = std::next(size);
        for (const Mate& mate : size->second) {
            if (mates == 0 || nodes < mate.nodes) break;
            chosen_.push_back(mate);
            index += mate.slowdown;
            nodes -= mate.nodes;
            --mates;
            combine(smaller, nodes, mates, index);
        }
        chosen_.resize(before);
    }

    void last(const Sizes::const_reverse_iterator& size, int nodes, double index) {
        const auto exact = sizes_.find(nodes);
        if (exact == sizes_.end() || size == sizes_.rend() || nodes > size->first) return;
        const Mate& mate = exact->second.front();
        if (hopeless(index + mate.slowdown)) return;
        chosen_.push_back(mate);
        complete(0);
        chosen_.pop_back();
    }

    std::vector<Mate> flat() const {
        std::vector<Mate> all;
        for (const auto& [nodes, mates] : sizes_) all.insert(all.end(), mates.begin(), mates.end());
        std::sort(all.begin(), all.end(), better_mate);
        return all;
    }

    void enumerate(const std::vector<Mate>& all, std::size_t first, int nodes, double index) {
        if (nodes >= 0 && nodes <= spare_ && together()) complete(nodes);
        if (nodes <= 0 || static_cast<int>(chosen_.size()) == rules_.max_mates) return;
        for (std::size_t i = first; i < all.size() && !hopeless(index + all[i].slowdown); ++i) {
            chosen_.push_back(all[i]);
            enumerate(all, i + 1, nodes - all[i].nodes, index + all[i].slowdown);
            chosen_.pop_back();
        }
    }

    bool together() const {
        NodeSet nodes;
        int count = 0;
        for (const Mate& mate : chosen_) {
            nodes.insert(cluster_.nodes_of(mate.slot));
            count += mate.nodes;
        }
        return nodes.count() == count && (nodes.contiguous() || !job_.filter.contiguous);
    }

    void complete(int free_nodes) {
        std::vector<Mate> mates = chosen_;
        std::sort(mates.begin(), mates.end(), [](const Mate& a, const Mate& b) { return a.id < b.id; });
        double index = 0;
        for (const Mate& mate : mates) index += mate.slowdown;
        if (found_ && !better(index, free_nodes, mates)) return;
        found_ = true;
        best_ = {std::move(mates), 0, free_nodes, index, 0};
    }

    bool better(double index, int free_nodes, const std::vector<Mate>& mates) const {
        if (index != best_.index) return index < best_.index;
        if (free_nodes != best_.free_nodes) return free_nodes < best_.free_nodes;
        return std::lexicographical_compare(mates.begin(), mates.end(), best_.mates.begin(), best_.mates.end(),
                                            [](const Mate& a, const Mate& b) { return a.id < b.id; });
    }

    const Cluster& cluster_;
    const Job& job_;
    const SharingRules& rules_;
    Sizes sizes_;
    std::vector<Mate> chosen_;
    MateSet best_;
    int spare_ = 0;
    bool found_ = false;
};

/// Returns the predicted end that a mate has at least. Lending at most the factor of its cores, it ends at most that
/// share of the guest's time later. A second is for its rounding, and one for the guest's.
Seconds min_end(Seconds length, const SharingRules& rules, Seconds now) {
    return now + length - static_cast<Seconds>(rules.sharing_factor * static_cast<double>(length)) - 2;
}

/// Calls `with(lender)` for the running jobs of at most `widest` nodes that end late enough for a guest of `length`
/// seconds.
template <class With>
void for_each_lender(const Cluster& cluster, int widest, Seconds length, const SharingRules& rules, Seconds now,
                     const With& with) {
    const Seconds min = min_end(length, rules, now);
    for (const auto& [nodes, lenders] : cluster.malleable()) {
        if (nodes > widest) return;
        for (const Lender& lender : lenders) {
            if (lender.end < min) break;
            with(lender);
        }
    }
}

Seconds length_with(const Cluster& cluster, const Job& job, int cores) {
    return seconds_for(job.request * cluster.machine().cores_per_node, cores);
}

/// Returns the numbers of cores with which some job could be a mate, the highest first.
std::set<int, std::greater<>> loans(const Cluster& cluster, const Job& job, double limit, const SharingRules& rules,
                                    Seconds now) {
    std::set<int, std::greater<>> loans;
    const Seconds shortest = length_with(cluster, job, cluster.machine().cores_per_node);
    for_each_lender(cluster, job.nodes, shortest, rules, now, [&](const Lender& lender) {
        const int cores = can_lend(lender, rules);
        if (cores < std::max(1, job.min_cores) || loans.count(cores) != 0) return;
        if (as_mate(cluster, lender, job, cores, limit, rules, now)) loans.insert(cores);
    });
    return loans;
}

std::vector<Mate> candidates(const Cluster& cluster, const Job& job, int cores, double limit, const SharingRules& rules,
                             Seconds now) {
    std::vector<Mate> mates;
    for_each_lender(cluster, job.nodes, length_with(cluster, job, cores), rules, now, [&](const Lender& lender) {
        if (const auto mate = as_mate(cluster, lender, job, cores, limit, rules, now)) mates.push_back(*mate);
    });
    return mates;
}

std::optional<MateSet> with_loan(const Cluster& cluster, const Availability& availability, const Job& job, int cores,
                                 double limit, const SharingRules& rules, Seconds now) {
    std::vector<Mate> mates = candidates(cluster, job, cores, limit, rules, now);
    if (mates.empty()) return std::nullopt;
    const Seconds end = now + length_with(cluster, job, cores);
    Search search(cluster, job, rules, std::move(mates));
    const bool may_add = rules.add_free_nodes && !job.filter.contiguous;
    search.find(job.nodes, may_add ? std::min(job.nodes - 1, availability.min_free(job.filter, now, end)) : 0);
    if (!search.found()) return std::nullopt;
    MateSet chosen = search.take();
    chosen.cores = cores;
    chosen.guest_end = end;
    return chosen;
}

// ---- parts of mates --------------------------------------------------------------------------------------------

constexpr int kJobsPerNode = 2;  ///< whatever the rules say

bool lends_all(const SharedNodes& piece) { return static_cast<int>(piece.occupants.size()) < kJobsPerNode; }

int nodes_to_lend(const Cluster& cluster, int slot) {
    int nodes = 0;
    for (const int number : cluster.running(slot).pieces)
        if (lends_all(cluster.piece(number))) nodes += cluster.piece(number).nodes.count();
    return nodes;
}

struct Part {
    Mate mate;
    double harm = 0;  ///< how much its slowdown rises
};

bool less_harm(const Part& a, const Part& b) { return a.harm != b.harm ? a.harm < b.harm : a.mate.id < b.mate.id; }

/// Returns the part of the least harm per node that is needed; of equal ones that with the lower id.
std::vector<Part>::iterator cheapest(std::vector<Part>& parts, int nodes) {
    return std::min_element(parts.begin(), parts.end(), [nodes](const Part& a, const Part& b) {
        const double left = a.harm * std::min(b.mate.nodes, nodes), right = b.harm * std::min(a.mate.nodes, nodes);
        return left != right ? left < right : a.mate.id < b.mate.id;
    });
}

std::vector<Part> parts_for(const Cluster& cluster, const Job& job, int cores, double limit, const SharingRules& rules,
                            Seconds now) {
    std::vector<Part> parts;
    for_each_lender(cluster, cluster.machine().nodes, length_with(cluster, job, cores), rules, now,
                    [&](const Lender& lender) {
                        const auto mate = as_mate_in_part(cluster, lender, job, cores, limit, rules, now);
                        if (!mate) return;
                        const RunningJob& running = cluster.running(lender.slot);
                        parts.push_back({*mate, mate->slowdown - slowdown(running.job, running.end)});
                    });
    return parts;
}

/// Returns the cheapest of `parts`, one after the other until they have `nodes` nodes, without those that are then not
/// needed. Returns nothing when all have fewer.
std::vector<Part> cheapest_cover(std::vector<Part> parts, int nodes) {
    std::vector<Part> chosen;
    while (nodes > 0 && !parts.empty()) {
        const auto next = cheapest(parts, nodes);
        chosen.push_back(*next);
        nodes -= next->mate.nodes;
        *next = parts.back();
        parts.pop_back();
    }
    if (nodes > 0) return {};
    std::sort(chosen.begin(), chosen.end(), less_harm);
    for (std::size_t i = chosen.size(); i-- > 0;) {
        if (nodes + chosen[i].mate.nodes > 0) continue;
        nodes += chosen[i].mate.nodes;
        chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return chosen;
}

/// Returns the cheapest part that has enough nodes alone, where it loses no more than those of `than` together;
/// otherwise `than`.
std::vector<Part> or_one_alone(const std::vector<Part>& parts, int nodes, std::vector<Part> than) {
    double harm = 0;
    for (const Part& part : than) harm += part.harm;
    for (const Part& part : parts)
        if (part.mate.nodes >= nodes && part.harm <= harm) {
            harm = part.harm;
            than = {part};
        }
    return than;
}

NodeSet nodes_lent(const Cluster& cluster, const Mate& mate) {
    NodeSet nodes;
    for (const int number : cluster.running(mate.slot).pieces)
        if (lends_all(cluster.piece(number))) nodes.insert(cluster.piece(number).nodes);
    return nodes.take_first(mate.nodes);
}

MateSet lent_by(const Cluster& cluster, std::vector<Part> parts, int nodes) {
    MateSet set;
    for (Part& part : parts) {
        part.mate.nodes = std::min(part.mate.nodes, nodes);
        nodes -= part.mate.nodes;
        set.on.insert(nodes_lent(cluster, part.mate));
        set.mates.push_back(part.mate);
        set.index += part.mate.slowdown;
    }
    set.free_nodes = nodes;
    std::sort(set.mates.begin(), set.mates.end(), [](const Mate& a, const Mate& b) { return a.id < b.id; });
    return set;
}

}  // namespace

int can_lend(const Lender& lender, const SharingRules& rules) noexcept {
    if (lender.jobs_on_node >= rules.jobs_per_node) return 0;
    const int share = static_cast<int>(std::floor(rules.sharing_factor * lender.rate + 1e-9));
    return std::max(0, std::min(share, lender.rate - std::max(1, lender.min_cores)));
}

std::optional<Mate> as_mate(const Cluster& cluster, const Lender& lender, const Job& job, int cores, double limit,
                            const SharingRules& rules, Seconds now) {
    const int all = cluster.machine().cores_per_node;
    const Seconds length = length_with(cluster, job, cores);
    if (lender.end < min_end(length, rules, now)) return std::nullopt;
    if (!rules.limits.may_take(job, cluster.running(lender.slot).job)) return std::nullopt;
    if (can_lend(lender, rules) < cores || !nodes_suit(cluster, lender.slot, job.filter)) return std::nullopt;
    const Seconds end = end_of_mate(cluster, lender, cores, length, job.request * all, rules.jobs_per_node, now);
    if (end < now + length || end == kNever) return std::nullopt;
    const RunningJob& running = cluster.running(lender.slot);
    const double predicted = slowdown(running.job, end);
    if (predicted >= rules.limits.of(running.job, limit)) return std::nullopt;
    if (!ends_in_time(cluster, lender.slot, end, rules, now)) return std::nullopt;
    return Mate{lender.slot, running.job.id, running.job.nodes, predicted, end};
}

std::optional<Mate> as_mate_in_part(const Cluster& cluster, const Lender& lender, const Job& job, int cores,
                                    double limit, const SharingRules& rules, Seconds now) {
    const int all = cluster.machine().cores_per_node;
    const Seconds length = length_with(cluster, job, cores);
    if (lender.end < min_end(length, rules, now)) return std::nullopt;
    if (!rules.limits.may_take(job, cluster.running(lender.slot).job)) return std::nullopt;
    const int nodes = nodes_to_lend(cluster, lender.slot);
    if (nodes == 0 || all - cores < std::max(1, lender.min_cores)) return std::nullopt;
    if (!nodes_suit(cluster, lender.slot, job.filter)) return std::nullopt;
    const Seconds end = end_of_mate(cluster, lender, cores, length, job.request * all,
                                    std::min(kJobsPerNode, rules.jobs_per_node), now);
    if (end < now + length || end == kNever) return std::nullopt;
    const RunningJob& running = cluster.running(lender.slot);
    const double predicted = slowdown(running.job, end);
    if (predicted >= rules.limits.of(running.job, limit)) return std::nullopt;
    if (!ends_in_time(cluster, lender.slot, end, rules, now)) return std::nullopt;
    return Mate{lender.slot, running.job.id, nodes, predicted, end};
}

std::optional<MateSet> choose_parts(const Cluster& cluster, const Availability& availability, const Job& job,
                                    double limit, const SharingRules& rules, Seconds now) {
    const int cores = static_cast<int>(std::floor(rules.sharing_factor * cluster.machine().cores_per_node + 1e-9));
    if (cores < std::max(1, job.min_cores) || job.filter.contiguous) return std::nullopt;
    const std::vector<Part> parts = parts_for(cluster, job, cores, limit, rules, now);
    if (parts.empty()) return std::nullopt;
    const Seconds end = now + length_with(cluster, job, cores);
    const int spare = rules.add_free_nodes ? std::min(job.nodes - 1, availability.min_free(job.filter, now, end)) : 0;
    std::vector<Part> chosen = cheapest_cover(parts, job.nodes - spare);
    if (chosen.empty()) return std::nullopt;
    MateSet set = lent_by(cluster, or_one_alone(parts, job.nodes - spare, std::move(chosen)), job.nodes);
    set.cores = cores;
    set.guest_end = end;
    return set;
}

bool has_new_mates(const Cluster& cluster, const Job& job, std::uint64_t version, double limit,
                   const SharingRules& rules, Seconds now) {
    const auto slots = cluster.new_mates(version, job.nodes);
    if (!slots) return true;
    return std::any_of(slots->begin(), slots->end(), [&](int slot) {
        const Lender& lender = cluster.lender(slot);
        const int cores = can_lend(lender, rules);
        return cores >= std::max(1, job.min_cores) && as_mate(cluster, lender, job, cores, limit, rules, now);
    });
}

std::optional<MateSet> choose_mates(const Cluster& cluster, const Availability& availability, const Job& job,
                                    double limit, const SharingRules& rules, Seconds now) {
    if (rules.parts) return choose_parts(cluster, availability, job, limit, rules, now);
    std::optional<MateSet> best;
    for (const int cores : loans(cluster, job, limit, rules, now)) {
        auto chosen = with_loan(cluster, availability, job, cores, limit, rules, now);
        if (chosen && (!best || chosen->index < best->index)) best = std::move(chosen);
    }
    return best;
}

}  // namespace drom::policy
