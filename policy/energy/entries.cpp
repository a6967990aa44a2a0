// SPDX-License-Identifier: BSD-3-Clause
// entries.cpp - equations 6.4 and 6.5, and the orders made of them.
#include "policy/energy/entries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drom::policy {
namespace {

struct Minima {
    double joules = std::numeric_limits<double>::infinity();
    double seconds = std::numeric_limits<double>::infinity();

    void take(double j, double s) {
        joules = std::min(joules, j);
        seconds = std::min(seconds, s);
    }
};

double cost_of(const Prediction& at, const Minima& minima, double nominal_ghz, Aim aim, double time_weight) {
    switch (aim) {
        case Aim::kTime: return at.seconds;
        case Aim::kEnergy: return at.joules();
        case Aim::kNominal: return std::abs(at.ghz - nominal_ghz);
        case Aim::kBalance: break;
    }
    return distance(at.joules() / minima.joules, at.seconds / minima.seconds, time_weight);
}

const Signature* signature_in(const Signatures& on, int partition) {
    const auto number = static_cast<std::size_t>(partition);
    if (number >= on.size()) return nullptr;
    const std::optional<Signature>& there = on[number];
    return there ? &*there : nullptr;
}

const Signature* signature_on(const EnergyModel& model, const Job& job, int partition) {
    const auto application = static_cast<std::size_t>(job.application);
    if (job.application < 0 || application >= model.applications.size()) return nullptr;
    return signature_in(model.applications[application].on_with(job.nodes), partition);
}

/// Returns the mean power of the applications that run on the partition; 0 when none does.
double mean_watts(const EnergyModel& model, int partition) {
    double sum = 0;
    int count = 0;
    for (const Application& application : model.applications) {
        const Signature* signature = signature_in(application.on, partition);
        if (signature == nullptr) continue;
        sum += signature->watts;
        ++count;
    }
    return count > 0 ? sum / count : 0;
}

OperatingPoint unknown_point(const EnergyModel& model, int partition) {
    OperatingPoint point;
    point.partition = partition;
    point.ghz = model.partitions[static_cast<std::size_t>(partition)].nominal_ghz();
    point.watts = mean_watts(model, partition);
    return point;
}

bool has_room(const NodeModel& node, const Job& job) { return node.nodes == 0 || job.nodes <= node.nodes; }

/// Computes the efficiency of each entry, and its place by it.
void rate(std::vector<Entry>& entries, double time_weight) {
    Minima minima;
    for (const auto& [at, rank] : entries) minima.take(at.watts * at.time_factor, at.time_factor);
    for (auto& [at, rank] : entries)
        at.efficiency =
            distance(at.watts * at.time_factor / minima.joules, at.time_factor / minima.seconds, time_weight);
    for (auto& [at, rank] : entries)
        for (const auto& [other, its_rank] : entries)
            at.preference += other.efficiency < at.efficiency ||
                             (other.efficiency == at.efficiency && other.partition < at.partition);
}

int rank_of(const Entry& entry, double best, const EnergyRules& rules, int last) {
    if (rules.order != EntryOrder::kPriorityInc && rules.order != EntryOrder::kPriorityIncV) return 0;
    const bool beyond = entry.point.efficiency > (1 + rules.threshold) * best;
    return rules.order == EntryOrder::kPriorityIncV && beyond ? last : entry.point.preference;
}

void sort(std::vector<Entry>& entries, const EnergyRules& rules, int partitions) {
    if (rules.order == EntryOrder::kConfigured || entries.empty()) return;
    std::ranges::sort(entries, {}, [](const Entry& entry) { return entry.point.preference; });
    if (rules.order == EntryOrder::kBestPartition) entries.resize(1);
    const double best = entries.front().point.efficiency;
    for (Entry& entry : entries) entry.rank = rank_of(entry, best, rules, partitions);
}

std::vector<Entry> unknown_entries(const EnergyModel& model, const Job& job) {
    std::vector<Entry> entries;
    for (std::size_t p = 0; p < model.partitions.size(); ++p)
        if (has_room(model.partitions[p], job)) entries.push_back({unknown_point(model, static_cast<int>(p)), 0});
    return entries;
}

}  // namespace

double distance(double energy_ratio, double time_ratio, double time_weight) noexcept {
    return std::sqrt(energy_ratio * energy_ratio + time_weight * time_ratio * time_ratio);
}

Prediction choose(std::span<const Prediction> predictions, double nominal_ghz, Aim aim, double time_weight) {
    Minima minima;
    for (const Prediction& at : predictions) minima.take(at.joules(), at.seconds);
    return *std::ranges::min_element(
        predictions, {}, [&](const Prediction& at) { return cost_of(at, minima, nominal_ghz, aim, time_weight); });
}

std::vector<Entry> entries_of(const EnergyModel& model, const Job& job, const EnergyRules& rules) {
    const Signature* primary = signature_on(model, job, 0);
    if (primary == nullptr) return unknown_entries(model, job);
    std::vector<Entry> entries;
    for (std::size_t p = 0; p < model.partitions.size(); ++p) {
        const NodeModel& node = model.partitions[p];
        const Signature* signature = signature_on(model, job, static_cast<int>(p));
        if (signature == nullptr || !has_room(node, job)) continue;
        const Prediction at = choose(predict(node, *signature), node.nominal_ghz(), rules.aim, rules.time_weight);
        entries.push_back({{static_cast<int>(p), at.ghz, at.seconds / primary->seconds, at.watts, 0, 0}, 0});
    }
    rate(entries, rules.time_weight);
    sort(entries, rules, static_cast<int>(model.partitions.size()));
    return entries;
}

OperatingPoint nominal_point(const EnergyModel& model, const Job& job, int partition) {
    OperatingPoint point = unknown_point(model, partition);
    const Signature* signature = signature_on(model, job, partition);
    const Signature* primary = signature_on(model, job, 0);
    if (signature == nullptr || primary == nullptr) return point;
    point.time_factor = signature->seconds / primary->seconds;
    point.watts = signature->watts;
    return point;
}

}  // namespace drom::policy
