// SPDX-License-Identifier: GPL-2.0-or-later
// ended_jobs.cpp - agent.earlier, with the steps that had begun, and agent.left, with a list of CPUs.
#include "ended_jobs.hpp"

#include <algorithm>

#include "common/small_file.hpp"

namespace drom::slurm {
namespace {

/// A job is forgotten when it ends here itself. If it has ended already, as many others come first.
constexpr std::size_t kMostJobs = 100;

std::string earlier_in(const std::string& folder) { return folder + "/agent.earlier"; }
std::string left_in(const std::string& folder) { return folder + "/agent.left"; }

void forget(std::vector<EarlierSteps>& known, uint32_t job) {
    std::erase_if(known, [job](const EarlierSteps& steps) { return steps.job == job; });
}

}  // namespace

bool note_end_of_job(const std::string& folder, uint32_t job, const std::vector<EarlierSteps>& others) {
    const std::vector<EarlierSteps> before = read_earlier_steps(contents(earlier_in(folder)));
    std::vector<EarlierSteps> known = before;
    forget(known, job);
    for (const EarlierSteps& steps : others) {
        forget(known, steps.job);
        known.push_back(steps);
    }
    if (known.size() > kMostJobs) known.erase(known.begin(), known.end() - kMostJobs);
    return known == before || replace(earlier_in(folder), to_text(known));
}

bool began_before_end_of_mate(const std::string& folder, const StepName& step) {
    const std::vector<EarlierSteps> known = read_earlier_steps(contents(earlier_in(folder)));
    return std::any_of(known.begin(), known.end(),
                       [&](const EarlierSteps& steps) { return steps.job == step.job && steps.has(step.step); });
}

bool note_last_on_node(const std::string& folder, const CpuSet& cpus) {
    return replace(left_in(folder), CpuText(cpus).text);
}

CpuSet left_by_last_on_node(const std::string& folder) {
    CpuSet cpus{};
    const std::string text = contents(left_in(folder));
    return !text.empty() && parse_cpus(text.c_str(), cpus).what == nullptr ? cpus : CpuSet::empty();
}

}  // namespace drom::slurm
