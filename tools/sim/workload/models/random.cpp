// SPDX-License-Identifier: BSD-3-Clause
// random.cpp - draws that are the same on every machine.
#include "workload/models/random.hpp"

#include <cmath>

namespace drom::sim {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;
// The same in two parts: the first has so few bits that its product with an exponent is exact.
constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;

/// Returns e^r for |r| <= ln(2)/2 by its Taylor series, whose next term is below 2^-60.
double exp_near_zero(double r) {
    double sum = 1;
    for (int n = 16; n >= 1; --n) sum = 1 + sum * r / n;
    return sum;
}

}  // namespace

double log_exactly(double x) {
    int exponent = 0;
    double mantissa = std::frexp(x, &exponent);  // [0.5, 1)
    if (mantissa < 0x1.6a09e667f3bcdp-1) {       // below the root of 1/2, so that s stays small on both sides of 1
        mantissa *= 2;
        --exponent;
    }
    const double s = (mantissa - 1) / (mantissa + 1), square = s * s;
    double sum = 0;
    for (int n = 25; n >= 1; n -= 2) sum = sum * square + 1.0 / n;
    return exponent * kLn2High + (2 * s * sum + exponent * kLn2Low);
}

double exp_exactly(double x) {
    const double whole = std::nearbyint(x / kLn2);
    return std::ldexp(exp_near_zero((x - whole * kLn2High) - whole * kLn2Low), static_cast<int>(whole));
}

double exp2_exactly(double x) {
    const double whole = std::nearbyint(x);
    return std::ldexp(exp_near_zero((x - whole) * kLn2), static_cast<int>(whole));
}

double Random::uniform(double low, double high) { return low + (high - low) * uniform(); }

double Random::uniform_log(double f, double c) { return exp2_exactly((uniform() - c) / f); }

double Random::normal() {
    for (;;) {
        const double x = uniform(-1, 1), y = uniform(-1, 1), square = x * x + y * y;
        if (square >= 1 || square <= 0) continue;
        return x * std::sqrt(-2 * log_exactly(square) / square);
    }
}

double Random::gamma(double shape, double scale) {
    if (shape < 1) {
        const double u = 1 - uniform();  // (0, 1]: it has a logarithm
        return gamma(shape + 1, scale) * exp_exactly(std::fmax(log_exactly(u) / shape, -600));
    }
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = normal(), root = 1 + c * x;
        if (root <= 0) continue;
        const double v = root * root * root, u = 1 - uniform();
        if (log_exactly(u) < 0.5 * x * x + d - d * v + d * log_exactly(v)) return d * v * scale;
    }
}

}  // namespace drom::sim
