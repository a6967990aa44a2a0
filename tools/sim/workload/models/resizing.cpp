// SPDX-License-Identifier: BSD-3-Clause
// resizing.cpp - the mixes of ReSHAPE, of elastic MPI, and of equipartition.
#include "workload/models/resizing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "workload/models/random.hpp"

namespace drom::sim {
namespace {

using policy::SizeLaw;

/// Adds a job of that program, on its start size, with a request of its own.
void add(Workload& workload, const Program& program, double submit, Seconds request) {
    LogJob job;
    job.id = static_cast<std::int64_t>(workload.jobs.size()) + 1;
    job.submit = std::llround(submit);
    job.run = std::llround(program.iteration * program.iterations);
    job.request = request;
    job.processors = std::int64_t{program.start} * program.cores_per_node;
    job.program = static_cast<int>(workload.programs.size());
    workload.programs.push_back(program);
    workload.jobs.push_back(job);
}

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
    for (std::size_t i = items.size(); i > 1; --i)
        std::swap(items[i - 1], items[static_cast<std::size_t>(random.uniform() * static_cast<double>(i))]);
}

double exponential(Random& random, double mean) { return -mean * log_exactly(1 - random.uniform()); }

Program resizable(SizeLaw law, int start, double iteration, int iterations, int max) {
    Program program;
    program.traits.sizes.law = law;
    program.traits.sizes.min = start;
    program.traits.sizes.max = max;
    program.start = start;
    program.iteration = iteration;
    program.iterations = iterations;
    program.scaling = Scaling::kPower;
    return program;
}

// ---- ReSHAPE, section 4.4: 120 jobs on 400 processors --------------------------------------------------------------

struct SizeClass {
    int any, power_of_two;  ///< processors at the start
    Seconds walltime;
    double iteration;
};
constexpr SizeClass kClasses[] = {{35, 32, 156, 8}, {81, 64, 240, 20}, {136, 128, 324, 32}};

/// Returns the law of sizes of a job. Of ten jobs of a class six run on any size, three on grids, one on powers of two.
SizeLaw law_of(std::int64_t number) {
    const std::int64_t of_ten = number / 3 % 10;
    return of_ten < 6 ? SizeLaw::kStep : of_ten < 9 ? SizeLaw::kNearSquare : SizeLaw::kPowerOfTwo;
}

Workload reshape_120(std::int64_t jobs, Random& random) {
    constexpr double kMeanGap = 32;
    constexpr int kIterations = 7;
    Workload workload;
    workload.nodes = workload.processors = 400;
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < jobs; ++i) numbers.push_back(i);
    shuffle(numbers, random);
    double submit = 0;
    for (const std::int64_t number : numbers) {
        const SizeClass& kind = kClasses[number % 3];
        const SizeLaw law = law_of(number);
        const int start = law == SizeLaw::kPowerOfTwo ? kind.power_of_two : kind.any;
        submit += exponential(random, kMeanGap);
        add(workload, resizable(law, start, kind.iteration, kIterations, 400), submit, kind.walltime);
    }
    return workload;
}

// ---- ReSHAPE, table 4.1: 50 jobs of the NAS benchmarks on 100 processors -------------------------------------------

struct Benchmark {
    int start;
    double iteration;
};
constexpr Benchmark kNas[] = {{3 * 2, 2.748},  {7 * 2, 3.549},  {4 * 4, 6.607},   {5 * 2, 9.231},
                              {5 * 4, 63.348}, {9 * 4, 90.293}, {8 * 4, 101.436}, {9 * 8, 316.302}};

Workload reshape_nas(std::int64_t jobs, Random& random) {
    constexpr int kIterations = 20;
    constexpr double kOverestimate = 1.5;
    Workload workload;
    workload.nodes = workload.processors = 100;
    double submit = 0;
    for (std::int64_t i = 0; i < jobs; ++i) {
        const Benchmark& kind = kNas[static_cast<std::size_t>(random.uniform() * std::size(kNas))];
        submit += random.uniform(0, 30);
        const Program program = resizable(SizeLaw::kPowerOfTwo, kind.start, kind.iteration, kIterations, 64);
        add(workload, program, submit, std::llround(kOverestimate * kind.iteration * kIterations));
    }
    return workload;
}

// ---- elastic MPI, section 10.3 -----------------------------------------------------------------------------------

constexpr int kElasticNodes = 32, kElasticCores = 16;
constexpr double kMoreMtct = 0.01;  ///< of a Cannon product that is held on 16 nodes

Program gauss() {
    Program program;
    program.traits.sizes.max = kElasticNodes;
    program.start = 16;
    program.iteration = 10;
    program.iterations = 60;
    program.cores_per_node = kElasticCores;
    program.mtct_factor = 0.06;
    program.mtct_power = 1;
    return program;
}

Program cannon(double mtct_factor) {
    Program program = gauss();
    program.traits.sizes.law = SizeLaw::kSquareOfCores;
    program.traits.sizes.cores_per_node = kElasticCores;
    program.scaling = Scaling::kSquare;
    program.mtct_factor = mtct_factor;
    program.mtct_power = 0.5;
    return program;
}

/// Makes jobs that request 20 times their run time: a program that shrinks from 16 nodes to 1 needs 16 times.
Workload elastic_mix(const std::vector<Program>& programs) {
    Workload workload;
    workload.nodes = kElasticNodes;
    workload.processors = std::int64_t{kElasticNodes} * kElasticCores;
    for (const Program& program : programs)
        add(workload, program, 0, std::llround(20 * program.iteration * program.iterations));
    return workload;
}

