// SPDX-License-Identifier: BSD-3-Clause
// objects.cpp - C++ programs: std::thread beside OpenMP, exceptions, containers sized by an answer, static objects.
//
//   threads      std::threads that compute while the main thread has regions
//   exceptions   thrown and caught inside regions, and thrown between regions through functions that have regions
//   containers   std::vector of partial results, sized by omp_get_max_threads() each time
//   pool         an object with scratch space for each thread, made once, used by member functions
//   statics      function-local statics that are sized by an answer, first reached inside or outside a region
#include <omp.h>

#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "guest.h"

namespace {

constexpr int kItems = 2048;
constexpr long kWorkPerItem = 24;

uint64_t item(long round, int i) { return work(static_cast<uint64_t>(round * kItems + i), kWorkPerItem); }

uint64_t region(long round) {
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < kItems; ++i) sum += item(round, i);
    return sum;
}

uint64_t threads(long all) {
    std::array<uint64_t, 2> beside{};
    std::vector<std::thread> others;
    for (auto& mine : beside)
        others.emplace_back([&mine, all] { mine = work(static_cast<uint64_t>(all), all * 2000); });
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        sum = mix(sum, region(round));
        if (round % 500 == 0) std::thread([&sum, round] { sum = mix(sum, region(round)); }).join();
    }
    for (auto& other : others) other.join();
    return mix(mix(sum, beside[0]), beside[1]);
}

uint64_t thrown_inside(long round) {
    uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < kItems; ++i) {
        try {
            const uint64_t value = item(round, i);
            if (i % 512 == 0) throw std::runtime_error(std::to_string(value % 1000));
            sum += value;
        } catch (const std::runtime_error& error) {
            sum += std::stoul(error.what());
        }
    }
    if (round % 3 == 0) throw sum;
    return sum;
}

uint64_t exceptions(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        try {
            sum = mix(sum, thrown_inside(round));
        } catch (uint64_t value) {
            sum = mix(sum, ~value);
        }
    }
    return sum;
}

uint64_t containers(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        std::vector<std::vector<uint64_t>> found(static_cast<size_t>(omp_get_max_threads()));
        const int parts = static_cast<int>(found.size());
#pragma omp parallel
        {
            const int t = omp_get_thread_num();
            for (int i = kItems * t / parts; i < kItems * (t + 1) / parts; ++i)
                if (const uint64_t value = item(round, i); value % 16 == 0)
                    found.at(static_cast<size_t>(t)).push_back(value);
        }
        for (const auto& list : found) sum = std::accumulate(list.begin(), list.end(), sum, mix);
    }
    return sum;
}

/// Sizes its scratch space in the constructor; the member functions trust that size for ever.
class Solver {
public:
    Solver() : parts_(omp_get_max_threads()), scratch_(static_cast<size_t>(parts_)) {}

    uint64_t advance(long round) {
#pragma omp parallel
        {
            const int t = omp_get_thread_num();
            auto& mine = scratch_.at(static_cast<size_t>(t));
            mine = 0;
            for (int i = kItems * t / parts_; i < kItems * (t + 1) / parts_; ++i) mine += item(round, i);
        }
        return std::accumulate(scratch_.begin(), scratch_.end(), uint64_t{0});
    }

private:
    int parts_;
    std::vector<uint64_t> scratch_;
};

uint64_t pool(long all) {
    uint64_t sum = 0;
    for (long round = 0; round < all / 2; ++round) sum = mix(sum, region(round));
    const auto solver = std::make_unique<Solver>();
    for (long round = all / 2; round < all; ++round) sum = mix(sum, solver->advance(round));
    return sum;
}

uint64_t& slot_of_this_thread() {
    static std::vector<uint64_t> slots(static_cast<size_t>(omp_get_max_threads()));
    return slots.at(static_cast<size_t>(omp_get_thread_num()));
}

uint64_t statics(long all) {
    for (long round = 0; round < all; ++round) {
#pragma omp parallel for
        for (int i = 0; i < kItems; ++i) slot_of_this_thread() += item(round, i);
    }
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += slot_of_this_thread();
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    if (is(given, "threads")) return finish(given, threads(rounds(given, 10000)));
    if (is(given, "exceptions")) return finish(given, exceptions(rounds(given, 10000)));
    if (is(given, "containers")) return finish(given, containers(rounds(given, 10000)));
    if (is(given, "pool")) return finish(given, pool(rounds(given, 10000)));
    if (is(given, "statics")) return finish(given, statics(rounds(given, 10000)));
    return no_such_mode(given);
}
