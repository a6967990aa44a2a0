// SPDX-License-Identifier: BSD-3-Clause
// ks.hpp - Kolmogorov and Smirnov's test: are two samples of one distribution, is a sample of this one?
//
// Where values repeat (sizes, whole seconds) the test is conservative: it rejects less often than alpha.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "workload/workload.hpp"

namespace drom::test {

/// Returns the largest distance between the two empirical distribution functions.
inline double ks_distance(std::vector<double> a, std::vector<double> b) {
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    double distance = 0;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const double x = std::min(a[i], b[j]);
        while (i < a.size() && a[i] <= x) ++i;
        while (j < b.size() && b[j] <= x) ++j;
        distance = std::max(distance, std::fabs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                                static_cast<double>(j) / static_cast<double>(b.size())));
    }
    return distance;
}

/// Returns the largest distance from a distribution function.
template <class Function>
double ks_distance_from(std::vector<double> sample, const Function& distribution) {
    std::sort(sample.begin(), sample.end());
    const auto n = static_cast<double>(sample.size());
    double distance = 0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
        const double f = distribution(sample[i]), below = static_cast<double>(i) / n;
        distance = std::max({distance, f - below, below + 1 / n - f});
    }
    return distance;
}

/// Returns the distance that samples of one distribution exceed with probability alpha (asymptotic: sizes from about 50
/// on).
inline double ks_limit(double alpha, std::size_t n, std::size_t m) {
    const auto a = static_cast<double>(n), b = static_cast<double>(m);
    return std::sqrt(-std::log(alpha / 2) / 2 * (a + b) / (a * b));
}
inline double ks_limit(double alpha, std::size_t n) {
    return std::sqrt(-std::log(alpha / 2) / 2 / static_cast<double>(n));
}

template <class Value>
std::vector<double> each(const sim::Workload& workload, const Value& value) {
    std::vector<double> values;
    values.reserve(workload.jobs.size());
    for (const sim::LogJob& job : workload.jobs) values.push_back(static_cast<double>(value(job)));
    return values;
}
inline std::vector<double> widths(const sim::Workload& workload) {
    return each(workload, [](const sim::LogJob& job) { return job.processors; });
}
inline std::vector<double> runs(const sim::Workload& workload) {
    return each(workload, [](const sim::LogJob& job) { return job.run; });
}
inline std::vector<double> requests(const sim::Workload& workload) {
    return each(workload, [](const sim::LogJob& job) { return job.request; });
}
inline std::vector<double> accuracies(const sim::Workload& workload) {
    return each(workload,
                [](const sim::LogJob& job) { return static_cast<double>(job.run) / static_cast<double>(job.request); });
}
inline std::vector<double> gaps(const sim::Workload& workload) {
    std::vector<double> values;
    for (std::size_t i = 1; i < workload.jobs.size(); ++i)
        values.push_back(static_cast<double>(workload.jobs[i].submit - workload.jobs[i - 1].submit));
    return values;
}
inline double mean(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}
template <class Test>
double share(const std::vector<double>& values, const Test& test) {
    return static_cast<double>(std::count_if(values.begin(), values.end(), test)) / static_cast<double>(values.size());
}

/// Returns the FNV-1a hash, for texts that are to be the same everywhere.
inline std::uint64_t fingerprint(const std::string& text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

}  // namespace drom::test
