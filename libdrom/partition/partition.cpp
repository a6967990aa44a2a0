// SPDX-License-Identifier: BSD-3-Clause
// partition.cpp - decides which jobs give which CPUs to a job that arrives.
#include "partition.hpp"

#include <algorithm>
#include <cinttypes>
#include <numeric>

#include "allocation.hpp"
#include "base/error.hpp"
#include "locality.hpp"

namespace drom::partition {

namespace {

/// Returns the weight of a CPU that is taken from a task. Few CPUs change their task when the tasks with the most lose
/// first. `levels` counts each task's CPUs in list order.
uint64_t depth_of(const Allocation& node, uint32_t cpu, const std::vector<uint32_t>& levels) {
    return node.holder(cpu) == kNobody ? 0 : kMaxCpus - levels[cpu];
}

std::vector<uint32_t> levels_of(const Allocation& node) {
    std::vector<uint32_t> counts(node.clients().size(), 0);
    std::vector<uint32_t> levels(kMaxCpus, 0);
    for (const uint16_t cpu : node.topology().order)
        if (node.holder(cpu) != kNobody) levels[cpu] = ++counts[node.holder(cpu)];
    return levels;
}

/// The pieces that may go to the job `taker`: all CPUs of a core or, when CPUs are granted, those. The other CPUs stay.
class Offer {
public:
    Offer(const Allocation& node, uint32_t taker, const std::optional<CpuSet>& granted)
        : node_(node), heir_(taker), granted_(granted), levels_(levels_of(node)) {
        for (const Client& client : node.clients())
            if (client.fixed) fixed_ = fixed_ | client.mask;
    }

    [[nodiscard]] Pieces pieces() const {
        Pieces pieces;
        uint64_t at = 0;
        each_core(node_.topology(), [&](const Core& core) {
            Core may;
            Core stays;
            const bool whole = !any_in(core, fixed_);
            for (const uint32_t cpu : core) ((granted_ ? granted_->has(cpu) : whole) ? may : stays).push_back(cpu);
            if (!stays.empty()) pieces.add(piece(stays), stays);
            if (!may.empty()) pieces.add(movable(may, ++at), may);
        });
        return pieces;
    }

private:
    [[nodiscard]] Piece piece(const Core& cpus) const {
        return piece_of(node_.topology(), cpus, node_.jobs(), [&](uint32_t cpu) { return node_.job_at(cpu); });
    }
    [[nodiscard]] Piece movable(const Core& cpus, uint64_t at) const {
        Piece moves = piece(cpus);
        moves.takers = {heir_};
        bool free = true;
        for (const uint32_t cpu : cpus) {
            moves.depth += depth_of(node_, cpu, levels_);
            free = free && node_.holder(cpu) == kNobody;
        }
        // Of free cores the first, of others' the last: the earlier job keeps the first CPUs.
        moves.position = free ? at : 2 * kMaxCpus - at;
        return moves;
    }

    const Allocation& node_;
    uint32_t heir_;
    const std::optional<CpuSet>& granted_;
    std::vector<uint32_t> levels_;
    CpuSet fixed_{};
};

uint32_t threads_a_core(const Topology& topology) {
    size_t largest = 1;
    each_core(topology, [&](const Core& core) { largest = std::max(largest, core.size()); });
    return static_cast<uint32_t>(largest);
}

/// Returns how many CPUs a running job may lose: its share that may be elsewhere, less what is elsewhere already.
uint32_t may_lose(const Allocation& node, uint32_t job, double sharing_factor) {
    const uint32_t has = node.pool(job).count();
    const uint32_t by_itself = node.by_itself(job).count();
    const auto max_cpus = static_cast<uint32_t>(sharing_factor * by_itself + 1e-9);
    const uint32_t lent = by_itself - has;
    return std::min(node.spare(job), max_cpus > lent ? max_cpus - lent : 0);
}

/// The decision for a job that arrives. `node` includes it, as the last job and still without CPUs.
class Landing {
public:
    Landing(const Allocation& node, const Arrival& arrival)
        : node_(node), arrival_(arrival), newcomer_(node.jobs() - 1) {
        min_cpus_ = node.min_cpus(newcomer_);
        useful_ = node.max_cpus(newcomer_);
    }

    int choose(CpuSet& cpus, drom_error* error) const {
        if (arrival_.granted) {
            if (const int status = check_grant(*arrival_.granted, error); status != DROM_OK) return status;
            cpus = *arrival_.granted;
            if (cpus.count() <= useful_) return DROM_OK;
        }
        const Packing wish = describe();
        auto takers = pack(wish);
        if (!takers) takers = in_turn(wish, newcomer_);
        if (!takers) return refuse(wish, error);
        cpus = pieces_.of(*takers, newcomer_);
        return DROM_OK;
    }

private:
    Packing describe() const {
        const CpuSet& all = node_.topology().cpus;
        pieces_ = Offer(node_, newcomer_, arrival_.granted).pieces();
        Packing wish{pieces_.all, {}, UINT32_MAX, false};
        for (uint32_t job = 0; job < newcomer_; ++job) {
            const uint32_t size = node_.pool(job).count();
            const uint32_t loses = arrival_.granted ? node_.spare(job) : may_lose(node_, job, arrival_.sharing_factor);
            wish.jobs.push_back({size, size - loses, size, kNoLimit});
        }
        const uint32_t min_cpus = arrival_.granted ? std::min(useful_, arrival_.granted->count()) : min_cpus_;
        const uint32_t beyond = threads_a_core(node_.topology()) - 1;  // a core moves whole
        wish.jobs.push_back({0, min_cpus, saturated(uint64_t{useful_} + beyond), useful_});
        const uint32_t fair = std::max(min_cpus, (all.count() + newcomer_) / (newcomer_ + 1));
        const uint32_t wanted = std::min(arrival_.granted ? useful_ : fair, useful_);
        const uint32_t free = free_cpus(wish);
        wish.max_lost = wanted > free ? wanted - free + beyond : 0;
        return wish;
    }

