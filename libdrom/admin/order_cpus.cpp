// SPDX-License-Identifier: BSD-3-Clause
// order_cpus.cpp - the CPUs that an order about one client means, on the words as they are now.
#include "order_cpus.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/error.hpp"
#include "partition/choice.hpp"
#include "partition/nearness.hpp"
#include "plan.hpp"
#include "shmem/slots.hpp"

namespace drom {

int check_limits(const Ledger& ledger, uint32_t index, const CpuSet& mask, const char* verb,
                 drom_error* error) noexcept {
    const Slot& slot = ledger.slot(index);
    const Owner::Name client = name_of(ledger, index);
    // The only administrator of a node's table is the resource manager, which may do this.
    const bool rigid = is_rigid(ledger, index) && !ledger.node_mode();
    if (rigid && !(wanted_cpus(ledger, client) - mask).none())
        return fail(error, DROM_E_BUSY, "%s: the client is rigid: it keeps its CPUs until it ends", verb);
    const uint32_t count = mask.count(ledger.cpus());
    const uint32_t min = slot.min_cpus.load(std::memory_order_relaxed);
    const uint32_t max = slot.max_cpus.load(std::memory_order_relaxed);
    if (count < min)  // mutant min
        return fail(error, DROM_E_INVAL, "%s: %s asked, but the client needs at least %u", verb,
                    CountText(count, "CPU").text, min);
    if (max != 0 && count > max)
        return fail(error, DROM_E_INVAL,
                    "%s: %s asked, but the client uses at most %u; drom run --max %u starts it so that it can grow",
                    verb, CountText(count, "CPU").text, max, count);
    return DROM_OK;
}

namespace {

bool same_job(const Slot& a, const Slot& b) noexcept {
    return a.job[0] != '\0' && strncmp(a.job, b.job, sizeof a.job) == 0;
}

/// The jobs of clients, by slot. A client without a job is one.
class Jobs {
public:
    explicit Jobs(partition::Occupancy& clients) noexcept : clients_(clients) {}

    uint16_t of(const Ledger& ledger, uint32_t slot) noexcept {
        for (uint32_t i = 0; i < count_; ++i)
            if (same_job(ledger.slot(slots_[i]), ledger.slot(slot))) return jobs_[i];
        slots_[count_] = static_cast<uint16_t>(slot);
        return jobs_[count_++] = clients_.add_job();
    }

private:
    partition::Occupancy& clients_;
    uint32_t count_ = 0;
    uint16_t slots_[kMaxClients], jobs_[kMaxClients];
};

/// The memory of choose_taken(): too much for the stack of an application's thread.
struct Question {
    Question(const CpuSet& present, const Location* locations) noexcept : clients(present, locations), jobs(clients) {}

    partition::Occupancy clients;
    Jobs jobs;
    partition::ChoiceRoom room;
};
static_assert(std::is_trivially_destructible_v<Question>);

CpuSet find_taken(const Ledger& ledger, Owner::Name client, const CpuSet& base, uint32_t count,
                  Question& question) noexcept {
    auto& [clients, jobs, room] = question;
    CpuSet held{};
    uint32_t spare = 0;
    for (uint32_t slot = 0; slot < ledger.clients(); ++slot) {
        const Owner::Name owner = name_of(ledger, slot);
        if (owner == client || !is_live(ledger, owner)) continue;
        const CpuSet has = wanted_cpus(ledger, owner);
        const uint32_t loses = is_rigid(ledger, slot) ? 0 : has.count() - std::min(has.count(), min_cpus(ledger, slot));
        clients.add(jobs.of(ledger, slot), has, loses);
        held = held | has;
        spare += loses;
    }
    const uint32_t taken = std::min(count, spare);
    return choose(clients, {.min = taken, .max = taken, .may_take = taken, .among = held, .near = base}, room).cpus;
}

}  // namespace

bool choose_taken(const Ledger& ledger, Owner::Name client, const CpuSet& base, uint32_t count,
                  CpuSet& taken) noexcept {
    CpuSet present{};
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu)
        if (!load_owner(ledger, cpu).is(Owner::kAbsent)) present.add(cpu);
    void* memory = malloc(sizeof(Question));
    if (memory == nullptr) return false;
    auto* question = new (memory) Question(present, &ledger.location(0));
    taken = find_taken(ledger, client, base, count, *question);
    free(memory);
    return true;
}

