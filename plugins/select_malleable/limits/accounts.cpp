// SPDX-License-Identifier: GPL-2.0-or-later
// accounts.cpp - reads limits and usage of accounts and QOS.
#include "accounts.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace drom::slurm {

using policy::Bound;
using policy::Budget;
using policy::Consumption;
using policy::Seconds;

namespace {

class AccountsLocked {
public:
    AccountsLocked() { assoc_mgr_lock(&locks_); }
    ~AccountsLocked() { assoc_mgr_unlock(&locks_); }
    AccountsLocked(const AccountsLocked&) = delete;
    AccountsLocked& operator=(const AccountsLocked&) = delete;

private:
    assoc_mgr_lock_t locks_ = {
        .assoc = READ_LOCK, .file = {}, .qos = READ_LOCK, .res = {}, .tres = READ_LOCK, .user = {}, .wckey = {}};
};

bool enforced() { return (accounting_enforce & ACCOUNTING_ENFORCE_LIMITS) != 0; }

std::size_t resources() { return static_cast<std::size_t>(slurmctld_tres_cnt); }

/// Calls `body` with the QOS that count for the job, the first one first.
template <class Body>
void each_qos(const job_record_t& job, const Body& body) {
    std::array<slurmdb_qos_rec_t*, 2> both{};
    acct_policy_set_qos_order(const_cast<job_record_t*>(&job), &both[0], &both[1]);
    for (const slurmdb_qos_rec_t* qos : both)
        if (qos != nullptr && qos->usage != nullptr) body(*qos);
}

/// Calls `body` with the job's association and those above it. Limits of the root's do not count.
template <class Body>
void each_account(const job_record_t& job, const Body& body) {
    const slurmdb_assoc_rec_t* account = job.assoc_ptr;
    while (account != nullptr && account->usage != nullptr) {
        body(*account);
        account = account->usage->parent_assoc_ptr;
        if (account == assoc_mgr_root_assoc) return;
    }
}

std::string named(const slurmdb_qos_rec_t& qos) { return std::string("QOS ") + (qos.name == nullptr ? "?" : qos.name); }

std::string named(const slurmdb_assoc_rec_t& account) {
    const std::string name = std::string("account ") + (account.acct == nullptr ? "?" : account.acct);
    return account.user == nullptr ? name : name + " for user " + account.user;
}

std::uint64_t amount_of(const uint64_t* amounts, std::size_t resource) {
    const bool counts = amounts != nullptr && resource != TRES_ARRAY_ENERGY;
    return counts && amounts[resource] != NO_CONSUME_VAL64 ? amounts[resource] : 0;
}

std::uint64_t cpus_of_nodes(const policy::NodeSet& nodes) {
    std::uint64_t cpus = 0;
    for (const policy::NodeRange& range : nodes.ranges())
        for (int node = range.first; node <= range.last; ++node) cpus += node_record_table_ptr[node]->cpus;
    return cpus;
}

/// Returns what whole idle nodes are counted as: their number, their CPUs, and a bill for these by the dearest mate's
/// price of a CPU.
std::uint64_t amount_of_idle(const policy::NodeSet& idle, std::size_t resource,
                             const std::vector<const job_record_t*>& mates) {
    if (resource == TRES_ARRAY_NODE) return static_cast<std::uint64_t>(idle.count());
    const std::uint64_t cpus = cpus_of_nodes(idle);
    if (resource != TRES_ARRAY_BILLING) return cpus;
    std::uint64_t dearest = 0;
    for (const job_record_t* mate : mates) {
        const std::uint64_t theirs = std::max<std::uint64_t>(1, amount_of(mate->tres_alloc_cnt, TRES_ARRAY_CPU));
        dearest = std::max(dearest, (cpus * amount_of(mate->tres_alloc_cnt, resource) + theirs - 1) / theirs);
    }
    return dearest;
}

/// Collects limits of one kind. A limit of a QOS on a resource takes the place of those that come after it.
class Limits {
public:
    explicit Limits(const char* word) : word_(word), said_(resources(), false) {}

