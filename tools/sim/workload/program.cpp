// SPDX-License-Identifier: BSD-3-Clause
// program.cpp - iteration times.
#include "workload/program.hpp"

#include <cmath>

namespace drom::sim {
namespace {

/// Returns the speed of computing on `nodes` nodes, relative to the start.
double speed(const Program& program, int nodes) {
    const double ratio = static_cast<double>(nodes) / program.start;
    switch (program.scaling) {
        case Scaling::kLinear: return ratio;
        case Scaling::kPower: return std::pow(ratio, std::pow(program.alpha, std::abs(ratio - 1)));
        case Scaling::kSquare: break;
    }
    const double here = std::floor(std::sqrt(static_cast<double>(nodes) * program.cores_per_node));
    const double there = std::floor(std::sqrt(static_cast<double>(program.start) * program.cores_per_node));
    return here * here / (there * there);
}

}  // namespace

double Program::mtct(int nodes) const { return mtct_factor == 0 ? 0 : mtct_factor * std::pow(nodes, mtct_power); }

double Program::seconds_on(int nodes) const {
    return iteration / speed(*this, nodes) * (1 + mtct(nodes)) / (1 + mtct(start));
}

}  // namespace drom::sim