    /// Returns the CPUs that the newcomer can get without a loss of another job: free ones whose cores no job uses.
    static uint32_t free_cpus(const Packing& wish) {
        uint32_t free = 0;
        for (const Piece& piece : wish.pieces) {
            const uint32_t held = std::accumulate(piece.has.begin(), piece.has.end(), 0U);
            if (!piece.takers.empty() && held == 0) free += piece.size;
        }
        return free;
    }

    int check_grant(const CpuSet& granted, drom_error* error) const {
        const uint64_t job = node_.name(newcomer_);
        const CpuSet strange = granted - node_.topology().cpus;
        if (!strange.none())
            return fail(error, DROM_E_NOCPU, "job %" PRIu64 ": CPU %u was granted, which this node does not have", job,
                        strange.first());
        if (granted.count() < min_cpus_)
            return fail(error, DROM_E_NOCPU,
                        "job %" PRIu64 ": %s granted, but its tasks here need %u at least; ask for more CPUs a task",
                        job, CountText(granted.count(), "CPU").text, min_cpus_);
        for (const Client& client : node_.clients())
            if (client.fixed && client.mask.intersects(granted))
                return fail(error, DROM_E_BUSY,
                            "job %" PRIu64 ": CPU %u was granted, but client %u has it and is not to be changed", job,
                            (client.mask & granted).first(), client.id);
        // With more than is useful there is a choice of CPUs.
        return granted.count() <= useful_ ? check_holders(granted, error) : int{DROM_OK};
    }

    int check_holders(const CpuSet& granted, drom_error* error) const {
        for (uint32_t job = 0; job < newcomer_; ++job) {
            const uint32_t loses = (node_.pool(job) & granted).count();
            if (loses > node_.spare(job))
                return fail(error, DROM_E_BUSY,
                            "job %" PRIu64 ": %s of job %" PRIu64
                            " granted, which can give %u: each of its ranks needs one",
                            node_.name(newcomer_), CountText(loses, "CPU").text, node_.name(job), node_.spare(job));
        }
        return DROM_OK;
    }

    int refuse(const Packing& wish, drom_error* error) const {
        const uint32_t free = free_cpus(wish);
        uint32_t others = 0;
        for (const Share& share : wish.jobs) others += share.size > share.min_cpus ? share.size - share.min_cpus : 0;
        return fail(error, DROM_E_NOCPU,
                    "job %" PRIu64
                    ": its tasks need %s at least in whole cores: %u free, and running jobs can be asked for %u; "
                    "wait until one ends, or raise the sharing factor",
                    node_.name(newcomer_), CountText(min_cpus_, "CPU").text, free, others);
    }

    const Allocation& node_;
    const Arrival& arrival_;
    uint32_t newcomer_;
    uint32_t min_cpus_ = 0, useful_ = 0;
    mutable Pieces pieces_;
};

int check_arrival(const Clients& running, const Arrival& arrival, drom_error* error) {
    if (arrival.tasks.empty()) return fail(error, DROM_E_INVAL, "a job without tasks needs no CPUs");
    const uint64_t job = arrival.tasks.front().job;
    for (const Client& task : arrival.tasks)
        if (task.job != job)
            return fail(error, DROM_E_INVAL,
                        "jobs %" PRIu64 " and %" PRIu64 " arrive at once; let them come one by one", job, task.job);
    for (const Client& client : running)
        if (client.job == job) return fail(error, DROM_E_INVAL, "job %" PRIu64 " is here already", job);
    return check_disjoint(running, error);
}

}  // namespace

int arrive(const Topology& topology, const Clients& running, const Arrival& arrival, Clients& after,
           drom_error* error) {
    if (const int status = check_arrival(running, arrival, error); status != DROM_OK) return status;
    Clients clients = running;
    correct_homes(topology, clients);
    for (Client task : arrival.tasks) {
        task.mask = task.home = CpuSet::empty();
        task.fixed = false;
        clients.push_back(task);
    }
    const Allocation node(topology, clients);
    CpuSet taken{};
    if (const int status = Landing(node, arrival).choose(taken, error); status != DROM_OK) return status;
    for (uint32_t job = 0; job + 1 < node.jobs(); ++job)
        if (const CpuSet pool = node.pool(job); pool.intersects(taken))
            share_out(topology, clients, node.name(job), pool - taken);
    share_out(topology, clients, node.name(node.jobs() - 1), taken);
    for (size_t i = running.size(); i < clients.size(); ++i) clients[i].home = clients[i].mask;
    after = std::move(clients);
    return DROM_OK;
}

std::vector<Request> requests(const Clients& before, const Clients& after) {
    std::vector<Request> losing;
    std::vector<Request> others;
    for (const Client& client : after) {
        const auto same = [&](const Client& c) { return c.id == client.id; };
        const auto was = std::find_if(before.begin(), before.end(), same);
        if (was != before.end() && was->mask == client.mask) continue;
        const bool loses = was != before.end() && was->mask.contains(client.mask);
        (loses ? losing : others).push_back({client.id, client.mask});
    }
    losing.insert(losing.end(), others.begin(), others.end());
    return losing;
}

}  // namespace drom::partition
