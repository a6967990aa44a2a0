// SPDX-License-Identifier: BSD-3-Clause
// job_shares.cpp - how the ranks of one job divide CPUs.
#include "verbs/job_shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "output/format.hpp"

namespace drom::command {

namespace {

using What = JobWish::What;

unsigned min_of(const Member& member) { return std::max(1U, member.min); }
unsigned max_of(const Member& member) { return member.max == 0 ? CpuSet::kMaxCpus : member.max; }
unsigned sum(const std::vector<unsigned>& counts) { return std::accumulate(counts.begin(), counts.end(), 0U); }

CpuSet cpus_of(const std::vector<Member>& members) {
    CpuSet all;
    for (const Member& member : members) all = all | member.cpus;
    return all;
}

/// Of the members with the fewest CPUs that may have one more the first one that has it already, else the first;
/// members.size() when none may.
size_t poorest(const std::vector<Member>& members, const std::vector<unsigned>& counts) {
    size_t best = members.size();
    bool best_has = false;
    for (size_t i = 0; i < members.size(); ++i) {
        if (counts[i] >= max_of(members[i])) continue;
        const bool has = members[i].cpus.count() > counts[i];
        const bool better =
            best == members.size() || counts[i] < counts[best] || (counts[i] == counts[best] && has && !best_has);
        if (!better) continue;
        best = i;
        best_has = has;
    }
    return best;
}

std::vector<CpuSet> masks_of(const std::vector<Member>& members) {
    std::vector<CpuSet> masks;
    masks.reserve(members.size());
    for (const Member& member : members) masks.push_back(member.cpus);
    return masks;
}

Expected<std::vector<CpuSet>> divide(const JobState& job, const CpuSet& pool) {
    std::vector<Member> members = job.members;
    for (Member& member : members) member.cpus = member.cpus & pool;
    const auto counts = equal_counts(members, pool.count());
    if (!counts) return tl::make_unexpected(counts.error());
    return share_out(members, *counts, pool, job.levels);
}

/// The CPUs that each rank is to have: `per_rank` for those that have more, the others keep theirs.
std::vector<unsigned> counts_at(const JobState& job, unsigned per_rank, bool shrinks) {
    std::vector<unsigned> counts;
    for (const Member& member : job.members) {
        const unsigned has = member.cpus.count();
        counts.push_back(shrinks ? std::min(has, per_rank) : std::max(has, per_rank));
    }
    return counts;
}

/// More CPUs by shrinking, or fewer by expanding. CPUs that the client has already are neither.
bool goes_the_other_way(const JobWish& wish, const JobState& job, const std::vector<unsigned>& counts) {
    const bool shrinks = wish.what == What::kShrink;
    const unsigned has = cpus_of(job.members).count();
    if (!wish.per_rank) return shrinks ? sum(counts) > has : sum(counts) < has;
    return std::ranges::all_of(job.members, [&](const Member& member) {
        return shrinks ? *wish.per_rank > member.cpus.count() : *wish.per_rank < member.cpus.count();
    });
}

Expected<std::vector<unsigned>> wanted_counts(const JobWish& wish, const JobState& job) {
    const bool shrinks = wish.what == What::kShrink;
    const unsigned has = cpus_of(job.members).count();
    auto counts = wish.per_rank ? Expected<std::vector<unsigned>>(counts_at(job, *wish.per_rank, shrinks))
                                : equal_counts(job.members, wish.all.value_or(0));
    if (!counts) return counts;
    const std::string to = wish.per_rank ? fmt::format("to {} a rank", counted(*wish.per_rank, "CPU"))
                                         : fmt::format("to {}", counted(wish.all.value_or(0), "CPU"));
    if (!goes_the_other_way(wish, job, *counts)) return counts;
    return failure(DROM_E_INVAL, fmt::format("{}: the job has {}; use {}", to, has,
                                             shrinks ? "expand to give more" : "shrink to take some"));
}

/// CPUs to choose from for `counts`: the job's own, and when they are too few those that are free or may be taken.
Expected<CpuSet> find_pool(const JobState& job, const std::vector<unsigned>& counts) {
    const CpuSet own = cpus_of(job.members) & job.allowed;
    const unsigned wanted = sum(counts);
    if (wanted <= own.count()) return own;
    const unsigned missing = wanted - own.count();
    const CpuSet free = (job.free & job.allowed) - own;
    if (job.others.empty() && free.count() < missing)
        return failure(DROM_E_NOCPU, fmt::format("{} wanted: the job has {}, and {} free; ask for fewer, or use --take "
                                                 "to take from other clients",
                                                 counted(wanted, "CPU"), own.count(),
                                                 free.count() == 1 ? "1 is" : fmt::format("{} are", free.count())));
    if (free.count() >= missing) return own | free;  // each takes what is near
    const Wish wish{missing, job.allowed - own, free, job.others, job.levels};
    const auto more = choose_cpus(wish);
    if (!more) return tl::make_unexpected(more.error());
    return own | more->cpus;
}

Expected<std::vector<CpuSet>> resize(const JobWish& wish, const JobState& job) {
    const auto counts = wanted_counts(wish, job);
    if (!counts) return tl::make_unexpected(counts.error());
    const auto pool = find_pool(job, *counts);
    if (!pool) return tl::make_unexpected(pool.error());
    return share_out(job.members, *counts, *pool, job.levels);
}

}  // namespace

Expected<std::vector<unsigned>> equal_counts(const std::vector<Member>& members, unsigned cpus) {
    std::vector<unsigned> counts;
    counts.reserve(members.size());
    for (const Member& member : members) counts.push_back(min_of(member));
    if (sum(counts) > cpus)
        return failure(DROM_E_NOCPU, fmt::format("{} for {}, which need {} at least; give more", counted(cpus, "CPU"),
                                                 counted(members.size(), "rank"), sum(counts)));
    for (unsigned left = cpus - sum(counts); left > 0; --left) {
        const size_t next = poorest(members, counts);
        if (next == members.size())
            return failure(DROM_E_NOCPU,
                           fmt::format("{} for {}, which can use {} at most; give fewer", counted(cpus, "CPU"),
                                       counted(members.size(), "rank"), sum(counts)));
        ++counts[next];
    }
    return counts;
}

std::vector<CpuSet> share_out(const std::vector<Member>& members, const std::vector<unsigned>& counts, CpuSet pool,
                              const std::vector<Domains>& levels) {
    std::vector<CpuSet> masks;
    masks.reserve(members.size());
    for (size_t i = 0; i < members.size(); ++i)
        masks.push_back(nearest_cpus(members[i].cpus & pool, counts[i], {}, levels));
    for (const CpuSet& kept : masks) pool = pool - kept;
    for (size_t i = 0; i < members.size(); ++i) {
        const CpuSet more = nearest_cpus(pool, counts[i] - masks[i].count(), masks[i], levels);
        masks[i] = masks[i] | more;
        pool = pool - more;
    }
    return masks;
}

Expected<std::vector<CpuSet>> plan_job(const JobWish& wish, const JobState& job) {
    const CpuSet has = cpus_of(job.members);
    switch (wish.what) {
        case What::kExactly: return divide(job, wish.cpus);
        case What::kBesides: return has.contains(wish.cpus) ? masks_of(job.members) : divide(job, has | wish.cpus);
        case What::kWithout:
            if (const CpuSet strange = wish.cpus - has; !strange.empty())
                return failure(DROM_E_NOCPU,
                               fmt::format("CPU {} is not one of the job's, which has {}", strange.text(), has.text()));
            return divide(job, has - wish.cpus);
        default: return resize(wish, job);
    }
}

}  // namespace drom::command
