// SPDX-License-Identifier: BSD-3-Clause
// process_sampler.cpp - what the threads of one process do, seen from outside.
#include "sampling/process_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace drom::command {

namespace {

constexpr double kNanosecond = 1e-9;
/// How often the map of a process is read again, at most, because code was found in none of its files.
constexpr unsigned kMostRenewals = 20;

/// Times of a thread, by the scheduler.
struct Schedule {
    uint64_t run_ns = 0;
    uint64_t wait_ns = 0;  ///< runnable, and on no CPU
};

Schedule schedule_of(pid_t pid, pid_t tid) {
    Schedule schedule;
    std::ifstream(fmt::format("/proc/{}/task/{}/schedstat", pid, tid)) >> schedule.run_ns >> schedule.wait_ns;
    return schedule;
}

/// Returns the CPU time of the process since it began, with threads that have ended; 0 when it cannot be read.
uint64_t clock_of(pid_t pid) {
    clockid_t clock{};
    timespec time{};
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

std::string first_line_of(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string name_of(pid_t pid) { return first_line_of(fmt::format("/proc/{}/comm", pid)); }

/// Returns whether it is a thread of drom's agent, by the name that these give themselves.
bool is_agent(pid_t pid, pid_t tid) {
    return tid != pid && first_line_of(fmt::format("/proc/{}/task/{}/comm", pid, tid)) == "drom";
}

}  // namespace

double ProcessSampler::Thread::on_cpu_s() const {
    const uint64_t since = event ? static_cast<uint64_t>(event->on_cpu().count()) : 0;
    return static_cast<double>(before_ns + since) * kNanosecond;
}

ProcessSampler::ProcessSampler(pid_t pid, bool from_start)
    : pid_(pid), first_look_(from_start), name_(name_of(pid)), objects_(MappedObjects::of(pid)) {
    clock_end_ns_ = clock_of(pid);
    clock_begin_ns_ = from_start ? clock_end_ns_ : 0;
}

void ProcessSampler::add_thread(pid_t tid, Pace& pace) {
    const Schedule schedule = schedule_of(pid_, tid);
    auto event = ThreadEvent::open(tid, pace.period, pace.in_kernel);
    if (!event && pace.in_kernel && (event.error() == EACCES || event.error() == EPERM)) {
        event = ThreadEvent::open(tid, pace.period, false);
        if (event) pace.in_kernel = false;
    }
    if (!event && event.error() == ESRCH) return;  // it has just ended
    if (!event) refused_ = event.error();
    Thread& thread = threads_[tid];
    if (event) thread.event.emplace(*std::move(event));
    sampled_ |= thread.event.has_value();
    if (!first_look_) thread.before_ns = schedule.run_ns;
    thread.wait_begin_ns = first_look_ ? schedule.wait_ns : 0;
    thread.wait_end_ns = schedule.wait_ns;
    thread.agent = is_agent(pid_, tid);
}

void ProcessSampler::find_threads(Pace& pace) {
    std::error_code code;
    for (const auto& entry : std::filesystem::directory_iterator(fmt::format("/proc/{}/task", pid_), code)) {
        const auto tid = static_cast<pid_t>(std::strtol(entry.path().filename().c_str(), nullptr, 10));
        if (!threads_.contains(tid)) add_thread(tid, pace);
    }
    first_look_ = false;
}

void ProcessSampler::count(Thread& thread, const ThreadSample& sample) {
    if (!objects_.at(sample.address) && renewals_ < kMostRenewals) {
        objects_ = MappedObjects::of(pid_);
        ++renewals_;
    }
    switch (objects_.caller_at(sample.address, std::span(sample.stack).first(sample.words))) {
        case Code::kMpi: ++thread.mpi; break;
        case Code::kOpenMp: ++thread.openmp; break;
        default: ++thread.program;
    }
}

void ProcessSampler::look(Pace& pace) {
    find_threads(pace);
    for (auto& [tid, thread] : threads_)
        if (thread.event)
            thread.event->drain([this, &thread = thread](const ThreadSample& sample) { count(thread, sample); });
    if (const uint64_t clock = clock_of(pid_); clock > clock_end_ns_) clock_end_ns_ = clock;
}

void ProcessSampler::end() {
    for (auto& [tid, thread] : threads_)
        if (const Schedule schedule = schedule_of(pid_, tid); schedule.wait_ns > thread.wait_end_ns)
            thread.wait_end_ns = schedule.wait_ns;
}

double ProcessSampler::unseen_s(double seen_s) const {
    return std::max(static_cast<double>(clock_end_ns_ - clock_begin_ns_) * kNanosecond - seen_s, 0.0);
}

ProcessSeen ProcessSampler::seen() const {
    ProcessSeen seen{pid_, name_, {}, 0, 0, 0};
    Thread all;
    for (const auto& [tid, thread] : threads_) {
        all.program += thread.program;
        all.mpi += thread.mpi;
        all.openmp += thread.openmp;
    }
    const auto divided = [&](const Thread& thread, double seconds) {
        const Thread& by = thread.samples() > 0 ? thread : all;
        if (by.samples() == 0) return metrics::ThreadTimes{seconds, 0, 0};
        const double per_sample = seconds / static_cast<double>(by.samples());
        return metrics::ThreadTimes{per_sample * static_cast<double>(by.program),
                                    per_sample * static_cast<double>(by.mpi),
                                    per_sample * static_cast<double>(by.openmp)};
    };
    for (const auto& [tid, thread] : threads_) {
        const double seconds = thread.on_cpu_s();
        seen.cpu_s += seconds;
        seen.waited_s += static_cast<double>(thread.wait_end_ns - thread.wait_begin_ns) * kNanosecond;
        const auto place = tid == pid_ ? seen.threads.begin() : seen.threads.end();
        if ((seconds > 0 && !thread.agent) || tid == pid_) seen.threads.insert(place, divided(thread, seconds));
    }
    if (const double rest = unseen_s(seen.cpu_s); rest > 0.001) {
        seen.threads.push_back(divided({}, rest));
        seen.cpu_s += rest;
    }
    seen.samples = all.samples();
    return seen;
}

}  // namespace drom::command
