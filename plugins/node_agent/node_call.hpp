// SPDX-License-Identifier: GPL-2.0-or-later
// node_call.hpp - one call of the node agent: the lock, the state as it is, and what is made of it.
#pragma once

#include <string>
#include <vector>

#include "file_lock.hpp"
#include "node_agent.hpp"

namespace drom::slurm {

class NodeAgent::Call {
public:
    explicit Call(NodeAgent& agent) : agent_(agent), path_(agent.settings_.table + "/agent.record") {}

    /// Takes the lock, reads the state, finishes what was begun and hands back what the dead had.
    tl::expected<void, Refusal> begin();

    /// Does as begin(), in this process only: it does not wait, and changes nothing. Returns false when the state
    /// cannot be read.
    bool look();

    /// Returns the masks of tasks that have arrived; empty when one of them has not.
    [[nodiscard]] std::vector<CpuSet> masks_of(const std::vector<ProcessIdentity>& tasks) const;

    /// Gives the newcomers CPUs, or lets a step without room share some. Errors: nothing is changed.
    tl::expected<void, Refusal> place(const Launch& launch, const std::vector<ProcessIdentity>& newcomers);
    tl::expected<void, Refusal> depart(const std::vector<uint32_t>& leaving);

    /// Parks the tasks of a job that follow no requests. A stopped client lends CPUs that others are granted, and keeps
    /// its minimum.
    tl::expected<void, Refusal> suspend(uint32_t job);
    tl::expected<void, Refusal> resume(uint32_t job);

    /// Gives the last job here the whole of what it asked for; another has ended.
    tl::expected<void, Refusal> end_of_job();

    [[nodiscard]] const Tasks& tasks() const { return state_.tasks; }
    [[nodiscard]] const std::string& news() const { return news_; }
    [[nodiscard]] bool found_something() const { return found_something_; }

private:
    tl::expected<void, Refusal> carry_out(Tasks planned, const Launch& launch);
    /// Plans the state with a newcomer, which shares CPUs if there is no room; that is noted. Nothing is changed.
    /// `step`: how the note begins; `rigid`: how it ends where the step is not malleable.
    tl::expected<Tasks, Refusal> plan(const Launch& launch, const std::vector<ProcessIdentity>& newcomers,
                                      const std::string& step, const char* rigid);
    /// Loads the state. Errors: the end of a sentence.
    tl::expected<void, Refusal> load(const std::string& text);
    /// Puts a state file aside that cannot be read: it must not stop the node for ever.
    tl::unexpected<Refusal> put_aside(const std::string& why);
    tl::expected<void, Refusal> save(bool applied);

    /// Notices masks that an administrator has set by hand: they stay, and no plan changes them.
    void notice_other_masks();
    /// Carries the plan out, and writes down whether that is done. It is not done where a task died meanwhile and the
    /// table still keeps its CPUs: the next call finds it dead and goes on from there.
    tl::expected<void, Refusal> apply();
    /// Widens the cpusets of tasks whose masks grow, and has those of open steps follow their masks both ways. Where a
    /// cpuset cannot have all of the CPUs, the plan becomes the part that it can have. The cpusets of a job with a
    /// starting step stay as they are, or the new step would fail; its arrive() comes back to them.
    void make_room_in_cpusets();
    void make_room_in_cpuset(TaskState& task);
    void note(const std::string& trouble);
    void note_of(const TaskState& task, const std::string& trouble);
    [[nodiscard]] std::vector<uint32_t> dead_tasks() const;

    tl::expected<void, Refusal> resume_step(const StepName& step);

    NodeAgent& agent_;
    std::string path_;
    FileLock lock_;
    AgentState state_;
    std::string name_;
    std::string news_;
    bool found_something_ = false;
};

}  // namespace drom::slurm
