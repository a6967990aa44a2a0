// SPDX-License-Identifier: GPL-2.0-or-later
// cpuset_cgroup_test.cpp - cpusets as the kernel shows them: v1, v2, both, in containers. They are widened in a tree of
// plain files; in a real hierarchy by real_cpuset_test.cpp.
#include "node_agent/cpuset_cgroup.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include "base/confine.hpp"
#include "child.hpp"
#include "node_agent/starting_steps.hpp"
#include "temp_dir.hpp"

namespace drom::slurm {
namespace {

using test::Child;
namespace fs = std::filesystem;

// --- where a cpuset is ---

struct Captured {
    const char* what;
    const char* cgroup;
    const char* mountinfo;
    const char* own;   ///< the process's directory; nullptr: none; "!": cannot be reached
    const char* file;  ///< the file with its CPUs
};

const char* const kV1Mounts =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime shared:9 - cgroup cgroup rw,cpuset\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";
const char* const kV2Mount = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n";

const Captured kCaptured[] = {
    {"v1, and v2 beside it", "9:name=systemd:/\n3:cpuset:/slurm_n1/uid_0/job_2/step_0\n0::/\n", kV1Mounts,
     "/sys/fs/cgroup/cpuset/slurm_n1/uid_0/job_2/step_0", "cpuset.cpus"},
    {"v1 in the root", "3:cpuset:/\n0::/\n", kV1Mounts, "/sys/fs/cgroup/cpuset", "cpuset.cpus"},
    {"v1 mounted with others", "4:cpu,cpuset,memory:/slurm/uid_7/job_2/step_0\n",
     "34 31 0:31 / /cgroup/all rw - cgroup cgroup rw,cpu,cpuset,memory\n", "/cgroup/all/slurm/uid_7/job_2/step_0",
     "cpuset.cpus"},
    {"v1 without prefixes", "4:cpuset:/slurm\n",
     "34 31 0:31 / /dev/cpuset rw - cgroup none rw,cpuset,noprefix,release_agent=/sbin/cpuset_release_agent\n",
     "/dev/cpuset/slurm", "cpus"},
    {"v1 in a container that sees its own part", "3:cpuset:/docker/4f/slurm/uid_0\n",
     "34 31 0:31 /docker/4f /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n", "/sys/fs/cgroup/cpuset/slurm/uid_0",
     "cpuset.cpus"},
    {"v1, both all of it and a part mounted", "3:cpuset:/docker/4f/slurm\n",
     "34 31 0:31 / /host/cpuset rw - cgroup cgroup rw,cpuset\n"
     "35 31 0:31 /docker/4f /sys/fs/cgroup/cpuset ro - cgroup cgroup rw,cpuset\n",
     "/host/cpuset/docker/4f/slurm", "cpuset.cpus"},
    {"v1, only another container's part mounted", "3:cpuset:/docker/4f/slurm\n",
     "34 31 0:31 /docker/4 /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n", "!", ""},
    {"v1, not mounted here", "3:cpuset:/slurm\n0::/\n", kV2Mount, "!", ""},
    {"v1, not mounted here, and in the root", "3:cpuset:/\n", kV2Mount, nullptr, ""},
    {"names with blanks and colons", "3:cpuset:/my group:1/slurm\n",
     "34 31 0:31 /my\\040group:1 /sys/cpu\\134set\\011x rw - cgroup cgroup rw,cpuset\n", "/sys/cpu\\set\tx/slurm",
     "cpuset.cpus"},
    {"v2", "0::/system.slice/slurmstepd.scope/job_2/step_0/user/task_0\n", kV2Mount,
     "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_2/step_0/user/task_0", "cpuset.cpus"},
    {"hybrid: controllers without cpuset in v1", "2:cpu,cpuacct:/a\n1:name=systemd:/a\n0::/b\n", kV1Mounts,
     "/sys/fs/cgroup/unified/b", "cpuset.cpus"},
    {"a cgroup namespace, outside of it", "0::/../slurmstepd.scope/job_2\n", kV2Mount, "!", ""},
    {"a cgroup namespace, mounted from outside", "0::/../slurmstepd.scope/job_2\n",
     "30 23 0:26 /.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "/sys/fs/cgroup/slurmstepd.scope/job_2", "cpuset.cpus"},
    {"a cgroup namespace, inside, mounted from outside", "0::/job_2\n",
     "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n", "!", ""},
    {"a kernel without cpusets", "2:memory:/slurm\n", kV1Mounts, nullptr, ""},
    {"a kernel without cgroups", "", "", nullptr, ""},
};

TEST(CpusetLocation, IsFoundInTheKernelsWords) {
    for (const Captured& captured : kCaptured) {
        SCOPED_TRACE(captured.what);
        const auto location = find_cpuset(captured.cgroup, captured.mountinfo);
        const bool reachable = captured.own == nullptr || std::string(captured.own) != "!";
        ASSERT_EQ(location.has_value(), reachable);
        if (!reachable) continue;
        ASSERT_EQ(location->has_value(), captured.own != nullptr);
        if (captured.own == nullptr) continue;
        const std::size_t own = (*location)->below.size();
        EXPECT_EQ((*location)->directory(own), captured.own);
        EXPECT_EQ((*location)->cpus_file(own), std::string(captured.own) + '/' + captured.file);
    }
}

TEST(CpusetLocation, WhatCannotBeReachedIsSaid) {
    EXPECT_EQ(find_cpuset("0::/../x\n", kV2Mount).error(),
              "its cgroup /../x is below no cgroup2 hierarchy that is mounted here; mount it where slurmd runs");
}

TEST(CpusetLocation, LevelsOfSlurmAreThoseWhoseCpusSlurmWrites) {
    const auto levels = [](bool v2, std::vector<std::string> below) {
        const SlurmLevels found = slurm_levels({v2, false, "/c", std::move(below)});
        return std::vector<std::size_t>{found.first, found.end, found.job};
    };
    using Levels = std::vector<std::size_t>;
    EXPECT_EQ(levels(false, {"slurm_n1", "uid_0", "job_2", "step_0"}), (Levels{1, 5, 3}));
    EXPECT_EQ(levels(false, {"box", "slurm", "uid_0", "job_2", "step_batch", "task_1"}), (Levels{2, 7, 4}));
    EXPECT_EQ(levels(false, {"box", "uid_0", "job_2", "step_0"}), (Levels{2, 5, 3}));
    EXPECT_EQ(levels(false, {"slurm", "uid_0", "job_2", "step_0", "podman", "task_1"}), (Levels{1, 5, 3}));
    EXPECT_EQ(levels(false, {"slurm", "uid_0", "job_2", "step_0", "user"}), (Levels{1, 5, 3}));
    EXPECT_EQ(levels(true, {"system.slice", "slurmstepd.scope", "job_2", "step_0", "user", "task_0"}),
              (Levels{3, 7, 3}));
    EXPECT_EQ(levels(false, {"box", "job_", "job_2x"}), (Levels{0, 0, 0}));
    EXPECT_EQ(levels(false, {}), (Levels{0, 0, 0}));
}

// --- widening a tree of plain files ---

constexpr pid_t kTask = 4194305;  // above every pid that the kernel gives: no affinity is touched

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// A machine of files: /proc and one hierarchy. Each level has the files of the configured and of the effective CPUs.
class FakeTree : public testing::Test {
protected:
    void write(const std::string& path, const std::string& text) const {
        fs::create_directories(fs::path(root() + path).parent_path());
        std::ofstream(root() + path) << text << '\n';
    }
    void machine(const std::string& cgroup, const std::string& mountinfo) const {
        write("/proc/" + std::to_string(kTask) + "/cgroup", cgroup);
        write("/proc/self/mountinfo", mountinfo);
    }
    void v1(const std::string& group) const { machine("3:cpuset:" + group, kV1Mounts); }
    void v2(const std::string& group) const { machine("0::" + group, kV2Mount); }
    void level(const std::string& directory, const std::string& cpus, const char* effective = nullptr) const {
        write(directory + "/cpuset.cpus", cpus);
        if (effective != nullptr) write(directory + "/cpuset.cpus.effective", effective);
    }
    [[nodiscard]] std::string cpus(const std::string& directory) const {
        return text_of(root() + directory + "/cpuset.cpus");
    }
    [[nodiscard]] const std::string& root() const { return directory_.path(); }
    [[nodiscard]] std::string widen(const CpuSet& cpus) const { return widen_cpuset(kTask, cpus, root()); }

    const std::string v1_ = "/sys/fs/cgroup/cpuset";
    const std::string v2_ = "/sys/fs/cgroup";
    test::TempDir directory_;
};

TEST_F(FakeTree, V1IsWidenedFromTheFirstLevelThatLacksCpusDown) {
    v1("/slurm/uid_0/job_1/step_0");
    level(v1_, "0-7");
    level(v1_ + "/slurm", "0-7");
    level(v1_ + "/slurm/uid_0", "0-3");
    level(v1_ + "/slurm/uid_0/job_1", "0");
    level(v1_ + "/slurm/uid_0/job_1/step_0", "0");
    level(v1_ + "/slurm/uid_0/job_1/step_1", "0");
    EXPECT_EQ(widen(CpuSet::range(2, 2)), "");
    EXPECT_EQ(cpus(v1_), "0-7");
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0"), "0-3");
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1"), "0,2-3");
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1/step_0"), "0,2-3");
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1/step_1"), "0");
    EXPECT_TRUE(cpus_inside(kTask, root()) == (CpuSet::range(0, 1) | CpuSet::range(2, 2)));
    // A second call changes nothing, and neither does one with fewer CPUs.
    EXPECT_EQ(widen(CpuSet::range(0, 1)), "");
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1/step_0"), "0,2-3");
}

TEST_F(FakeTree, OnV1AStepGetsItsCpusWithTheCpusetsOfItsTasks) {
    v1("/slurm/uid_0/job_1/step_interactive/task_0");  // from Slurm 24.11 on
    const std::string step = v1_ + "/slurm/uid_0/job_1/step_interactive";
    for (const char* directory : {"", "/slurm", "/slurm/uid_0", "/slurm/uid_0/job_1"}) level(v1_ + directory, "0-7");
    level(step, "0-1");
    level(step + "/task_0", "0-1");
    EXPECT_EQ(set_cpuset_of_step(kTask, CpuSet::range(0, 1), root()), "");
    EXPECT_EQ(cpus(step), "0");
    EXPECT_EQ(cpus(step + "/task_0"), "0");
    EXPECT_EQ(set_cpuset_of_step(kTask, CpuSet::range(0, 2), root()), "");
    EXPECT_EQ(cpus(step + "/task_0"), "0-1");
    level(step + "/task_0", "0");
    EXPECT_EQ(set_cpuset_of_step(kTask, CpuSet::range(0, 2), root()), "");
    EXPECT_EQ(cpus(step + "/task_0"), "0-1");
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1"), "0-7");
}

TEST_F(FakeTree, ALimitAboveSlurmStays) {
    v1("/box/slurm/uid_0/job_1/step_0");
    level(v1_, "0-7");
    level(v1_ + "/box", "0-3");
    level(v1_ + "/box/slurm", "0-3");
    level(v1_ + "/box/slurm/uid_0", "0");
    level(v1_ + "/box/slurm/uid_0/job_1", "0");
    level(v1_ + "/box/slurm/uid_0/job_1/step_0", "0");
    EXPECT_EQ(widen(CpuSet::range(0, 5)),
              "drom: widen the cpuset of process 4194305 to CPUs 0-4: " + root() + v1_ +
                  "/box/cpuset.cpus has CPUs 0-3 only and is not Slurm's; widen it where it was "
                  "set");
    EXPECT_EQ(cpus(v1_ + "/box/slurm/uid_0"), "0");
    EXPECT_EQ(widen(CpuSet::range(0, 3)), "");
    EXPECT_EQ(cpus(v1_ + "/box/slurm/uid_0/job_1/step_0"), "0-2");
}

TEST_F(FakeTree, ALimitThatAProgramSetsInsideAStepStays) {
    v1("/slurm/uid_0/job_1/step_0/podman");
    for (const char* directory : {"", "/slurm", "/slurm/uid_0", "/slurm/uid_0/job_1"}) level(v1_ + directory, "0-7");
    level(v1_ + "/slurm/uid_0/job_1/step_0", "0");
    level(v1_ + "/slurm/uid_0/job_1/step_0/podman", "0");
    EXPECT_NE(widen(CpuSet::range(0, 2)).find("podman/cpuset.cpus has CPUs 0 only and is not Slurm's"),
              std::string::npos);
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1/step_0"), "0");
}

TEST_F(FakeTree, TheRootAndGroupsOfOthersAreNeverTouched) {
    v1("/");
    level(v1_, "0-3");
    EXPECT_NE(widen(CpuSet::range(0, 5)), "");
    EXPECT_EQ(cpus(v1_), "0-3");
    v1("/users/me");
    level(v1_ + "/users", "0");
    level(v1_ + "/users/me", "0");
    EXPECT_NE(widen(CpuSet::range(0, 2)), "");
    EXPECT_EQ(cpus(v1_ + "/users"), "0");
}

TEST_F(FakeTree, OnV2AnEmptyCpusetInheritsAndIsLeftEmpty) {
    const std::string job = v2_ + "/system.slice/slurmstepd.scope/job_1";
    v2("/system.slice/slurmstepd.scope/job_1/step_0/user/task_0");
    level(v2_ + "/system.slice", "", "0-7");
    level(v2_ + "/system.slice/slurmstepd.scope", "", "0-7");
    level(job, "0", "0");
    level(job + "/step_0", "0", "0");
    level(job + "/step_0/user", "", "0");
    level(job + "/step_0/user/task_0", "", "0");
    // No kernel computes effective CPUs here: the files are right, and the sentence says that they have no effect.
    EXPECT_NE(widen(CpuSet::range(0, 2)).find("has CPUs 0 in effect whatever is asked"), std::string::npos);
    EXPECT_EQ(cpus(v2_ + "/system.slice/slurmstepd.scope"), "");
    EXPECT_EQ(cpus(job), "0-1");
    EXPECT_EQ(cpus(job + "/step_0"), "0-1");
    EXPECT_EQ(cpus(job + "/step_0/user"), "");
    level(job + "/step_0/user/task_0", "", "0-1");
    EXPECT_EQ(widen(CpuSet::range(0, 2)), "");
}

TEST_F(FakeTree, OnV2ALimitOfTheServiceAndAPartitionStay) {
    const std::string scope = v2_ + "/slurmstepd.scope";
    v2("/slurmstepd.scope/job_1");
    level(scope, "0", "0");
    level(scope + "/job_1", "0", "0");
    EXPECT_NE(widen(CpuSet::range(0, 2)).find("slurmstepd.scope/cpuset.cpus has CPUs 0 only"), std::string::npos);
    level(scope, "0-3", "0-3");
    write(scope + "/job_1/cpuset.cpus.partition", "isolated");
    EXPECT_NE(widen(CpuSet::range(0, 2)).find("job_1 was made a partition of its own (isolated)"), std::string::npos);
    EXPECT_EQ(cpus(scope + "/job_1"), "0");
    write(scope + "/job_1/cpuset.cpus.partition", "member");
    EXPECT_NE(widen(CpuSet::range(0, 2)), "");  // written, and no kernel here to put it into effect
    EXPECT_EQ(cpus(scope + "/job_1"), "0-1");
}

TEST_F(FakeTree, WithoutTheControllerThereIsNothingToDo) {
    v2("/slurmstepd.scope/job_1");
    fs::create_directories(root() + v2_ + "/slurmstepd.scope/job_1");
    CpuSet mask = CpuSet::range(0, 2);
    EXPECT_EQ(fit_cpuset(kTask, mask, false, root()), "");
    EXPECT_EQ(mask, CpuSet::range(0, 2));
    EXPECT_EQ(fit_cpuset(kTask, mask, false, root() + "/nowhere"), "");
}

TEST_F(FakeTree, AMaskThatCannotBeHadBecomesWhatIsInside) {
    v1("/box/job_1/step_0");
    level(v1_, "0-7");
    level(v1_ + "/box", "0-1");
    level(v1_ + "/box/job_1", "0-1");
    level(v1_ + "/box/job_1/step_0", "0");
    CpuSet mask = CpuSet::range(0, 4);
    const std::string trouble = fit_cpuset(kTask, mask, false, root());
    EXPECT_TRUE(trouble.ends_with("is not Slurm's; widen it where it was set; it keeps CPUs 0")) << trouble;
    EXPECT_EQ(mask, CpuSet::range(0, 1));
    mask = CpuSet::range(4, 2);
    EXPECT_NE(fit_cpuset(kTask, mask, false, root()), "");
    EXPECT_EQ(mask, CpuSet::range(4, 2));
    machine("0::/../elsewhere", kV2Mount);
    EXPECT_NE(fit_cpuset(kTask, mask, false, root()).find("mount it where slurmd runs"), std::string::npos);
    EXPECT_EQ(mask, CpuSet::range(4, 2));
}

TEST_F(FakeTree, WhoMayNotWriteIsTold) {
    v1("/slurm/uid_0/job_1");
    level(v1_, "0-7");
    level(v1_ + "/slurm", "0-7");
    level(v1_ + "/slurm/uid_0", "0-7");
    level(v1_ + "/slurm/uid_0/job_1", "0");
    fs::permissions(root(), fs::perms(0755));
    fs::permissions(root() + v1_ + "/slurm/uid_0/job_1/cpuset.cpus", fs::perms(0444));
    Child child = Child::run([&] {
        // The process starts inside the tree, because it may not enter the tree from above.
        if (chdir(root().c_str()) != 0 || (geteuid() == 0 && setuid(65534) != 0)) return 2;
        const std::string trouble = widen_cpuset(kTask, CpuSet::range(0, 2), ".");
        return trouble.ends_with("slurmd has to run as root and to have the hierarchy mounted for writing") ? 0 : 1;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1"), "0");
}

TEST_F(FakeTree, BeforeTheNextStepItIsAsNarrowAsTheJobAgain) {
    v1("/slurm/uid_0/job_1/step_0");
    for (const char* directory : {"", "/slurm", "/slurm/uid_0"}) level(v1_ + directory, "0-7");
    level(v1_ + "/slurm/uid_0/job_1", "0-3");
    level(v1_ + "/slurm/uid_0/job_1/step_0", "0-3");
    EXPECT_EQ(narrow_cpuset(kTask, CpuSet::range(0, 2), root()), "");
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1"), "0-3");  // Slurm is about to write this level
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1/step_0"), "0-1");
    EXPECT_EQ(narrow_cpuset(kTask, CpuSet::range(2, 2), root()), "");
    EXPECT_EQ(cpus(v1_ + "/slurm/uid_0/job_1/step_0"), "2-3");  // it had none of these
    v2("/slurm/job_1");
    EXPECT_EQ(narrow_cpuset(kTask, CpuSet::range(6, 2), root()), "");
}

TEST(StartingSteps, CountFromTheirFileToItsEnd) {
    const test::TempDir folder;
    step_is_starting(folder.path(), {7, 1});
    step_is_starting(folder.path(), {8, kBatchStep});
    EXPECT_EQ(jobs_with_starting_steps(folder.path()).size(), 2U);
    step_has_started(folder.path(), {7, 1});
    EXPECT_EQ(jobs_with_starting_steps(folder.path()), std::vector<uint32_t>{8});
    std::ofstream(folder.path() + "/agent.record") << "another file";
    EXPECT_EQ(jobs_with_starting_steps(folder.path()), std::vector<uint32_t>{8});
}

/// A daemon that took more than 5 seconds was counted out, and its job's cpusets were widened in its way.
TEST(StartingSteps, CountWhileTheirDaemonLivesAndNoLonger) {
    const test::TempDir folder;
    const test::Gate gate;
    Child daemon = Child::run([&] {
        step_is_starting(folder.path(), {8, kBatchStep});
        gate.open();
        for (;;) pause();
        return 0;
    });
    gate.pass();
    const fs::path left = *fs::directory_iterator(folder.path());
    fs::last_write_time(left, fs::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_EQ(jobs_with_starting_steps(folder.path()), std::vector<uint32_t>{8});
    daemon.stop();
    EXPECT_TRUE(jobs_with_starting_steps(folder.path()).empty());
    EXPECT_FALSE(fs::exists(left));
}

}  // namespace
}  // namespace drom::slurm
