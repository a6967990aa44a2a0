// SPDX-License-Identifier: BSD-3-Clause
// energy_rows.cpp - rows and options of the policies that choose among partitions and frequencies.
#include "policy/registry/energy_rows.hpp"

#include <algorithm>

#include "policy/registry/platform_rows.hpp"

namespace drom::policy {
namespace {

using Rules = EnergyPolicy;
using Limit = SlowdownRules::Limit;

struct OrderName {
    EntryOrder order;
    const char* name;
};
constexpr OrderName kOrders[] = {{EntryOrder::kReorder, "reorder"},
                                 {EntryOrder::kPriorityInc, "priority-inc"},
                                 {EntryOrder::kPriorityIncV, "priority-inc-v"}};

Read set_order(Rules& rules, std::string_view text) {
    for (const OrderName& known : kOrders) {
        if (text != known.name) continue;
        rules.energy.order = known.order;
        return {};
    }
    return tl::unexpected(std::string("is no order; there are reorder, priority-inc and priority-inc-v"));
}

std::string order_text(const Rules& rules) {
    for (const OrderName& known : kOrders)
        if (rules.energy.order == known.order) return known.name;
    return "";
}

Read set_least(Rules& rules, std::string_view text) {
    if (text != "time" && text != "energy") return tl::unexpected(std::string("is neither time nor energy"));
    rules.energy.aim = text == "time" ? Aim::kTime : Aim::kEnergy;
    return {};
}

Read set_limit(Rules& rules, std::string_view text) {
    rules.sharing.limit = Limit::kInfinite;
    if (text == "inf") return {};
    if (auto set = read_number(rules.sharing.max_slowdown, text, NamedLimit::kSlowdowns); !set)
        return tl::unexpected(set.error() + "; nor inf");
    rules.sharing.limit = Limit::kNumber;
    return {};
}

// clang-format off
constexpr Option<Rules> kOrder[] = {
    {"order", "NAME", "of the entries: reorder (jobs by arrival), priority-inc (all first preferences before second ones), priority-inc-v (bad entries behind all others)", set_order, order_text},
};

constexpr Option<Rules> kThreshold[] = {
    {"threshold", "F", "priority-inc-v: a bad entry's efficiency is more than this above the job's best one",
     [](Rules& r, std::string_view v) { return read_number(r.energy.threshold, v, 0.0, 1e6); }, [](const Rules& r) { return text_of(r.energy.threshold); }},
};

constexpr Option<Rules> kWeight[] = {
    {"t_weight", "W", "weight of run time against energy, in the choice of frequency and partition",
     [](Rules& r, std::string_view v) { return read_number(r.energy.time_weight, v, 0.0, 1e6); }, [](const Rules& r) { return text_of(r.energy.time_weight); }},
};

constexpr Option<Rules> kLeast[] = {
    {"least", "time|energy", "the frequency at which a job takes least of it", set_least, [](const Rules& r) { return std::string(r.energy.aim == Aim::kTime ? "time" : "energy"); }},
};

constexpr Option<Rules> kDepth[] = {
    {"depth", "N", "entries of waiting jobs looked at in a pass; 0: all",
     [](Rules& r, std::string_view v) { return read_whole(r.energy.depth, v, 0); }, [](const Rules& r) { return std::to_string(r.energy.depth); }},
};

constexpr Option<Rules> kSharing[] = {
    {"max_slowdown", "P", "no mate is slowed down to P or beyond: a number, inf", set_limit,
     [](const Rules& r) { return r.sharing.limit == Limit::kInfinite ? std::string("inf") : text_of(r.sharing.max_slowdown); }},
    {"add_free_nodes", "yes|no", "free nodes may complete those of the mates",
     [](Rules& r, std::string_view v) { return read_yes_or_no(r.sharing.sharing.add_free_nodes, v); }, [](const Rules& r) { return text_of(r.sharing.sharing.add_free_nodes); }},
    {"gain", "G", "share only if the guest's slowdown falls by more than G times what its mates' rise; 0: always",
     [](Rules& r, std::string_view v) { return read_number(r.sharing.gain, v, SlowdownRules::kGains); }, [](const Rules& r) { return text_of(r.sharing.gain); }},
};
// clang-format on

EnergyModel model_of(const Rules& rules) {
    if (rules.model != nullptr) return *rules.model;
    EnergyModel alike;
    alike.partitions.resize(1);
    alike.partitions.front().states.resize(1);
    return alike;
}

std::unique_ptr<Scheduler> make(const Rules& rules) { return energy_aware(model_of(rules), rules.energy); }
std::unique_ptr<Scheduler> make_sharing(const Rules& rules) {
    return energy_aware(model_of(rules), rules.energy, rules.sharing);
}

Rules with(Aim aim, EntryOrder order) {
    Rules rules;
    rules.energy.aim = aim;
    rules.energy.order = order;
    return rules;
}

Rules sharing_as_sd_plus() {
    Rules rules;
    rules.sharing.limit = Limit::kInfinite;
    rules.sharing.gain = 1;
    rules.sharing.sharing.add_free_nodes = true;
    return rules;
}

}  // namespace

std::vector<PolicyRow> energy_rows() {
    return {
        policy_row<Rules>({"eamc",
                           "EASY over several partitions: each job at the frequency, and first on the partition, with "
                           "the best balance of energy and time",
                           "thesis, section 6.4", true},
                          {kOrder, kWeight, kThreshold, kDepth}, {}, make),
        policy_row<Rules>({"energy",
                           "EASY over several partitions in the order of the machine file, each job at its frequency "
                           "of least time or energy",
                           "thesis, section 6.5, Min_runtime and Min_energy", true},
                          {kLeast, kDepth}, with(Aim::kTime, EntryOrder::kConfigured), make),
        policy_row<Rules>({"best-partition", "EASY, each job on its best partition only, at the nominal frequency",
                           "thesis, section 6.5, Base Slurm", true},
                          {kWeight, kDepth}, with(Aim::kNominal, EntryOrder::kBestPartition), make),
        policy_row<Rules>({"sd-eamc", "eamc, and a job that still waits shares nodes of running ones as in sd+",
                           "thesis, chapter 7, as future work", true},
                          {kOrder, kWeight, kThreshold, kDepth, kSharing}, sharing_as_sd_plus(), make_sharing),
    };
}

bool needs_energy_model(const PolicyRow& row) { return row.defaults.type() == typeid(EnergyPolicy); }

bool takes_energy_model(const PolicyRow& row) { return needs_energy_model(row) || is_platform_row(row); }

void set_energy_model(Policy& policy, std::shared_ptr<const EnergyModel> model) {
    if (is_platform_row(policy.row()) && model != nullptr) set_run_times(policy, *model);
    if (needs_energy_model(policy.row())) policy.rules<EnergyPolicy>().model = std::move(model);
}

std::vector<Entry> entries_of(const Policy& policy, const Job& job) {
    if (!needs_energy_model(policy.row())) return {};
    const auto& rules = policy.rules<EnergyPolicy>();
    return rules.model == nullptr ? std::vector<Entry>() : entries_of(*rules.model, job, rules.energy);
}

}  // namespace drom::policy
