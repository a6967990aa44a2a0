// SPDX-License-Identifier: BSD-3-Clause
// levels.cpp - C++ objects that know their threads: one call site asks for many objects, threads by id, std::barrier.
//
//   tiles     one more tile every eight steps; its constructor asks, and makes a buffer per thread
//   lists     four objects with a list per thread, made in a row by one constructor
//   levels    levels of a grid, each of which asks and is touched first by the thread that uses it
//   wrapper   one function of the program asks for all others: for numbers that are kept, and for numbers only printed
//   hardware  std::thread::hardware_concurrency()
//   ids       a map by std::thread::id, filled in one region and gathered in another
//   barrier   a std::barrier for the threads of the first team
#include <omp.h>

#include <array>
#include <barrier>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <thread>
#include <vector>

#include "guest.h"

namespace {

constexpr int kItems = 1500;
constexpr long kWorkPerItem = 96;

uint64_t item(long round, int i) { return work(static_cast<uint64_t>(round * kItems + i), kWorkPerItem); }

/// Holds the sum of each thread, in as many buffers as there were threads when the object was made.
class Tile {
public:
    Tile() : buffers_(static_cast<size_t>(omp_get_max_threads())) {}

    uint64_t advance(long round) {
#pragma omp parallel
        {
            auto& mine = buffers_[static_cast<size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
            for (int i = 0; i < kItems; ++i) mine += item(round, i);
        }
        return std::accumulate(buffers_.begin(), buffers_.end(), uint64_t{0});
    }

    [[nodiscard]] uint64_t of_this_thread() const { return buffers_[static_cast<size_t>(omp_get_thread_num())]; }

private:
    std::vector<uint64_t> buffers_;
};

uint64_t tiles(long all) {
    std::vector<std::unique_ptr<Tile>> made;
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        if (round % 8 == 0 && made.size() < 200) made.push_back(std::make_unique<Tile>());
        sum = mix(sum, made[static_cast<size_t>(round) % made.size()]->advance(round));
    }
    return sum;
}

uint64_t gathered_by_threads(const Tile& tile) {
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    sum += tile.of_this_thread();
    return sum;
}

uint64_t lists(long all) {
    std::array<Tile, 4> four;
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) sum = mix(sum, four[static_cast<size_t>(round % 4)].advance(round));
    for (const auto& tile : four) sum = mix(sum, gathered_by_threads(tile));
    return sum;
}

/// A level of a grid in slices, one per thread; each slice is made by the thread that will use it.
class Level {
public:
    explicit Level(int cells) : slices_(static_cast<size_t>(omp_get_max_threads())) {
        const int parts = static_cast<int>(slices_.size());
#pragma omp parallel
        {
            const int t = omp_get_thread_num();
            slices_.at(static_cast<size_t>(t))
                .assign(static_cast<size_t>(cells * (t + 1) / parts - cells * t / parts), 1);
        }
    }

    uint64_t smooth(long round) {
        uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
        for (auto& cell : slices_.at(static_cast<size_t>(omp_get_thread_num())))
            sum += cell = work(cell + static_cast<uint64_t>(round), kWorkPerItem);
        return sum;
    }

private:
    std::vector<std::vector<uint64_t>> slices_;
};

uint64_t levels(long all) {
    uint64_t sum = 0;
    for (long cycle = 0; cycle < all / 32; ++cycle) {
        std::vector<Level> grid;
        for (int cells = kItems; cells > kItems / 16; cells /= 2) grid.emplace_back(cells);
        for (long round = 0; round < 16; ++round)
            for (auto& level : grid) sum = mix(sum, level.smooth(cycle * 16 + round));
    }
    return sum;
}

__attribute__((noinline)) int threads() { return omp_get_max_threads(); }

uint64_t wrapper(long all) {
    const int kept = threads();
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
        const int reported = threads();
#pragma omp parallel reduction(+ : sum)
        for (int i = omp_get_thread_num(); i < kItems; i += kept) sum += item(round, i);
        sum = mix(sum, static_cast<uint64_t>(reported));
    }
    return sum;
}

uint64_t hardware(long all) {
    const int parts = static_cast<int>(std::thread::hardware_concurrency());
    omp_set_num_threads(parts);
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
#pragma omp parallel reduction(+ : sum)
        for (int i = omp_get_thread_num(); i < kItems; i += parts) sum += item(round, i);
    }
    return sum;
}

uint64_t ids(long all) {
    std::map<std::thread::id, uint64_t> found;
    std::mutex lock;
    for (long round = 0; round < all; ++round) {
#pragma omp parallel
        {
            uint64_t mine = 0;
#pragma omp for schedule(static)
            for (int i = 0; i < kItems; ++i) mine += item(round, i);
            const std::lock_guard held(lock);
            found[std::this_thread::get_id()] += mine;
        }
    }
    uint64_t sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        const std::lock_guard held(lock);
        sum += found[std::this_thread::get_id()];
    }
    return sum;
}

uint64_t barrier(long all) {
    std::ptrdiff_t team = 0;
#pragma omp parallel reduction(+ : team)
    team += 1;
    std::barrier everybody(team);
    uint64_t sum = 0;
    for (long round = 0; round < all; ++round) {
#pragma omp parallel reduction(+ : sum)
        {
            sum += work(static_cast<uint64_t>(round + omp_get_thread_num()), 200000);
            everybody.arrive_and_wait();
        }
    }
    return sum;
}

}  // namespace

int main(int argc, char** argv) {
    const Arguments given = arguments(argc, argv);
    const long many = rounds(given, 2500);
    if (is(given, "tiles")) return finish(given, tiles(many));
    if (is(given, "lists")) return finish(given, lists(many));
    if (is(given, "levels")) return finish(given, levels(many));
    if (is(given, "wrapper")) return finish(given, wrapper(many));
    if (is(given, "hardware")) return finish(given, hardware(many));
    if (is(given, "ids")) return finish(given, ids(many));
    if (is(given, "barrier")) return finish(given, barrier(rounds(given, 1000)));
    return no_such_mode(given);
}
