// SPDX-License-Identifier: BSD-3-Clause
// platforms.cpp - jobs for three partitions, at three loads.
#include "workload/models/platforms.hpp"

#include <algorithm>
#include <cmath>

#include "workload/models/random.hpp"

namespace drom::sim {
namespace {

constexpr double kMeanGap = 7.2, kMeanRun = 52;  // seconds
constexpr int kPartitions = 3, kCores = 256;
constexpr int kSizes = 9;  // 1, 2, 4 ... 256
constexpr int kApplications = 5;
constexpr std::int64_t kJobs = 1000;

struct Load {
    std::string_view preset;
    double times;  ///< on run times
};
constexpr Load kLoads[] = {{"platforms-x0.5", 0.5}, {"platforms-x1", 1}, {"platforms-x2", 2}};

/// Draws from the middle of the steps of uniform(), which are never 0.
double exponential(Random& random, double mean) { return -mean * log_exactly(random.uniform() + 0x1p-54); }

/// Draws one of 0 to count - 1.
int one_of(Random& random, int count) { return static_cast<int>(count * random.uniform()); }

LogJob draw_job(Random& random, double times) {
    LogJob job;
    job.processors = std::int64_t{1} << one_of(random, kSizes);
    job.run = std::max<Seconds>(1, std::llround(exponential(random, kMeanRun * times)));
    job.request = job.run;
    job.application = 1 + one_of(random, kApplications);
    return job;
}

}  // namespace

const std::vector<std::string_view>& platforms_presets() {
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> all;
        for (const Load& load : kLoads) all.push_back(load.preset);
        return all;
    }();
    return names;
}

std::optional<Workload> platforms_workload(std::string_view preset, std::int64_t jobs, std::uint64_t seed) {
    const auto load = std::ranges::find(kLoads, preset, &Load::preset);
    if (load == std::end(kLoads)) return std::nullopt;
    Random random(seed);
    Workload workload;
    workload.name = preset;
    workload.nodes = workload.processors = std::int64_t{kPartitions} * kCores;
    double submit = 0;
    for (std::int64_t id = 1; id <= (jobs > 0 ? jobs : kJobs); ++id) {
        submit += exponential(random, kMeanGap);
        LogJob job = draw_job(random, load->times);
        job.id = id;
        job.submit = static_cast<Seconds>(submit);
        workload.jobs.push_back(job);
    }
    return workload;
}

}  // namespace drom::sim
