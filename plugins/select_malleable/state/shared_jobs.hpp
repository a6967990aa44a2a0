// SPDX-License-Identifier: GPL-2.0-or-later
// shared_jobs.hpp - what is remembered of jobs that share or have shared, beyond slurmctld's own records. Pure.
//
// An admin comment says the same to users, but other programs write there, too: it is never read for what stands here.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "policy/sharing/coscheduler.hpp"

namespace drom::slurm {

/// The memory of one job. Times are seconds of the clock. CPU-seconds leave out the time in which it was
/// suspended.
struct SharedJob {
    std::int64_t own_limit = 0;    ///< minutes of its limit without what sharing added; 0: nothing was added
    std::vector<uint32_t> limits;  ///< the limits in minutes that sharing gave it, the one in force last
    std::int64_t delayed = 0;      ///< seconds by which sharing has moved its start at most
    std::int64_t since = 0;        ///< when it began to share; 0: it does not share now
    std::int64_t shared = 0;       ///< seconds of sharing that are over

    std::int64_t whole = 0;    ///< the CPUs of its allocation; 0: nothing is counted yet
    std::int64_t cpus = 0;     ///< those of them that it has now
    std::int64_t counted = 0;  ///< until when it is counted what it had
    std::int64_t paused = 0;   ///< 1: it is suspended
    std::int64_t ran = 0;      ///< seconds
    std::int64_t had = 0;      ///< CPU-seconds that it had
    std::int64_t lent = 0;     ///< CPU-seconds of its allocation that other jobs had
    std::int64_t paid = 0;     ///< of these, what its account has got back

    // Its present record in slurmdbd, and the one before.
    std::int64_t record_start = 0;
    std::int64_t record_ran = 0;  ///< `ran` at this start
    std::int64_t record_had = 0;  ///< `had` at this start
    std::uint64_t previous = 0;   ///< the number of the record before; 0: there is none
    std::int64_t before = 0;      ///< the CPUs in that record
    // Where the present record is to end, and another to begin; 0: it goes on.
    std::int64_t cut = 0;
    std::int64_t cut_ran = 0;  ///< `ran` then
    std::int64_t cut_had = 0;  ///< `had` then
    std::int64_t unsaid = 0;   ///< 1: slurmdbd does not know yet how many CPUs the present record has
    std::int64_t said = 0;     ///< when it was told this last

    bool operator==(const SharedJob&) const = default;

    /// Counts what it had until `now`. A time that is over already changes nothing.
    void count(policy::Seconds now);
    /// Counts until `at`, from when on the job has so many CPUs.
    void change(std::int64_t now_cpus, policy::Seconds at);
    /// Returns the CPUs that its present record is charged for: the mean over it, rounded.
    std::int64_t mean_cpus() const { return mean(ran - record_ran, had - record_had); }
    /// Notes that the present record ends where counting has come to, unless it is to end earlier or begins there.
    void end_record();
    /// Begins the record that comes after the cut. `number`: that of the one that ends there.
    void begin_record(std::uint64_t number);

    /// Returns whether its present record is one that begin_record() began, at this time.
    bool began_at(policy::Seconds at) const { return previous != 0 && record_start == at; }

    /// Notes after half an hour that slurmdbd has to be told again: slurmctld may have told it of the whole job.
    void say_again(policy::Seconds now);

    /// Notes that its limit is `own` minutes and `more` for sharing.
    void note_limit(uint32_t own, uint32_t more);
    /// Returns what of a limit in force is its own. A limit that was changed since is the job's own.
    uint32_t own_part(uint32_t limit) const;
    /// Takes a limit that is older than the last one as the one in force, if it is one of these.
    void go_back_to(uint32_t limit);

private:
    std::int64_t mean(std::int64_t seconds, std::int64_t cpu_seconds) const;
};

class SharedJobs {
public:
    SharedJob& operator[](policy::JobId id) { return jobs_[id]; }
    SharedJob* find(policy::JobId id);
    void erase(policy::JobId id) { jobs_.erase(id); }
    std::vector<policy::JobId> ids() const;

    /// Returns all jobs, one line each.
    std::string text() const;
    /// Replaces all by what text() returned. Errors: a line cannot be read; the rest of a sentence. Then none is known.
    tl::expected<void, std::string> read(std::string_view text);

private:
    std::map<policy::JobId, SharedJob> jobs_;
};

/// Returns those of this slurmctld. Its lock on jobs guards them.
SharedJobs& shared_jobs();

}  // namespace drom::slurm
