// SPDX-License-Identifier: BSD-3-Clause
// equal_cpus.cpp - the shares of equipartition, with CPUs for nodes.
#include <algorithm>
#include <functional>
#include <numeric>

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

std::string cpus_text(int cpus) { return std::to_string(cpus) + (cpus == 1 ? " CPU" : " CPUs"); }

/// Returns what keeps a program of this size from a share as those of the others; empty: nothing does. `left`: CPUs
/// that no program can use.
std::string limit(const Shareholder& program, int cpus, const std::vector<int>& sizes, int left) {
    const auto [fewest, most] = std::ranges::minmax(sizes);
    if (cpus >= program.max && (left > 0 || most > cpus)) return ", and it can use " + cpus_text(cpus) + " at most";
    if (cpus <= program.min && fewest < cpus) return ", and its minimum is " + cpus_text(cpus);
    return most > cpus + 1 ? ", and no other program can give one" : "";
}

std::string why(const NodeProgram& program, int cpus, const std::string& limit, const EqualCpusRules& rules,
                Seconds now) {
    if (const std::string held = program.held(); !held.empty()) return held;
    if (cpus != program.cpus()) return "an equal share is " + std::to_string(cpus) + limit;
    if (now - program.changed() < rules.min_gap) return kChangedAMomentAgo;
    return "it has its share" + limit;
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
        const int left = std::accumulate(sizes.begin(), sizes.end(), units, std::minus<>());
        std::vector<Advice> advices;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const NodeProgram& program = view.programs[i];
            Advice advice =
                keep(program, why(program, sizes[i], limit(holders[i], sizes[i], sizes, left), rules_, view.now));
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
