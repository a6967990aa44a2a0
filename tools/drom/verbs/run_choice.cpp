// SPDX-License-Identifier: BSD-3-Clause
// run_choice.cpp - which CPUs drom run asks for: those of --cpus, the part of a rank, or some that are free.
#include "verbs/run_choice.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <utility>

#include "command_line/cpu_text.hpp"
#include "output/format.hpp"
#include "output/messages.hpp"
#include "table/reservation.hpp"

namespace drom::command {

namespace {

/// Returns the CPUs where the child could run if nothing but its cpuset limited it.
Expected<CpuSet> cpuset_of(pid_t child) {
    const CpuSet all = CpuSet::range(0, CpuSet::kMaxCpus);
    // Only the waiting child is touched; refused means that something else forbids it, and the affinity is the
    // limit.
    sched_setaffinity(child, CpuSet::kernel_size(), all.as_kernel());
    return CpuSet::affinity_of(child);
}

CpuSet cut(const CpuSet& cpus, const Part& part) {
    CpuSet cut;
    unsigned index = 0;
    for (const unsigned cpu : cpus) {
        if (index >= part.first && index < part.end) cut.add(cpu);
        ++index;
    }
    return cut;
}

}  // namespace

Expected<Choice> CpuChooser::choose(pid_t child) {
    auto snapshot = take_snapshot(table_);
    // Clients that died while no administrator was at work in the table: their CPUs count once they are given back.
    if (snapshot && !snapshot->orphaned.empty() && table_.check()) snapshot = take_snapshot(table_);
    if (!snapshot) return tl::make_unexpected(snapshot.error());
    return exact_.empty() ? choose_some(*snapshot, child) : choose_exactly(*snapshot, child);
}

Expected<Choice> CpuChooser::choose_exactly(const Snapshot& snapshot, pid_t child) {
    if (const auto why = outside_limits(); !why.empty())
        return tl::make_unexpected(sentence(options_, DROM_E_INVAL, why));
    const auto limit = cpuset_of(child);
    if (!limit) return tl::make_unexpected(limit.error());
    const CpuSet outside = (exact_ & snapshot.masks.present) - *limit;
    if (!outside.empty())
        return failure(
            DROM_E_NOCPU,
            fmt::format("drom: run: {} {} outside this process's cgroup, which allows {}; choose among those",
                        cpus_text(outside), outside.count() == 1 ? "is" : "are", limit->text()));
    const CpuSet drained = exact_ & snapshot.masks.drained;
    if (options_.run.wait && !drained.empty() && snapshot.masks.present.contains(exact_))
        return failure(DROM_E_BUSY,
                       fmt::format("drom: run: drom restore gives back {}, drained now", cpus_text(drained)));
    // A waiting drom run looks first: each attempt to reserve would be an event in the table.
    if (const auto* keeper = options_.run.wait ? keeper_of(snapshot) : nullptr; keeper != nullptr)
        return failure(DROM_E_BUSY, fmt::format("drom: run: {} keeps {}; choose others, or wait until it ends",
                                                client_words(keeper->info), cpus_text(keeper->wanted & exact_)));
    return Choice{exact_, !snapshot.masks.free.contains(exact_)};
}

/// Returns why --cpus cannot be had with the min and the max of the program; empty: it can.
std::string CpuChooser::outside_limits() const {
    const unsigned count = exact_.count();
    const auto& run = options_.run;
    if (run.min && count < *run.min)
        return fmt::format("{} asked, but the client needs at least {} ({}); name more, or lower that",
                           counted(count, "CPU"), *run.min, run.min_said);
    if (run.max && count > *run.max)
        return fmt::format("{} asked, but the client uses at most {} ({}); name fewer, or raise that",
                           counted(count, "CPU"), *run.max, run.max_said);
    return {};
}

/// Returns the first client that has CPUs of --cpus and does not give them up; nullptr: each of them gives.
const ClientView* CpuChooser::keeper_of(const Snapshot& snapshot) const {
    const auto found = std::ranges::find_if(snapshot.clients, [&](const ClientView& client) {
        if (!client.wanted.intersects(exact_)) return false;
        const unsigned left = (client.wanted - exact_).count();
        return (client.info.flags & DROM_RIGID) != 0 || left < std::max(1U, client.info.min_cpus);
    });
    return found == snapshot.clients.end() ? nullptr : &*found;
}

/// Returns the CPUs on which the program starts, all or a part of the affinity. Ranks that no launcher bound have
/// the same affinity: unless a number was asked for, each rank starts on its part.
Expected<CpuSet> CpuChooser::own_cpus(const CpuSet& affinity, pid_t child) {
    if (rank_ == nullptr || options_.run.ncpus) return affinity;
    const auto cpuset = cpuset_of(child);
    if (!cpuset) return tl::make_unexpected(cpuset.error());
    const unsigned count = affinity.count();
    if (shares_mask(*rank_, count, cpuset->count())) return own_part(affinity);
    if (count < cpuset->count() && !std::exchange(said_bound_, true))
        mention(options_, fmt::format("its launcher has bound rank {} to {}: it starts there; an unbound one "
                                      "(mpirun --bind-to none) gets a part of {}",
                                      rank_->rank, cpus_text(affinity), cpus_text(*cpuset)));
    return affinity;
}

/// Returns the part of this rank when the ranks of the node divide these CPUs.
Expected<CpuSet> CpuChooser::own_part(const CpuSet& cpus) const {
    const CpuSet part = cut(cpus, part_of(*rank_, cpus.count()));
    if (!part.empty()) return part;
    return tl::make_unexpected(
        sentence(options_, DROM_E_NOCPU,
                 fmt::format("{} ranks divide {} of this node, and none is left for rank {}; start at most {} here, or "
                             "without drom run, preloaded as docs/user/guide.md says",
                             rank_->local_ranks, cpus_text(cpus), rank_->rank, cpus.count())));
}

/// Chooses the CPUs of this rank. Ranks may have been moved before the last one arrives. One whose part is not free
/// has as many others that are.
Expected<Choice> CpuChooser::choose_some(const Snapshot& snapshot, pid_t child) {
    const auto affinity = CpuSet::affinity_of();
    if (!affinity) return tl::make_unexpected(affinity.error());
    const auto part = own_cpus(*affinity, child);
    if (!part) return tl::make_unexpected(part.error());
    auto own = choose_among(snapshot, *part, part->count());
    const bool all_free = snapshot.masks.free.contains((*part & snapshot.masks.present) - snapshot.masks.drained);
    if (*part == *affinity || (own && all_free)) return own;
    auto any = choose_among(snapshot, *affinity, part->count());
    return own && (!any || any->takes) ? own : any;
}

/// Chooses CPUs. `max`: of those that the program gets without asking.
Expected<Choice> CpuChooser::choose_among(const Snapshot& snapshot, const CpuSet& cpus, unsigned max) const {
    RunOrder order;
    order.allowed = (cpus & snapshot.masks.present) - snapshot.masks.drained;
    order.free = snapshot.masks.free;
    order.locations = snapshot.locations;
    order.drained = cpus & snapshot.masks.drained;
    for (const auto& client : snapshot.clients)
        if (!client.wanted.empty()) order.shares.push_back(share_of(client));
    if (const auto* around = client_around(snapshot); around != nullptr) {
        order.around = client_words(around->info);
        order.around_cpus = around->wanted;
    }
    order.count =
        options_.run.ncpus.value_or(std::max(std::min(default_count(order), max), options_.run.min.value_or(1)));
    if (!options_.run.ncpus && order.count == options_.run.min && options_.run.min_said.starts_with("DROM_"))
        order.reason = options_.run.min_said;
    auto choice = choose_cpus(order);
    if (!choice) return tl::make_unexpected(sentence(options_, choice.error().status, choice.error().text));
    return choice;
}

unsigned CpuChooser::default_count(const RunOrder& order) const {
    const unsigned limit = options_.run.max.value_or(CpuSet::kMaxCpus);
    if (const unsigned free = (order.free & order.allowed).count(); free > 0) return std::min(free, limit);
    const auto owners = static_cast<size_t>(
        std::ranges::count_if(order.shares, [&](const Share& share) { return share.cpus.intersects(order.allowed); }));
    return std::min(equal_share(order.allowed.count(), owners), limit);
}

}  // namespace drom::command
