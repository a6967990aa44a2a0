// SPDX-License-Identifier: BSD-3-Clause
// trace.cpp - drom trace: record the owner of each CPU over time, and what programs did there, for viewers of
// timelines.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <memory>
#include <utility>

#include "output/format.hpp"
#include "output/messages.hpp"
#include "output/replaced_file.hpp"
#include "program/paused_child.hpp"
#include "program/program.hpp"
#include "program/signal_relay.hpp"
#include "table/same_table.hpp"
#include "table/snapshot.hpp"
#include "table/table_history.hpp"
#include "text/visible.hpp"
#include "trace/files.hpp"
#include "verbs/sampled_clients.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::command {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr auto kEvents = milliseconds(50);    // 4096 events are kept, so 80,000 per second are not lost
constexpr auto kSamples = milliseconds(500);  // 100 samples of each thread that is on a CPU

uint64_t now_ns() {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count());
}

// --- what is recorded -----------------------------------------------------------------------------------------------

/// Replaces what a terminal would take for commands.
void tell_visibly(trace::Client& client) {
    client.name = visible(client.name);
    client.job = visible(client.job);
}

class Recorder {
public:
    Recorder(const CommandOptions& options, const Table& table)
        : options_(options), table_(table), same_(table.path()), samples_(table) {}

    /// Begins. Errors: those of the table.
    Expected<void> begin() {
        // The events that come next are asked for first, so that none is missed between them and the clients.
        if (const auto none = table_.events(next_, milliseconds(0)); !none) return tl::make_unexpected(none.error());
        const uint64_t time_ns = now_ns();
        const auto snapshot = take_snapshot(table_);
        if (!snapshot) return tl::make_unexpected(snapshot.error());
        began_unix_s_ = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
        history_ = std::make_unique<TableHistory>(time_ns, snapshot->clients);
        sampled_ns_ = time_ns;
        sample();
        return {};
    }

    /// Adds the events since the last call, and samples when it is time. Errors: those of the table, and that another
    /// one is at its path.
    Expected<void> look() {
        const auto events = table_.events(next_, milliseconds(0));
        if (!events) return tl::make_unexpected(events.error());
        bool joined = false;
        bool complete = true;
        for (const drom_event& event : *events) {
            complete = history_->apply(event) && complete;
            joined |= event.type == DROM_EVENT_JOIN;
            ++events_;
        }
        if (joined) describe();
        if (!complete) set();
        if (now_ns() < sampled_ns_ + static_cast<uint64_t>(std::chrono::nanoseconds(kSamples).count())) return {};
        sample();
        const auto there = same_.check();
        if (!there) return tl::make_unexpected(sentence(options_, there.error().status, there.error().text));
        return {};
    }

    trace::Trace end() {
        sample();
        trace::Trace trace = history_->until(now_ns());
        trace.node = node_name();
        trace.began_unix_s = began_unix_s_;
        for (trace::Client& client : trace.clients) tell_visibly(client);
        return trace;
    }

    [[nodiscard]] uint64_t events() const { return events_; }

private:
    void describe() {
        const auto clients = table_.clients();
        if (!clients) return;
        for (const drom_client_info& info : *clients) history_->describe(info);
        samples_.follow(*clients, now_ns());
    }

    /// Reads the table again, after events were lost.
    void set() {
        const uint64_t time_ns = now_ns();
        if (const auto snapshot = take_snapshot(table_)) history_->set(time_ns, snapshot->clients);
    }

    void sample() {
        sampled_ns_ = now_ns();
        for (const ClientSample& sample : samples_.look(sampled_ns_)) add(sample);
        if (const auto clients = table_.clients()) samples_.follow(*clients, sampled_ns_);
    }

    void add(const ClientSample& sample) {
        const auto client = history_->client_of(sample.slot, sample.pid);
        if (!client || !sample.sampled) return;
        const auto mean = [&](double cpu_s) { return cpu_s / sample.seconds(); };
        history_->add({*client, sample.begin_ns, sample.end_ns, mean(sample.budget.useful), mean(sample.budget.mpi)});
    }

    const CommandOptions& options_;
    const Table& table_;
    SameTable same_;
    uint64_t next_ = UINT64_MAX;
    std::unique_ptr<TableHistory> history_;
    SampledClients samples_;
    double began_unix_s_ = 0;
    uint64_t sampled_ns_ = 0;
    uint64_t events_ = 0;
};

// --- until when -----------------------------------------------------------------------------------------------------

