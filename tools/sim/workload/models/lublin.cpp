// SPDX-License-Identifier: BSD-3-Clause
// lublin.cpp - synthetic workloads after Lublin and Feitelson.
#include "workload/models/lublin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "workload/models/random.hpp"

namespace drom::sim {
namespace {

constexpr std::size_t kBuckets = 48;  // half hours of a day
constexpr double kSecondsPerBucket = 1800;
constexpr double kMaxGapLog = 13;  // longer gaps than e^13 s, five days, are drawn again
constexpr double kMinAccuracy = 1e-5;

struct Gamma {
    double shape, scale;
};

/// Parameters of a class. Sizes: a share of serial jobs; else log2 of the nodes is even over [low, medium] or, less
/// often, over [medium, high]. For a share of all jobs it is rounded, to powers of two. `medium` and `high` are below
/// log2 of the machine by what is given here. Run times: e^h with h from one gamma, or a second one the more likely the
/// more nodes. Arrivals: gaps of e^g, where g is from `gap`, in the time of an average half hour. That time runs faster
/// or slower with the time of day.
struct Class {
    double serial, power_of_two, low, below_medium, below_high, first_stage;
    Gamma short_run, long_run;
    double short_per_node, short_base;
    Gamma gap, daily;
    double gap_ratio;  ///< on the shape of `gap`: it was fitted to rush hours
    int queue;
};

constexpr Class kAllJobs = {
    0.244,  0.576, 0.8, 2.5, 0, 0.86, {4.2, 0.94}, {312, 0.03}, -0.0054, 0.78, {10.2303, 0.4871}, {8.1737, 3.9631},
    1.0225, -1};
constexpr Class kBatch = {
    0.2927,           0.6686,           1.2,    2, 0, 0.875, {6.57, 0.823}, {639.1, 0.0156}, -0.003, 0.6986,
    {6.0415, 0.8531}, {6.1271, 5.2740}, 1.0519, 1};
constexpr Class kInteractive = {
    0.1541,           0.625,  1, 4, 1.5, 0.705, {3.8351, 0.6605}, {7.073, 0.6856}, -0.0118, 0.9156, {6.5510, 0.6621},
    {8.9186, 3.6680}, 0.9797, 0};

/// Returns the weights of the half hours, 1 on average: the density of `daily` over half hours 11 to 58 of a day that
/// begins at 5 o'clock, the time with the fewest jobs. Simpson's rule; the density's constant factor cancels.
std::array<double, kBuckets> daily_weights(const Gamma& daily) {
    constexpr std::size_t kFirst = 11;
    constexpr int kSteps = 8;
    std::array<double, kBuckets> weights{};
    double sum = 0;
    for (std::size_t i = kFirst; i < kFirst + kBuckets; ++i) {
        double& weight = weights[(i - 1) % kBuckets];  // the model counts half hours from 1
        for (int step = 0; step <= kSteps; ++step) {
            const double x = static_cast<double>(i) - 0.5 + static_cast<double>(step) / kSteps;
            const double factor = step == 0 || step == kSteps ? 1 : step % 2 == 1 ? 4 : 2;
            weight += factor * exp_exactly((daily.shape - 1) * log_exactly(x) - x / daily.scale);
        }
        sum += weight;
    }
    for (double& weight : weights) weight *= kBuckets / sum;
    return weights;
}

/// Arrivals of one class: a gap is paid for with the weights of the half hours that it passes.
class Arrivals {
public:
    Arrivals(const Class& of, double start_hour) : of_(of), weights_(daily_weights(of.daily)) {
        const double start = start_hour * 2;
        bucket_ = static_cast<std::size_t>(start) % kBuckets;
        inside_ = start - std::floor(start);
        start_ = start * kSecondsPerBucket;
        begin_ = std::floor(start) * kSecondsPerBucket;
    }

