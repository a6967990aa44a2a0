// SPDX-License-Identifier: BSD-3-Clause
// equal_cpus.cpp - the shares of equipartition, with CPUs for nodes.
#include <algorithm>

#include "policy/node/adviser.hpp"
#include "policy/resize/equipartition.hpp"

namespace drom::policy {
namespace {

/// Returns the program as one that has a share. One that is held keeps what it has.
Shareholder shareholder_of(const NodeProgram& program, JobId id) {
    const int cpus = program.cpus();
    const bool held = !program.held().empty();
    return {id, cpus, program.changed(), held ? cpus : program.min(),
            held ? cpus : std::max(program.min(), program.max())};
}

std::string why(const NodeProgram& program, int cpus, Seconds min_gap, Seconds now) {
    if (const std::string held = program.held(); !held.empty()) return held;
    if (cpus != program.cpus()) return "an equal share is " + std::to_string(cpus);
    if (now - program.changed() < min_gap) return kChangedAMomentAgo;
    return "it has its share";
}

class EqualCpus final : public Adviser {
public:
    explicit EqualCpus(const EqualCpusRules& rules) : rules_(rules) {}

    std::vector<Advice> advise(const NodeView& view) override {
        std::vector<Shareholder> holders;
        int units = view.free;
        for (std::size_t i = 0; i < view.programs.size(); ++i) {
            holders.push_back(shareholder_of(view.programs[i], static_cast<JobId>(i)));
            units += holders.back().size;
        }
        const std::vector<int> sizes = equal_shares(holders, units, rules_.min_gap, view.now);
        std::vector<Advice> advices;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const NodeProgram& program = view.programs[i];
            Advice advice = keep(program, why(program, sizes[i], rules_.min_gap, view.now));
            if (sizes[i] != program.cpus()) advice.cpus = divided(program, sizes[i]);
            advices.push_back(std::move(advice));
        }
        return advices;
    }

private:
    EqualCpusRules rules_;
};

}  // namespace

std::unique_ptr<Adviser> equal_cpus(const EqualCpusRules& rules) { return std::make_unique<EqualCpus>(rules); }

}  // namespace drom::policy