/// Records until SIGINT, SIGTERM or SIGHUP, or for as long as --for says. Under nohup SIGHUP does not end it.
Expected<void> record(const CommandOptions& options, Recorder& recorder) {
    sigset_t ends;
    sigemptyset(&ends);
    for (const int number : {SIGINT, SIGTERM}) sigaddset(&ends, number);
    if (std::signal(SIGHUP, SIG_IGN) != SIG_IGN) sigaddset(&ends, SIGHUP);
    sigprocmask(SIG_BLOCK, &ends, nullptr);
    mention(options, "records until SIGINT, SIGTERM or SIGHUP");
    const auto end = options.watch.duration ? Clock::now() + *options.watch.duration : Clock::time_point::max();
    const timespec pause{0, std::chrono::nanoseconds(kEvents).count()};
    while (Clock::now() < end) {
        const bool ended = sigtimedwait(&ends, nullptr, &pause) > 0;
        if (const auto looked = recorder.look(); !looked || ended) return looked;
    }
    return {};
}

/// Records until the command has ended. `status`: how it ended, for end_like().
Expected<void> record_command(PausedChild& child, SignalRelay& relay, Recorder& recorder, int& status) {
    for (;;) {
        const auto ended = relay.until_end_of(child.pid(), kEvents);
        const auto looked = recorder.look();
        if (ended) {
            status = *ended;
            return looked;
        }
        // The command goes on without us when the table is gone.
        if (!looked) status = relay.until_end_of(child.pid()).value_or(0);
        if (!looked) return looked;
    }
}

int refuse(const CommandOptions& options, const Error& error) {
    return refused(options, sentence(options, error.status, error.text));
}

/// Writes the trace. Returns the exit status.
int write(const CommandOptions& options, const Recorder& recorder, const trace::Trace& trace) {
    const auto began = static_cast<std::time_t>(trace.began_unix_s);
    std::tm local{};
    localtime_r(&began, &local);
    for (const trace::File& file : trace::files_of(options.trace.format, options.out, trace, local))
        if (const auto written = replace_file(file.path, file.text, mode_of(file.path)); !written)
            return refuse(options, written.error());
    if (trace.lost != 0)
        warn(options, fmt::format("{} lost: they came faster than they were read; the table was read again after that",
                                  counted(trace.lost, "event")));
    mention(options, fmt::format("{}: {}, {}, {:.1f} s", trace::paths_of(options.trace.format, options.out).front(),
                                 counted(trace.clients.size(), "client"), counted(recorder.events(), "event"),
                                 static_cast<double>(trace.end_ns - trace.begin_ns) / 1e9));
    return kDone;
}

int trace_table(const CommandOptions& options, const Table& table) {
    Recorder recorder(options, table);
    if (const auto begun = recorder.begin(); !begun) return refused(options, begun.error());
    const auto recorded = record(options, recorder);
    const int written = write(options, recorder, recorder.end());
    return recorded ? written : refused(options, recorded.error());
}

int trace_command(const CommandOptions& options, const Table& table, const Program& program) {
    SignalRelay relay;
    auto child = PausedChild::fork(program, options.command, relay);
    if (!child) return refuse(options, child.error());
    Recorder recorder(options, table);
    if (const auto begun = recorder.begin(); !begun) return refused(options, begun.error());
    if (const int code = child->start({}); code != 0) {
        const NotAProgram why = not_executable(options.command.front(), code);
        refused(options, sentence(options, DROM_E_INVAL, why.text));
        return why.exit_status;
    }
    int status = 0;
    const auto recorded = record_command(*child, relay, recorder, status);
    const int written = write(options, recorder, recorder.end());
    if (!recorded) refused(options, recorded.error());
    // As drom run: the command's own end, unless it succeeded and the trace is not there.
    return status == 0 ? (recorded ? written : int{kRefused}) : end_like(status);
}

}  // namespace

int verb_trace(const CommandOptions& options) {
    // A file beyond the limit (ulimit -f) is an error, and no end of this process that leaves a part behind.
    std::signal(SIGXFSZ, SIG_IGN);
    for (const std::string& path : trace::paths_of(options.trace.format, options.out))
        if (const auto can = can_replace(path); !can) return refuse(options, can.error());
    if (options.command.empty()) {
        const auto table = Table::open(options.table, {.read_only = true});
        return table ? trace_table(options, *table) : refused(options, table.error());
    }
    const auto program = inspect_program(options.command.front());
    if (!program) {
        refused(options, sentence(options, DROM_E_INVAL, program.error().text));
        return program.error().exit_status;
    }
    // The command may be the first that uses the table.
    const auto table = Table::open(options.table, {.create = true});
    return table ? trace_command(options, *table, *program) : refused(options, table.error());
}

}  // namespace drom::command
