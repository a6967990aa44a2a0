// SPDX-License-Identifier: BSD-3-Clause
// profile.cpp - visited sizes, and the estimators of what the next one gives.
#include "policy/resize/profile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace drom::policy {

void Profile::expanded(int size) {
    visits_.push_back({size, 0});
    ++resizes_;
}

void Profile::contracted(int size) {
    while (visits_.size() > 1 && visits_.back().size > size) visits_.pop_back();
    ++resizes_;
}

std::optional<int> Profile::previous() const {
    if (visits_.size() < 2) return std::nullopt;
    return visits_[visits_.size() - 2].size;
}

int Profile::largest_that_frees(int nodes) const {
    const auto enough =
        std::find_if(visits_.rbegin(), visits_.rend(), [&](const Visit& v) { return size() - v.size >= nodes; });
    return enough == visits_.rend() ? start() : enough->size;
}

double Profile::damage_of_contraction() const {
    if (visits_.size() < 2) return 0;
    const Visit& before = visits_[visits_.size() - 2];
    if (!visits_.back().measured() || !before.measured()) return static_cast<double>(size()) / before.size - 1;
    return before.seconds / visits_.back().seconds - 1;
}

bool Profile::growth_was_useless(double min_gain) const {
    if (visits_.size() < 2) return false;
    const Visit& before = visits_[visits_.size() - 2];
    if (!visits_.back().measured() || !before.measured()) return false;
    return visits_.back().seconds >= before.seconds * (1 - min_gain);
}

namespace {

/// Speed on a size, both relative to the first visit.
struct Point {
    double size = 1, speed = 1;
};

std::vector<Point> points_of(std::span<const Visit> visits) {
    std::vector<Point> points;
    for (const Visit& visit : visits)
        if (visit.measured())
            points.push_back(
                {static_cast<double>(visit.size) / visits.front().size, visits.front().seconds / visit.seconds});
    return points;
}

double chord(const Point& a, const Point& b) { return (b.speed - a.speed) / (b.size - a.size); }

/// Returns the slope at the last point of the parabola through the last three.
double slope_of_parabola(std::span<const Point> points) {
    const Point &a = points[points.size() - 3], &b = points[points.size() - 2], &c = points.back();
    const double earlier = chord(a, b), later = chord(b, c);
    return later + (later - earlier) / (c.size - a.size) * (c.size - b.size);
}

/// A speed that never falls with the size.
struct Curve {
    enum class Form : std::uint8_t { kAmdahl, kSaturating } form;
    double parameter;  ///< serial share, or the size beyond which nothing is gained

    double speed(double size) const {
        if (form == Form::kSaturating) return std::min(size, parameter);
        return 1 / (parameter + (1 - parameter) / size);
    }
    double slope(double size) const {
        if (form == Form::kSaturating) return size < parameter ? 1 : 0;
        const double time = parameter * size + 1 - parameter;
        return (1 - parameter) / (time * time);
    }
};

/// Fits Amdahl's law by least squares of the times, which are linear in the serial share.
Curve fit_amdahl(std::span<const Point> points) {
    double above = 0, below = 0;
    for (const Point& p : points) {
        const double parallel = 1 - 1 / p.size;
        above += (1 / p.speed - 1 / p.size) * parallel;
        below += parallel * parallel;
    }
    return {Curve::Form::kAmdahl, below > 0 ? std::clamp(above / below, 0.0, 1.0) : 0};
}

double squared_error(const Curve& curve, std::span<const Point> points) {
    double sum = 0;
    for (const Point& p : points) sum += (curve.speed(p.size) - p.speed) * (curve.speed(p.size) - p.speed);
    return sum;
}

/// Fits a limit by least squares: between two sizes the best limit is the mean speed of the points beyond it.
Curve fit_saturating(std::span<const Point> points) {
    Curve best{Curve::Form::kSaturating, points.back().size};
    double speeds = 0;
    for (std::size_t i = points.size(); i-- > 0;) {
        speeds += points[i].speed;
        const double mean = speeds / static_cast<double>(points.size() - i);
        const Curve curve{Curve::Form::kSaturating,
                          std::clamp(mean, i == 0 ? 1.0 : points[i - 1].size, std::max(1.0, points[i].size))};
        if (squared_error(curve, points) < squared_error(best, points)) best = curve;
    }
    return best;
}

/// Sums the squared errors of fits at points that they did not know. Leaves out each of the points but the first and
/// the last, which would be extrapolated.
template <typename Fit>
double leave_one_out(Fit fit, std::span<const Point> points) {
    double sum = 0;
    for (std::size_t left_out = 1; left_out + 1 < points.size(); ++left_out) {
        std::vector<Point> others(points.begin(), points.end());
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
        sum += squared_error(fit(others), points.subspan(left_out, 1));
    }
    return sum;
}

double slope_of_monotone(std::span<const Point> points) {
    const bool saturates = leave_one_out(fit_saturating, points) < leave_one_out(fit_amdahl, points);
    const Curve curve = saturates ? fit_saturating(points) : fit_amdahl(points);
    return curve.slope(points.back().size);
}

}  // namespace

double expand_potential(std::span<const Visit> visits, Estimator estimator) {
    const std::vector<Point> points = points_of(visits);
    if (points.size() < 2) return std::numeric_limits<double>::infinity();
    if (points.size() == 2) return chord(points[0], points[1]);
    return estimator == Estimator::kThesis ? slope_of_parabola(points) : slope_of_monotone(points);
}

}  // namespace drom::policy
