// SPDX-License-Identifier: BSD-3-Clause
// runtime_model.cpp - speeds on fewer cores.
#include "policy/job/runtime_model.hpp"

#include <algorithm>
#include <cmath>

namespace drom::policy {
namespace {

constexpr std::int64_t kUnits = 1'000'000;  // a second, for the models whose speeds are not fractions of cores

struct Sum {
    std::int64_t cores = 0, nodes = 0, min = 0;
};

Sum sum_of(const std::vector<Piece>& pieces) {
    Sum sum;
    sum.min = pieces.empty() ? 1 : pieces.front().cores;
    for (const Piece& piece : pieces) {
        sum.cores += std::int64_t{piece.nodes} * piece.cores;
        sum.nodes += piece.nodes;
        sum.min = std::min<std::int64_t>(sum.min, piece.cores);
    }
    return sum;
}

Rate of_ratio(double ratio) {
    return {std::clamp<std::int64_t>(std::llround(ratio * static_cast<double>(kUnits)), 1, kUnits), kUnits};
}

}  // namespace

double downey_speedup(double cores, double parallelism, double sigma) noexcept {
    const double n = cores;
    const double A = std::max(parallelism, 1.0);
    if (n <= 1) return n;
    if (sigma > 1) {
        if (n > A + A * sigma - sigma) return A;
        return n * A * (sigma + 1) / (sigma * (n + A - 1) + A);
    }
    if (n <= A) return A * n / (A + sigma / 2 * (n - 1));
    if (n <= 2 * A - 1) return A * n / (sigma * (A - 0.5) + n * (1 - sigma / 2));
    return A;
}

double amdahl_speedup(double cores, double serial) noexcept {
    return 1 / (serial + (1 - serial) / std::max(cores, 1.0));
}

Rate RuntimeModel::rate(const std::vector<Piece>& pieces, int cores) const {
    const Sum sum = sum_of(pieces);
    const auto now = static_cast<double>(sum.cores);
    const auto asked = static_cast<double>(sum.nodes * cores);
    switch (kind) {
        case ModelKind::kIdeal: return {sum.cores, sum.nodes * cores};
        case ModelKind::kWorstCase: return {sum.min, cores};
        case ModelKind::kDowney:
            return of_ratio(downey_speedup(now, parallelism, sigma) / downey_speedup(asked, parallelism, sigma));
        case ModelKind::kAmdahl: return of_ratio(amdahl_speedup(now, serial) / amdahl_speedup(asked, serial));
    }
    return {};
}

std::int64_t RuntimeModel::left_on(std::int64_t work, int before, int now) const {
    const std::int64_t linear = (work * before + now - 1) / now;
    double longer = 1;
    switch (kind) {
        case ModelKind::kIdeal:
        case ModelKind::kWorstCase: return linear;
        case ModelKind::kDowney:
            longer = downey_speedup(before, parallelism, sigma) / downey_speedup(now, parallelism, sigma);
            break;
        case ModelKind::kAmdahl: longer = amdahl_speedup(before, serial) / amdahl_speedup(now, serial); break;
    }
    return std::min(linear, static_cast<std::int64_t>(std::ceil(static_cast<double>(work) * longer)));
}

}  // namespace drom::policy