    Budget of(const uint64_t* limits, const std::string& whose, bool is_qos) {
        Budget budget;
        budget.name = whose;
        budget.limits.assign(resources(), policy::kUnlimited);
        for (std::size_t i = 0; limits != nullptr && i < resources(); ++i) {
            if (said_[i] || limits[i] == INFINITE64 || limits[i] == NO_VAL64) continue;
            budget.limits[i] = limits[i];
            said_[i] = is_qos;
        }
        return budget;
    }
    const char* word() const { return word_; }

private:
    const char* word_;
    std::vector<bool> said_;
};

template <class Usage>
std::vector<std::uint64_t> reserved(const Usage& usage) {
    std::vector<std::uint64_t> minutes(resources());
    for (std::size_t i = 0; i < minutes.size(); ++i) minutes[i] = usage.grp_used_tres_run_secs[i] / 60;
    return minutes;
}

template <class Usage>
std::vector<std::uint64_t> used_and_reserved(const Usage& usage) {
    std::vector<std::uint64_t> minutes = reserved(usage);
    for (std::size_t i = 0; i < minutes.size(); ++i)
        minutes[i] += static_cast<std::uint64_t>(usage.usage_tres_raw[i] / 60);
    return minutes;
}

/// Looks for the first budget that is exhausted.
class Search {
public:
    Search(const job_record_t& job, const Consumption& consumption, const std::vector<Consumption>& together)
        : consumption_(consumption), together_(together) {
        if (job.qos_ptr != nullptr && job.qos_ptr->usage_factor >= 0) factor_ = job.qos_ptr->usage_factor;
    }

    template <class Holder>
    void look(const Holder& holder, const uint64_t* each_job, bool is_qos) {
        const std::string whose = named(holder);
        check(each_, each_.of(each_job, whose, is_qos));
        check_group(group_, group_.of(holder.grp_tres_mins_ctld, whose, is_qos), used_and_reserved(*holder.usage));
        check_group(running_, running_.of(holder.grp_tres_run_mins_ctld, whose, is_qos), reserved(*holder.usage));
    }
    const std::string& found() const { return found_; }

private:
    void check_group(const Limits& kind, Budget budget, std::vector<std::uint64_t> taken) {
        budget.each = false;
        budget.taken = std::move(taken);
        budget.factor = factor_;
        check(kind, budget);
    }
    void check(const Limits& kind, const Budget& budget) {
        if (!found_.empty()) return;
        if (const auto resource = policy::exhausted(budget, consumption_, together_))
            found_ = std::string(kind.word()) + "=" + assoc_mgr_tres_name_array[*resource] + " of " + budget.name;
    }

    const Consumption& consumption_;
    const std::vector<Consumption>& together_;
    double factor_ = 1;
    Limits each_{"MaxTRESMins"}, group_{"GrpTRESMins"}, running_{"GrpTRESRunMins"};
    std::string found_;
};

}  // namespace

Consumption consumption_of(const job_record_t& job, uint32_t limit, const std::vector<const job_record_t*>& beside,
                           const policy::NodeSet& idle) {
    const job_record_t* record = &job;  // Slurm's macros want a pointer's name
    Consumption taken;
    if (!enforced()) return taken;
    const bool pending = IS_JOB_PENDING(record);
    taken.minutes = limit;
    taken.more = pending ? limit : limit - std::min(limit, job.time_limit);
    taken.amounts.resize(resources());
    for (std::size_t i = 0; i < taken.amounts.size(); ++i) {
        taken.amounts[i] = amount_of(pending ? job.tres_req_cnt : job.tres_alloc_cnt, i);
        if (!pending || (i != TRES_ARRAY_CPU && i != TRES_ARRAY_NODE && i != TRES_ARRAY_BILLING)) continue;
        std::uint64_t whole = 0;
        for (const job_record_t* mate : beside) whole += amount_of(mate->tres_alloc_cnt, i);
        whole += amount_of_idle(idle, i, beside);
        taken.amounts[i] = std::max(taken.amounts[i], whole);
    }
    return taken;
}

std::string reached(const job_record_t& job, const Consumption& consumption, const std::vector<Consumption>& together) {
    if (!enforced()) return "";
    const AccountsLocked locked;
    Search search(job, consumption, together);
    each_qos(job, [&](const auto& qos) { search.look(qos, qos.max_tres_mins_pj_ctld, true); });
    each_account(job, [&](const auto& account) { search.look(account, account.max_tres_mins_ctld, false); });
    return search.found();
}

void add_walls(std::vector<Bound>& bounds, const job_record_t& job, Seconds now) {
    if (!enforced()) return;
    const AccountsLocked locked;
    bool wall_said = false, group_said = false;
    const auto add = [&](const auto& holder) {
        if (!wall_said && holder.max_wall_pj != INFINITE)
            bounds.push_back({end_with(job, holder.max_wall_pj, now), "MaxWall of " + named(holder)});
        if (!group_said && holder.grp_wall != INFINITE)
            bounds.push_back({-policy::kNever, "GrpWall of " + named(holder)});
    };
    each_qos(job, [&](const slurmdb_qos_rec_t& qos) {
        add(qos);
        wall_said = wall_said || qos.max_wall_pj != INFINITE;
        group_said = group_said || qos.grp_wall != INFINITE;
    });
    each_account(job, add);
}

}  // namespace drom::slurm
