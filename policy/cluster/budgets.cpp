// SPDX-License-Identifier: BSD-3-Clause
// budgets.cpp - adds up resources times minutes.
#include "policy/cluster/budgets.hpp"

#include <algorithm>

namespace drom::policy {
namespace {

std::uint64_t amount(const Consumption& job, std::size_t resource) {
    return resource < job.amounts.size() ? job.amounts[resource] : 0;
}

/// Returns the sum in a type that cannot overflow: amounts of memory times years are large.
double added(const std::vector<Consumption>& together, std::size_t resource) {
    double sum = 0;
    for (const Consumption& job : together)
        sum += static_cast<double>(amount(job, resource)) * static_cast<double>(job.more);
    return sum;
}

}  // namespace

std::optional<std::size_t> exhausted(const Budget& budget, const Consumption& job,
                                     const std::vector<Consumption>& together) {
    for (std::size_t resource = 0; resource < budget.limits.size(); ++resource) {
        if (budget.limits[resource] == kUnlimited || amount(job, resource) == 0) continue;
        const auto limit = static_cast<double>(budget.limits[resource]);
        const double own = static_cast<double>(amount(job, resource)) * static_cast<double>(job.minutes);
        if (budget.each && own > limit) return resource;
        if (budget.each) continue;
        const double taken = resource < budget.taken.size() ? static_cast<double>(budget.taken[resource]) : 0;
        if (taken + std::max(1.0, budget.factor) * added(together, resource) >= limit) return resource;
    }
    return std::nullopt;
}

}  // namespace drom::policy
