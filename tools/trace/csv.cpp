// SPDX-License-Identifier: BSD-3-Clause
// csv.cpp - a trace as lines of CSV.
#include <fmt/format.h>

#include "trace/files.hpp"

namespace drom::trace {

namespace {

/// Returns the text as a field: in quotes where it has a comma, a quote or a new line (RFC 4180).
std::string field(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

class Lines {
public:
    explicit Lines(const Trace& trace) : trace_(trace) {}

    void add(const char* what, size_t client, uint64_t begin_ns, uint64_t end_ns, const std::string& cpu,
             const std::string& value) {
        const Client& owner = trace_.clients[client];
        text_ +=
            fmt::format("{},{},{},{},{},{},{},{},{}\n", seconds(begin_ns), seconds(end_ns), what, field(owner.name),
                        owner.pid, field(owner.job), owner.rank ? std::to_string(*owner.rank) : "", cpu, value);
    }

    /// Adds the node, and the time of day at which the trace began.
    void add_trace() {
        text_ += fmt::format("{},{},trace,{},,,,,{:.6f}\n", seconds(trace_.begin_ns), seconds(trace_.end_ns),
                             field(trace_.node), trace_.began_unix_s);
    }

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    [[nodiscard]] std::string seconds(uint64_t time_ns) const {
        const uint64_t since = time_ns - trace_.begin_ns;
        return fmt::format("{}.{:09}", since / 1'000'000'000, since % 1'000'000'000);
    }

    const Trace& trace_;
    std::string text_ = "begin_s,end_s,what,client,pid,job,rank,cpu,value\n";
};

void add_request(Lines& lines, const Request& request) {
    const std::string cpus = std::to_string(request.cpus);
    lines.add("posted", request.client, request.posted_ns, request.posted_ns, "", cpus);
    if (request.released_ns)
        lines.add(request.confined ? "confined" : "released", request.client, request.posted_ns, *request.released_ns,
                  "", cpus);
    if (request.replaced_ns) lines.add("replaced", request.client, request.posted_ns, *request.replaced_ns, "", cpus);
    if (request.resized_ns)
        lines.add("resized", request.client, request.posted_ns, *request.resized_ns, "",
                  std::to_string(request.threads));
}

void add_sample(Lines& lines, const Sample& sample) {
    const auto add = [&](const char* what, double cpus) {
        lines.add(what, sample.client, sample.begin_ns, sample.end_ns, "", fmt::format("{:.4f}", cpus));
    };
    add("useful", sample.useful);
    add("mpi", sample.mpi);
}

}  // namespace

std::string csv_of(const Trace& trace) {
    Lines lines(trace);
    lines.add_trace();
    for (size_t i = 0; i < trace.clients.size(); ++i)
        lines.add("client", i, trace.clients[i].begin_ns, trace.clients[i].end_ns, "", "");
    for (const Tenure& tenure : trace.tenures) {
        const std::string cpu = std::to_string(tenure.cpu / trace.lanes);
        lines.add("owned", tenure.client, tenure.begin_ns, tenure.end_ns, cpu, "");
        for (const Span& offer : tenure.offers)
            lines.add("offered", tenure.client, offer.begin_ns, offer.end_ns, cpu, "");
    }
    for (const Request& request : trace.requests) add_request(lines, request);
    for (const Sample& sample : trace.samples) add_sample(lines, sample);
    return lines.text();
}

}  // namespace drom::trace