/// Makes three Cannon products of 16 nodes on 32, with limits of 5, 10 and 15 minutes. On 16 nodes they take two thirds
/// of that: with fewer nodes a product may lose more than the share of nodes that it gave. The last one is of the upper
/// class and comes half a minute later.
Workload three_cannons() {
    Workload workload;
    workload.nodes = kElasticNodes;
    workload.processors = std::int64_t{kElasticNodes} * kElasticCores;
    for (const int minutes : {5, 10, 15}) {
        const bool last = minutes == 15;
        Program program = cannon(kMoreMtct);
        program.iterations = 4 * minutes;
        program.traits.rank = last ? policy::JobClass::kPlatinum : policy::JobClass::kGold;
        add(workload, program, last ? 30 : 0, std::int64_t{60} * minutes);
    }
    return workload;
}

// ---- HPC in the cloud, section 6.5.5 -----------------------------------------------------------------------------

/// Returns a program of one iteration on 4 to 16 nodes.
Program fixed_work(double node_seconds) {
    Program program;
    program.traits.sizes.min = 4;
    program.traits.sizes.max = 16;
    program.start = 4;
    program.iteration = node_seconds / program.start;
    return program;
}

constexpr double kShrinkCost = 2.9, kExpandCost = 7.3;

Workload equipartition_5() {
    Workload workload;
    workload.nodes = workload.processors = 16;
    Program program = fixed_work(8424);
    program.shrink_cost = kShrinkCost;
    program.expand_cost = kExpandCost;
    for (const double submit : {0, 60, 180, 420, 420})
        add(workload, program, submit, std::llround(2 * program.iteration));
    return workload;
}

/// Makes smaller jobs one after the other, so that sizes have to change often. Every time is in milliseconds.
Workload equipartition_60(std::int64_t jobs, Random& random, double shrink_cost, double expand_cost) {
    constexpr double kUnits = 1000, kMeanGap = 60, kMeanWork = 800;
    Workload workload;
    workload.nodes = workload.processors = 16;
    double submit = 0;
    for (std::int64_t i = 0; i < jobs; ++i) {
        Program program = fixed_work(random.uniform(0.5, 1.5) * kMeanWork * kUnits);
        program.shrink_cost = shrink_cost * kUnits;
        program.expand_cost = expand_cost * kUnits;
        submit += exponential(random, kMeanGap) * kUnits;
        add(workload, program, submit, std::llround(10 * program.iteration));
    }
    return workload;
}

struct Row {
    ResizingPreset preset;
    std::int64_t jobs;
    Workload (*make)(std::int64_t jobs, Random& random);
};

constexpr Row kRows[] = {
    {{"reshape-120", "ReSHAPE's 120 jobs of three sizes on 400 processors"}, 120, reshape_120},
    {{"reshape-nas", "ReSHAPE's 50 jobs of NAS benchmarks on 100 processors"}, 50, reshape_nas},
    {{"cannon4096", "a Gauss elimination beside a Cannon product that computes only, 16 of 32 nodes each"},
     2,
     [](std::int64_t, Random&) { return elastic_mix({gauss(), cannon(0.0015)}); }},
    {{"gauss4096", "the same on hardware where the product communicates more"},
     2,
     [](std::int64_t, Random&) { return elastic_mix({gauss(), cannon(kMoreMtct)}); }},
    {{"cannon1024", "a small Cannon product that communicates too much on 16 nodes"},
     1,
     [](std::int64_t, Random&) { return elastic_mix({cannon(0.06)}); }},
    {{"cannon-3", "three Cannon products, of which the last is of a higher class and lacks nodes"},
     3,
     [](std::int64_t, Random&) { return three_cannons(); }},
    {{"equipartition-5", "five jobs of 4 to 16 nodes on 16, which take seconds to change"},
     5,
     [](std::int64_t, Random&) { return equipartition_5(); }},
    {{"equipartition-60", "60 smaller ones, with every time in milliseconds"},
     60,
     [](std::int64_t jobs, Random& random) { return equipartition_60(jobs, random, kShrinkCost, kExpandCost); }},
    {{"equipartition-60-mask", "the same, where a change takes one millisecond"},
     60,
     [](std::int64_t jobs, Random& random) { return equipartition_60(jobs, random, 0.001, 0.001); }},
};

}  // namespace

std::span<const ResizingPreset> resizing_presets() {
    static const std::vector<ResizingPreset> presets = [] {
        std::vector<ResizingPreset> all;
        for (const Row& row : kRows) all.push_back(row.preset);
        return all;
    }();
    return presets;
}

std::optional<Workload> resizing_workload(std::string_view preset, std::int64_t jobs, std::uint64_t seed) {
    const auto row = std::ranges::find(kRows, preset, [](const Row& r) { return std::string_view(r.preset.name); });
    if (row == std::end(kRows)) return std::nullopt;
    Random random(seed);
    Workload workload = row->make(jobs > 0 ? jobs : row->jobs, random);
    workload.name = preset;
    return workload;
}

Workload with_shares(Workload workload, double resizable, double platinum, std::uint64_t seed) {
    Random random(seed);
    std::vector<Program> programs;
    for (LogJob& job : workload.jobs) {
        const bool resizes = random.chance(resizable), first = random.chance(platinum);
        if (job.program < 0) continue;
        programs.push_back(workload.programs[static_cast<std::size_t>(job.program)]);
        job.program = static_cast<int>(programs.size()) - 1;
        programs.back().traits.resizable = programs.back().traits.resizable && resizes;
        if (first) programs.back().traits.rank = policy::JobClass::kPlatinum;
    }
    workload.programs = std::move(programs);
    return workload;
}

}  // namespace drom::sim
