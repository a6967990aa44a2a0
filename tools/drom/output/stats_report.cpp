// SPDX-License-Identifier: BSD-3-Clause
// stats_report.cpp - the factors of programs as a tree, and as CSV.
#include "output/stats_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "metrics/loss.hpp"
#include "output/format.hpp"
#include "text/visible.hpp"
#include "text/wrapped.hpp"

namespace drom::command {

namespace {

using metrics::Factors;

struct Row {
    const char* column;
    const char* text;
    unsigned depth;
    double Factors::* value;
};

constexpr Row kRows[] = {
    {"parallel_efficiency", "Parallel efficiency", 0, &Factors::parallel_efficiency},
    {"mpi_parallel_efficiency", "MPI parallel efficiency", 1, &Factors::mpi_parallel_efficiency},
    {"mpi_communication", "Communication", 2, &Factors::mpi_communication},
    {"mpi_load_balance", "Load balance of processes", 2, &Factors::mpi_load_balance},
    {"mpi_load_balance_within_nodes", "within nodes", 3, &Factors::mpi_load_balance_within_nodes},
    {"mpi_load_balance_between_nodes", "between nodes", 3, &Factors::mpi_load_balance_between_nodes},
    {"openmp_parallel_efficiency", "OpenMP parallel efficiency", 1, &Factors::openmp_parallel_efficiency},
    {"openmp_serialization", "Serialization", 2, &Factors::openmp_serialization},
    {"openmp_load_balance", "Load balance of threads", 2, &Factors::openmp_load_balance},
    {"openmp_scheduling", "Scheduling", 2, &Factors::openmp_scheduling},
};

std::vector<std::string> nodes_of(const StatsApplication& application) {
    std::set<std::string> nodes;
    for (const StatsProcess& process : application.processes) nodes.insert(process.node);
    return {nodes.begin(), nodes.end()};
}

double owned_s(const StatsApplication& application) {
    double sum = 0;
    for (const StatsProcess& process : application.processes) sum += process.budget.owned;
    return sum;
}

double sum_of(const StatsApplication& application, double StatsProcess::* value) {
    double sum = 0;
    for (const StatsProcess& process : application.processes) sum += process.*value;
    return sum;
}

std::string share_text(double share) { return fmt::format("{:5.1f} %", 100 * share); }

/// Returns whether the row says something: one node has no balance between nodes, and serialization is seen by exact
/// measurements only.
bool is_needed(const Row& row, const StatsApplication& application, const metrics::Budget& sum) {
    if (row.depth == 3) return nodes_of(application).size() > 1;
    return row.value != &Factors::openmp_serialization || sum.serialization > 0;
}

std::string tree(const StatsApplication& application) {
    constexpr unsigned kColumn = 40;
    const auto shares = shares_of(application);
    const Factors factors = metrics::factors_of(shares);
    const metrics::Budget sum = metrics::sum_of(shares);
    std::string out;
    for (const Row& row : kRows) {
        if (!is_needed(row, application, sum)) continue;
        const std::string text = std::string(2 + 2 * row.depth, ' ') + row.text;
        out += fmt::format("{:<{}}{}\n", text, kColumn, share_text(factors.*row.value));
    }
    return out;
}

std::string heading(const StatsApplication& application, double window_s) {
    const std::string job = application.job.empty() ? "" : fmt::format(" (job {})", visible(application.job));
    const size_t count = application.processes.size();
    const auto nodes = nodes_of(application);
    const std::string where = nodes.empty()       ? "no node"
                              : nodes.size() == 1 ? visible(nodes.front())
                                                  : counted(nodes.size(), "node");
    return fmt::format("{}{}: {} with {:.1f} CPUs on {}, seen for {:.1f} s", visible(application.name), job,
                       count == 1 ? std::string("1 process") : fmt::format("{} processes", count),
                       window_s > 0 ? owned_s(application) / window_s : 0, where, window_s);
}

/// Returns a line about CPU time, as a share of what was owned.
std::string line(const char* text, double seconds, double owned) {
    return fmt::format("  {:<38}{}\n", text, share_text(owned > 0 ? seconds / owned : 0));
}

std::string body(const StatsApplication& application) {
    const double owned = owned_s(application);
    std::string use = line("CPU use", sum_of(application, &StatsProcess::cpu_s), owned);
    if (!application.sampled) return use;
    return tree(application) + use + line("Waited for a CPU", sum_of(application, &StatsProcess::waited_s), owned);
}

std::string quoted(const std::string& text) {
    std::string shown = visible(text);
    if (shown.find_first_of(",\"") == std::string::npos) return shown;
    std::string field = "\"";
    for (const char c : shown) field += c == '"' ? std::string("\"\"") : std::string(1, c);
    return field + '"';
}

}  // namespace

std::vector<metrics::Share> shares_of(const StatsApplication& application) {
    const auto nodes = nodes_of(application);
    std::vector<metrics::Share> shares;
    for (const StatsProcess& process : application.processes) {
        const auto node = std::ranges::lower_bound(nodes, process.node);
        shares.push_back({static_cast<size_t>(node - nodes.begin()), process.budget});
    }
    return shares;
}

std::string loss_sentence(const StatsApplication& application) {
    if (!application.sampled) return {};
    const auto shares = shares_of(application);
    const size_t busiest = metrics::outside_mpi_of(shares).busiest;
    if (busiest >= application.processes.size()) return metrics::sentence_about(shares, "");
    const StatsProcess& process = application.processes[busiest];
    return metrics::sentence_about(shares, fmt::format("{} ({})", process.client, process.pid));
}

std::string stats_text(const StatsReport& report, size_t width) {
    std::string out;
    for (const StatsApplication& application : report.applications) {
        out += (out.empty() ? "" : "\n") + wrapped(heading(application, report.window_s), width) + "\n";
        out += body(application);
        const std::string sentence = loss_sentence(application);
        if (!sentence.empty()) out += "\n" + wrapped(visible(sentence), width) + "\n";
    }
    return out;
}

std::string stats_csv(const StatsReport& report) {
    std::string out = "job,name,nodes,processes,window_s,owned_s,cpu_s";
    for (const Row& row : kRows) out += std::string(",") + row.column;
    out += '\n';
    for (const StatsApplication& application : report.applications) {
        out += fmt::format("{},{},{},{},{:.3f},{:.3f},{:.3f}", quoted(application.job), quoted(application.name),
                           nodes_of(application).size(), application.processes.size(), report.window_s,
                           owned_s(application), sum_of(application, &StatsProcess::cpu_s));
        const Factors factors = metrics::factors_of(shares_of(application));
        for (const Row& row : kRows) out += application.sampled ? fmt::format(",{:.4f}", factors.*row.value) : ",";
        out += '\n';
    }
    return out;
}

}  // namespace drom::command
