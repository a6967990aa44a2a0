// SPDX-License-Identifier: BSD-3-Clause
// predicting.cpp - requests become predictions on the way in, and are corrected when they were too short.
#include "policy/prediction/predicting.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "policy/prediction/predictor.hpp"

namespace drom::policy {
namespace {

class Predicting final : public Scheduler {
public:
    Predicting(std::unique_ptr<Scheduler> inner, std::unique_ptr<Predictor> predictor, const PredictionRules& rules)
        : inner_(std::move(inner)), predictor_(std::move(predictor)), rules_(rules) {}

    void submit(const Job& job) override {
        const Seconds predicted = predictor_->predict(job);
        known_[job.id] = {job, predicted};
        Job planned = job;
        planned.limit = job.request;
        planned.reserve_limit = rules_.sharing_only;
        planned.extend_as_predicted = rules_.extend_as_predicted;
        planned.correct_to_limit = rules_.correct_to_limit;
        planned.request = with_safety(predicted, job.request);
        inner_->submit(planned);
    }

    bool cancel(JobId id) override {
        known_.erase(id);
        return inner_->cancel(id);
    }

    void ended(JobId id, Seconds run) override {
        inner_->ended(id, run);
        const auto known = known_.find(id);
        if (known == known_.end()) return;
        predictor_->learn(known->second.job, run);
        safety_.learn(known->second.predicted, run);
        known_.erase(known);
    }

    void pass(std::span<Cluster> partitions, Seconds now, bool ended, Changes& changes) override {
        bool moved = false;
        for (Cluster& cluster : partitions) moved = cluster.correct_predictions(now) || moved;
        inner_->pass(partitions, now, ended || (moved && releases_move()), changes);
        overrun_ = kNever;
        if (!releases_move()) return;
        for (const Cluster& cluster : partitions)
            overrun_ =
                std::min(overrun_, rules_.sharing_only ? cluster.next_overrun(now) : first_release(cluster, now));
    }

    Seconds wake() const override { return std::min(overrun_, inner_->wake()); }
    std::size_t waiting() const override { return inner_->waiting(); }

private:
    struct Known {
        Job job;
        Seconds predicted = 0;
    };

    Seconds with_safety(Seconds predicted, Seconds request) const {
        if (rules_.safety <= 0) return predicted;
        const double longer = std::ceil(static_cast<double>(predicted) * safety_.factor(rules_.safety));
        return longer < static_cast<double>(request) ? static_cast<Seconds>(longer) : request;
    }

    /// Returns whether nodes are free at another time where a prediction is outrun.
    bool releases_move() const { return !rules_.sharing_only || rules_.extend_as_predicted; }

    static Seconds first_release(const Cluster& cluster, Seconds now) {
        for (const Release& release : cluster.releases())
            if (release.at > now) return release.at;
        return kNever;
    }

    std::unique_ptr<Scheduler> inner_;
    std::unique_ptr<Predictor> predictor_;
    const PredictionRules rules_;
    Safety safety_;
    std::unordered_map<JobId, Known> known_;  ///< that wait or run
    Seconds overrun_ = kNever;                ///< when the next prediction would turn out too short
};

std::unique_ptr<Predictor> predictor_of(PredictionRules::Kind kind) {
    switch (kind) {
        case PredictionRules::Kind::kLastTwo: return last_two();
        case PredictionRules::Kind::kNearest: return nearest_jobs();
        case PredictionRules::Kind::kUserTwo: return last_two_of_user();
        case PredictionRules::Kind::kRequest: break;
    }
    return nullptr;
}

}  // namespace

std::unique_ptr<Scheduler> predicting(std::unique_ptr<Scheduler> inner, const PredictionRules& rules) {
    if (auto predictor = predictor_of(rules.kind))
        return std::make_unique<Predicting>(std::move(inner), std::move(predictor), rules);
    return inner;
}

}  // namespace drom::policy
