// SPDX-License-Identifier: GPL-2.0-or-later
// real_cpuset_test.cpp - cpusets of steps in a real v1 hierarchy: widened, narrowed for the next step, and of a guest
// whose mate comes meanwhile.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/confine.hpp"
#include "child.hpp"
#include "common/small_file.hpp"
#include "drom/drom.h"
#include "node_agent/cpuset_cgroup.hpp"
#include "node_agent/ended_jobs.hpp"
#include "node_agent/node_agent.hpp"
#include "node_agent/starting_steps.hpp"
#include "partition/topology.hpp"
#include "temp_dir.hpp"

namespace drom::slurm {
namespace {

using test::Child;
namespace fs = std::filesystem;

/// Makes groups of this test below its own cpuset, as Slurm does, and removes them at the end in any case.
class RealGroups {
public:
    RealGroups() {
        const auto location = find_cpuset(contents("/proc/self/cgroup"), contents("/proc/self/mountinfo"));
        if (!location || !*location || (*location)->v2 || (*location)->noprefix) return;
        home_ = (*location)->directory((*location)->below.size());
        groups_ = {home_ + "/slurm_dromtest" + std::to_string(getpid())};
        for (const char* name : {"/uid_0", "/job_1", "/step_0"}) groups_.push_back(groups_.back() + name);
        writable_ = std::all_of(groups_.begin(), groups_.end(), [this](const std::string& group) {
            return mkdir(group.c_str(), 0755) == 0 && put(group + "/cpuset.mems", contents(home_ + "/cpuset.mems"));
        });
    }
    ~RealGroups() {
        for (auto group = groups_.rbegin(); group != groups_.rend(); ++group) {
            std::ifstream left(*group + "/cgroup.procs");
            for (std::string pid; left >> pid;) put(home_ + "/cgroup.procs", pid);
            rmdir(group->c_str());
        }
    }
    RealGroups(const RealGroups&) = delete;
    RealGroups& operator=(const RealGroups&) = delete;

    [[nodiscard]] bool writable() const { return writable_; }
    [[nodiscard]] const std::string& step() const { return groups_.back(); }
    [[nodiscard]] std::string cpus(std::size_t level) const {
        std::ifstream file(groups_[level] + "/cpuset.cpus");
        std::string cpus;
        file >> cpus;
        return cpus;
    }
    /// Gives Slurm's own directory and the user's both CPUs, and the job and the step the first.
    [[nodiscard]] bool confine_to(const std::string& both, const std::string& first) const {
        return put(groups_[0] + "/cpuset.cpus", both) && put(groups_[1] + "/cpuset.cpus", both) &&
               put(groups_[2] + "/cpuset.cpus", first) && put(groups_[3] + "/cpuset.cpus", first);
    }
    static bool put(const std::string& file, const std::string& text) {
        std::ofstream out(file);
        return static_cast<bool>(out << text << std::flush);
    }

private:
    std::string home_;
    std::vector<std::string> groups_;
    bool writable_ = false;
};

/// Says why a test is left out. It is no failure, because the tests above cover the same on trees of plain files.
bool left_out(const char* why) {
    fprintf(stderr, "NOT TESTED on a real cpuset hierarchy: %s; on trees of plain files only\n", why);
    return true;
}

bool two_cpus(CpuSet& both) {
    CpuSet mine{};
    if (!get_affinity(0, mine) || mine.count() < 2) return false;
    both = CpuSet::empty();
    both.add(mine.first());
    both.add(mine.next(mine.first() + 1));
    return true;
}

CpuSet affinity_of(const Child& child) {
    CpuSet mask{};
    get_affinity(child.upid(), mask);
    return mask;
}

/// A step of Slurm that has the first of two CPUs, in a real hierarchy.
class RealCpuset : public testing::Test {
protected:
    /// Returns false, and says so, where that cannot be had.
    bool is_ready() {
        if (!groups_.writable() && left_out("there is none of v1 that can be written here")) return false;
        if (!two_cpus(both_) && left_out("one CPU only")) return false;
        first_ = both_;
        first_.remove(both_.last());
        EXPECT_TRUE(groups_.confine_to(CpuText(both_).text, CpuText(first_).text));
        return true;
    }
    /// Writes the job's level, as Slurm does when a step starts. Returns whether it may.
    [[nodiscard]] bool slurm_can_write(const CpuSet& cpus) const {
        return RealGroups::put(fs::path(groups_.step()).parent_path().string() + "/cpuset.cpus", CpuText(cpus).text);
    }

