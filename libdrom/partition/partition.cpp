// SPDX-License-Identifier: BSD-3-Clause
// partition.cpp - decides which jobs give which CPUs to a job that arrives.
#include "partition.hpp"

#include <algorithm>
#include <cinttypes>
#include <memory>

#include "allocation.hpp"
#include "base/error.hpp"
#include "choice.hpp"

namespace drom::partition {

namespace {

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

    int choose(Choice& choice, drom_error* error) const {
        if (arrival_.granted) {
            if (const int status = check_grant(*arrival_.granted, error); status != DROM_OK) return status;
            choice = {*arrival_.granted, *arrival_.granted};
            if (choice.cpus.count() <= useful_) return DROM_OK;
        }
        choice = partition::choose(*occupancy(), demand(), *std::make_unique<ChoiceRoom>());
        return choice.cpus.none() ? refuse(error) : int{DROM_OK};
    }

private:
    [[nodiscard]] uint32_t loses(uint32_t job) const {
        return arrival_.granted ? node_.spare(job) : may_lose(node_, job, arrival_.sharing_factor);
    }

    [[nodiscard]] std::unique_ptr<Occupancy> occupancy() const {
        auto all = std::make_unique<Occupancy>(node_.topology().cpus, node_.topology().locations.data());
        for (uint32_t job = 0; job < newcomer_; ++job) all->add_job(loses(job));
        for (uint32_t i = 0; node_.job_of(i) != newcomer_; ++i) {
            const Client& client = node_.clients()[i];
            all->add(node_.job_of(i), client.mask & node_.topology().cpus, client.fixed ? 0 : kAnyNumber);
        }
        return all;
    }

    [[nodiscard]] Demand demand() const {
        const uint32_t all = node_.topology().cpus.count();
        const uint32_t max = std::min(useful_, all + 1);
        const uint32_t fair = std::max(min_cpus_, (all + newcomer_) / (newcomer_ + 1));
        const uint32_t wanted = arrival_.granted ? max : std::min(fair, max);
        const uint32_t free = free_cpus();
        return {.min = arrival_.granted ? max : min_cpus_,
                .max = max,
                .may_take = wanted > free ? wanted - free : 0,
                .among = among(),
                .whole_cores = true};
    }

    /// Returns the CPUs that may change hands: those that were granted, or all of cores on which no fixed client is.
    [[nodiscard]] CpuSet among() const {
        if (arrival_.granted) return *arrival_.granted;
        CpuSet fixed{};
        for (const Client& client : node_.clients())
            if (client.fixed) fixed = fixed | client.mask;
        CpuSet among{};
        each_core(node_.topology(), [&](const Core& core) {
            if (any_in(core, fixed)) return;
            for (const uint32_t cpu : core) among.add(cpu);
        });
        return among;
    }

    /// Returns the CPUs that the newcomer can get without a loss of another job: free ones whose cores no job uses.
    [[nodiscard]] uint32_t free_cpus() const {
        const CpuSet among = this->among();
        uint32_t free = 0;
        each_core(node_.topology(), [&](const Core& core) {
            uint32_t here = 0;
            for (const uint32_t cpu : core)
                if (among.has(cpu)) here += node_.owner(cpu) == kNone ? 1 : kMaxCpus;
            free += here < kMaxCpus ? here : 0;
        });
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
                        "job %" PRIu64 ": %s granted, but its tasks here need %u at least; ask for more CPUs per task",
                        job, CountText(granted.count(), "CPU").text, min_cpus_);
        for (const Client& client : node_.clients())
            if (client.fixed && client.mask.intersects(granted))
                return fail(error, DROM_E_BUSY,
                            "job %" PRIu64 ": CPU %u was granted, but client %u has it and is not to be changed", job,
                            (client.mask & granted).first(), client.id);
        // With more than is useful there is a choice of CPUs.
        return granted.count() <= useful_ ? check_losses(granted, error) : int{DROM_OK};
    }

    int check_losses(const CpuSet& granted, drom_error* error) const {
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

    int refuse(drom_error* error) const {
        uint32_t others = 0;
        for (uint32_t job = 0; job < newcomer_; ++job) others += loses(job);
        return fail(error, DROM_E_NOCPU,
                    "job %" PRIu64
                    ": its tasks need %s at least in whole cores: %u free, and running jobs can be asked for %u; "
                    "wait until one ends, or raise the sharing factor",
                    node_.name(newcomer_), CountText(min_cpus_, "CPU").text, free_cpus(), others);
    }

    const Allocation& node_;
    const Arrival& arrival_;
    uint32_t newcomer_;
    uint32_t min_cpus_ = 0, useful_ = 0;
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
    Choice choice;
    if (const int status = Landing(node, arrival).choose(choice, error); status != DROM_OK) return status;
    for (uint32_t job = 0; job + 1 < node.jobs(); ++job)
        if (const CpuSet pool = node.pool(job); pool.intersects(choice.left))
            share_out(topology, clients, node.name(job), pool - choice.left);
    share_out(topology, clients, node.name(node.jobs() - 1), choice.cpus);
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