    void advance(Random& random) {
        double gap_log = 0;
        do gap_log = random.gamma(of_.gap.shape * of_.gap_ratio, of_.gap.scale);
        while (gap_log > kMaxGapLog);
        double points = exp_exactly(gap_log) / kSecondsPerBucket;
        while (points >= weights_[bucket_] * (1 - inside_)) {
            points -= weights_[bucket_] * (1 - inside_);
            bucket_ = (bucket_ + 1) % kBuckets;
            begin_ += kSecondsPerBucket;
            inside_ = 0;
        }
        inside_ += points / weights_[bucket_];
    }
    [[nodiscard]] Seconds now() const { return static_cast<Seconds>(begin_ + inside_ * kSecondsPerBucket - start_); }

private:
    const Class& of_;
    std::array<double, kBuckets> weights_;
    std::size_t bucket_ = 0;
    double inside_ = 0;  // share of the bucket that has passed
    double begin_ = 0, start_ = 0;
};

std::int64_t nodes_of(const Class& of, std::int64_t machine, Random& random) {
    const double kind = random.uniform();
    if (kind < of.serial) return 1;
    const double max = log_exactly(static_cast<double>(machine)) / log_exactly(2);
    // A machine so small that the stages are upside down has one stage.
    const double high = std::max(max - of.below_high, of.low), medium = std::clamp(max - of.below_medium, of.low, high);
    double size = random.chance(of.first_stage) ? random.uniform(of.low, medium) : random.uniform(medium, high);
    if (kind < of.serial + of.power_of_two) size = std::floor(size + 0.5);
    const auto nodes = static_cast<std::int64_t>(std::floor(exp2_exactly(size) + 0.5));
    return std::clamp<std::int64_t>(nodes, 1, machine);
}

Seconds run_of(const Class& of, std::int64_t nodes, double max_log, Random& random) {
    const double share = std::clamp(of.short_per_node * static_cast<double>(nodes) + of.short_base, 0.0, 1.0);
    for (;;) {
        const Gamma& law = random.chance(share) ? of.short_run : of.long_run;
        const double log = random.gamma(law.shape, law.scale);
        if (log <= max_log) return static_cast<Seconds>(exp_exactly(log));
    }
}

Seconds request_of(const LublinParameters& parameters, Seconds run, Random& random) {
    if (parameters.requests == LublinParameters::Requests::kExact) return std::max<Seconds>(run, 1);
    const double accuracy =
        std::clamp(random.gamma(parameters.accuracy_shape, parameters.accuracy_scale), kMinAccuracy, 1.0);
    const double longest = std::floor(exp_exactly(parameters.max_run_log));
    return static_cast<Seconds>(
        std::max(std::min(std::ceil(static_cast<double>(run) / accuracy), longest), static_cast<double>(run)));
}

LogJob draw(const LublinParameters& parameters, const Class& of, Random& random) {
    LogJob job;
    const std::int64_t nodes = nodes_of(of, parameters.nodes, random);
    job.processors = nodes * parameters.cores_per_node;
    job.run = run_of(of, nodes, parameters.max_run_log, random);
    job.request = request_of(parameters, job.run, random);
    job.queue = of.queue;
    job.status = 1;
    return job;
}

constexpr std::array<const char*, 4> kNames = {"all", "batch", "interactive", "both"};

void put_header(Workload& workload, const LublinParameters& parameters, std::uint64_t seed) {
    const bool exact = parameters.requests == LublinParameters::Requests::kExact;
    workload.header = {
        {"Version", "2.2"},
        {"Computer", fmt::format("{} nodes of {} processors", parameters.nodes, parameters.cores_per_node)},
        {"Note",
         "generated by drom-sim after U. Lublin and D. Feitelson, The workload on parallel supercomputers, 2003"},
        {"Note",
         fmt::format(
             "{}: jobs {}, run times up to e^{} s, zero at {} h, requests {}, seed {}", parameters.name,
             kNames[static_cast<std::size_t>(parameters.kind)], parameters.max_run_log, parameters.start_hour,
             exact ? "exact" : fmt::format("of accuracy {} {}", parameters.accuracy_shape, parameters.accuracy_scale),
             seed)},
        {"MaxJobs", std::to_string(parameters.jobs)},
        {"MaxNodes", std::to_string(parameters.nodes)},
        {"MaxProcs", std::to_string(workload.processors)},
    };
}

}  // namespace

Workload lublin(const LublinParameters& parameters, std::uint64_t seed) {
    Workload workload;
    workload.name = parameters.name;
    workload.nodes = parameters.nodes;
    workload.processors = parameters.nodes * parameters.cores_per_node;
    put_header(workload, parameters, seed);
    const Class& first = parameters.kind == LublinJobs::kAll     ? kAllJobs
                         : parameters.kind == LublinJobs::kBatch ? kBatch
                                                                 : kInteractive;
    const bool both = parameters.kind == LublinJobs::kBoth;
    Random random(seed);
    Arrivals one(first, parameters.start_hour), other(kBatch, parameters.start_hour);
    one.advance(random);
    if (both) other.advance(random);
    workload.jobs.reserve(static_cast<std::size_t>(parameters.jobs));
    for (std::int64_t id = 1; id <= parameters.jobs; ++id) {
        const bool batch = both && other.now() < one.now();
        Arrivals& next = batch ? other : one;
        const Seconds submit = next.now();
        LogJob job = draw(parameters, batch ? kBatch : first, random);
        job.id = id;
        job.submit = submit;
        workload.jobs.push_back(job);
        next.advance(random);
    }
    return workload;
}

}  // namespace drom::sim
