// SPDX-License-Identifier: BSD-3-Clause
// openmetrics.cpp - families of samples, one after the other.
#include "output/openmetrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

#include "text/visible.hpp"

namespace drom::command {

namespace {

using metrics::Budget;
using metrics::Factors;

std::string label(const char* name, const std::string& value) {
    std::string text = std::string(name) + "=\"";
    for (const char c : visible(value)) text += (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
    return text + '"';
}

/// One family: a heading, and samples below it.
class Family {
public:
    Family(const std::string& name, const char* type, const char* unit, const char* help)
        : name_(name), suffix_(std::string(type) == "counter" ? "_total" : "") {
        text_ = fmt::format("# TYPE {} {}\n", name, type);
        if (*unit != '\0') text_ += fmt::format("# UNIT {} {}\n", name, unit);
        text_ += fmt::format("# HELP {} {}\n", name, help);
    }

    void add(const std::string& labels, double value) { line(labels, fmt::format("{:.9g}", value)); }
    void add(const std::string& labels, uint64_t value) { line(labels, std::to_string(value)); }

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    void line(const std::string& labels, const std::string& value) {
        const std::string braces = labels.empty() ? "" : "{" + labels + "}";
        text_ += name_ + suffix_ + braces + ' ' + value + '\n';
    }

    std::string name_;
    std::string suffix_;
    std::string text_;
};

std::string labels_of(const ClientRequests& client) {
    const std::string rank = client.rank ? ',' + label("rank", std::to_string(*client.rank)) : "";
    return label("job", client.job) + ',' + label("client", client.client) + ',' +
           label("pid", std::to_string(client.pid)) + rank;
}

std::string labels_of(const StatsApplication& application, const StatsProcess& process) {
    return labels_of(ClientRequests{process.client, application.job, process.pid, process.rank, 0, {}});
}

struct Cause {
    const char* name;
    double Budget::* part;
};

constexpr Cause kCauses[] = {
    {"mpi", &Budget::mpi},
    {"mpi_worker_idle", &Budget::mpi_worker_idle},
    {"load_imbalance", &Budget::load_imbalance},
    {"scheduling", &Budget::scheduling},
};

struct Factor {
    const char* name;
    const char* labels;
    const char* help;
    double Factors::* value;
};

// On one node the balance between nodes is 1, and that within it is that of all processes.
constexpr Factor kFactors[] = {
    {"drom_parallel_efficiency", "", "Useful CPU time over owned CPU time.", &Factors::parallel_efficiency},
    {"drom_mpi_parallel_efficiency", "", "Owned CPU time outside MPI over all.", &Factors::mpi_parallel_efficiency},
    {"drom_mpi_communication_efficiency", "", "Time outside MPI of the process that is least in it.",
     &Factors::mpi_communication},
    {"drom_load_balance", "scope=\"node\"", "Mean over largest time of processes outside MPI.",
     &Factors::mpi_load_balance_within_nodes},
    {"drom_openmp_parallel_efficiency", "", "Useful CPU time over CPU time outside MPI.",
     &Factors::openmp_parallel_efficiency},
    {"drom_openmp_load_balance", "", "Mean over largest useful time of threads.", &Factors::openmp_load_balance},
    {"drom_openmp_scheduling_efficiency", "", "The rest of the OpenMP parallel efficiency.",
     &Factors::openmp_scheduling},
};

using PerProcess = std::function<void(Family&, const std::string& labels, const StatsProcess&)>;

std::string of_processes(const StatsReport& report, Family family, bool needs_samples, const PerProcess& add) {
    for (const StatsApplication& application : report.applications)
        for (const StatsProcess& process : application.processes)
            if (application.sampled || !needs_samples) add(family, labels_of(application, process), process);
    return family.text();
}

std::string use_of_processes(const StatsReport& report) {
    const double window = report.window_s > 0 ? report.window_s : 1;
    const auto part = [&](double Budget::* member) -> PerProcess {
        return [=](Family& family, const std::string& labels, const StatsProcess& process) {
            family.add(labels, process.budget.*member / window);
        };
    };
    const auto time = [&](double StatsProcess::* member) -> PerProcess {
        return [=](Family& family, const std::string& labels, const StatsProcess& process) {
            family.add(labels, process.*member / window);
        };
    };
    const PerProcess lost = [=](Family& family, const std::string& labels, const StatsProcess& process) {
        for (const Cause& cause : kCauses)
            family.add(labels + ',' + label("cause", cause.name), process.budget.*cause.part / window);
    };
    const auto gauge = [](const char* name, const char* help) { return Family(name, "gauge", "", help); };
    return of_processes(report, gauge("drom_cpus_owned", "CPUs that the process owned."), false, part(&Budget::owned)) +
           of_processes(report, gauge("drom_cpus_busy", "CPUs that the process used."), false,
                        time(&StatsProcess::cpu_s)) +
           of_processes(report, gauge("drom_cpus_awaited", "CPUs that threads waited for, while others had them."),
                        true, time(&StatsProcess::waited_s)) +
           of_processes(report, gauge("drom_cpus_useful", "CPUs that ran the program's own code."), true,
                        part(&Budget::useful)) +
           of_processes(report, gauge("drom_cpus_lost", "CPUs that were owned and not useful; the causes add up."),
                        true, lost);
}

std::string of_applications(const StatsReport& report) {
    std::string text;
    for (const Factor& factor : kFactors) {
        Family family(factor.name, "gauge", "", factor.help);
        const std::string more = *factor.labels != '\0' ? std::string(",") + factor.labels : "";
        for (const StatsApplication& application : report.applications) {
            if (!application.sampled || application.processes.empty()) continue;
            const std::string own =
                application.job.empty() ? ',' + label("pid", std::to_string(application.processes.front().pid)) : "";
            family.add(label("job", application.job) + ',' + label("client", application.name) + own + more,
                       metrics::factors_of(shares_of(application)).*factor.value);
        }
        text += family.text();
    }
    return text;
}

std::string of_node(const NodeMetrics& metrics) {
    Family cpus("drom_node_cpus", "gauge", "cpus", "CPUs of the table by their state.");
    cpus.add(label("state", "owned"), uint64_t{metrics.cpus.owned});
    cpus.add(label("state", "free"), uint64_t{metrics.cpus.free});
    cpus.add(label("state", "drained"), uint64_t{metrics.cpus.drained});
    Family clients("drom_clients", "gauge", "", "Clients of the table.");
    clients.add("", uint64_t{metrics.clients.size()});
    Family window("drom_window_seconds", "gauge", "seconds", "How long the programs were looked at.");
    window.add("", metrics.report.window_s);
    Family cost("drom_sampling_seconds", "gauge", "seconds", "CPU time of looking.");
    cost.add("", metrics.report.cost_s);
    return cpus.text() + clients.text() + window.text() + cost.text();
}

std::string of_requests(const std::vector<ClientRequests>& clients) {
    Family requests("drom_requests", "counter", "", "Requests for CPUs; the first is that at its start.");
    Family release("drom_last_release_seconds", "gauge", "seconds",
                   "Time from the newest request until its CPUs were released.");
    for (const ClientRequests& client : clients) {
        requests.add(labels_of(client), client.count);
        if (client.release_s) release.add(labels_of(client), *client.release_s);
    }
    return requests.text() + release.text();
}

/// Returns a line with one label more, in front of the others.
std::string labelled(const std::string& line, const std::string& one) {
    const size_t at = std::min(line.find_first_of("{ "), line.size());
    const bool has_labels = at < line.size() && line[at] == '{';
    return line.substr(0, at) + '{' + one + (has_labels ? ',' + line.substr(at + 1) : '}' + line.substr(at));
}

/// Puts texts together, family by family.
class Merged {
public:
    void add(const UserMetrics& table) {
        std::istringstream lines(table.text);
        auto family = families_.end();
        bool known = false;
        for (std::string line; std::getline(lines, line) && line != "# EOF";) {
            if (line.starts_with("# TYPE ")) {
                family = std::ranges::find(families_, line, &Part::type);
                known = family != families_.end();
                if (!known) family = families_.insert(family, {line, {}, {}});
            }
            if (family == families_.end()) continue;
            if (!line.starts_with('#'))
                family->samples += labelled(line, label("user", table.user)) + '\n';
            else if (!known)
                family->heading += line + '\n';
        }
    }

    [[nodiscard]] std::string text() const {
        std::string text;
        for (const Part& family : families_) text += family.heading + family.samples;
        return text;
    }

private:
    struct Part {
        std::string type;  ///< the line that begins it
        std::string heading;
        std::string samples;
    };
    std::vector<Part> families_;
};

}  // namespace

std::string openmetrics_of_users(const std::vector<UserMetrics>& tables) {
    Family up("drom_table_up", "gauge", "", "1 where the table of the user could be read, else 0.");
    Merged merged;
    for (const UserMetrics& table : tables) {
        up.add(label("user", table.user), uint64_t{table.text.empty() ? 0U : 1U});
        merged.add(table);
    }
    return up.text() + merged.text() + "# EOF\n";
}

std::string openmetrics_text(const NodeMetrics& metrics) {
    return of_node(metrics) + of_requests(metrics.clients) + use_of_processes(metrics.report) +
           of_applications(metrics.report) + "# EOF\n";
}

}  // namespace drom::command
