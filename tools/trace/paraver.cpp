// SPDX-License-Identifier: BSD-3-Clause
// paraver.cpp - a trace as Paraver's files.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "trace/files.hpp"

namespace drom::trace {

namespace {

// States of a thread, and types of events, as the .pcf file names them.
constexpr int kNone = 0, kOwned = 1, kOffered = 2;
constexpr unsigned kPosted = 9'200'001, kReleased = 9'200'002, kResized = 9'200'003, kUseful = 9'200'004,
                   kMpi = 9'200'005;

/// The place of a client in Paraver's model; all numbers begin with 1.
struct Task {
    size_t application = 0;
    size_t task = 0;
    std::vector<unsigned> cpus;  ///< that it had, in order; each is a thread

    [[nodiscard]] size_t thread_of(unsigned cpu) const {
        return static_cast<size_t>(std::ranges::lower_bound(cpus, cpu) - cpus.begin()) + 1;
    }
};

struct Model {
    std::vector<unsigned> cpus;             ///< of the node, in order
    std::vector<Task> tasks;                ///< by client
    std::vector<std::vector<size_t>> jobs;  ///< clients by application

    [[nodiscard]] size_t number_of(unsigned cpu) const {
        return static_cast<size_t>(std::ranges::lower_bound(cpus, cpu) - cpus.begin()) + 1;
    }
};

void add_once(std::vector<unsigned>& numbers, unsigned number) {
    const auto at = std::ranges::lower_bound(numbers, number);
    if (at == numbers.end() || *at != number) numbers.insert(at, number);
}

Model model_of(const Trace& trace) {
    Model model;
    model.tasks.resize(trace.clients.size());
    for (const Tenure& tenure : trace.tenures) {
        add_once(model.cpus, tenure.cpu);
        add_once(model.tasks[tenure.client].cpus, tenure.cpu);
    }
    std::map<std::string, size_t> known;
    for (size_t i = 0; i < trace.clients.size(); ++i) {
        // A client that never had a CPU would be a task without threads, which Paraver cannot read.
        if (model.tasks[i].cpus.empty()) continue;
        const std::string& job = trace.clients[i].job;
        const auto [at, fresh] = known.try_emplace(job.empty() ? "\n" + std::to_string(i) : job, model.jobs.size());
        if (fresh) model.jobs.emplace_back();
        model.jobs[at->second].push_back(i);
        model.tasks[i].application = at->second + 1;
        model.tasks[i].task = model.jobs[at->second].size();
    }
    return model;
}

/// Returns "applications:tasks(threads:node,...)" of the heading.
std::string applications_of(const Model& model) {
    std::string text = std::to_string(model.jobs.size());
    for (const auto& clients : model.jobs) {
        std::string tasks;
        for (const size_t client : clients)
            tasks += fmt::format("{}{}:1", tasks.empty() ? "" : ",", model.tasks[client].cpus.size());
        text += fmt::format(":{}({})", clients.size(), tasks);
    }
    return text;
}

/// The records, which the file has in the order of their times.
class Records {
public:
    Records(const Trace& trace, const Model& model) : trace_(trace), model_(model) {}

    void state(size_t client, unsigned cpu, uint64_t begin_ns, uint64_t end_ns, int state) {
        add(begin_ns, fmt::format("1:{}:{}:{}:{}\n", place(client, cpu), since(begin_ns), since(end_ns), state));
    }
    /// Adds an event at the first thread of the client.
    void event(size_t client, uint64_t time_ns, unsigned type, long long value) {
        const Task& task = model_.tasks[client];
        if (task.cpus.empty()) return;
        add(time_ns, fmt::format("2:{}:{}:{}:{}\n", place(client, task.cpus.front()), since(time_ns), type, value));
    }

    [[nodiscard]] std::string text() {
        std::ranges::stable_sort(lines_, {}, &Line::time_ns);
        std::string text;
        for (const Line& line : lines_) text += line.text;
        return text;
    }

private:
    struct Line {
        uint64_t time_ns;
        std::string text;
    };

    void add(uint64_t time_ns, std::string text) { lines_.push_back({time_ns, std::move(text)}); }
    [[nodiscard]] uint64_t since(uint64_t time_ns) const { return time_ns - trace_.begin_ns; }
    [[nodiscard]] std::string place(size_t client, unsigned cpu) const {
        const Task& task = model_.tasks[client];
        return fmt::format("{}:{}:{}:{}", model_.number_of(cpu), task.application, task.task, task.thread_of(cpu));
    }

