// SPDX-License-Identifier: BSD-3-Clause
// efficient_cpus.cpp - the ticks of the elastic runtime scheduler, with CPUs for nodes and lost CPU time for MPI.
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "policy/node/adviser.hpp"
#include "policy/resize/ranges.hpp"

namespace drom::policy {
namespace {

/// Returns lost over useful CPU time, in a round and in its last quarter; not known where nothing was sampled.
Communication lost_of(const NodeProgram& program) {
    const auto lost = [](double efficiency) {
        return efficiency > 0 ? 1 / efficiency - 1 : std::numeric_limits<double>::infinity();
    };
    const std::vector<double> looks = program.efficiencies();
    if (looks.empty()) return {};
    const double mean = std::accumulate(looks.begin(), looks.end(), 0.0) / static_cast<double>(looks.size());
    return {lost(mean), lost(looks.back()), true};
}

/// The last growth of a program, and what it has brought.
struct Growth {
    int from = 0, to = 0;  ///< CPUs; 0: it was useful, or there was none
    int ceiling = 0;       ///< CPUs beyond which it does not grow; 0: none
    Seconds until = 0;     ///< of the ceiling
};

class EfficientCpus final : public Adviser {
public:
    explicit EfficientCpus(const EfficientCpusRules& rules) : rules_(rules) {}

    std::vector<Advice> advise(const NodeView& view) override {
        std::vector<JobAtTick> jobs;
        for (const NodeProgram& program : view.programs) jobs.push_back(job_of(program, view.now));
        const std::vector<int> sizes = sizes_at_tick(jobs, view.free, {rules_.upper, rules_.lower, 1, false});
        std::vector<Advice> advices;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const NodeProgram& program = view.programs[i];
            Advice advice = keep(program, why(program, jobs[i].mtct, sizes[i], view.now));
            if (sizes[i] != program.cpus()) advice.cpus = divided(program, sizes[i]);
            remember(program, sizes[i], view.now);
            advices.push_back(std::move(advice));
        }
        std::erase_if(growths_, [&](const auto& entry) { return !view.has(entry.first); });
        return advices;
    }

private:
    [[nodiscard]] bool stays(const NodeProgram& program, Seconds now) const {
        return !program.held().empty() || now - program.changed() < rules_.min_gap;
    }

    /// Returns the program as a job. Its remaining time is not known, so that all programs have the same.
    [[nodiscard]] JobAtTick job_of(const NodeProgram& program, Seconds now) const {
        JobAtTick job{
            program.cpus(), program.min(), 0, 1, stays(program, now) ? Communication{} : lost_of(program), {}};
        job.sizes.min = job.min;
        job.sizes.max = std::max(limit_of(program, now), job.min);
        return job;
    }

    [[nodiscard]] int limit_of(const NodeProgram& program, Seconds now) const {
        const auto known = growths_.find(program.ids());
        const bool limited = known != growths_.end() && known->second.ceiling != 0 && now < known->second.until;
        return limited ? std::min(program.max(), known->second.ceiling) : program.max();
    }

    /// Notes a growth. One after which the program has to shrink at once was useless: ReSHAPE calls the size before it
    /// the sweet spot.
    void remember(const NodeProgram& program, int size, Seconds now) {
        Growth& growth = growths_[program.ids()];
        const int cpus = program.cpus();
        if (size > cpus) {
            growth.from = cpus;
            growth.to = size;
        } else if (size < cpus && growth.to == cpus) {
            growth = {0, 0, growth.from, now + rules_.memory};
        } else if (growth.to == cpus && !stays(program, now)) {
            growth.from = growth.to = 0;
        }
    }

    [[nodiscard]] std::string why(const NodeProgram& program, const Communication& lost, int size, Seconds now) const {
        if (const std::string held = program.held(); !held.empty()) return held;
        if (now - program.changed() < rules_.min_gap) return kChangedAMomentAgo;
        if (!lost.known) return program.unknown();
        std::string useful = percent_text(1 / (1 + lost.mean)) + " of its CPU time is useful";
        if (size < program.cpus())
            return (lost.mean > rules_.upper
                        ? useful
                        : percent_text(1 / (1 + lost.trend)) + " of its CPU time is useful by now") +
                   ", less than " + percent_text(1 / (1 + rules_.upper));
        if (size > program.cpus()) return useful + ", more than " + percent_text(1 / (1 + rules_.lower));
        if (lost.mean > rules_.upper && program.min() >= size) return useful + ", and it has its minimum";
        if (lost.mean >= rules_.lower) return useful;
        if (program.max() <= size) return useful + ", and more CPUs would be of no use";
        return useful + (limit_of(program, now) <= size ? ", and more CPUs were of no use" : ", and no CPU is free");
    }

    EfficientCpusRules rules_;
    std::map<std::vector<int>, Growth> growths_;  ///< by the processes of a program
};

}  // namespace

std::unique_ptr<Adviser> efficient_cpus(const EfficientCpusRules& rules) {
    return std::make_unique<EfficientCpus>(rules);
}

}  // namespace drom::policy
