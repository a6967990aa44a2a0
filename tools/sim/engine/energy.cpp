// SPDX-License-Identifier: BSD-3-Clause
// energy.cpp - sums over jobs and over what they leave idle.
#include "engine/energy.hpp"

#include <algorithm>

#include "engine/sum.hpp"
#include "policy/registry/energy_rows.hpp"

namespace drom::sim {
namespace {

double mean(const Sum& sum, std::size_t count) { return count > 0 ? sum.value() / static_cast<double>(count) : 0; }

PartitionEnergy on_partition(const Outcome& outcome, int partition, Seconds makespan) {
    const PartitionSetting& setting = outcome.setting.partitions[static_cast<std::size_t>(partition)];
    Sum response, ghz, energy, busy;
    PartitionEnergy of;
    for (const JobOutcome& job : outcome.jobs) {
        if (!job.ended() || job.point.partition != partition) continue;
        ++of.jobs;
        response.add(static_cast<double>(job.response()));
        ghz.add(job.point.ghz);
        energy.add(joules(job));
        busy.add(job.node_seconds);
    }
    of.response = mean(response, of.jobs);
    of.ghz = mean(ghz, of.jobs);
    of.jobs_joules = energy.value();
    const double all = setting.nodes * static_cast<double>(makespan);
    of.idle_joules = setting.idle_watts * std::max(0.0, all - busy.value());
    return of;
}

/// Returns the place of the log's application in the model; -1: it has none.
int known_application(const policy::EnergyModel& model, int number) {
    const auto at = std::ranges::find(model.applications, number, &policy::Application::number);
    return at == model.applications.end() ? -1 : static_cast<int>(at - model.applications.begin());
}

}  // namespace

double joules(const JobOutcome& job) noexcept { return job.point.watts * job.node_seconds; }

std::optional<Energy> energy_of(const Outcome& outcome, Seconds makespan) {
    if (outcome.setting.partitions.empty()) return std::nullopt;
    Energy energy;
    Sum run, ghz;
    std::size_t jobs = 0, best = 0;
    for (const JobOutcome& job : outcome.jobs) {
        if (!job.ended()) continue;
        ++jobs;
        best += job.point.preference == 0;
        run.add(static_cast<double>(job.stretched()));
        ghz.add(job.point.ghz);
    }
    if (jobs == 0) return std::nullopt;
    energy.run_sum = run.value();
    energy.ghz = mean(ghz, jobs);
    energy.unknown = outcome.unknown;
    energy.best_share = static_cast<double>(best) / static_cast<double>(jobs);
    for (std::size_t p = 0; p < outcome.setting.partitions.size(); ++p) {
        energy.partitions.push_back(on_partition(outcome, static_cast<int>(p), makespan));
        energy.jobs_joules += energy.partitions.back().jobs_joules;
        energy.idle_joules += energy.partitions.back().idle_joules;
    }
    return energy;
}

EntriesOfJobs entries_of_jobs(const std::vector<JobOutcome>& jobs, const policy::Policy& policy,
                              const policy::EnergyModel& model) {
    EntriesOfJobs all;
    if (!policy::needs_energy_model(policy.row())) return all;
    for (const JobOutcome& outcome : jobs) {
        const auto [at, is_new] = all.try_emplace({outcome.application, outcome.nodes});
        if (!is_new) continue;
        policy::Job job;
        job.nodes = outcome.nodes;
        job.application = known_application(model, outcome.application);
        for (const policy::Entry& entry : policy::entries_of(policy, job)) at->second.push_back(entry.point);
    }
    return all;
}

std::span<const policy::OperatingPoint> entries_of(const Outcome& outcome, const JobOutcome& job) {
    const auto at = outcome.entries.find({job.application, job.nodes});
    return at == outcome.entries.end() ? std::span<const policy::OperatingPoint>() : at->second;
}

}  // namespace drom::sim
