// SPDX-License-Identifier: BSD-3-Clause
// if_sharing.cpp - what a cluster would be like with a guest that has not come.
#include <algorithm>

#include "policy/cluster/cluster.hpp"

namespace drom::policy {
namespace {

std::vector<Occupant> guests_on(const std::vector<Occupants>& pieces) {
    std::vector<Occupant> guests;
    for (const Occupants& piece : pieces)
        std::copy_if(piece.begin(), piece.end(), std::back_inserter(guests),
                     [](const Occupant& o) { return o.lender != kNoJob; });
    return guests;
}

/// Returns when each job ends that has so much to do.
std::vector<Seconds> ends_of(const std::vector<SharedNodes>& parts, const std::vector<std::int64_t>& left,
                             Seconds now) {
    std::vector<Planned> planned;
    for (const std::int64_t work : left) planned.push_back({work, now});
    std::vector<Occupants> shared;
    for (const SharedNodes& part : parts) shared.push_back(part.occupants);
    forecast(planned, std::move(shared), now);
    std::vector<Seconds> ends;
    for (const Planned& job : planned) ends.push_back(job.end);
    return ends;
}

bool is_on(const SharedNodes& part, int job) {
    return std::ranges::any_of(part.occupants, [job](const Occupant& o) { return o.job == job; });
}

}  // namespace

Seconds Cluster::end_if_lending(int mate, int cores, std::int64_t guest_left, int jobs_per_node, Seconds now) const {
    const std::vector<int> members = component({mate});
    const int guest = static_cast<int>(members.size());
    std::vector<Planned> planned;
    for (const int slot : members) planned.push_back({jobs_[index(slot)].left_at(now), now});
    planned.push_back({guest_left, now});
    std::vector<Occupants> shared = renumbered(members, pieces_of(members));
    for (Occupants& piece : shared)
        if (static_cast<int>(piece.size()) < jobs_per_node &&
            std::any_of(piece.begin(), piece.end(), [](const Occupant& o) { return o.job == 0; }))
            lend(piece, 0, guest, cores);
    const std::vector<Occupant> guests = guests_on(shared);
    forecast(planned, std::move(shared), now);
    for (const Occupant& o : guests)
        if (planned[index(o.job)].end > planned[index(o.lender)].end) return kNever;
    return planned.front().end;
}

/// Returns the nodes of the members with the guest, whose number is behind theirs, on those that it gets.
std::vector<SharedNodes> Cluster::parts_if_sharing(const std::vector<int>& members, const Sharing& sharing,
                                                   Seconds now) const {
    const std::vector<int> pieces = pieces_of(members);
    const int newcomer = static_cast<int>(members.size());
    std::vector<Occupants> shared = renumbered(members, pieces);
    std::vector<SharedNodes> parts;
    const auto is_mate = [&](const Occupant& o) { return index(o.job) < sharing.mates.size(); };
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const SharedNodes& piece = pieces_[index(pieces[i])];
        NodeSet kept = piece.nodes;
        const NodeSet lent = sharing.on.empty() ? kept : kept.common(sharing.on);
        const auto mate = std::ranges::find_if(shared[i], is_mate);
        if (!lent.empty() && mate != shared[i].end()) {
            Occupants with_guest = shared[i];
            lend(with_guest, mate->job, newcomer, sharing.cores);
            parts.push_back({lent, std::move(with_guest), piece.free_at});
            kept.erase(lent);
        }
        if (!kept.empty()) parts.push_back({std::move(kept), std::move(shared[i]), piece.free_at});
    }
    if (!sharing.free.empty()) parts.push_back({sharing.free, {{newcomer, machine_.cores_per_node, kNoJob}}, now});
    return parts;
}

/// Returns the ends by their limits of the members, and of the guest.
std::vector<Seconds> Cluster::limits_if_sharing(const std::vector<int>& members, const std::vector<SharedNodes>& parts,
                                                const Job& guest, Seconds now) const {
    std::vector<std::int64_t> left;
    for (const int slot : members) left.push_back(limit_left_at(slot, now));
    left.push_back(std::max(guest.request, guest.limit) * machine_.cores_per_node);
    return ends_of(parts, left, now);
}

/// Returns when the nodes of the members, and of the guest, count as free. The first members are the mates.
std::vector<Seconds> Cluster::releases_if_sharing(const std::vector<int>& members,
                                                  const std::vector<SharedNodes>& parts, const Job& guest,
                                                  std::size_t mates, Seconds now) const {
    std::vector<std::int64_t> left;
    for (const int slot : members) left.push_back(jobs_[index(slot)].left_at(now));
    left.push_back(guest.request * machine_.cores_per_node);
    std::vector<Seconds> releases = ends_of(parts, left, now);
    const auto until_limit = [this](int slot) { return jobs_[index(slot)].job.reserve_limit; };
    if (!guest.reserve_limit && std::ranges::none_of(members, until_limit)) return releases;
    const std::vector<Seconds> limits = limits_if_sharing(members, parts, guest, now);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const RunningJob& running = jobs_[index(members[i])];
        const Job& job = running.job;
        if (!job.reserve_limit) continue;
        releases[i] = job.extend_as_predicted ? releases[i] + job.limit - job.request : limits[i];
        if (i < mates) releases[i] = std::max(releases[i], running.limit_end + guest.limit);
    }
    if (guest.reserve_limit)
        releases.back() = guest.extend_as_predicted ? releases.back() + guest.limit - guest.request : limits.back();
    return releases;
}

std::vector<Stay> Cluster::stays_if_sharing(const Job& guest, const Sharing& sharing, Seconds now) const {
    const std::vector<int> members = component(sharing.mates);
    const std::vector<SharedNodes> parts = parts_if_sharing(members, sharing, now);
    const std::vector<Seconds> ends = limits_if_sharing(members, parts, guest, now);
    std::vector<Stay> stays;
    for (std::size_t i = 0; i < members.size(); ++i) stays.push_back({nodes_of(members[i]), ends[i]});
    stays.push_back({{}, ends.back()});
    for (const SharedNodes& part : parts)
        if (is_on(part, static_cast<int>(members.size()))) stays.back().nodes.insert(part.nodes);
    return stays;
}

std::vector<Postponed> Cluster::postponed_if_sharing(const Job& guest, const Sharing& sharing, Seconds now) const {
    const std::vector<int> members = component(sharing.mates);
    const std::vector<SharedNodes> parts = parts_if_sharing(members, sharing, now);
    const std::vector<Seconds> releases = releases_if_sharing(members, parts, guest, sharing.mates.size(), now);
    std::vector<Postponed> later;
    for (const SharedNodes& part : parts) {
        Seconds to = part.free_at;
        for (const Occupant& o : part.occupants) to = std::max(to, releases[index(o.job)]);  // mutant held-up
        if (to == part.free_at) continue;
        const std::size_t first = index(part.occupants.front().job);
        const Job& job = first < members.size() ? jobs_[index(members[first])].job : guest;
        later.push_back({part.nodes, job.filter, part.free_at, to});
    }
    return later;
}

}  // namespace drom::policy
