// SPDX-License-Identifier: BSD-3-Clause
// blas_threads.cpp - a program over a BLAS with threads of its own, which follows drom's requests by itself, by
// drom_poll.
//
//   blas_threads [--size N] [--products N]
//
// OpenBLAS built for POSIX threads and BLIS have pools that no runtime knows. Each has a function that sets how many
// threads the next product may use. So the program calls drom_poll between two products, which costs two loads, and
// passes the number on. It finds either function by its name, so the same source serves both libraries.
//
// Every product is exact: the entries are integers below 1021, so no sum in it exceeds size * 1020^2 < 2^53. Neither
// the order of the sums nor the number of threads can change a bit. (With other entries BLIS 0.9 gives the same bits
// for any number of threads; those of OpenBLAS 0.3 differ in the last places.) Each product C = A B is checked for a
// vector x: C x = A (B x).
#include <cblas.h>
#include <dlfcn.h>
#include <drom/drom.h>
#include <sched.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include "arguments.hpp"

namespace {

constexpr std::uint64_t kModulus = 1021;

struct Options {
    int size = 300;
    int products = 1000;
};

using Matrix = std::vector<double>;  // square, row by row

/// The library's own pool.
class Pool {
public:
    [[nodiscard]] bool is_known() const { return openblas_ != nullptr || blis_ != nullptr; }

    void use_threads(int count) const {
        if (openblas_ != nullptr) openblas_(count);
        if (blis_ != nullptr) blis_(count);
    }

private:
    using OpenBlas = void (*)(int);
    using Blis = void (*)(std::int64_t);  // its dim_t
    OpenBlas openblas_ = reinterpret_cast<OpenBlas>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    Blis blis_ = reinterpret_cast<Blis>(dlsym(RTLD_DEFAULT, "bli_thread_set_num_threads"));
};

int count_cpus(const std::array<std::uint64_t, 64>& mask) {
    int count = 0;
    for (const std::uint64_t word : mask) count += std::popcount(word);
    return count;
}

/// Returns the number of CPUs that this process was started with.
int count_own_cpus() {
    cpu_set_t own;
    return sched_getaffinity(0, sizeof own, &own) == 0 ? CPU_COUNT(&own) : 1;
}

/// Follows the newest request. Called between two products, when no thread of the library works.
void follow(const Pool& pool) {
    std::array<std::uint64_t, 64> mask{};  // 4,096 CPUs
    if (drom_poll(mask.data(), mask.size(), nullptr) == DROM_OK) pool.use_threads(count_cpus(mask));
}

Matrix some_matrix(int size, std::uint64_t seed) {
    Matrix matrix(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
    for (double& cell : matrix) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        cell = static_cast<double>((seed >> 33) % kModulus);
    }
    return matrix;
}

std::vector<double> apply(const Matrix& matrix, const std::vector<double>& x) {
    std::vector<double> y(x.size());
    const double* cell = matrix.data();
    for (double& sum : y)
        for (const double entry : x) sum += *cell++ * entry;
    return y;
}

/// Returns the number of wrong products; `a` becomes A B, with its entries brought back below the modulus, again and
/// again.
int multiply_all(Matrix& a, const Matrix& b, const Pool& pool, const Options& options) {
    const int n = options.size;
    Matrix c(a.size());
    int wrong = 0;
    for (int done = 0; done < options.products; ++done) {
        follow(pool);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, b.data(), n, 0.0, c.data(),
                    n);
        std::vector<double> x(static_cast<std::size_t>(n));
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>((i ^ static_cast<std::size_t>(done)) & 1);
        if (apply(a, apply(b, x)) != apply(c, x)) ++wrong;
        for (double& cell : c) cell = static_cast<double>(static_cast<std::uint64_t>(cell) % kModulus);
        std::swap(a, c);
    }
    return wrong;
}

std::uint64_t checksum(const Matrix& matrix) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const double cell : matrix) hash = (hash ^ static_cast<std::uint64_t>(cell)) * 0x100000001b3;
    return hash;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    if (!read_arguments(argc, argv, {{"--size", &options.size, 1, 20'000}, {"--products", &options.products}})) {
        std::fputs("usage: blas_threads [--size N] [--products N]\n", stderr);
        return 2;
    }
    drom_error error;
    // Without a table it runs as before, with the library's own number of threads.
    if (drom_init(nullptr, 0, nullptr, &error) < 0) std::fprintf(stderr, "blas_threads: %s\n", error.text);
    const Pool pool;
    if (!pool.is_known())
        std::fputs("blas_threads: neither OpenBLAS nor BLIS: its threads are confined only\n", stderr);
    pool.use_threads(count_own_cpus());  // BLIS takes one by itself
    Matrix a = some_matrix(options.size, 1);
    const Matrix b = some_matrix(options.size, 2);
    const int wrong = multiply_all(a, b, pool, options);
    drom_finalize(nullptr);
    std::printf("blas_threads: %d products of %d x %d, %d wrong, checksum %016llx\n", options.products, options.size,
                options.size, wrong, static_cast<unsigned long long>(checksum(a)));
    return wrong == 0 ? 0 : 1;
}
