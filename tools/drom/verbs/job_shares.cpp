// SPDX-License-Identifier: BSD-3-Clause
// job_shares.cpp - how the ranks of one job divide CPUs.
#include "verbs/job_shares.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/format.hpp"

namespace drom::command {

namespace {

using What = JobOrder::What;

unsigned max_of(const Member& member) { return member.max == 0 ? CpuSet::kMaxCpus : member.max; }

CpuSet cpus_of(const std::vector<Member>& members) {
    CpuSet all;
    for (const Member& member : members) all = all | member.cpus;
    return all;
}

std::vector<CpuSet> masks_of(const std::vector<Member>& members) {
    std::vector<CpuSet> masks;
    masks.reserve(members.size());
    for (const Member& member : members) masks.push_back(member.cpus);
    return masks;
}

/// Divides `total` CPUs of the pool among the members, each of which gets CPUs within its limits.
std::vector<CpuSet> share_out(const JobState& job, const std::vector<Member>& members, const CpuSet& pool,
                              unsigned total) {
    std::vector<CpuSet> masks(members.size());
    std::vector<partition::JobRank> ranks;
    for (size_t i = 0; i < members.size(); ++i)
        ranks.push_back({members[i].cpus.words(), members[i].min, max_of(members[i]), masks[i].words()});
    partition::divide_words(job.locations, pool.words(), ranks, total);
    return masks;
}

/// Refuses a number of CPUs that the members cannot divide. Errors: E_NOCPU.
Expected<bool> check_total(const std::vector<Member>& members, unsigned cpus) {
    unsigned min = 0, max = 0;
    for (const Member& member : members) {
        min += member.min;
        max += max_of(member);
    }
    if (min > cpus)
        return failure(DROM_E_NOCPU, fmt::format("{} for {}, which need {} at least; give more", counted(cpus, "CPU"),
                                                 counted(members.size(), "rank"), min));
    if (max < cpus)
        return failure(DROM_E_NOCPU, fmt::format("{} for {}, which can use {} at most; give fewer",
                                                 counted(cpus, "CPU"), counted(members.size(), "rank"), max));
    return true;
}

Expected<std::vector<CpuSet>> divide(const JobState& job, const CpuSet& pool) {
    if (const auto fits = check_total(job.members, pool.count()); !fits) return tl::make_unexpected(fits.error());
    return share_out(job, job.members, pool, pool.count());
}

/// Returns the members with limits that leave each with `per_rank` CPUs, if it has more (or fewer); the others keep
/// theirs.
std::vector<Member> members_at(const JobState& job, unsigned per_rank, bool shrinks) {
    std::vector<Member> members = job.members;
    for (Member& member : members) {
        const unsigned has = member.cpus.count();
        member.min = member.max = shrinks ? std::min(has, per_rank) : std::max(has, per_rank);
    }
    return members;
}

/// Returns whether it is more CPUs by shrinking, or fewer by expanding. CPUs that the client has already are neither.
bool goes_the_other_way(const JobOrder& order, const JobState& job, unsigned total) {
    const bool shrinks = order.what == What::kShrink;
    const unsigned has = cpus_of(job.members).count();
    if (!order.per_rank) return shrinks ? total > has : total < has;
    return std::ranges::all_of(job.members, [&](const Member& member) {
        return shrinks ? *order.per_rank > member.cpus.count() : *order.per_rank < member.cpus.count();
    });
}

/// Returns CPUs to choose `wanted` from: the job's own, and when they are too few those that are free or may be taken.
Expected<CpuSet> find_pool(const JobState& job, unsigned wanted) {
    const CpuSet own = cpus_of(job.members) & job.allowed;
    if (wanted <= own.count()) return own;
    const unsigned missing = wanted - own.count();
    const CpuSet free = (job.free & job.allowed) - own;
    if (job.others.empty() && free.count() < missing)
        return failure(DROM_E_NOCPU, fmt::format("{} wanted: the job has {}, and {} free; ask for fewer, or use --take "
                                                 "to take from other clients",
                                                 counted(wanted, "CPU"), own.count(),
                                                 free.count() == 1 ? "1 is" : fmt::format("{} are", free.count())));
    if (free.count() >= missing) return own | free;  // each takes what is near
    const auto more = choose_cpus({missing, job.allowed - own, free, job.others, job.locations, own});
    if (!more) return tl::make_unexpected(more.error());
    return own | more->cpus;
}

Expected<std::vector<CpuSet>> resize(const JobOrder& order, const JobState& job) {
    const bool shrinks = order.what == What::kShrink;
    const auto members = order.per_rank ? members_at(job, *order.per_rank, shrinks) : job.members;
    unsigned total = order.all.value_or(0);
    if (order.per_rank) {
        total = 0;
        for (const Member& member : members) total += member.min;
    } else if (const auto fits = check_total(members, total); !fits) {
        return tl::make_unexpected(fits.error());
    }
    if (goes_the_other_way(order, job, total))
        return failure(DROM_E_INVAL,
                       fmt::format("to {}{}: the job has {}; use {}", counted(order.per_rank.value_or(total), "CPU"),
                                   order.per_rank ? " per rank" : "", cpus_of(job.members).count(),
                                   shrinks ? "expand to give more" : "shrink to take some"));
    const auto pool = find_pool(job, total);
    if (!pool) return tl::make_unexpected(pool.error());
    return share_out(job, members, *pool, total);
}

}  // namespace

std::vector<CpuSet> masks_of_sizes(const JobState& job) {
    unsigned total = 0;
    for (const Member& member : job.members) total += member.min;
    return share_out(job, job.members, (cpus_of(job.members) | job.free) & job.allowed, total);
}

Expected<std::vector<CpuSet>> plan_job(const JobOrder& order, const JobState& job) {
    const CpuSet has = cpus_of(job.members);
    switch (order.what) {
        case What::kExactly: return divide(job, order.cpus);
        case What::kAdd: return has.contains(order.cpus) ? masks_of(job.members) : divide(job, has | order.cpus);
        case What::kRemove:
            if (const CpuSet strange = order.cpus - has; !strange.empty())
                return failure(DROM_E_NOCPU,
                               fmt::format("CPU {} is not one of the job's, which has {}", strange.text(), has.text()));
            return divide(job, has - order.cpus);
        default: return resize(order, job);
    }
}

}  // namespace drom::command
