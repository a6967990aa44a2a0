// SPDX-License-Identifier: BSD-3-Clause
// random_site.hpp - generated machines, energy models, workloads and options that fit a policy of the registry.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>

#include "engine/engine.hpp"
#include "engine/job_labels.hpp"
#include "engine/settings.hpp"
#include "policy/registry/backfill_rows.hpp"
#include "policy/registry/energy_rows.hpp"
#include "property.hpp"
#include "thesis_energy.hpp"

namespace drom::sim {

/// A machine with its energy model (null: none), and jobs for it.
struct Site {
    std::vector<policy::Machine> partitions;
    std::shared_ptr<const policy::EnergyModel> energy;
    Workload workload;
    double moldable_share = 0;
};

/// Returns a program that iterates on `nodes` nodes and may have up to `most`.
inline Program random_program(int nodes, int most) {
    Program program;
    program.start = nodes;
    program.iteration = *rc::gen::inRange(1, 300) / 10.0;
    program.iterations = *rc::gen::inRange(1, 8);
    program.scaling = *rc::gen::element(Scaling::kLinear, Scaling::kPower, Scaling::kSquare);
    program.traits.sizes.law =
        *rc::gen::element(policy::SizeLaw::kStep, policy::SizeLaw::kPowerOfTwo, policy::SizeLaw::kNearSquare);
    program.traits.sizes.min = *rc::gen::inRange(1, nodes + 1);
    program.traits.sizes.max = *rc::gen::inRange(nodes, most + 1);
    program.traits.rank = *rc::gen::element(policy::JobClass::kGold, policy::JobClass::kPlatinum);
    program.traits.resizable = *rc::gen::weightedElement<bool>({{5, true}, {1, false}});
    program.mtct_factor = *rc::gen::element(0.0, 0.001, 0.05);
    program.mtct_power = 1;
    program.shrink_cost = *rc::gen::element(0.0, 0.4, 5.0);
    program.expand_cost = *rc::gen::element(0.0, 0.4, 5.0);
    return program;
}

inline std::vector<policy::Machine> random_machines(bool several) {
    std::vector<policy::Machine> machines;
    for (int count = several ? *rc::gen::inRange(1, 4) : 1; count > 0; --count)
        machines.push_back(policy::Machine::uniform(*rc::gen::inRange(1, 13), *rc::gen::element(1, 4, 6)));
    return machines;
}

/// Returns the thesis's model of so many partitions, where some applications do not run on each, and some have other
/// times for larger jobs.
inline std::shared_ptr<const policy::EnergyModel> random_model(const std::vector<policy::Machine>& partitions) {
    policy::EnergyModel model = drom::test::thesis_model();
    model.partitions = {drom::test::partition_p1(), drom::test::partition_p2(), drom::test::partition_p3()};
    model.partitions.resize(partitions.size());
    for (std::size_t p = 0; p < partitions.size(); ++p) model.partitions[p].nodes = partitions[p].nodes;
    for (policy::Application& application : model.applications) {
        application.on.resize(partitions.size());
        for (auto& signature : application.on)
            if (*rc::gen::weightedElement<bool>({{1, true}, {7, false}})) signature.reset();
        if (*rc::gen::arbitrary<bool>()) continue;
        application.larger = {{*rc::gen::inRange(2, 6), application.on}};
        for (auto& signature : application.larger.front().on)
            if (signature) signature->seconds *= *rc::gen::element(0.5, 1.0, 3.0);
    }
    return std::make_shared<const policy::EnergyModel>(std::move(model));
}

inline Workload random_jobs(const std::vector<policy::Machine>& partitions, int max_jobs) {
    Workload workload;
    const int cores = partitions.front().cores_per_node;
    const int widest = std::ranges::max(partitions, {}, &policy::Machine::nodes).nodes;
    const bool has_programs = *rc::gen::arbitrary<bool>();
    Seconds now = 0;
    for (int id = 1, count = *rc::gen::inRange(1, max_jobs + 1); id <= count; ++id) {
        LogJob job;
        now += *rc::gen::weightedElement<Seconds>({{1, 0}, {3, *rc::gen::inRange<Seconds>(0, 60)}});
        job.id = id;
        job.submit = now;
        job.processors = *rc::gen::inRange(1, widest * cores + 1);
        job.request = *rc::gen::inRange<Seconds>(1, 500);
        job.run = *rc::gen::inRange<Seconds>(0, job.request + 1);
        job.user = *rc::gen::inRange(-1, 3);
        job.application = *rc::gen::inRange(0, 10);
        job.partition = *rc::gen::inRange(-1, 3);
        job.queue = *rc::gen::inRange(-1, 3);
        if (has_programs && *rc::gen::weightedElement<bool>({{2, true}, {1, false}})) {
            const int nodes = static_cast<int>((job.processors + cores - 1) / cores);
            const Program program = random_program(nodes, widest);
            job.run = std::llround(program.iteration * program.iterations);
            job.request = 1'000'000;
            job.program = static_cast<int>(workload.programs.size());
            workload.programs.push_back(program);
        }
        workload.jobs.push_back(job);
    }
    return workload;
}

/// Returns a site that the policy can decide about: of several partitions, with a model of energy where it takes one.
inline Site random_site(const policy::PolicyRow& row, int max_jobs = 40) {
    Site site;
    site.partitions = random_machines(row.several_partitions);
    if (policy::takes_energy_model(row) || *rc::gen::arbitrary<bool>()) site.energy = random_model(site.partitions);
    site.workload = random_jobs(site.partitions, max_jobs);
    if (policy::Policy(row).find("mold_max") != nullptr) site.moldable_share = *rc::gen::element(0.0, 0.5, 1.0);
    return site;
}

/// Tells the policy of the site what it needs before its first pass.
inline void tell_site(policy::Policy& policy, const Site& site) {
    policy::set_energy_model(policy, site.energy);
    const JobLabels labels = labels_of(site.workload);
    if (policy::MateLimits* limits = policy::mate_limits(policy)) limits->set_numbers(labels.partitions, labels.qos);
}

/// Gives some options of the policy other values, such as each of them takes and all together.
inline void draw_options(policy::Policy& policy) {
    const policy::Policy before = policy;
    for (const policy::OptionRow& option : policy.row().options) {
        if (*rc::gen::weightedElement<bool>({{1, false}, {2, true}})) continue;
        // Few of the values are one of these, and most are none of a malleable job's leave.
        if (std::string_view(option.name) == "leave_lead") {
            policy.set(option, *rc::gen::element<std::string>("none", "0", "7", "60", "300"));
            continue;
        }
        if (std::string_view(option.name) == "sd_plan") {
            policy.set(option, *rc::gen::element<std::string>("request", "prediction"));
            continue;
        }
        for (int tries = 0; tries < (std::string_view(option.name) == "reserved" ? 40 : 4); ++tries) {
            const auto value = *rc::gen::element<std::string>(
                "0", "1", "2", "3", "10", "100", "0.25", "0.5", "0.75", "inf", "yes", "no", "easy", "slurm", "last2",
                "knn", "reorder", "priority-inc", "energy", "time", "2/1", "dynamic", "backfill", "static", "max-b",
                "strict", "first", "share", "preempt", "share-first", "0/1/2", "1:1.1/2:3", "1:inf/0:1.05", "20-300:3",
                "300-900:2", "0-100:1/90-700:4/1000-1500:2", "400-600:100");
            if (policy.set(option, value)) break;
        }
    }
    const policy::OptionRow* plan = policy.find("sd_plan");
    if (plan != nullptr && !policy::contradiction(policy).empty()) policy.set(*plan, "request");
    if (!policy::contradiction(policy).empty()) policy = before;
}

inline EngineRules rules_of(const Site& site, const Parameters& parameters) {
    EngineRules rules = engine_rules_of(parameters, 1, 1);
    rules.partitions = site.partitions;
    rules.energy = site.energy;
    rules.moldable_share = site.moldable_share;
    return rules;
}

/// Returns whether `check` holds for each policy of the registry, each with its share of the cases of a property.
template <class Check>
bool holds_for_every_policy(const std::string& what, const Check& check) {
    const std::deque<policy::PolicyRow>& rows = policy::policies();
    bool all = true;
    for (const policy::PolicyRow& row : rows)
        all = drom::test::holds(
                  std::string(row.name) + ": " + what, [&] { check(row); },
                  std::max(1, drom::test::cases_a_property() / static_cast<int>(rows.size()))) &&
              all;
    return all;
}

}  // namespace drom::sim
