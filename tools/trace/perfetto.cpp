// SPDX-License-Identifier: BSD-3-Clause
// perfetto.cpp - a trace as Chrome's trace events (Google, "Trace Event Format"): X is a span, C a counter, M a name.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "trace/files.hpp"

namespace drom::trace {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kRequests = 0;  ///< the thread that shows requests, above those of the CPUs

int process_of(size_t client) { return static_cast<int>(client) + 1; }
int thread_of(unsigned cpu) { return static_cast<int>(cpu) + 1; }

class Events {
public:
    explicit Events(const Trace& trace) : trace_(trace) {}

    void name(size_t client) {
        add({{"ph", "M"},
             {"pid", process_of(client)},
             {"name", "process_name"},
             {"args", {{"name", title_of(trace_.clients[client])}}}});
    }
    void name_thread(size_t client, int thread, const std::string& name) {
        add({{"ph", "M"},
             {"pid", process_of(client)},
             {"tid", thread},
             {"name", "thread_name"},
             {"args", {{"name", name}}}});
        add({{"ph", "M"},
             {"pid", process_of(client)},
             {"tid", thread},
             {"name", "thread_sort_index"},
             {"args", {{"sort_index", thread}}}});
    }
    void span(size_t client, int thread, const std::string& name, uint64_t begin_ns, uint64_t end_ns, Json args) {
        add({{"ph", "X"},
             {"pid", process_of(client)},
             {"tid", thread},
             {"name", name},
             {"ts", microseconds(begin_ns)},
             {"dur", static_cast<double>(end_ns - begin_ns) / 1e3},
             {"args", std::move(args)}});
    }
    void counter(size_t client, const std::string& name, uint64_t time_ns, Json values) {
        add({{"ph", "C"},
             {"pid", process_of(client)},
             {"name", name},
             {"ts", microseconds(time_ns)},
             {"args", std::move(values)}});
    }

    [[nodiscard]] std::string text() const {
        const Json whole{
            {"displayTimeUnit", "ms"},
            {"otherData", {{"node", trace_.node}, {"began_unix_s", trace_.began_unix_s}, {"lost_events", trace_.lost}}},
            {"traceEvents", events_}};
        // A name is any bytes that a program chose.
        return whole.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
    }

private:
    void add(Json event) { events_.push_back(std::move(event)); }
    [[nodiscard]] double microseconds(uint64_t time_ns) const {
        return static_cast<double>(time_ns - trace_.begin_ns) / 1e3;
    }

    const Trace& trace_;
    Json events_ = Json::array();
};

void add_names(Events& events, const Trace& trace) {
    std::set<std::pair<size_t, unsigned>> places;
    for (const Tenure& tenure : trace.tenures) places.emplace(tenure.client, tenure.cpu);
    for (size_t i = 0; i < trace.clients.size(); ++i) {
        events.name(i);
        events.name_thread(i, kRequests, "requests");
    }
    for (const auto& [client, cpu] : places) events.name_thread(client, thread_of(cpu), place_of(trace, cpu));
}

void add_tenure(Events& events, const Trace& trace, const Tenure& tenure) {
    const unsigned cpu = tenure.cpu / trace.lanes;
    const int thread = thread_of(tenure.cpu);
    events.span(tenure.client, thread, "owned", tenure.begin_ns, tenure.end_ns, {{"cpu", cpu}});
    for (const Span& offer : tenure.offers)
        events.span(tenure.client, thread, "offered", offer.begin_ns, offer.end_ns, {{"cpu", cpu}});
}

void add_request(Events& events, const Trace& trace, const Request& request) {
    const uint64_t settled =
        request.released_ns.value_or(request.replaced_ns.value_or(trace.clients[request.client].end_ns));
    const uint64_t end = std::max(settled, request.resized_ns.value_or(0));
    Json args{{"seq", request.seq}, {"cpus", request.cpus}};
    if (request.released_ns)
        args[request.confined ? "confined_after_ns" : "released_after_ns"] = *request.released_ns - request.posted_ns;
    if (request.replaced_ns) args["replaced_after_ns"] = *request.replaced_ns - request.posted_ns;
    if (request.resized_ns) {
        args["resized_after_ns"] = *request.resized_ns - request.posted_ns;
        args["threads"] = request.threads;
    }
    events.span(request.client, kRequests,
                fmt::format("{} {}{}", request.cpus, trace.place, request.cpus == 1 ? "" : "s"), request.posted_ns, end,
                std::move(args));
}

void add_sample(Events& events, size_t client, uint64_t time_ns, const Sample& sample) {
    events.counter(client, "busy CPUs", time_ns, {{"useful", sample.useful}, {"mpi", sample.mpi}});
}

/// Adds the number of CPUs of each client whenever it changes.
void add_counts(Events& events, const Trace& trace) {
    struct Change {
        uint64_t time_ns;
        int by;
    };
    std::vector<std::vector<Change>> changes(trace.clients.size());
    for (const Tenure& tenure : trace.tenures) {
        changes[tenure.client].push_back({tenure.begin_ns, 1});
        changes[tenure.client].push_back({tenure.end_ns, -1});
    }
    for (size_t client = 0; client < changes.size(); ++client) {
        std::ranges::stable_sort(changes[client], {}, &Change::time_ns);
        int count = 0;
        for (size_t i = 0; i < changes[client].size(); ++i) {
            const Change& change = changes[client][i];
            count += change.by;
            const bool last = i + 1 == changes[client].size() || changes[client][i + 1].time_ns != change.time_ns;
            if (last && change.time_ns != trace.end_ns)
                events.counter(client, trace.place + "s", change.time_ns, {{"owned", count}});
        }
    }
}

}  // namespace

std::string perfetto_of(const Trace& trace) {
    Events events(trace);
    add_names(events, trace);
    for (const Tenure& tenure : trace.tenures) add_tenure(events, trace, tenure);
    for (const Request& request : trace.requests) add_request(events, trace, request);
    add_counts(events, trace);
    for (const Sample& sample : trace.samples) add_sample(events, sample.client, sample.begin_ns, sample);
    // A viewer shows the last value until the next.
    for (const Sample& last : last_samples(trace))
        if (last.end_ns != trace.end_ns) add_sample(events, last.client, last.end_ns, {});
    return events.text();
}

}  // namespace drom::trace
