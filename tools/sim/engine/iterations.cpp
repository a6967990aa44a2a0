// SPDX-License-Identifier: BSD-3-Clause
// iterations.cpp - progress of a program over changes of its size.
#include "engine/iterations.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace drom::sim {

IterativeRun::IterativeRun(const Program& program, int nodes, double factor, Seconds now)
    : program_(&program), nodes_(nodes), factor_(factor), left_(program.iterations), since_(static_cast<double>(now)) {}

/// Returns the part of an iteration that is left to the next point; 1 when the program is at one.
double IterativeRun::pending() const noexcept {
    const double whole = std::ceil(left_) - 1;
    return left_ - whole;
}

double IterativeRun::next() const { return since_ + pause_ + pending() * seconds(); }

double IterativeRun::iterate() {
    const double rest = pending() * seconds();
    since_ = next();
    pause_ = 0;
    left_ = std::ceil(left_) - 1;
    at_point_ = true;
    return std::exchange(spent_, 0) + rest;
}

void IterativeRun::advance(Seconds now) {
    if (at_point_) return;
    double passed = std::max(0.0, static_cast<double>(now) - since_);
    since_ += passed;
    const double paused = std::min(pause_, passed);
    pause_ -= paused;
    passed -= paused;
    spent_ += passed;
    // The point at its end, which comes a moment later, is left to iterate().
    left_ -= std::min(passed / seconds(), pending() * (1 - 1e-9));
}

void IterativeRun::resize(int nodes, Seconds now) {
    advance(now);
    nodes_ = nodes;
}

void IterativeRun::pause(double seconds, Seconds now) {
    advance(now);
    pause_ += seconds;
}

}  // namespace drom::sim
