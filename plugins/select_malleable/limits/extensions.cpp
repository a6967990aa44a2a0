// SPDX-License-Identifier: GPL-2.0-or-later
// extensions.cpp - compares what a proposal needs with the bounds of its jobs.
#include "extensions.hpp"

#include <algorithm>
#include <utility>

#include "accounts.hpp"
#include "bounds.hpp"

namespace drom::slurm {

using policy::Bound;
using policy::Consumption;
using policy::Event;
using policy::JobId;
using policy::NodeSet;
using policy::Promise;
using policy::Seconds;

namespace {

/// Returns the limit in minutes with which the job can run until `end`.
uint32_t limit_until(const RunningJobs& running, const job_record_t& job, Seconds end) {
    const policy::RunningJob* known = running.coscheduler().find(job.job_id);
    const Seconds start = known != nullptr ? known->start : running.last_now();
    return limit_for(job, end - start, known != nullptr ? known->job.request : requested(job));
}

/// Returns what the mates take, in their order, and then the guest.
std::vector<Consumption> consumptions(const RunningJobs& running, const job_record_t& guest, const Event& proposal) {
    std::vector<Consumption> taken;
    std::vector<const job_record_t*> mates;
    for (std::size_t i = 0; i < proposal.mates.size(); ++i) {
        const job_record_t* mate = record_of(proposal.mates[i]);
        if (mate != nullptr) mates.push_back(mate);
        taken.push_back(mate == nullptr
                            ? Consumption{}
                            : consumption_of(*mate, limit_until(running, *mate, proposal.mate_ends[i]), {}, {}));
    }
    taken.push_back(consumption_of(guest, limit_until(running, guest, proposal.guest_end), mates, proposal.free));
    return taken;
}

/// Returns the bound that a limit up to `end` passes; empty: none.
std::string passed_bound(const std::vector<Bound>& bounds, Seconds end) {
    const Bound* bound = policy::passed(bounds, end);
    return bound == nullptr ? "" : bound->what;
}

/// Returns what forbids that a mate is extended to `end`, and a guest stays on its nodes until `guest_end`; empty:
/// nothing.
std::string mate_is_bound(const RunningJobs& running, const job_record_t& mate, Seconds end, Seconds guest_end,
                          const std::vector<Promise>& promises, Seconds delay_max) {
    const NodeSet nodes = running.nodes_of({mate.job_id});
    std::string what = passed_bound(bounds_of(mate, nodes, running.last_now()), end);
    if (!what.empty()) return what;
    std::vector<Bound> bounds;
    for (const Promise& promise : promises)
        if (auto bound = bound_by(promise, nodes, delay_max)) bounds.push_back(std::move(*bound));
    return passed_bound(bounds, std::max(end, guest_end));
}

Beyond beyond(const job_record_t& job, std::string what) {
    slurm_verbose("select/malleable: job %u cannot share: its limit would be extended beyond %s", job.job_id,
                  what.c_str());
    return {static_cast<JobId>(job.job_id), std::move(what)};
}

}  // namespace

Seconds limit_end(const RunningJobs& running, const job_record_t& job, Seconds end) {
    return end_with(job, limit_until(running, job, end), running.last_now());
}

Beyond first_beyond(const RunningJobs& running, const job_record_t& guest, const Event& proposal,
                    const std::vector<Promise>& promises, Seconds delay_max) {
    const Seconds guest_end = limit_end(running, guest, proposal.guest_end);
    const std::vector<Consumption> taken = consumptions(running, guest, proposal);
    for (std::size_t i = 0; i < proposal.mates.size(); ++i) {
        const job_record_t* mate = record_of(proposal.mates[i]);
        if (mate == nullptr || cores_that_steps_keep(*mate) > placed(*mate).cores - proposal.cores)
            return {proposal.mates[i], ""};
        const Seconds mate_end = limit_end(running, *mate, proposal.mate_ends[i]);
        std::string what = mate_is_bound(running, *mate, mate_end, guest_end, promises, delay_max);
        if (what.empty()) what = reached(*mate, taken[i], taken);
        if (!what.empty()) return beyond(*mate, std::move(what));
    }
    const NodeSet nodes = running.nodes_of(proposal);
    std::string what = passed_bound(bounds_of(guest, nodes, running.last_now()), guest_end);
    if (what.empty()) what = reached(guest, taken.back(), taken);
    return what.empty() ? Beyond{} : beyond(guest, std::move(what));
}

std::vector<Promise> moved_by(const RunningJobs& running, const job_record_t& guest, const Event& proposal,
                              std::vector<Promise> promises, Seconds delay_max) {
    if (delay_max == 0 || delay_max >= policy::kNever) return {};
    const Seconds guest_end = limit_end(running, guest, proposal.guest_end);
    for (Promise& promise : promises) {
        Seconds most = 0;
        for (std::size_t i = 0; i < proposal.mates.size(); ++i) {
            const Seconds mate_end = limit_end(running, *record_of(proposal.mates[i]), proposal.mate_ends[i]);
            const NodeSet nodes = running.nodes_of({proposal.mates[i]});
            most = std::max(most, move_of(promise, nodes, std::max(guest_end, mate_end)));
        }
        promise.moved = most == 0 ? 0 : promise.moved + most;
    }
    std::erase_if(promises, [](const Promise& promise) { return promise.moved == 0; });
    return promises;
}

}  // namespace drom::slurm
