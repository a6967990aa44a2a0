// SPDX-License-Identifier: BSD-3-Clause
// waiting_line.hpp - waiting jobs that start as EASY starts them, in an order that the policy gives: the queue of the
// policies that resize jobs.
#pragma once

#include <functional>
#include <vector>

#include "policy/backfill/scheduler.hpp"

namespace drom::policy {

class WaitingLine {
public:
    void submit(const Job& job) { jobs_.push_back(job); }
    bool cancel(JobId id);
    std::size_t size() const noexcept { return jobs_.size(); }
    bool empty() const noexcept { return jobs_.empty(); }
    const Job& first() const { return jobs_.front(); }
    const std::vector<Job>& jobs() const noexcept { return jobs_; }

    /// Brings the jobs into order. Equal jobs stay in the order of their coming.
    void sort(const std::function<bool(const Job&, const Job&)>& before);
    /// Starts the jobs that fit, in order, up to the first that does not. Then starts later jobs that do not delay that
    /// one. Appends all starts to `started`.
    void start(Cluster& cluster, Seconds now, std::vector<Start>& started);

private:
    void start_in_order(Cluster& cluster, Seconds now, std::vector<Start>& started);
    void backfill(Cluster& cluster, Seconds now, std::vector<Start>& started);

    std::vector<Job> jobs_;
};

}  // namespace drom::policy
