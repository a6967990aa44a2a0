// SPDX-License-Identifier: BSD-3-Clause
// dgemm.cpp - a long series of matrix products by a packaged library: OpenBLAS, built for OpenMP by the distribution.
//
// This file only calls. The parallel regions, the threads and the questions about their number are the library's, and
// the library is the distribution's binary. OpenBLAS calls omp_get_max_threads() before each product and partitions by
// the answer.
//
//   dgemm [--size N] [--products N] [--progress]
//
// Every product is exact: the entries are small integers, so the order of the sums, and with it the number of threads,
// cannot change a bit. Each product C = A B is checked by Freivalds' method, C x = A (B x) for a vector x; exit status
// 1 when one is wrong.
#include <cblas.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "arguments.hpp"

namespace {

constexpr std::int64_t kModulus = 1021;  // entries stay below it, so n * 1021^2 is exact in a double for every n here

struct Options {
    int size = 1000;
    int products = 100;
    bool progress = false;
};

/// Square, row by row.
struct Matrix {
    explicit Matrix(int n) : size(n), cells(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}
    int size;
    std::vector<double> cells;
};

void fill(Matrix& matrix, std::uint64_t seed) {
    for (double& cell : matrix.cells) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        cell = static_cast<double>((seed >> 33) % kModulus);
    }
}

void multiply(const Matrix& a, const Matrix& b, Matrix& c) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, a.size, a.size, a.size, 1.0, a.cells.data(), a.size,
                b.cells.data(), a.size, 0.0, c.cells.data(), a.size);
}

std::vector<double> apply(const Matrix& matrix, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    const double* row = matrix.cells.data();
    for (double& sum : y) {
        for (std::size_t at = 0; at < x.size(); ++at) sum += row[at] * x[at];
        row += matrix.size;
    }
    return y;
}

/// Compares C x with A (B x) for a vector of zeros and ones, by Freivalds. A wrong product passes with a probability of
/// at most one half, and every round takes another vector.
bool is_product(const Matrix& a, const Matrix& b, const Matrix& c, int round) {
    std::vector<double> x(static_cast<std::size_t>(a.size));
    std::uint64_t bits = static_cast<std::uint64_t>(round) + 1;
    for (double& entry : x) {
        bits = bits * 6364136223846793005 + 1442695040888963407;
        entry = static_cast<double>(bits >> 63);
    }
    return apply(a, apply(b, x)) == apply(c, x);
}

/// Brings the product's entries back below the modulus, so that it can be the next left factor.
void reduce(Matrix& matrix) {
    for (double& cell : matrix.cells) cell = static_cast<double>(static_cast<std::int64_t>(cell) % kModulus);
}

std::uint64_t checksum(const Matrix& matrix) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const double cell : matrix.cells) hash = (hash ^ static_cast<std::uint64_t>(cell)) * 0x100000001b3;
    return hash;
}

/// Returns the number of wrong products; `a` ends as the last one.
int multiply_all(Matrix& a, const Matrix& b, const Options& options) {
    Matrix c(options.size);
    const int tenth = options.products < 10 ? 1 : options.products / 10;
    int wrong = 0;
    for (int done = 0; done < options.products; ++done) {
        multiply(a, b, c);
        if (!is_product(a, b, c, done)) ++wrong;
        reduce(c);
        a.cells.swap(c.cells);
        if (options.progress && (done + 1) % tenth == 0) std::fprintf(stderr, "dgemm: product %d\n", done + 1);
    }
    return wrong;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_arguments(argc, argv, {{"--size", &options.size, 1, 20'000}, {"--products", &options.products}},
                        &options.progress)) {
        std::fputs("usage: dgemm [--size N] [--products N] [--progress]\n", stderr);
        return 2;
    }
    Matrix a(options.size);
    Matrix b(options.size);
    fill(a, 1);
    fill(b, 2);
    const auto begin = std::chrono::steady_clock::now();
    const int wrong = multiply_all(a, b, options);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::printf("dgemm: %d products of %d x %d, checksum %016llx\n", options.products, options.size, options.size,
                static_cast<unsigned long long>(checksum(a)));
    std::fprintf(stderr, "dgemm: %.3f s\n", took.count());
    if (wrong == 0) return 0;
    std::fprintf(stderr, "dgemm: %d of %d products are wrong\n", wrong, options.products);
    return 1;
}
