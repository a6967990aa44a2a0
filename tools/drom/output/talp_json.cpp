// SPDX-License-Identifier: BSD-3-Clause
// talp_json.cpp - keys and their order as in TALP's files, which scripts read.
#include "output/talp_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace drom::command {

namespace {

using metrics::Budget;
using metrics::Factors;

constexpr const char* kVersion = "3.7.0";

struct FactorKey {
    const char* key;
    double Factors::* value;
};

constexpr FactorKey kFactors[] = {
    {"parallelEfficiency", &Factors::parallel_efficiency},
    {"mpiParallelEfficiency", &Factors::mpi_parallel_efficiency},
    {"mpiCommunicationEfficiency", &Factors::mpi_communication},
    {"mpiLoadBalance", &Factors::mpi_load_balance},
    {"mpiLoadBalanceIn", &Factors::mpi_load_balance_within_nodes},
    {"mpiLoadBalanceOut", &Factors::mpi_load_balance_between_nodes},
    {"ompParallelEfficiency", &Factors::openmp_parallel_efficiency},
    {"ompLoadBalance", &Factors::openmp_load_balance},
    {"ompSchedulingEfficiency", &Factors::openmp_scheduling},
    {"ompSerializationEfficiency", &Factors::openmp_serialization},
};

constexpr const char* kUnseen[] = {"numMpiCalls", "numOmpParallels", "numOmpTasks", "numGpuCalls"};
constexpr const char* kUnseenGpuTimes[] = {"gpuUsefulTime", "gpuCommunicationTime", "maxGpuUsefulTime",
                                           "maxGpuActiveTime"};
constexpr const char* kUnseenGpuFactors[] = {"deviceOffloadEfficiency", "gpuParallelEfficiency", "gpuLoadBalance",
                                             "gpuCommunicationEfficiency", "gpuOrchestrationEfficiency"};

/// The lines of one object, in their order.
class Lines {
public:
    explicit Lines(size_t indent) : indent_(indent) {}

    void add(const char* key, const std::string& value) {
        text_ += fmt::format("{}{:{}}\"{}\": {}", text_.empty() ? "" : ",\n", "", indent_, key, value);
    }
    void count(const char* key, uint64_t value) { add(key, std::to_string(value)); }
    void seconds(const char* key, double value) { count(key, static_cast<uint64_t>(std::llround(value * 1e9))); }
    void factor(const char* key, double value) { add(key, fmt::format("{:.2f}", value)); }

    /// Returns the object; its last line is indented as the key that it is the value of.
    [[nodiscard]] std::string object() const { return fmt::format("{{\n{}\n{:{}}}}", text_, "", indent_ - 2); }

private:
    size_t indent_;
    std::string text_;
};

struct Size {
    uint64_t cpus = 0;
    uint64_t nodes = 0;
    uint64_t ranks = 0;
    double mean_cpus = 0;
};

Size size_of(const StatsReport& report, const StatsApplication& application) {
    Size size;
    std::set<std::string> nodes;
    double owned = 0;
    for (const StatsProcess& process : application.processes) {
        nodes.insert(process.node);
        owned += process.budget.owned;
        size.ranks += process.rank.has_value() || process.budget.mpi > 0 ? 1U : 0U;
    }
    size.nodes = nodes.size();
    size.mean_cpus = report.window_s > 0 ? owned / report.window_s : 0;
    size.cpus = static_cast<uint64_t>(std::llround(size.mean_cpus));
    return size;
}

std::string resources(const Size& size) {
    Lines lines(4);
    lines.count("numCpus", size.cpus);
    lines.count("numNodes", size.nodes);
    lines.count("numMpiRanks", size.ranks);
    lines.count("numGpus", 0);
    return lines.object();
}

void add_times(Lines& lines, const StatsReport& report, const Budget& sum, const metrics::OutsideMpi& outside) {
    lines.seconds("elapsedTime", report.window_s);
    lines.seconds("usefulTime", sum.useful);
    lines.seconds("mpiTime", sum.mpi);
    lines.seconds("ompLoadImbalanceTime", sum.load_imbalance);
    lines.seconds("ompSchedulingTime", sum.scheduling);
    lines.seconds("ompSerializationTime", sum.serialization);
    lines.count("gpuRuntimeTime", 0);
    lines.seconds("minMpiNormdProc", report.window_s * (1 - outside.process));
    lines.seconds("minMpiNormdNode", report.window_s * (1 - outside.node));
    for (const char* key : kUnseenGpuTimes) lines.count(key, 0);
}

std::string region(const StatsReport& report, const StatsApplication& application, const Size& size) {
    const auto shares = shares_of(application);
    const Factors factors = metrics::talp_factors_of(shares);
    Lines lines(6);
    lines.count("numCpus", size.cpus);
    lines.count("numMpiRanks", size.ranks);
    lines.count("numNodes", size.nodes);
    lines.add("avgCpus", fmt::format("{:.1f}", size.mean_cpus));
    lines.count("numGpus", 0);
    lines.count("cycles", 0);
    lines.count("instructions", 0);
    lines.count("numMeasurements", 1);
    for (const char* key : kUnseen) lines.count(key, 0);
    add_times(lines, report, metrics::sum_of(shares), metrics::outside_mpi_of(shares));
    for (const FactorKey& factor : kFactors) lines.factor(factor.key, factors.*factor.value);
    for (const char* key : kUnseenGpuFactors) lines.factor(key, 0);
    return lines.object();
}

}  // namespace

std::string talp_json(const StatsReport& report, const StatsApplication& application, const std::string& timestamp) {
    const Size size = size_of(report, application);
    Lines regions(4);
    regions.add("Global", region(report, application, size));
    Lines lines(2);
    lines.add("dlbVersion", fmt::format("\"{}\"", kVersion));
    lines.add("timestamp", fmt::format("\"{}\"", timestamp));
    lines.add("resources", resources(size));
    lines.add("Application", regions.object());
    return lines.object() + '\n';
}

}  // namespace drom::command
