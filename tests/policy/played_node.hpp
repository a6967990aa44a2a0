// SPDX-License-Identifier: BSD-3-Clause
// played_node.hpp - a node whose programs have the speed that a formula says, and whose adviser is obeyed.
#pragma once

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "policy/node/advisers.hpp"

namespace drom::policy {

/// Returns the speed on `cpus` CPUs, relative to one.
using Speedup = std::function<double(int cpus)>;

inline Speedup amdahl(double serial) {
    return [serial](int cpus) { return 1 / (serial + (1 - serial) / cpus); };
}

/// A node with programs of one process each; every advice is carried out at once.
class PlayedNode {
public:
    PlayedNode(std::vector<Speedup> programs, int cpus, const std::string& policy, double noise = 0)
        : speedups_(std::move(programs)), all_(cpus), noise_(noise), adviser_(std::move(*adviser_of(policy))) {
        cpus_.assign(speedups_.size(), 1);
        changed_.assign(speedups_.size(), -1000);
    }

    std::vector<int> round(Seconds seconds = 10) {
        now_ += seconds;
        NodeView view;
        view.now = now_;
        view.free = all_;
        for (std::size_t i = 0; i < cpus_.size(); ++i) {
            view.free -= cpus_[i];
            view.programs.push_back({"p" + std::to_string(i), {client(i)}});
        }
        advices_ = adviser_->advise(view);
        for (std::size_t i = 0; i < cpus_.size(); ++i) set(i, advices_[i].cpus.front());
        return cpus_;
    }
    void set(std::size_t i, int cpus) {
        if (cpus == cpus_[i]) return;
        cpus_[i] = cpus;
        changed_[i] = now_;
        ++changes_;
    }
    [[nodiscard]] const std::string& why(std::size_t i = 0) const { return advices_[i].why; }
    [[nodiscard]] int changes() const { return changes_; }
    std::string held;

private:
    NodeClient client(std::size_t i) {
        std::normal_distribution<double> normal(1, noise_ > 0 ? noise_ : 1);
        NodeClient client;
        client.id = static_cast<int>(i) + 1;
        client.cpus = cpus_[i];
        client.max = 64;
        client.changed = changed_[i];
        client.held = held;
        for (int look = 0; look < 4; ++look)
            client.useful.push_back(speedups_[i](cpus_[i]) * (noise_ > 0 ? normal(random_) : 1));
        return client;
    }

    std::vector<Speedup> speedups_;
    int all_;
    double noise_;
    std::unique_ptr<Adviser> adviser_;
    std::vector<int> cpus_;
    std::vector<Seconds> changed_;
    std::vector<Advice> advices_;
    std::mt19937 random_{11};
    Seconds now_ = 0;
    int changes_ = 0;
};

}  // namespace drom::policy