namespace {

int choose_kept(const Ledger& ledger, const Order& order, bool again, Intent& what, const char* verb,
                drom_error* error) noexcept {
    const CpuSet has = wanted_cpus(ledger, what.client());
    const CpuSet strange = order.mask - has;
    what.kind = intent::kRemove;
    what.mask = order.mask & has;
    if (order.mask.none()) return fail(error, DROM_E_INVAL, "%s: the mask is empty; name the CPUs to take", verb);
    if (!strange.none() && !again)
        return fail(error, DROM_E_NOCPU, "%s: %s %s %s, which has %s", verb, CpusText(strange).text,
                    strange.count() == 1 ? "is not one of" : "are not among those of",
                    ClientText(ledger, what.slot).text, CpuText(has).text);
    const CpuSet kept = has - order.mask;
    return kept.none() ? int{DROM_OK}
                       : check_limits(ledger, what.slot, kept, verb, error);  // no CPU left: the plan refuses
}

int choose_fewer(const Ledger& ledger, const Order& order, bool again, Intent& what, const char* verb,
                 drom_error* error) noexcept {
    const CpuSet mask = wanted_cpus(ledger, what.client());
    const uint32_t has = mask.count();
    what.kind = intent::kRemove;
    what.mask = CpuSet::empty();
    if (order.to == 0) return fail(error, DROM_E_INVAL, "%s: a client keeps at least one CPU", verb);
    if (order.to == has) return DROM_OK;  // nothing to take: a result, no error
    if (order.to > has && !again)
        return fail(error, DROM_E_INVAL, "%s: to %s: it has %u; %s", verb, CountText(order.to, "CPU").text, has,
                    order.to > ledger.cpus() ? "the node has fewer too" : "use expand to give more");
    if (order.to < has) what.mask = partition::choose_far(mask, has - order.to, &ledger.location(0));
    return check_limits(ledger, what.slot, mask - what.mask, verb, error);
}

int refuse_memory(const char* verb, drom_error* error) noexcept {
    return fail(error, DROM_E_OS, "%s: out of memory", verb);
}

/// Refuses because not so many can be given. The advice depends on the owners of the remaining CPUs.
int refuse_more(const Ledger& ledger, Owner::Name client, const CpuSet& all, uint32_t has, uint32_t to, bool take,
                const char* verb, drom_error* error) noexcept {
    const auto [present, unowned, drained] = node_masks(ledger);
    char advice[160];
    CpuSet of_others{};
    if (!take && !choose_taken(ledger, client, all, to - all.count(), of_others)) return refuse_memory(verb, error);
    if (!of_others.none())
        snprintf(advice, sizeof advice, "use --take (DROM_TAKE) to take from other clients");
    else if (!(drained - all).none())
        snprintf(advice, sizeof advice, "drom restore gives back %s, drained now", CpusText(drained - all).text);
    else if (!(present - all - unowned).none())
        snprintf(advice, sizeof advice, "the others need theirs");
    else
        snprintf(advice, sizeof advice, "the node has no more");
    return fail(error, DROM_E_NOCPU, "%s: to %s: it has %u and only %u more can be given; %s", verb,
                CountText(to, "CPU").text, has, all.count() - has, advice);
}

int choose_more(const Ledger& ledger, const Order& order, bool again, Intent& what, const char* verb,
                drom_error* error) noexcept {
    const Owner::Name client = what.client();
    const CpuSet mask = wanted_cpus(ledger, client);
    const uint32_t has = mask.count();
    const bool take = (what.flags & DROM_TAKE) != 0;
    what.kind = intent::kAdd;
    what.mask = CpuSet::empty();
    if (order.to == has || (order.to < has && again)) return DROM_OK;
    if (order.to < has)
        return fail(error, DROM_E_INVAL, "%s: to %s: it has %u; use shrink to take some", verb,
                    CountText(order.to, "CPU").text, has);
    CpuSet all = mask | partition::choose_near(mask, givable_cpus(ledger, client), order.to - has, &ledger.location(0));
    CpuSet taken{};
    if (all.count() < order.to && take && !choose_taken(ledger, client, all, order.to - all.count(), taken))
        return refuse_memory(verb, error);
    all = all | taken;
    if (all.count() < order.to) return refuse_more(ledger, client, all, has, order.to, take, verb, error);
    what.mask = all - mask;
    return check_limits(ledger, what.slot, all, verb, error);
}

}  // namespace

int resolve_order(const Ledger& ledger, const Order& order, bool again, Intent& what, const char* verb,
                  drom_error* error) noexcept {
    what.mask = order.mask;
    switch (order.kind) {
        case Order::kRemove: return choose_kept(ledger, order, again, what, verb, error);
        case Order::kShrink: return choose_fewer(ledger, order, again, what, verb, error);
        case Order::kExpand: return choose_more(ledger, order, again, what, verb, error);
        default: break;
    }
    const bool exactly = order.kind == Order::kSet;
    what.kind = exactly ? intent::kMask : intent::kAdd;
    if (const int status = check_cpus(ledger, order.mask, false, verb, error); status != DROM_OK) return status;
    if (exactly) return check_limits(ledger, what.slot, order.mask, verb, error);
    return check_limits(ledger, what.slot, order.mask | wanted_cpus(ledger, what.client()), verb, error);
}

}  // namespace drom
