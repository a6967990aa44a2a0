// SPDX-License-Identifier: BSD-3-Clause
// random.hpp - draws that are the same on every machine: one seed, one sequence, one workload, byte for byte.
//
// The standard fixes std::mt19937_64 to the bit, but neither its distributions nor the last bit of std::log and
// std::exp. That bit differs between C libraries, and between processors with and without fused multiply-add. So the
// distributions and both functions are written here, from operations that IEEE 754 rounds in one way; they are off by a
// few units in the last place at most. The files that use them are compiled with -ffp-contract=off: a product and a sum
// fused into one rounding would differ, too.
#pragma once

#include <cstdint>
#include <random>

namespace drom::sim {

/// Returns the natural logarithm, from additions, products and quotients only. Needs x > 0 and finite.
double log_exactly(double x);
/// Returns e^x, likewise. Needs |x| < 700.
double exp_exactly(double x);
/// Returns 2^x, likewise; exact where x is an integer. Needs |x| < 1000.
double exp2_exactly(double x);

/// A stream of draws.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// Draws evenly from [0, 1): a multiple of 2^-53.
    double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    /// Draws evenly from [low, high).
    double uniform(double low, double high);
    /// Returns true with this probability.
    bool chance(double probability) { return uniform() < probability; }
    /// Draws with mean 0 and standard deviation 1 (Marsaglia's polar method; the second draw of each pair is thrown
    /// away).
    double normal();
    /// Draws from gamma of this shape and scale, both > 0; mean shape * scale (Marsaglia and Tsang, ACM TOMS 26(3),
    /// 2000; for shapes below 1 their boost: a draw of shape + 1 times U^(1/shape)).
    double gamma(double shape, double scale);
    /// Draws from the "uniform-log" law of Cirne and Berman: 2^((u - c) / f), so that F(x) = f * log2(x) + c.
    double uniform_log(double f, double c);

private:
    std::mt19937_64 engine_;
};

}  // namespace drom::sim
