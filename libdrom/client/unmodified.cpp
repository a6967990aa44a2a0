// SPDX-License-Identifier: BSD-3-Clause
// unmodified.cpp - an unmodified program becomes a client as its environment says.
#include "unmodified.hpp"

#include <unistd.h>
#include <cstdio>
#include <cstdlib>

#include "base/confine.hpp"
#include "base/env.hpp"
#include "client.hpp"
#include "rank.hpp"

namespace drom::unmodified {

namespace {

Rank own_rank(bool& ranked) noexcept {
    Rank rank{};
    const auto read = [](const char* name) -> const char* { return getenv(name); };
    ranked = rank_of(read, rank);
    if (ranked && rank.job[0] == '\0') name_by_launcher(rank.job, sizeof rank.job);
    return rank;
}

CpuSet cut(const CpuSet& cpus, const Part& part) noexcept {
    CpuSet cut{};
    uint32_t index = 0;
    for (uint32_t cpu = cpus.first(); cpu < kMaxCpus; cpu = cpus.next(cpu + 1), ++index)
        if (index >= part.first && index < part.end) cut.add(cpu);
    return cut;
}

/// Finds this rank's part of a mask that several ranks share; otherwise the first rank would own all of it. Returns
/// false when there is nothing to divide.
bool find_part(const Rank& rank, CpuSet& part) noexcept {
    CpuSet own{};
    CpuSet allowed{};
    // In a reservation there is nothing to claim, and no thread may use CPUs outside of it even for a moment.
    if (rank.local_ranks < 2 || env::text("DROM_SLOT") != nullptr || !get_affinity(0, own) || !get_cpuset(allowed))
        return false;
    if (!shares_mask(rank, own.count(), allowed.count())) return false;
    part = cut(own, part_of(rank, own.count()));
    return true;
}

void note(const Rank& rank) noexcept {
    Page& page = client::page();
    page.rank.store(rank.rank);
    page.local_rank.store(rank.local_rank);
    page.ranks.store(rank.ranks);
}

/// Tells wrong values once: the first rank of a node does, unless drom run has done so.
void tell_wrong_values(const Rank& rank) noexcept {
    if (rank.local_rank != 0 || env::text("DROM_SLOT") != nullptr) return;
    size_t count = 0;
    const env::Variable* table = env::table(count);
    char text[256];
    for (size_t i = 0; i < count; ++i)
        if (env::wrong_value(table[i].name, text, sizeof text)) dprintf(STDERR_FILENO, "drom: %s\n", text);
}

}  // namespace

bool join(const Found& found) noexcept {
    if (env::flag("DROM_FOLLOW", false) && env::text("DROM_SLOT") == nullptr) {
        if (env::number("DROM_VERBOSE", 0) > 0)
            dprintf(STDERR_FILENO, "drom: join: DROM_FOLLOW is set: this process follows its container, in no table\n");
        return false;
    }
    bool ranked = false;
    const Rank rank = own_rank(ranked);
    char name_end[16] = "";
    if (ranked) snprintf(name_end, sizeof name_end, ".%u", rank.rank);
    CpuSet part{};
    const bool divided = find_part(rank, part);
    const client::JoinOptions options{found.places.none() ? nullptr : &found.places,
                                      found.entry_point,
                                      env::flag("DROM_ASYNC", found.async),
                                      env::text("DROM_NAME"),
                                      rank.job[0] != '\0' ? rank.job : nullptr,
                                      static_cast<uint32_t>(env::number("DROM_MIN_CPUS", 0)),
                                      static_cast<uint32_t>(env::number("DROM_MAX_CPUS", 0)),
                                      false,
                                      divided ? &part : nullptr,
                                      nullptr,
                                      0,
                                      name_end};
    drom_error error{};
    if (client::join(options, &error) == DROM_OK) {
        note(rank);
        tell_wrong_values(rank);
        return true;
    }
    if (env::number("DROM_VERBOSE", 0) > 0) dprintf(STDERR_FILENO, "%s\n", error.text);
    return false;
}

}  // namespace drom::unmodified
