// SPDX-License-Identifier: BSD-3-Clause
// adviser.cpp - sums over a program's clients, and dividing CPUs among them.
#include "policy/node/adviser.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace drom::policy {
namespace {

int sum_of(const NodeProgram& program, int NodeClient::* member) {
    int sum = 0;
    for (const NodeClient& client : program.clients) sum += client.*member;
    return sum;
}

}  // namespace

int NodeProgram::cpus() const noexcept { return sum_of(*this, &NodeClient::cpus); }
int NodeProgram::min() const noexcept { return sum_of(*this, &NodeClient::min); }
int NodeProgram::max() const noexcept { return sum_of(*this, &NodeClient::max); }

std::vector<int> NodeProgram::ids() const {
    std::vector<int> ids;
    for (const NodeClient& client : clients) ids.push_back(client.id);
    return ids;
}

Seconds NodeProgram::changed() const { return std::ranges::max(clients, {}, &NodeClient::changed).changed; }

std::vector<double> NodeProgram::efficiencies() const {
    std::vector<double> sums(clients.front().useful.size());
    for (const NodeClient& client : clients) {
        if (client.useful.empty() || client.useful.size() != sums.size()) return {};
        std::transform(sums.begin(), sums.end(), client.useful.begin(), sums.begin(), std::plus<>());
    }
    for (double& sum : sums) sum = std::clamp(sum / std::max(cpus(), 1), 0.0, 1.0);
    return sums;
}

std::string NodeProgram::held() const {
    const auto found = std::ranges::find_if(clients, [](const NodeClient& client) { return !client.held.empty(); });
    return found == clients.end() ? "" : found->held;
}

std::string NodeProgram::unknown() const {
    const auto found = std::ranges::find_if(clients, [](const NodeClient& client) { return client.useful.empty(); });
    if (found == clients.end()) return {};
    return found->unknown.empty() ? "its CPU time could not be sampled" : found->unknown;
}

bool NodeView::has(const std::vector<int>& ids) const {
    return std::ranges::any_of(programs, [&](const NodeProgram& program) { return program.ids() == ids; });
}

Advice keep(const NodeProgram& program, std::string why) {
    Advice advice{{}, std::move(why)};
    for (const NodeClient& client : program.clients) advice.cpus.push_back(client.cpus);
    return advice;
}

std::string percent_text(double share) { return std::to_string(std::lround(100 * share)) + " %"; }

std::vector<int> divided(const NodeProgram& program, int cpus) {
    std::vector<int> sizes;
    for (const NodeClient& client : program.clients) sizes.push_back(client.min);
    for (int left = cpus - program.min(); left > 0; --left) {
        int* fewest = nullptr;
        for (std::size_t i = 0; i < sizes.size(); ++i)
            if (sizes[i] < program.clients[i].max && (fewest == nullptr || sizes[i] < *fewest)) fewest = &sizes[i];
        if (fewest == nullptr) break;
        ++*fewest;
    }
    return sizes;
}

}  // namespace drom::policy
