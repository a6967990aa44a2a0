// SPDX-License-Identifier: BSD-3-Clause
// entries.cpp - equations 6.4 and 6.5, and the orders made of them.
#include "policy/energy/entries.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drom::policy {
namespace {

struct Least {
    double joules = std::numeric_limits<double>::infinity();
    double seconds = std::numeric_limits<double>::infinity();

    void take(double j, double s) {
        joules = std::min(joules, j);
        seconds = std::min(seconds, s);
    }
};

double cost_of(const Prediction& at, const Least& least, double nominal_ghz, Aim aim, double time_weight) {
    switch (aim) {
        case Aim::kTime: return at.seconds;
        case Aim::kEnergy: return at.joules();
        case Aim::kNominal: return std::abs(at.ghz - nominal_ghz);
        case Aim::kBalance: break;
    }
    return distance(at.joules() / least.joules, at.seconds / least.seconds, time_weight);
}

const Profile* profile_on(const EnergyModel& model, int application, int partition) {
    if (application < 0 || static_cast<std::size_t>(application) >= model.applications.size()) return nullptr;
    const auto& on = model.applications[static_cast<std::size_t>(application)].on;
    const auto number = static_cast<std::size_t>(partition);
    return number < on.size() && on[number] ? &*on[number] : nullptr;
}

/// Returns the mean power of the applications that run on the partition; 0 when none does.
double mean_watts(const EnergyModel& model, int partition) {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < model.applications.size(); ++i) {
        const Profile* profile = profile_on(model, static_cast<int>(i), partition);
        if (profile == nullptr) continue;
        sum += profile->watts;
        ++count;
    }
    return count > 0 ? sum / count : 0;
}

Entry unknown_entry(const EnergyModel& model, int partition) {
    Entry entry;
    entry.partition = partition;
    entry.ghz = model.partitions[static_cast<std::size_t>(partition)].nominal_ghz();
    entry.watts = mean_watts(model, partition);
    return entry;
}

/// The efficiency of each entry, and its place by it.
void rate(std::vector<Entry>& entries, double time_weight) {
    Least least;
    for (const Entry& e : entries) least.take(e.watts * e.time_factor, e.time_factor);
    for (Entry& e : entries)
        e.efficiency = distance(e.watts * e.time_factor / least.joules, e.time_factor / least.seconds, time_weight);
    for (Entry& e : entries)
        for (const Entry& other : entries)
            e.choice +=
                other.efficiency < e.efficiency || (other.efficiency == e.efficiency && other.partition < e.partition);
}

int rank_of(const Entry& entry, double best, const EnergyRules& rules, int last) {
    if (rules.order != EntryOrder::kPriorityInc && rules.order != EntryOrder::kPriorityIncV) return 0;
    const bool beyond = entry.efficiency > (1 + rules.threshold) * best;
    return rules.order == EntryOrder::kPriorityIncV && beyond ? last : entry.choice;
}

void sort(std::vector<Entry>& entries, const EnergyRules& rules, int partitions) {
    if (rules.order == EntryOrder::kConfigured) return;
    std::ranges::sort(entries, {}, &Entry::choice);
    if (rules.order == EntryOrder::kBestPartition) entries.resize(1);
    const double best = entries.front().efficiency;
    for (Entry& entry : entries) entry.rank = rank_of(entry, best, rules, partitions);
}

std::vector<Entry> unknown_entries(const EnergyModel& model) {
    std::vector<Entry> entries;
    for (std::size_t p = 0; p < model.partitions.size(); ++p)
        entries.push_back(unknown_entry(model, static_cast<int>(p)));
    return entries;
}

}  // namespace

double distance(double energy_ratio, double time_ratio, double time_weight) noexcept {
    return std::sqrt(energy_ratio * energy_ratio + time_weight * time_ratio * time_ratio);
}

Prediction choose(std::span<const Prediction> predictions, double nominal_ghz, Aim aim, double time_weight) {
    Least least;
    for (const Prediction& at : predictions) least.take(at.joules(), at.seconds);
    return *std::ranges::min_element(
        predictions, {}, [&](const Prediction& at) { return cost_of(at, least, nominal_ghz, aim, time_weight); });
}

std::vector<Entry> entries_of(const EnergyModel& model, int application, const EnergyRules& rules) {
    const Profile* primary = profile_on(model, application, 0);
    if (primary == nullptr) return unknown_entries(model);
    std::vector<Entry> entries;
    for (std::size_t p = 0; p < model.partitions.size(); ++p) {
        const NodeModel& node = model.partitions[p];
        const Profile* profile = profile_on(model, application, static_cast<int>(p));
        if (profile == nullptr) continue;
        const Prediction at = choose(predict(node, *profile), node.nominal_ghz(), rules.aim, rules.time_weight);
        entries.push_back({static_cast<int>(p), at.ghz, at.seconds / primary->seconds, at.watts, 0, 0, 0});
    }
    rate(entries, rules.time_weight);
    sort(entries, rules, static_cast<int>(model.partitions.size()));
    return entries;
}

Entry nominal_entry(const EnergyModel& model, int application, int partition) {
    Entry entry = unknown_entry(model, partition);
    const Profile* profile = profile_on(model, application, partition);
    const Profile* primary = profile_on(model, application, 0);
    if (profile == nullptr || primary == nullptr) return entry;
    entry.time_factor = profile->seconds / primary->seconds;
    entry.watts = profile->watts;
    return entry;
}

}  // namespace drom::policy