    const RealGroups groups_;
    CpuSet both_{}, first_{};
};

TEST_F(RealCpuset, AProcessOfOneCpuGetsASecondOneAndNoAffinityChanges) {
    if (!is_ready()) return;
    Child task = Child::sleeper();
    Child other = Child::sleeper();
    for (const Child* child : {&task, &other})
        ASSERT_TRUE(RealGroups::put(groups_.step() + "/cgroup.procs", std::to_string(child->pid())));
    EXPECT_EQ(affinity_of(task), first_);
    EXPECT_EQ(set_affinity(task.upid(), both_), 0);
    EXPECT_EQ(affinity_of(task), first_);  // the cpuset has one CPU

    EXPECT_EQ(widen_cpuset(task.pid(), both_), "");
    EXPECT_EQ(groups_.cpus(2), CpuText(both_).text);
    EXPECT_EQ(groups_.cpus(3), CpuText(both_).text);
    EXPECT_EQ(affinity_of(other), first_);
    EXPECT_EQ(set_affinity(task.upid(), both_), 0);
    EXPECT_EQ(affinity_of(task), both_);

    // Slurm writes the job's level when its next step starts. It can do so once the step is narrow, and the step is
    // widened again afterwards.
    EXPECT_FALSE(slurm_can_write(first_));
    EXPECT_EQ(narrow_cpuset(task.pid(), first_), "");
    EXPECT_TRUE(slurm_can_write(first_));
    EXPECT_EQ(affinity_of(task), first_);
    CpuSet mask = both_;
    EXPECT_EQ(fit_cpuset(task.pid(), mask, true), "");
    EXPECT_EQ(affinity_of(task), both_);
    EXPECT_EQ(affinity_of(other), first_);
}

/// Each step of a guest failed: its extern step had been moved to the other CPUs, and was not narrowed.
TEST_F(RealCpuset, AStepThatHasNoneOfItsJobsOwnCpusHasThemWhileTheNextOneStarts) {
    if (!is_ready()) return;
    const CpuSet second = both_ - first_;
    const Child place = Child::sleeper();
    ASSERT_TRUE(RealGroups::put(groups_.step() + "/cgroup.procs", std::to_string(place.pid())));
    EXPECT_EQ(set_cpuset_of_step(place.pid(), second), "");
    EXPECT_EQ(affinity_of(place), second);
    EXPECT_FALSE(slurm_can_write(first_));
    EXPECT_EQ(narrow_cpuset(place.pid(), first_), "");
    EXPECT_TRUE(slurm_can_write(first_));
    CpuSet mask = second;
    EXPECT_EQ(fit_cpuset(place.pid(), mask, true), "");
    EXPECT_EQ(set_cpuset_of_step(place.pid(), second), "");
    EXPECT_EQ(affinity_of(place), second);
}

/// A guest's script failed: its daemon could not write the job's cpuset, since the extern step had been widened.
TEST_F(RealCpuset, AStepThatArrivesWhileAnotherOneOfItsJobStartsIsNotWidenedYet) {
    if (!is_ready()) return;
    const test::TempDir folder;
    AgentSettings settings;
    settings.table = folder.path() + "/table";
    auto agent = NodeAgent::open(settings);
    ASSERT_TRUE(agent.has_value()) << agent.error();
    // The mate has ended here since these steps began. So the guest has the whole node.
    ASSERT_TRUE(note_end_of_job(settings.table, 2, {{1, 0, {kBatchStep, kExternStep}}}));
    const auto arrives = [&](uint32_t step, const Child& task) {
        Launch launch;
        launch.step = {1, step};
        launch.user = geteuid();
        launch.tasks = {task.pid()};
        launch.granted = first_;
        launch.whole = both_;
        launch.malleable = true;
        RealGroups::put(groups_.step() + "/cgroup.procs", std::to_string(task.pid()));
        EXPECT_TRUE(agent->arrive(launch).has_value());
        EXPECT_TRUE(agent->reconcile().has_value());
    };
    const Child place = Child::sleeper(), script = Child::sleeper();
    ASSERT_TRUE(agent->before_step({1, kBatchStep}, first_).has_value());
    arrives(kExternStep, place);
    EXPECT_EQ(groups_.cpus(3), CpuText(first_).text);
    EXPECT_TRUE(slurm_can_write(first_));
    arrives(kBatchStep, script);
    EXPECT_EQ(groups_.cpus(3), CpuText(both_).text);
}

/// A guest that has the node alone, although the controller granted it the second CPU only: a mate has ended. Its next
/// mate comes while its script starts, and the node's partition gives that mate the second CPU.
class GuestOfALateMate : public RealCpuset {
protected:
    void SetUp() override {
        settings_.table = folder_.path() + "/table";
        settings_.timeout_ms = 1'000'000;  // a wait in vain meets the deadline of the suite
    }
    [[nodiscard]] bool has_begun() {
        if (!is_ready()) return false;
        second_ = both_ - first_;
        EXPECT_TRUE(slurm_can_write(both_) && RealGroups::put(groups_.step() + "/cpuset.cpus", CpuText(second_).text) &&
                    slurm_can_write(second_));
        for (const Child* child : {&place_, &script_})
            EXPECT_TRUE(RealGroups::put(groups_.step() + "/cgroup.procs", std::to_string(child->pid())));
        const NodeAgent makes_the_folder = agent();
        EXPECT_TRUE(note_end_of_job(settings_.table, 3, {{1, 0, {kBatchStep, kExternStep}}}));
        arrives({1, kExternStep}, second_, place_);
        EXPECT_EQ(affinity_of(place_), both_);
        EXPECT_TRUE(agent().before_step({1, kBatchStep}, second_).has_value());
        EXPECT_NE(arrives({2, kExternStep}, both_, mate_).news, "");
        EXPECT_EQ(affinity_of(place_), second_);  // its mate's by now, but its cpuset has no other
        return true;
    }
    [[nodiscard]] NodeAgent agent() const {
        auto opened = NodeAgent::open(settings_);
        EXPECT_TRUE(opened.has_value()) << opened.error();
        return std::move(*opened);
    }
    Arrival arrives(const StepName& step, const CpuSet& granted, const Child& task) const {
        Launch launch;
        launch.step = step;
        launch.user = geteuid();
        launch.tasks = {task.pid()};
        launch.granted = granted;
        launch.whole = both_;
        launch.malleable = true;
        const auto arrival = agent().arrive(launch);
        EXPECT_TRUE(arrival.has_value()) << arrival.error();
        return arrival.value_or(Arrival{});
    }
    /// Returns whether the table awaits nothing of the task.
    [[nodiscard]] bool has_released(const Child& task) const {
        drom_table* table = nullptr;
        EXPECT_EQ(drom_open(&table, settings_.table.c_str(), nullptr, nullptr), DROM_OK);
        drom_client_info clients[8];
        clients[0].size = sizeof clients[0];
        std::size_t count = std::size(clients);
        EXPECT_EQ(drom_clients(table, clients, &count, nullptr), DROM_OK);
        drom_close(table);
        return std::any_of(clients, clients + count, [&](const drom_client_info& client) {
            return client.pid == task.pid() && client.released_seq == client.request_seq;
        });
    }

