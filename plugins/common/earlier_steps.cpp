// SPDX-License-Identifier: GPL-2.0-or-later
// earlier_steps.cpp - numbers, separated by slashes and commas.
#include "earlier_steps.hpp"

#include <algorithm>

#include "base/number_text.hpp"

namespace drom::slurm {
namespace {

/// Takes the part before the next separator off the text.
std::string_view next_part(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    return part;
}

/// Reads one job. Returns false when something in it is no number.
bool read_job(std::string_view text, EarlierSteps& job) {
    if (!is_number(next_part(text, '/'), job.job) || !is_number(next_part(text, '/'), job.next)) return false;
    while (!text.empty())
        if (!is_number(next_part(text, '/'), job.others.emplace_back())) return false;
    return true;
}

}  // namespace

bool EarlierSteps::has(uint32_t step) const {
    return step < next || std::find(others.begin(), others.end(), step) != others.end();
}

std::string to_text(const std::vector<EarlierSteps>& jobs) {
    std::string text;
    for (const EarlierSteps& job : jobs) {
        text += (text.empty() ? "" : ",") + std::to_string(job.job) + '/' + std::to_string(job.next);
        for (const uint32_t step : job.others) text += '/' + std::to_string(step);
    }
    return text;
}

std::vector<EarlierSteps> read_earlier_steps(std::string_view text) {
    std::vector<EarlierSteps> jobs;
    while (!text.empty()) {
        EarlierSteps job;
        if (read_job(next_part(text, ','), job)) jobs.push_back(job);
    }
    return jobs;
}

}  // namespace drom::slurm