    const Trace& trace_;
    const Model& model_;
    std::vector<Line> lines_;
};

void add_tenure(Records& records, const Tenure& tenure) {
    uint64_t owned_from = tenure.begin_ns;
    for (const Span& offer : tenure.offers) {
        if (offer.begin_ns > owned_from) records.state(tenure.client, tenure.cpu, owned_from, offer.begin_ns, kOwned);
        records.state(tenure.client, tenure.cpu, offer.begin_ns, offer.end_ns, kOffered);
        owned_from = offer.end_ns;
    }
    if (tenure.end_ns > owned_from || tenure.offers.empty())
        records.state(tenure.client, tenure.cpu, owned_from, tenure.end_ns, kOwned);
}

void add_request(Records& records, const Request& request) {
    records.event(request.client, request.posted_ns, kPosted, request.cpus);
    if (request.released_ns) records.event(request.client, *request.released_ns, kReleased, request.cpus);
    if (request.resized_ns) records.event(request.client, *request.resized_ns, kResized, request.threads);
}

void add_sample(Records& records, size_t client, uint64_t time_ns, const Sample& sample) {
    const auto thousandths = [](double cpus) { return std::llround(cpus * 1000); };
    records.event(client, time_ns, kUseful, thousandths(sample.useful));
    records.event(client, time_ns, kMpi, thousandths(sample.mpi));
}

std::string prv_of(const Trace& trace, const Model& model, const std::tm& began) {
    std::string text = fmt::format("#Paraver ({:02}/{:02}/{:04} at {:02}:{:02}):{}_ns:1({}):{}\n", began.tm_mday,
                                   began.tm_mon + 1, began.tm_year + 1900, began.tm_hour, began.tm_min,
                                   trace.end_ns - trace.begin_ns, model.cpus.size(), applications_of(model));
    Records records(trace, model);
    for (const Tenure& tenure : trace.tenures) add_tenure(records, tenure);
    for (const Request& request : trace.requests) add_request(records, request);
    for (const Sample& sample : trace.samples) add_sample(records, sample.client, sample.begin_ns, sample);
    for (const Sample& last : last_samples(trace))
        if (last.end_ns != trace.end_ns) add_sample(records, last.client, last.end_ns, {});
    return text + records.text();
}

std::string pcf_of() {
    return fmt::format(
        "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\nDEFAULT_SEMANTIC\n\n"
        "THREAD_FUNC          State As Is\n\nSTATES\n{}    not owned\n{}    owned\n{}    offered\n\nSTATES_COLOR\n"
        "{}    {{255,255,255}}\n{}    {{0,114,178}}\n{}    {{230,159,0}}\n\nEVENT_TYPE\n"
        "0    {}    request posted (CPUs)\n0    {}    request released (CPUs)\n0    {}    team resized (threads)\n"
        "0    {}    useful (thousandths of a CPU)\n0    {}    in MPI (thousandths of a CPU)\n",
        kNone, kOwned, kOffered, kNone, kOwned, kOffered, kPosted, kReleased, kResized, kUseful, kMpi);
}

/// Returns the name in one line.
std::string in_one_line(std::string name) {
    std::ranges::replace(name, '\n', ' ');
    return name;
}

std::string level(const char* name, const std::vector<std::string>& rows) {
    std::string text = fmt::format("LEVEL {} SIZE {}\n", name, rows.size());
    for (const std::string& row : rows) text += in_one_line(row) + '\n';
    return text + '\n';
}

std::string row_of(const Trace& trace, const Model& model) {
    std::vector<std::string> cpus, jobs, tasks, threads;
    for (const unsigned cpu : model.cpus) cpus.push_back(place_of(trace, cpu));
    for (const auto& clients : model.jobs) {
        const Client& first = trace.clients[clients.front()];
        jobs.push_back(first.job.empty() ? title_of(first) : "job " + first.job);
        for (const size_t client : clients) {
            tasks.push_back(title_of(trace.clients[client]));
            for (const unsigned cpu : model.tasks[client].cpus)
                threads.push_back(tasks.back() + " on " + place_of(trace, cpu));
        }
    }
    return level("CPU", cpus) + level("NODE", {trace.node}) + level("APPL", jobs) + level("TASK", tasks) +
           level("THREAD", threads);
}

}  // namespace

ParaverFiles paraver_of(const Trace& trace, const std::tm& began) {
    const Model model = model_of(trace);
    return {prv_of(trace, model, began), pcf_of(), row_of(trace, model)};
}

}  // namespace drom::trace
