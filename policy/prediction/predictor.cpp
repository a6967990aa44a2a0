// SPDX-License-Identifier: BSD-3-Clause
// predictor.cpp - the last two jobs of a user, and the jobs that were most alike.
#include "policy/prediction/predictor.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <vector>

namespace drom::policy {
namespace {

/// The last two run times of something.
struct LastTwo {
    Seconds newer = 0, older = 0;
    int known = 0;

    void add(Seconds run) {
        older = newer;
        newer = run;
        known = std::min(known + 1, 2);
    }
    double mean() const { return known == 2 ? static_cast<double>(newer + older) / 2 : static_cast<double>(newer); }
};

class LastTwoOfSize final : public Predictor {
public:
    void learn(const Job& job, Seconds run) override {
        if (job.user < 0) return;
        by_size_[{job.user, size_class(job)}].add(std::max<Seconds>(1, run));
        by_user_[job.user].add(std::max<Seconds>(1, run));
    }

protected:
    double expected(const Job& job) const override {
        if (const auto same = by_size_.find({job.user, size_class(job)}); same != by_size_.end())
            return same->second.mean();
        const auto user = by_user_.find(job.user);
        return user == by_user_.end() ? 0 : user->second.mean();
    }

private:
    static int size_class(const Job& job) { return static_cast<int>(std::bit_width(static_cast<unsigned>(job.nodes))); }

    std::map<std::pair<int, int>, LastTwo> by_size_;
    std::map<int, LastTwo> by_user_;
};

class LastTwoOfUser final : public Predictor {
public:
    void learn(const Job& job, Seconds run) override {
        if (job.user >= 0) by_user_[job.user].add(std::max<Seconds>(1, run));
    }

protected:
    double expected(const Job& job) const override {
        const auto user = by_user_.find(job.user);
        return user == by_user_.end() || user->second.known < 2 ? 0 : user->second.mean();
    }

private:
    std::map<int, LastTwo> by_user_;
};

struct Seen {
    int user = -1, application = -1;
    double nodes = 0, request = 0, hour = 0, run = 0;  ///< logarithms to the base of 2, but for the hour
};

double log2_of(Seconds seconds) { return std::log2(static_cast<double>(std::max<Seconds>(1, seconds))); }

Seen seen(const Job& job, Seconds run) {
    constexpr Seconds kHour = 3600, kDay = 24 * kHour;
    const Seconds of_day = (job.submit % kDay + kDay) % kDay;
    return {job.user,    job.application, log2_of(job.nodes), log2_of(job.request), static_cast<double>(of_day) / kHour,
            log2_of(run)};
}

/// Returns how far apart two jobs are. Another user is as far away as a request that is sixteen times as long; another
/// application as one four times.
double distance(const Seen& a, const Seen& b) {
    constexpr double kUser = 4, kApplication = 2, kHours = 12;
    const double apart = std::abs(a.hour - b.hour);
    return (a.user == b.user ? 0 : kUser) + (a.application == b.application ? 0 : kApplication) +
           std::abs(a.nodes - b.nodes) + std::abs(a.request - b.request) + std::min(apart, 24 - apart) / kHours;
}

class NearestJobs final : public Predictor {
public:
    void learn(const Job& job, Seconds run) override {
        if (job.user < 0) return;
        if (history_.size() < kRemembered) history_.emplace_back();
        history_[next_++ % kRemembered] = seen(job, run);
    }

protected:
    double expected(const Job& job) const override {
        if (job.user < 0 || history_.empty()) return 0;
        const Seen here = seen(job, 0);
        std::vector<std::pair<double, double>> near;  // distance, run
        near.reserve(history_.size());
        for (const Seen& other : history_) near.emplace_back(distance(here, other), other.run);
        const auto end = near.begin() + static_cast<std::ptrdiff_t>(std::min(kNeighbours, near.size()));
        std::partial_sort(near.begin(), end, near.end());
        double sum = 0;
        for (auto at = near.begin(); at != end; ++at) sum += at->second;
        return std::exp2(sum / static_cast<double>(end - near.begin()));
    }

private:
    static constexpr std::size_t kRemembered = 1000, kNeighbours = 8;
    std::vector<Seen> history_;
    std::size_t next_ = 0;
};

}  // namespace

Seconds Predictor::predict(const Job& job) const {
    const double seconds = expected(job);
    if (!(seconds > 0)) return job.request;
    return std::clamp<Seconds>(static_cast<Seconds>(std::ceil(std::min(seconds, 1e15))), 1, job.request);
}

std::unique_ptr<Predictor> last_two() { return std::make_unique<LastTwoOfSize>(); }
std::unique_ptr<Predictor> last_two_of_user() { return std::make_unique<LastTwoOfUser>(); }
std::unique_ptr<Predictor> nearest_jobs() { return std::make_unique<NearestJobs>(); }

void Safety::learn(Seconds predicted, Seconds run) {
    const double ratio = static_cast<double>(std::max<Seconds>(1, run)) / static_cast<double>(predicted);
    const int bin = ratio <= 1 ? 0 : static_cast<int>(std::ceil(std::log2(ratio) * kPerDoubling));
    ++counts_[static_cast<std::size_t>(std::min(bin, kPerDoubling * kDoublings - 1))];
    ++all_;
}

double Safety::factor(double quantile) const {
    const auto enough = static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(all_)));
    std::uint64_t below = 0;
    for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
        below += counts_[bin];
        if (below >= enough) return std::exp2(static_cast<double>(bin) / kPerDoubling);
    }
    return 1;
}

}  // namespace drom::policy
