// SPDX-License-Identifier: BSD-3-Clause
// waiting_requests.hpp - waiting jobs of one width, found by how long they ask to run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "policy/job/job.hpp"

namespace drom::policy {

/// The waiting jobs of one width in the order of their coming. Each inner node of a tree has the shortest request
/// below it.
class WaitingRequests {
public:
    using Order = std::uint64_t;  ///< number of a job in the order of coming
    static constexpr Order kNone = std::numeric_limits<Order>::max();

    /// Adds a job that came after all others. Cost: the logarithm of the jobs, on average.
    void push(Order order, Seconds request) {
        if (orders_.size() == leaves_) make_room();
        orders_.push_back(order);
        set(orders_.size() - 1, request);
        ++count_;
    }

    void remove(Order order) {
        set(place_from(order), kGone);
        --count_;
    }

    bool empty() const noexcept { return count_ == 0; }

    /// Returns the first job from `from` on whose request fits; kNone when none does. Where a request fits, all that
    /// are shorter do. Cost: the logarithm of the jobs.
    template <class Fits>
    Order next(Order from, const Fits& fits) const {
        const std::size_t place = leaves_ == 0 ? kNowhere : search(1, 0, leaves_, place_from(from), fits);
        return place == kNowhere ? kNone : orders_[place];
    }

private:
    static constexpr Seconds kGone = std::numeric_limits<Seconds>::max();
    static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

    std::size_t place_from(Order order) const {
        return static_cast<std::size_t>(std::ranges::lower_bound(orders_, order) - orders_.begin());
    }

    void set(std::size_t place, Seconds request) {
        std::size_t i = leaves_ + place;
        for (shortest_[i] = request; i > 1;) {
            i /= 2;
            shortest_[i] = std::min(shortest_[2 * i], shortest_[2 * i + 1]);
        }
    }

    template <class Fits>
    std::size_t search(std::size_t node, std::size_t begin, std::size_t count, std::size_t from,
                       const Fits& fits) const {
        if (begin + count <= from || shortest_[node] == kGone || !fits(shortest_[node])) return kNowhere;
        if (count == 1) return begin;
        const std::size_t found = search(2 * node, begin, count / 2, from, fits);
        return found != kNowhere ? found : search(2 * node + 1, begin + count / 2, count / 2, from, fits);
    }

    /// Forgets the places of jobs that are gone; grows when they are not enough.
    void make_room() {
        std::vector<Order> orders;
        std::vector<Seconds> requests;
        for (std::size_t i = 0; i < orders_.size(); ++i) {
            if (shortest_[leaves_ + i] == kGone) continue;
            orders.push_back(orders_[i]);
            requests.push_back(shortest_[leaves_ + i]);
        }
        leaves_ = std::max<std::size_t>(leaves_, 16);
        while (leaves_ < 2 * orders.size()) leaves_ *= 2;
        orders_ = std::move(orders);
        shortest_.assign(2 * leaves_, kGone);
        std::ranges::copy(requests, shortest_.begin() + static_cast<std::ptrdiff_t>(leaves_));
        for (std::size_t i = leaves_; --i > 0;) shortest_[i] = std::min(shortest_[2 * i], shortest_[2 * i + 1]);
    }

    std::vector<Order> orders_;      ///< of each place
    std::vector<Seconds> shortest_;  ///< of each node of the tree; the leaves are the places
    std::size_t leaves_ = 0, count_ = 0;
};

}  // namespace drom::policy
