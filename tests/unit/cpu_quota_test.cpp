// SPDX-License-Identifier: BSD-3-Clause
// cpu_quota_test.cpp - for how many CPUs the quotas of cgroups are, in trees of plain files: every rule of
// docs/user/container.md.
#include "container/cpu_quota.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "container/start.hpp"
#include "temp_dir.hpp"

namespace {

using namespace drom;
using drom::container::CpuQuota;
using drom::container::kNoQuota;
namespace fs = std::filesystem;

// --- one text of the kernel ---

struct Max {
    const char* text;
    uint32_t cpus;
};

TEST(CpuQuota, OfCpuMax) {
    constexpr Max kRows[] = {
        {"max 100000\n", kNoQuota},  // none
        {"100000 100000\n", 1},
        {"200000 100000", 2},
        {"150000 100000\n", 2},  // rounded up
        {"100001 100000\n", 2},
        {"1000 100000\n", 1},  // less than one CPU is one CPU
        {"1 1000000\n", 1},
        {"409600000 100000\n", 4096},
        {"9223372036854775807 1\n", kNoQuota},  // more than any machine has
        {"99999999999999999999 100000\n", kNoQuota},
        {"0 100000\n", kNoQuota},  // the kernel writes none of these
        {"-1 100000\n", kNoQuota},
        {"100000 0\n", kNoQuota},
        {"100000\n", kNoQuota},
        {"100000 ", kNoQuota},
        {"100000 100000 100000\n", kNoQuota},
        {"100000  100000\n", kNoQuota},
        {" 100000 100000\n", kNoQuota},
        {"100000 x\n", kNoQuota},
        {"+100000 100000\n", kNoQuota},
        {"-", kNoQuota},
        {"", kNoQuota},
        {"\n", kNoQuota},
        {"two\n", kNoQuota},
    };
    for (const Max& row : kRows) EXPECT_EQ(container::cpus_of_max(row.text), row.cpus) << row.text;
}

struct Quota {
    const char *quota, *period;
    uint32_t cpus;
};

TEST(CpuQuota, OfCfsQuotaAndPeriod) {
    constexpr Quota kRows[] = {
        {"-1\n", "100000\n", kNoQuota},
        {"100000\n", "100000\n", 1},
        {"250000\n", "100000\n", 3},
        {"10000\n", "100000\n", 1},
        {"50000\n", "25000\n", 2},
        {"0\n", "100000\n", kNoQuota},
        {"100000\n", "0\n", kNoQuota},
        {"\n", "100000\n", kNoQuota},
        {"100000\n", "", kNoQuota},
        {"max\n", "100000\n", kNoQuota},
        {"100000 1\n", "100000\n", kNoQuota},
        {"100000\n", "-100000\n", kNoQuota},
    };
    for (const Quota& row : kRows)
        EXPECT_EQ(container::cpus_of_quota(row.quota, row.period), row.cpus) << row.quota << row.period;
}

// --- trees ---

struct File {
    std::string path, text;
};

/// A folder with the files of a kernel.
class Tree {
public:
    Tree(const std::string& cgroup, const std::string& mountinfo) {
        if (!cgroup.empty()) write("/proc/self/cgroup", cgroup);
        if (!mountinfo.empty()) write("/proc/self/mountinfo", mountinfo);
    }
    void write(const std::string& path, const std::string& text) const {
        fs::create_directories(fs::path(folder_.path() + path).parent_path());
        std::ofstream(folder_.path() + path) << text;
    }
    [[nodiscard]] const char* root() const { return folder_.path().c_str(); }
    [[nodiscard]] uint32_t quota() const {
        uint32_t cpus = 0;
        EXPECT_TRUE(CpuQuota(root()).read(cpus));
        return cpus;
    }

private:
    test::TempDir folder_;
};

const char* const kV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
const char* const kV1 =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
    "34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime shared:9 - cgroup cgroup rw,cpuset\n";
const char* const kHybrid =
    "32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n";

struct Row {
    const char* what;
    std::string cgroup, mountinfo;
    std::vector<File> files;
    uint32_t cpus;
};

std::vector<Row> rows() {
    const std::string cfs = "/sys/fs/cgroup/cpu,cpuacct";
    const std::string v2 = "/sys/fs/cgroup";
    return {
        {"v2: its own group", "0::/app\n", kV2, {{v2 + "/app/cpu.max", "200000 100000\n"}}, 2},
        {"v2: no quota", "0::/app\n", kV2, {{v2 + "/app/cpu.max", "max 100000\n"}}, kNoQuota},
        {"v2: the group above has less",
         "0::/pod/app\n",
         kV2,
         {{v2 + "/pod/app/cpu.max", "400000 100000\n"}, {v2 + "/pod/cpu.max", "150000 100000\n"}},
         2},
        {"v2: its own has less",
         "0::/pod/app\n",
         kV2,
         {{v2 + "/pod/app/cpu.max", "50000 100000\n"}, {v2 + "/pod/cpu.max", "400000 100000\n"}},
         1},
        {"v2: two above, and max between",
         "0::/a/b/c\n",
         kV2,
         {{v2 + "/a/b/c/cpu.max", "max 100000\n"},
          {v2 + "/a/b/cpu.max", "max 100000\n"},
          {v2 + "/a/cpu.max", "300000 100000\n"}},
         3},
        {"v2: its own group has no file, as without the controller",
         "0::/a/b\n",
         kV2,
         {{v2 + "/a/cpu.max", "300000 100000\n"}},
         3},
        {"v2: a container sees its group as the root", "0::/\n", kV2, {{v2 + "/cpu.max", "200000 100000\n"}}, 2},
        {"v2: the root of a machine has no file", "0::/\n", kV2, {}, kNoQuota},
        {"v2: a container without a namespace sees its own part",
         "0::/docker/4f/app\n",
         "30 23 0:26 /docker/4f /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
         {{v2 + "/app/cpu.max", "max 100000\n"}, {v2 + "/cpu.max", "100000 100000\n"}},
         1},
        {"v2: all of it and a part are mounted, and all of it counts",
         "0::/docker/4f\n",
         "30 23 0:26 / /host rw - cgroup2 cgroup rw\n30 23 0:26 /docker/4f /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
         {{"/host/docker/4f/cpu.max", "400000 100000\n"},
          {"/host/docker/cpu.max", "200000 100000\n"},
          {v2 + "/cpu.max", "400000 100000\n"}},
         2},
        {"v2: only another container's part is mounted",
         "0::/docker/4f\n",
         "30 23 0:26 /docker/4 /sys/fs/cgroup ro - cgroup2 cgroup rw\n",
         {{v2 + "/cpu.max", "100000 100000\n"}, {v2 + "/f/cpu.max", "100000 100000\n"}},
         kNoQuota},
        {"v2: a group outside of the namespace",
         "0::/../other\n",
         kV2,
         {{v2 + "/../other/cpu.max", "100000 100000\n"}},
         kNoQuota},
        {"v2: names with blanks and colons",
         "0::/my group:1/app\n",
         "30 23 0:26 /my\\040group:1 /sys/c\\134g\\011x rw - cgroup2 cgroup rw\n",
         {{"/sys/c\\g\tx/app/cpu.max", "200000 100000\n"}},
         2},
        {"v2: garbage is no quota, and the one above counts",
         "0::/a/b\n",
         kV2,
         {{v2 + "/a/b/cpu.max", "lots\n"}, {v2 + "/a/cpu.max", "200000 100000\n"}},
         2},
        {"v2: an empty file", "0::/a\n", kV2, {{v2 + "/a/cpu.max", ""}}, kNoQuota},
        {"v2: a burst adds nothing",
         "0::/a\n",
         kV2,
         {{v2 + "/a/cpu.max", "100000 100000\n"}, {v2 + "/a/cpu.max.burst", "100000\n"}},
         1},
        {"v2: not mounted", "0::/a\n", "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n", {}, kNoQuota},
        {"v1: its own group",
         "4:cpu,cpuacct:/app\n",
         kV1,
         {{cfs + "/app/cpu.cfs_quota_us", "200000\n"}, {cfs + "/app/cpu.cfs_period_us", "100000\n"}},
         2},
        {"v1: the group above has less",
         "4:cpuacct,cpu:/pod/app\n3:cpuset:/\n",
         kV1,
         {{cfs + "/pod/app/cpu.cfs_quota_us", "-1\n"},
          {cfs + "/pod/app/cpu.cfs_period_us", "100000\n"},
          {cfs + "/pod/cpu.cfs_quota_us", "250000\n"},
          {cfs + "/pod/cpu.cfs_period_us", "100000\n"},
          {cfs + "/cpu.cfs_quota_us", "-1\n"},
          {cfs + "/cpu.cfs_period_us", "100000\n"}},
         3},
        {"v1: no period", "4:cpu,cpuacct:/app\n", kV1, {{cfs + "/app/cpu.cfs_quota_us", "200000\n"}}, kNoQuota},
        {"v1: a controller whose name only begins so",
         "4:cpuset:/app\n",
         kV1,
         {{cfs + "/app/cpu.cfs_quota_us", "200000\n"}, {cfs + "/app/cpu.cfs_period_us", "100000\n"}},
         kNoQuota},
        {"v1: a container sees its own part",
         "4:cpu:/docker/4f\n",
         "32 31 0:29 /docker/4f /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n",
         {{"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n"}, {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"}},
         1},
        {"hybrid: v1 has the controller",
         "4:cpu:/app\n0::/app\n",
         kHybrid,
         {{"/sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "200000\n"},
          {"/sys/fs/cgroup/cpu/app/cpu.cfs_period_us", "100000\n"}},
         2},
        {"hybrid: v2 has it",
         "3:cpuset:/\n0::/app\n",
         kHybrid,
         {{"/sys/fs/cgroup/unified/app/cpu.max", "300000 100000\n"}},
         3},
        {"hybrid: the least counts",
         "4:cpu:/app\n0::/app\n",
         kHybrid,
         {{"/sys/fs/cgroup/cpu/app/cpu.cfs_quota_us", "400000\n"},
          {"/sys/fs/cgroup/cpu/app/cpu.cfs_period_us", "100000\n"},
          {"/sys/fs/cgroup/unified/app/cpu.max", "100000 100000\n"}},
         1},
        {"no groups", "", kV2, {{v2 + "/cpu.max", "100000 100000\n"}}, kNoQuota},
        {"no mounts", "0::/\n", "", {{v2 + "/cpu.max", "100000 100000\n"}}, kNoQuota},
        {"groups that are garbage", "garbage\n::\n0::\n\n:", kV2, {}, kNoQuota},
        {"mounts that are garbage", "0::/\n", "1\n\n - cgroup2\n1 2 3 / /sys - cgroup2\n", {}, kNoQuota},
    };
}

TEST(CpuQuota, OfTrees) {
    for (const Row& row : rows()) {
        const Tree tree(row.cgroup, row.mountinfo);
        for (const File& file : row.files) tree.write(file.path, file.text);
        EXPECT_EQ(tree.quota(), row.cpus) << row.what;
    }
}

TEST(CpuQuota, ManyLevelsAndALongList) {
    std::string mounts;
    for (int i = 0; i < 2000; ++i) mounts += "50 1 0:5 / /var/lib/" + std::string(60, 'x') + " rw - overlay o rw\n";
    std::string path;
    for (int i = 0; i < 60; ++i) path += "/l";
    const Tree tree("0::" + path + "\n", mounts + kV2);
    tree.write("/sys/fs/cgroup" + path + "/cpu.max", "max 100000\n");
    tree.write("/sys/fs/cgroup/l/cpu.max", "500000 100000\n");
    EXPECT_EQ(tree.quota(), 5U);
}

TEST(CpuQuota, ChangesAreSeenInHeldFiles) {
    const Tree tree("0::/a\n", kV2);
    tree.write("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
    CpuQuota quota(tree.root());
    uint32_t cpus = 0;
    EXPECT_TRUE(quota.read(cpus) && cpus == 2);
    tree.write("/sys/fs/cgroup/a/cpu.max", "100000 100000\n");
    EXPECT_TRUE(quota.read(cpus) && cpus == 1);
    tree.write("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
    EXPECT_TRUE(quota.read(cpus) && cpus == kNoQuota);
}

TEST(CpuQuota, AFileThatComesWithItsControllerCounts) {
    const Tree tree("0::/pod/app\n", kV2);
    tree.write("/sys/fs/cgroup/pod/app/cgroup.procs", "");
    CpuQuota quota(tree.root());
    uint32_t cpus = 0;
    EXPECT_TRUE(quota.read(cpus) && cpus == kNoQuota);
    tree.write("/sys/fs/cgroup/pod/cpu.max", "300000 100000\n");
    EXPECT_TRUE(quota.read(cpus) && cpus == 3);
    tree.write("/sys/fs/cgroup/pod/app/cpu.max", "200000 100000\n");
    EXPECT_TRUE(quota.read(cpus) && cpus == 2);
}

TEST(CpuQuota, AFileThatGoesAndComesWithItsControllerCounts) {
    const Tree tree("0::/app\n", kV2);
    const std::string file = tree.root() + std::string("/sys/fs/cgroup/app/cpu.max");
    tree.write("/sys/fs/cgroup/app/cpu.max", "100000 100000\n");
    CpuQuota quota(tree.root());
    uint32_t cpus = 0;
    EXPECT_TRUE(quota.read(cpus) && cpus == 1);
    tree.write("/sys/fs/cgroup/app/cpu.max", "");  // the kernel refuses to read the held file: here nothing is in it
    fs::remove(file);
    EXPECT_TRUE(quota.read(cpus) && cpus == kNoQuota);
    EXPECT_TRUE(quota.read(cpus) && cpus == kNoQuota);
    tree.write("/sys/fs/cgroup/app/cpu.max", "200000 100000\n");
    EXPECT_TRUE(quota.read(cpus) && cpus == 2);
}

TEST(CpuQuota, AProcessThatIsMovedHasTheQuotaOfItsNewGroup) {
    const Tree tree("0::/a\n", kV2);
    tree.write("/sys/fs/cgroup/a/cpu.max", "200000 100000\n");
    tree.write("/sys/fs/cgroup/b/cpu.max", "300000 100000\n");
    CpuQuota quota(tree.root());
    uint32_t cpus = 0;
    EXPECT_TRUE(quota.read(cpus) && cpus == 2);
    tree.write("/proc/self/cgroup", "0::/b\n");
    EXPECT_TRUE(quota.read(cpus) && cpus == 3);
}

TEST(CpuQuota, AFileThatIsNoneIsNotWaitedFor) {
    const Tree tree("0::/a/b\n", kV2);
    const std::string folder = tree.root() + std::string("/sys/fs/cgroup/a");
    fs::create_directories(folder + "/b/cpu.max");  // a folder
    ASSERT_EQ(mkfifo((folder + "/cpu.max").c_str(), 0600), 0);
    EXPECT_EQ(tree.quota(), kNoQuota);
}

// --- which CPUs ---

CpuSet set(std::initializer_list<uint32_t> cpus) {
    CpuSet set{};
    for (const uint32_t cpu : cpus) set.add(cpu);
    return set;
}

TEST(Fit, KeepsTheCpusThatItHas) {
    for (uint64_t seed = 0; seed < 5; ++seed) {
        EXPECT_EQ(container::fit(set({1, 2}), set({0, 1, 2, 3}), 2, seed), set({1, 2}));
        EXPECT_EQ(container::fit(set({0, 1, 2}), set({1, 2}), 2, seed), set({1, 2}));
    }
}

TEST(Fit, ShrinksInsideOfThem) {
    CpuSet all{};
    for (uint64_t seed = 0; seed < 5; ++seed) {
        const CpuSet fewer = container::fit(set({1, 2, 3}), set({0, 1, 2, 3}), 2, seed);
        EXPECT_EQ(fewer.count(), 2U);
        EXPECT_EQ(fewer, container::fit(set({1, 2, 3}), set({0, 1, 2, 3}), 2, seed));
        all = all | fewer;
    }
    EXPECT_EQ(all, set({1, 2, 3}));  // the containers of a node spread
}

TEST(Fit, GrowsBeyondThem) {
    const CpuSet more = container::fit(set({2}), set({0, 1, 2, 3}), 3, 7);
    EXPECT_EQ(more.count(), 3U);
    EXPECT_TRUE(more.has(2) && set({0, 1, 2, 3}).contains(more));
    EXPECT_EQ(container::fit(set({2}), set({0, 1}), 2, 7), set({0, 1}));
    EXPECT_EQ(container::fit(set({2}), set({0, 1}), 1, 7).count(), 1U);
}

}  // namespace
