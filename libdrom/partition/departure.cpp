// SPDX-License-Identifier: BSD-3-Clause
// departure.cpp - gives the CPUs of tasks that end to other tasks.
#include <algorithm>
#include <array>

#include "allocation.hpp"
#include "base/error.hpp"
#include "partition.hpp"

namespace drom::partition {

namespace {

/// The tasks that stay, and the CPUs that the leaving tasks leave behind.
class Departure {
public:
    Departure(const Topology& topology, const Clients& before, const std::vector<bool>& leaves, Clients& stay)
        : before_(before), leaves_(leaves), node_(topology, stay), gains_(node_.jobs(), false) {
        for (uint32_t job = 0; job < node_.jobs(); ++job) {
            pools_.push_back(node_.pool(job));
            rooms_.push_back(node_.room(job));
        }
        for (uint32_t cpu = 0; cpu < kMaxCpus; ++cpu) at_.push_back(node_.job_at(cpu));
        each_leaver([&](const Client& client, uint32_t) { left_ = left_ | (client.mask & topology.cpus); });
    }

    void hand_out() {
        each_leaver([&](const Client& client, uint32_t job) {
            if (job != kNone) return_lent(client, job);
        });
        give_back();
        each_leaver([&](const Client& client, uint32_t job) {
            if (job != kNone) give_to_own_job(client, job);
        });
        if (had_lent())
            while (spread()) {}
        for (uint32_t job = 0; job < node_.jobs(); ++job) divide_anew(job);
    }

private:
    static constexpr uint32_t kWaits = kNone - 1;

    /// Calls `each` with a leaving task and the index of its job among those that stay, or kNone.
    template <class Each>
    void each_leaver(const Each& each) const {
        for (size_t i = 0; i < before_.size(); ++i) {
            if (!leaves_[i]) continue;
            uint32_t job = 0;
            while (job < node_.jobs() && node_.name(job) != before_[i].job) ++job;
            each(before_[i], job < node_.jobs() ? job : kNone);
        }
    }

    void give(uint32_t cpu, uint32_t job) {
        pools_[job].add(cpu);
        at_[cpu] = job;
        --rooms_[job];
        left_.remove(cpu);
    }
    [[nodiscard]] uint32_t job_at(uint32_t cpu) const { return at_[cpu]; }

    /// Returns the job that a CPU goes back to: of the tasks at home there whose job can use it, the job of the latest.
    /// Returns kWaits while a later job is on the core.
    [[nodiscard]] uint32_t home_job(uint32_t cpu, const Core& core) const {
        for (uint32_t client = node_.home(cpu); client != kNone; client = node_.home(cpu, client)) {
            const uint32_t job = node_.job_of(client);
            if (rooms_[job] == 0) continue;
            for (uint32_t later = job + 1; later < node_.jobs(); ++later)
                if (any_in(core, pools_[later])) return kWaits;
            return job;
        }
        return kNone;
    }

    /// Gives back CPUs of the cores that were left, and the CPUs that waited on them. The latest task gets its own
    /// first: those of the other tasks may have to wait for it.
    void give_back() {
        each_core(node_.topology(), [&](Core core) {
            if (!any_in(core, left_)) return;
            const auto last_home = [&](uint32_t cpu) { return node_.home(cpu) + 1; };  // no home: 0
            std::stable_sort(core.begin(), core.end(),
                             [&](uint32_t a, uint32_t b) { return last_home(a) > last_home(b); });
            for (const uint32_t cpu : core) {
                const uint32_t job = job_at(cpu) == kNone ? home_job(cpu, core) : kNone;
                if (job == kWaits)
                    waiting_.add(cpu);
                else if (job != kNone)
                    give(cpu, job);
            }
        });
    }

    /// Returns the jobs that may have a CPU of this core: all that can use it or, when one is on the core, only that
    /// one.
    [[nodiscard]] std::vector<uint32_t> takers(const Core& core) const {
        std::vector<uint32_t> there;
        std::vector<uint32_t> all;
        for (uint32_t job = 0; job < node_.jobs(); ++job) {
            if (any_in(core, pools_[job])) there.push_back(job);
            if (rooms_[job] > 0) all.push_back(job);
        }
        if (there.empty()) return all;
        return there.size() == 1 && rooms_[there.front()] > 0 ? there : std::vector<uint32_t>{};
    }

    /// Gives the CPUs that were no other task's to the leaving task's own job.
    void give_to_own_job(const Client& leaver, uint32_t job) {
        gains_[job] = true;
        each_core(node_.topology(), [&](const Core& core) {
            for (const uint32_t cpu : core) {
                if (!leaver.mask.has(cpu) || !left_.has(cpu)) continue;
                const std::vector<uint32_t> may = takers(core);
                if (std::find(may.begin(), may.end(), job) != may.end()) give(cpu, job);
            }
        });
    }

