// SPDX-License-Identifier: BSD-3-Clause
// laws_test.cpp - what holds for every policy of the registry, on one partition and on several.
#include <map>

#include "engine/metrics.hpp"
#include "policy/record/recording.hpp"
#include "random_site.hpp"
#include "report/idle_policy.hpp"
#include "report/summary_json.hpp"

namespace drom::sim {
namespace {

using policy::PolicyRow;

constexpr double kIdleWatts = 100;

/// A simulation of a random site under a policy with random options.
struct Simulated {
    Site site;
    Parameters parameters;
    Outcome outcome;
    std::string record;

    const policy::Machine& machine_of(int partition) const {
        return site.partitions[static_cast<std::size_t>(partition)];
    }
};

Outcome simulated_on(const Site& site, const Parameters& asked, std::string& record) {
    Parameters parameters = asked;
    tell_site(parameters.policy, site);
    EngineRules rules = rules_of(site, parameters);
    rules.window_to = 100'000'000;  // every stretch is recorded
    const auto scheduler =
        recording(parameters.policy, nullptr, [&record](const std::string& line) { record += line + '\n'; });
    Outcome outcome = simulate(site.workload, *scheduler, rules);
    outcome.seconds = 0;
    for (const policy::Machine& machine : site.partitions) {
        outcome.setting.nodes += machine.nodes;
        if (site.energy != nullptr) outcome.setting.partitions.push_back({"p", machine.nodes, kIdleWatts});
    }
    return outcome;
}

Simulated simulated(const PolicyRow& row) {
    Simulated made{random_site(row), {policy::Policy(row), {}}, {}, {}};
    draw_options(made.parameters.policy);
    made.outcome = simulated_on(made.site, made.parameters, made.record);
    return made;
}

double node_seconds(const Stretch& stretch) {
    return static_cast<double>(stretch.nodes.count()) * static_cast<double>(stretch.to - stretch.from);
}

/// Returns the nodes of a job that is no program from `from` on.
int nodes_since(const JobOutcome& job, Seconds from) {
    if (job.history->shrunk > 0 && from >= job.history->shrunk_at) return job.history->shrunk;
    for (const BusyNodes& held : job.history->held)
        if (held.from == from && held.to > from) return held.nodes;
    return job.size();
}

/// Returns the bookings that the policy was given.
std::vector<policy::Booking> bookings_of(const Parameters& parameters) {
    std::vector<policy::Booking> bookings;
    const policy::OptionRow* option = parameters.policy.find("reserved");
    if (option != nullptr) RC_ASSERT(policy::read_bookings(bookings, parameters.policy.get(*option)).has_value());
    return bookings;
}

/// Returns true when the policy starts the job on the empty machine, where it is alone.
bool starts_alone(const Simulated& made, std::size_t job) {
    Site alone = made.site;
    alone.workload.jobs = {made.site.workload.jobs[job]};
    std::string record;
    return simulated_on(alone, made.parameters, record).jobs.front().ended();
}

// But for jobs that the policy has no partition for: those are counted.
TEST(Laws, EveryJobEnds) {
    EXPECT_TRUE(holds_for_every_policy("every job ends", [](const PolicyRow& row) {
        const Simulated made = simulated(row);
        RC_ASSERT(made.outcome.jobs.size() == made.site.workload.jobs.size());
        RC_ASSERT(made.outcome.too_wide == 0U);
        std::size_t never = 0;
        for (std::size_t i = 0; i < made.outcome.jobs.size(); ++i) {
            const JobOutcome& job = made.outcome.jobs[i];
            if (job.ended()) {
                RC_ASSERT(job.start >= job.submit && job.end >= job.start);
                RC_ASSERT(!job.killed || job.end == job.limit_end);
                continue;
            }
            if (starts_alone(made, i)) RC_FAIL("job " + std::to_string(i) + " never ends\n" + made.record);
            RC_ASSERT(row.several_partitions);
            ++never;
        }
        RC_ASSERT(measure(made.outcome).unended == never);
        RC_ASSERT(never_started(digest(made.outcome)).has_value() == (never > 0));
    }));
}

// With the ideal model: cores times seconds are the run time there times the cores, but for the rounding up of the last
// second.
TEST(Laws, WorkIsConserved) {
    EXPECT_TRUE(holds_for_every_policy("work is conserved", [](const PolicyRow& row) {
        const Simulated made = simulated(row);
        std::vector<std::int64_t> done(made.outcome.jobs.size());
        std::vector<double> held(made.outcome.jobs.size());
        for (const Stretch& s : made.outcome.stretches) {
            done[s.job] += std::int64_t{s.nodes.count()} * s.cores * (s.to - s.from);
            held[s.job] += node_seconds(s);
        }
        for (std::size_t i = 0; i < done.size(); ++i) {
            const JobOutcome& job = made.outcome.jobs[i];
            if (!job.ended()) {
                RC_ASSERT(done[i] == 0);
                continue;
            }
            if (job.program >= 0) {
                double noted = 0;
                for (const BusyNodes& h : job.history->held)
                    noted += static_cast<double>(h.nodes) * static_cast<double>(h.to - h.from);
                RC_ASSERT(noted == held[i]);
                continue;
            }
            const std::int64_t all = std::int64_t{job.size()} * made.machine_of(job.point.partition).cores_per_node;
            const auto run = static_cast<Seconds>(std::llround(static_cast<double>(job.run) * job.point.time_factor));
            const std::int64_t cores = made.machine_of(job.point.partition).cores_per_node;
            const std::int64_t lost = std::llround(job.history->lost_node_seconds) * cores;
            if (!job.killed) RC_ASSERT(done[i] - lost >= run * all);
            RC_ASSERT(done[i] - lost < run * all + all);
            RC_ASSERT(job.history->preempted == 0 || !job.urgent);
        }
    }));
}

TEST(Laws, NoJobIsBeyondItsSizesAndItsPartition) {
    EXPECT_TRUE(holds_for_every_policy("sizes and partitions", [](const PolicyRow& row) {
        const Simulated made = simulated(row);
        for (const Stretch& s : made.outcome.stretches) {
            const JobOutcome& job = made.outcome.jobs[s.job];
            RC_ASSERT(s.partition == job.point.partition);
            RC_ASSERT(s.nodes.ranges().back().last < made.machine_of(s.partition).nodes);
            RC_ASSERT(s.cores >= 1 && s.cores <= made.machine_of(s.partition).cores_per_node);
            if (job.program < 0) continue;
            const policy::ResizeTraits& traits = made.site.workload.programs[std::size_t(job.program)].traits;
            RC_ASSERT(s.nodes.count() >= traits.sizes.min && s.nodes.count() <= traits.sizes.max);
            if (!row.resizes || !traits.resizable) RC_ASSERT(s.nodes.count() == job.nodes);
        }
        std::map<std::pair<std::size_t, Seconds>, int> nodes;  // of rigid and malleable jobs at each moment of change
        for (const Stretch& s : made.outcome.stretches) nodes[{s.job, s.from}] += s.nodes.count();
        for (const auto& [at, count] : nodes)
            if (made.outcome.jobs[at.first].program < 0)
                RC_ASSERT(count == nodes_since(made.outcome.jobs[at.first], at.second));
        for (const JobOutcome& job : made.outcome.jobs) {
            RC_ASSERT(job.molded == 0 || job.moldable);
            RC_ASSERT(job.history->shrunk == 0 || (job.malleable && 2 * job.history->shrunk >= job.nodes));
        }
    }));
}

TEST(Laws, NoCoreIsGivenTwice) {
    EXPECT_TRUE(holds_for_every_policy("cores", [](const PolicyRow& row) {
        const Simulated made = simulated(row);
        std::map<std::pair<int, int>, std::map<Seconds, int>> changes;  // by partition and node
        for (const Stretch& s : made.outcome.stretches)
            for (const policy::NodeRange& range : s.nodes.ranges())
                for (int node = range.first; node <= range.last; ++node) {
                    changes[{s.partition, node}][s.from] += s.cores;
                    changes[{s.partition, node}][s.to] -= s.cores;
                }
        for (const auto& [node, of_node] : changes) {
            int cores = 0;
            for (const auto& [time, change] : of_node) {
                cores += change;
                RC_ASSERT(cores >= 0 && cores <= made.machine_of(node.first).cores_per_node);
            }
        }
    }));
}

TEST(Laws, NoJobIsOnAReservedNode) {
    EXPECT_TRUE(holds_for_every_policy("reserved nodes", [](const PolicyRow& row) {
        const Simulated made = simulated(row);
        for (const policy::Booking& booking : bookings_of(made.parameters))
            for (const Stretch& s : made.outcome.stretches)
                if (s.from < booking.to && booking.from < s.to)
                    RC_ASSERT(s.nodes.ranges().back().last < made.machine_of(0).nodes - booking.nodes);
    }));
}

TEST(Laws, EnergyIsTheSumOfItsParts) {
    EXPECT_TRUE(holds_for_every_policy("energy", [](const PolicyRow& row) {
        const Simulated made = simulated(row);
        if (made.site.energy == nullptr) return;
        std::vector<double> busy(made.site.partitions.size());
        double all = 0;
        for (const Stretch& s : made.outcome.stretches) {
            const double cores = made.machine_of(s.partition).cores_per_node;
            const double share = node_seconds(s) * s.cores / cores;
            busy[static_cast<std::size_t>(s.partition)] += share;
            all += share * made.outcome.jobs[s.job].point.watts;
        }
        const Metrics metrics = measure(made.outcome);
        RC_ASSERT(metrics.energy.has_value() == (metrics.jobs > 0));
        if (metrics.jobs == 0) return;
        double idle = 0, parts = 0, idle_parts = 0;
        for (std::size_t p = 0; p < busy.size(); ++p) {
            idle += kIdleWatts * (made.site.partitions[p].nodes * static_cast<double>(metrics.makespan) - busy[p]);
            parts += metrics.energy->partitions[p].jobs_joules;
            idle_parts += metrics.energy->partitions[p].idle_joules;
        }
        const auto near = [](double a, double b) { return std::abs(a - b) <= 1e-6 * (1 + std::abs(a) + std::abs(b)); };
        RC_ASSERT(near(metrics.energy->jobs_joules, all));
        RC_ASSERT(near(metrics.energy->jobs_joules, parts));
        RC_ASSERT(near(metrics.energy->idle_joules, idle));
        RC_ASSERT(near(metrics.energy->idle_joules, idle_parts));
    }));
}

TEST(Laws, TheSameSeedGivesTheSameBytes) {
    EXPECT_TRUE(holds_for_every_policy("the same bytes", [](const PolicyRow& row) {
        const Simulated made = simulated(row);
        std::string again;
        const Outcome outcome = simulated_on(made.site, made.parameters, again);
        RC_ASSERT(again == made.record);
        RC_ASSERT(summary_json(digest(outcome)) == summary_json(digest(made.outcome)));
    }));
}

}  // namespace
}  // namespace drom::sim