    const test::TempDir folder_;
    AgentSettings settings_;
    CpuSet second_{};
    const Child place_ = Child::sleeper(), script_ = Child::sleeper(), mate_ = Child::sleeper();
};

/// It was never told again: its mate's script waited for that CPU for good.
TEST_F(GuestOfALateMate, LeavesTheMatesCpuAtTheNextCallWhenItsScriptDoesNotCome) {
    if (!has_begun()) return;
    EXPECT_FALSE(has_released(place_));
    step_has_started(settings_.table, {1, kBatchStep});
    EXPECT_TRUE(agent().reconcile().has_value());
    EXPECT_TRUE(has_released(place_));
    EXPECT_EQ(affinity_of(place_), first_);
    EXPECT_EQ(affinity_of(mate_), second_);
}

/// Its script had no room, because the CPU that the controller granted was its mate's.
TEST_F(GuestOfALateMate, HasRoomForItsScriptOnTheCpuThatItHasNow) {
    if (!has_begun()) return;
    const Arrival arrival = arrives({1, kBatchStep}, second_, script_);
    EXPECT_EQ(arrival.news, "");
    EXPECT_EQ(arrival.masks, std::vector<CpuSet>{first_});
    for (const Child* child : {&place_, &script_}) EXPECT_EQ(affinity_of(*child), first_);
    EXPECT_EQ(affinity_of(mate_), second_);
}

TEST_F(RealCpuset, WhoIsInsideOneSeesTheWholeNode) {
    if (!is_ready()) return;
    Child inside = Child::run([&] {
        Topology seen;
        if (!RealGroups::put(groups_.step() + "/cgroup.procs", std::to_string(getpid()))) return 2;
        if (read_machine(seen, nullptr) != DROM_OK || !(seen.cpus == first_)) return 3;
        return read_node(seen, nullptr) == DROM_OK && seen.cpus.contains(both_) ? 0 : 4;
    });
    EXPECT_EQ(inside.wait(), 0);
}

}  // namespace
}  // namespace drom::slurm