    /// Passes the homes of CPUs that the leaving task had lent on to tasks of its job that stay.
    void return_lent(const Client& leaver, uint32_t job) {
        const CpuSet lent = leaver.home - leaver.mask - pools_[job];
        for (uint32_t cpu = lent.first(); cpu < kMaxCpus; cpu = lent.next(cpu + 1)) {
            const uint32_t home = node_.home(cpu);
            if (home != kNone && node_.job_of(home) > job) add_home(job, cpu);
        }
    }

    /// Adds the home to the job's task to which the fewest CPUs come back. Does nothing when the CPU comes back to a
    /// task of the job already.
    void add_home(uint32_t job, uint32_t cpu) {
        Client* fewest = nullptr;
        for (Client& client : node_.clients()) {
            if (client.job != node_.name(job)) continue;
            if (client.home.has(cpu)) return;
            if (fewest == nullptr || client.home.count() < fewest->home.count()) fewest = &client;
        }
        if (fewest != nullptr) fewest->home.add(cpu);
    }

    /// Returns whether a task of another job has a CPU that would have come back to a leaving task.
    [[nodiscard]] bool had_lent() const {
        bool lent = false;
        each_leaver([&](const Client& leaver, uint32_t) {
            for (const Client& client : node_.clients())
                lent = lent || (client.job != leaver.job && leaver.home.intersects(client.mask));
        });
        return lent;
    }

    /// Gives CPUs that no task has yet to jobs that can use them, core by core. Returns false when none could be given.
    bool spread() {
        bool any = false;
        const CpuSet released = left_ - waiting_;
        each_core(node_.topology(), [&](const Core& core) {
            if (!any_in(core, released)) return;
            const std::vector<uint32_t> may = takers(core);
            if (may.empty()) return;
            const uint32_t taker = *std::min_element(may.begin(), may.end(), [&](uint32_t a, uint32_t b) {
                return unsuited(a, core.front()) < unsuited(b, core.front());
            });
            for (const uint32_t cpu : core)
                if (released.has(cpu) && rooms_[taker] > 0) give(cpu, taker);
            any = gains_[taker] = true;
        });
        return any;
    }

    /// Returns how little a CPU suits a job. First: whether it would be a stranger in package, NUMA node, L3. Then the
    /// job's size, then how far away it is.
    [[nodiscard]] std::array<uint32_t, 5> unsuited(uint32_t job, uint32_t cpu) const {
        const Location& here = node_.topology().location(cpu);
        const auto same = [&](const Location& location) {
            return std::array{location.package == here.package, location.numa == here.numa, location.l3 == here.l3};
        };
        std::array<bool, 3> mine{};
        std::array<bool, 3> others{};
        for (const uint16_t other : node_.topology().order) {
            if (job_at(other) == kNone) continue;
            auto& there = job_at(other) == job ? mine : others;
            for (size_t level = 0; level < 3; ++level)
                there[level] = there[level] || same(node_.topology().location(other))[level];
        }
        const auto strange = [&](size_t level) { return others[level] && !mine[level] ? 1U : 0U; };
        const auto near = static_cast<uint32_t>(std::count(mine.begin(), mine.end(), true));
        return {strange(0), strange(1), strange(2), pools_[job].count(), 3 - near};
    }

    /// Divides the CPUs of a job again. CPUs that a task inherits become its home; a task that only got its own
    /// CPUs back keeps its home.
    void divide_anew(uint32_t job) {
        const uint64_t name = node_.name(job);
        if (!(pools_[job] == node_.pool(job))) share_out(node_.topology(), node_.clients(), name, pools_[job]);
        if (!gains_[job]) return;
        for (Client& client : node_.clients())
            if (client.job == name) client.home = (client.home - pools_[job]) | client.mask;
    }

    const Clients& before_;
    const std::vector<bool>& leaves_;
    Allocation node_;  ///< of the tasks that stay
    std::vector<CpuSet> pools_;
    std::vector<uint32_t> rooms_;
    std::vector<bool> gains_;
    std::vector<uint32_t> at_;  ///< the job of each CPU
    CpuSet left_{};             ///< CPUs of leaving tasks that are not given yet
    CpuSet waiting_{};          ///< CPUs that go back to a task once a later job on the core has ended
};

}  // namespace

int depart(const Topology& topology, const Clients& running, const std::vector<uint32_t>& leaving, Clients& after,
           drom_error* error) {
    if (const int status = check_disjoint(running, error); status != DROM_OK) return status;
    for (const uint32_t id : leaving)
        if (std::none_of(running.begin(), running.end(), [id](const Client& c) { return c.id == id; }))
            return fail(error, DROM_E_NOPROC, "client %u leaves, but there is none of that number", id);
    Clients before = running;
    correct_homes(topology, before);
    Clients stay;
    std::vector<bool> leaves;
    for (const Client& client : before) {
        leaves.push_back(std::find(leaving.begin(), leaving.end(), client.id) != leaving.end());
        if (!leaves.back()) stay.push_back(client);
    }
    Departure(topology, before, leaves, stay).hand_out();
    correct_homes(topology, stay);
    after = std::move(stay);
    return DROM_OK;
}

}  // namespace drom::partition
