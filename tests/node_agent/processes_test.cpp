// SPDX-License-Identifier: GPL-2.0-or-later
// processes_test.cpp - on this machine's CPUs: processes that a task starts move with it, and the topology is read once
// per boot.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/confine.hpp"
#include "child.hpp"
#include "common/small_file.hpp"
#include "node_agent/adopted_processes.hpp"
#include "node_agent/node_agent.hpp"
#include "node_agent/process_tree.hpp"
#include "node_agent/topology_cache.hpp"
#include "temp_dir.hpp"

namespace drom::slurm {
namespace {

using test::Child;

TEST(Descendants, AreChildrenAndTheirChildrenAndNoOtherProcess) {
    const std::vector<Kinship> all = {{10, 1}, {11, 10}, {12, 11}, {13, 10}, {20, 1}, {21, 20}};
    EXPECT_EQ(below(10, all), (std::vector<pid_t>{11, 13, 12}));
    EXPECT_TRUE(below(12, all).empty());
    // A pid that passed to another process while /proc was read.
    EXPECT_EQ(below(5, {{6, 5}, {5, 6}}), std::vector<pid_t>{6});
}

/// A machine of plain files: process 7 is the step daemon, 8 what it started, 9 and 10 came in by ssh.
class ExternStep : public testing::Test {
protected:
    void write(const std::string& file, const std::string& text) {
        const std::filesystem::path path = root_.path() + file;
        std::filesystem::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    std::vector<pid_t> processes() { return processes_of_extern_step(7, {8}, root_.path()); }

    test::TempDir root_;
};

TEST_F(ExternStep, HasTheProcessesOfItsCgroupsOfEveryControllerV1) {
    write("/proc/self/mountinfo",
          "31 23 0:28 / /cg/freezer rw - cgroup cgroup rw,freezer\n"
          "32 23 0:29 / /cg/cpuset rw - cgroup cgroup rw,cpuset\n");
    write("/proc/7/cgroup", "2:cpuset:/slurm/uid_0/job_4/step_extern\n1:freezer:/slurm\n");
    write("/proc/8/cgroup", "2:cpuset:/\n1:freezer:/slurm/uid_0/job_4/step_extern\n");
    write("/cg/cpuset/slurm/uid_0/job_4/step_extern/cgroup.procs", "7\n9\n");
    write("/cg/freezer/slurm/uid_0/job_4/step_extern/cgroup.procs", "8\n9\n10\n");
    write("/cg/freezer/slurm/cgroup.procs", "1\n7\n");
    EXPECT_EQ(processes(), (std::vector<pid_t>{8, 9, 10}));
}

TEST_F(ExternStep, HasTheProcessesBelowItsCgroupV2) {
    write("/proc/self/mountinfo", "31 23 0:28 / /cg rw - cgroup2 cgroup2 rw\n");
    write("/proc/7/cgroup", "0::/system.slice/slurmstepd.scope/job_4/step_extern/slurm\n");
    write("/proc/8/cgroup", "0::/system.slice/slurmstepd.scope/job_4/step_extern/user/task_special\n");
    const std::string step = "/cg/system.slice/slurmstepd.scope/job_4/step_extern";
    write(step + "/slurm/cgroup.procs", "7\n");
    write(step + "/user/task_special/cgroup.procs", "8\n9\n");
    EXPECT_EQ(processes(), (std::vector<pid_t>{8, 9}));
}

TEST_F(ExternStep, HasWhatItsDaemonStartedWhereThereAreNoCgroups) {
    write("/proc/self/mountinfo", "31 23 0:28 / /cg rw - cgroup2 cgroup2 rw\n");
    write("/proc/8/cgroup", "0::/user.slice\n");
    write("/cg/user.slice/cgroup.procs", "1\n8\n");
    EXPECT_EQ(processes(), std::vector<pid_t>{8});
}

/// A machine of plain files: process 7 is the step daemon, 8 its task, 9 the task's child. Process 10 lost its parent,
/// and 11 is its child.
class Orphans : public ExternStep {
protected:
    void SetUp() override {
        write("/proc/self/mountinfo", "31 23 0:28 / /cg/freezer rw - cgroup cgroup rw,freezer\n");
        for (const auto& [process, parent] : {std::pair{7, 1}, {8, 7}, {9, 8}, {10, 1}, {11, 10}, {12, 1}})
            write("/proc/" + std::to_string(process) + "/stat",
                  std::to_string(process) + " (sh) S " + std::to_string(parent) +
                      " 1 1 0 -1 4194560 1 1 0 0 0 0 0 0 20 0 1 0 100 1 1\n");
        write("/proc/8/cgroup", "1:freezer:/slurm/uid_0/job_4/step_0\n");
        write("/cg/freezer/slurm/uid_0/job_4/step_0/cgroup.procs", "7\n8\n9\n10\n11\n");
        write("/cg/freezer/slurm/uid_0/job_4/step_1/cgroup.procs", "12\n");
    }
    std::vector<pid_t> orphans() { return orphans_of_step(8, root_.path()); }
};

TEST_F(Orphans, OfAStepAreInItsCgroupAndNotBelowItsDaemon) { EXPECT_EQ(orphans(), (std::vector<pid_t>{10, 11})); }

TEST_F(Orphans, OfAStepWhoseDaemonHasEndedAreNotKnown) {
    write("/proc/8/stat", "8 (sh) S 1 1 1 0 -1 4194560 1 1 0 0 0 0 0 0 20 0 1 0 100 1 1\n");
    EXPECT_TRUE(orphans().empty());
}

TEST_F(Orphans, AreNoneWhereSlurmMakesNoCgroups) {
    write("/proc/8/cgroup", "1:freezer:/\n");
    write("/cg/freezer/cgroup.procs", "1\n8\n10\n");
    EXPECT_TRUE(orphans().empty());
}

TEST(Descendants, AreFoundWhateverAProgramCallsItself) {
    Child parent = Child::run([] {
        Child child = Child::run([] {
            prctl(PR_SET_NAME, ") R 1 (");
            for (;;) pause();
            return 0;
        });
        pause();
        return 0;
    });
    std::vector<pid_t> found;
    for (int i = 0; i < 500 && found.empty(); ++i) {
        usleep(10000);
        found = below(parent.pid(), all_processes());
    }
    EXPECT_EQ(found.size(), 1U);
}

TEST(TopologyCache, IsReadBackAsItWasWritten) {
    Topology topology;
    ASSERT_EQ(read_synthetic("package:2 numa:2 l3:2 core:3 pu:2", topology, nullptr), DROM_OK);
    const std::string text = to_text(topology, "a boot");
    Topology read;
    ASSERT_TRUE(read_topology(text, "a boot", read));
    EXPECT_EQ(read.order, topology.order);
    EXPECT_EQ(to_text(read, "a boot"), text);
    EXPECT_FALSE(read_topology(text, "another boot", read));
    for (std::size_t length = 0; length + 1 < text.size(); length += 5)
        EXPECT_FALSE(read_topology(text.substr(0, length), "a boot", read)) << length;
}

TEST(TopologyCache, DamageIsReadAnew) {
    const test::TempDir directory;
    AgentSettings settings;
    settings.table = directory.table();
    ASSERT_TRUE(NodeAgent::open(settings).has_value());
    const std::string path = settings.table + "/agent.topology";
    const std::string good = contents(path);
    ASSERT_FALSE(good.empty());
    ASSERT_TRUE(replace(path, good.substr(0, good.size() / 2)));
    ASSERT_TRUE(NodeAgent::open(settings).has_value());
    EXPECT_EQ(contents(path), good);
}

CpuSet affinity_of(pid_t pid) {
    CpuSet mask{};
    get_affinity(static_cast<uint32_t>(pid), mask);
    return mask;
}

/// Returns whether every thread of the process is on these CPUs.
bool all_threads_on(pid_t pid, const CpuSet& cpus) {
    for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task"))
        if (!(affinity_of(std::stoi(thread.path().filename())) == cpus)) return false;
    return true;
}

TEST(RealNode, TasksThatSharedCpusLeaveOneAnotherWithAllThreadsWhenEachHasItsOwn) {
    CpuSet here{};
    ASSERT_TRUE(get_affinity(0, here));
    if (here.count() < 2) GTEST_SKIP() << "one CPU only: there is nothing to share";
    const test::TempDir directory;
    AgentSettings settings;
    settings.table = directory.table();
    settings.timeout_ms = 5000;
    const auto two_threads = [] {
        std::thread([] { pause(); }).detach();
        pause();
        return 0;
    };
    const Child one = Child::run(two_threads);
    const Child other = Child::run(two_threads);
    const Child rigid = Child::sleeper();
    auto agent = NodeAgent::open(settings);
    ASSERT_TRUE(agent.has_value()) << agent.error();
    Launch first;
    first.step = {1, 0};
    first.user = geteuid();
    first.granted = here;
    first.tasks = {rigid.pid()};
    ASSERT_TRUE(agent->arrive(first).has_value());
    Launch crowd = first;
    crowd.step = {2, 0};
    crowd.malleable = true;
    crowd.tasks = {one.pid(), other.pid()};
    const auto arrived = agent->arrive(crowd);
    ASSERT_TRUE(arrived.has_value()) << arrived.error();
    EXPECT_EQ(arrived->masks[0], here);
    ASSERT_TRUE(agent->leave(first.tasks).has_value());
    const CpuSet own = affinity_of(one.pid());
    EXPECT_TRUE(all_threads_on(one.pid(), own));
    EXPECT_TRUE(all_threads_on(other.pid(), here - own));
}

TEST(RealNode, WhatAScriptStartsMovesWithIt) {
    CpuSet here{};
    ASSERT_TRUE(get_affinity(0, here));
    if (here.count() < 2) GTEST_SKIP() << "one CPU only: there is nothing to share";
    const test::TempDir directory;
    AgentSettings settings;
    settings.table = directory.table();
    settings.timeout_ms = 5000;
    const Child script = Child::run([] {
        const Child program = Child::sleeper();
        pause();
        return 0;
    });
    const Child other = Child::sleeper();
    std::vector<pid_t> family;
    for (int i = 0; i < 500 && family.empty(); ++i) {
        usleep(10000);
        family = below(script.pid(), all_processes());
    }
    ASSERT_EQ(family.size(), 1U);

    auto agent = NodeAgent::open(settings);
    ASSERT_TRUE(agent.has_value()) << agent.error();
    Launch first;
    first.step = {1, kBatchStep};
    first.user = geteuid();
    first.granted = here;
    first.malleable = true;
    first.tasks = {script.pid()};
    ASSERT_TRUE(agent->arrive(first).has_value());
    Launch second = first;
    second.step = {2, 0};
    second.tasks = {other.pid()};
    const auto arrived = agent->arrive(second);
    ASSERT_TRUE(arrived.has_value()) << arrived.error();
    EXPECT_EQ(arrived->news, "");
    EXPECT_EQ(affinity_of(other.pid()), arrived->masks[0]);
    EXPECT_EQ(affinity_of(script.pid()), here - arrived->masks[0]);
    EXPECT_EQ(affinity_of(family[0]), here - arrived->masks[0]);

    // The script starts a step of its own. The script may go on meanwhile, and stays on the CPUs of its job.
    const Child task = Child::sleeper();
    Launch step = first;
    step.step = {1, 0};
    step.tasks = {task.pid()};
    const auto began = agent->arrive(step);
    ASSERT_TRUE(began.has_value()) << began.error();
    EXPECT_EQ(affinity_of(script.pid()), began->masks[0]);
    EXPECT_EQ(affinity_of(family[0]), began->masks[0]);
    ASSERT_TRUE(agent->leave({other.pid()}).has_value());
    EXPECT_EQ(affinity_of(task.pid()), here);
    EXPECT_EQ(affinity_of(script.pid()), here);
    EXPECT_EQ(affinity_of(family[0]), here);
    ASSERT_TRUE(agent->leave({task.pid()}).has_value());
    EXPECT_EQ(affinity_of(family[0]), here);
}

}  // namespace
}  // namespace drom::slurm
