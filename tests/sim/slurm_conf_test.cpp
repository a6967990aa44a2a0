// SPDX-License-Identifier: BSD-3-Clause
// slurm_conf_test.cpp - a site's slurm.conf becomes a machine and parameters; lines that mean nothing are listed.
#include "workload/slurm/slurm_conf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <map>

#include "property.hpp"
#include "workload/slurm/host_list.hpp"

namespace drom::sim {
namespace {

using Files = std::map<std::string, std::string>;

tl::expected<SlurmSite, std::string> read_files(const Files& files, const std::string& partition = "") {
    return read_slurm_conf("slurm.conf", partition,
                           [&](const std::string& path) -> tl::expected<std::string, std::string> {
                               const auto file = files.find(path);
                               if (file == files.end()) return tl::make_unexpected(std::string("no such file"));
                               return file->second;
                           });
}

SlurmSite read(const std::string& text, const std::string& partition = "") {
    auto site = read_files({{"slurm.conf", text}}, partition);
    if (site) return *std::move(site);
    ADD_FAILURE() << site.error() << "\nin:\n" << text;
    return {};
}

std::string error_of(const std::string& text, const std::string& partition = "") {
    const auto site = read_files({{"slurm.conf", text}}, partition);
    return site ? "no error" : site.error();
}

std::string parameters_of(const SlurmSite& site) {
    std::string text;
    for (const auto& [name, value] : site.parameters) text += (text.empty() ? "" : " ") + name + '=' + value;
    return text;
}

std::string machine_of(const std::string& text) {
    const SlurmSite site = read(text);
    return site.no_machine.empty() ? fmt::format("{}x{}", site.nodes, site.cores) : site.no_machine;
}

std::string hosts_of(std::string_view text) {
    const auto names = slurm::read_host_list(text);
    return names ? fmt::format("{}", fmt::join(*names, " ")) : "'" + std::string(text) + "' " + names.error();
}

const std::string kNodes = "NodeName=n[1-4] CPUs=8\n";

TEST(HostList, NamesAreThoseThatSlurmMeans) {
    EXPECT_EQ(hosts_of("n[1-3]"), "n1 n2 n3");
    EXPECT_EQ(hosts_of("n[08-11]"), "n08 n09 n10 n11");
    EXPECT_EQ(hosts_of("a,b[1,3-4]c,d"), "a b1c b3c b4c d");
    EXPECT_EQ(hosts_of("r[0-1]n[1-2]"), "r0n1 r0n2 r1n1 r1n2");
    EXPECT_EQ(hosts_of("n[1-"), "'n[1-' has a [ without its ]");
    EXPECT_EQ(hosts_of("n[4-1]"), "'n[4-1]' has '4-1', which is no range");
    EXPECT_EQ(hosts_of("n[]"), "'n[]' has '', which is no range");
    EXPECT_EQ(hosts_of("n[0-99999999]"), "'n[0-99999999]' has more than a million names");
    EXPECT_EQ(hosts_of("n[0-999]m[0-1999]"), "'n[0-999]m[0-1999]' has more than a million names");
}

TEST(SlurmConf, CpusAreCountedAsSlurmCountsThem) {
    EXPECT_EQ(machine_of(kNodes), "4x8");
    EXPECT_EQ(machine_of("NodeName=n[1-4] Sockets=2 CoresPerSocket=24 ThreadsPerCore=2 RealMemory=1000\n"), "4x96");
    EXPECT_EQ(machine_of("NodeName=n1 Boards=2 SocketsPerBoard=2 CoresPerSocket=4\n"), "1x16");
    EXPECT_EQ(machine_of("NodeName=n1 CPUs=48 Sockets=2 CoresPerSocket=24 ThreadsPerCore=2\n"), "1x48");
    EXPECT_EQ(machine_of("NodeName=n1 Procs=4\n"), "1x4");
    EXPECT_EQ(machine_of("NodeName=n1 CPUs=64 ThreadsPerCore=2 CoreSpecCount=2\n"), "1x60");
    EXPECT_EQ(machine_of("NodeName=DEFAULT Sockets=2 CoresPerSocket=4\nNodeName=a,b\nnodename=c state=UNKNOWN\n"),
              "3x8");
    EXPECT_EQ(machine_of(kNodes + "NodeName=f[1-100] CPUs=8 State=FUTURE\n"), "4x8");
}

TEST(SlurmConf, UnknownHardwareIsSaid) {
    EXPECT_EQ(machine_of("\nNodeName=n[1-4] RealMemory=1000\n"),
              "slurm.conf:2: node n1 has no CPUs=, and no Sockets=, CoresPerSocket= or ThreadsPerCore=; slurmd -C "
              "prints them");
    EXPECT_EQ(machine_of("ClusterName=c\n"), "slurm.conf has no node that a partition has");
    EXPECT_EQ(machine_of(kNodes + "NodeName=fat CPUs=64\n"),
              "slurm.conf:1: nodes of 8 CPUs, and at slurm.conf:2 of 64; a simulated machine has equal nodes: with "
              "--partition NAME drom-sim run and compare take those of one partition");
}

TEST(SlurmConf, OnlyNodesOfPartitionsCount) {
    const std::string text = kNodes +
                             "NodeName=fat CPUs=64\nNodeName=login CPUs=2\nNodeSet=thin Nodes=n[1-3]\n"
                             "PartitionName=DEFAULT MaxTime=30 PriorityJobFactor=2\n"
                             "PartitionName=main Nodes=thin,fat Default=YES\n"
                             "PartitionName=big Nodes=fat PriorityJobFactor=8\nPartitionName=small Nodes=n[1,2,99]\n";
    SlurmSite site = read(text, "small");
    EXPECT_EQ(site.nodes, 2);
    EXPECT_EQ(site.cores, 8);
    site = read(text, "big");
    EXPECT_EQ(site.nodes, 1);
    EXPECT_EQ(site.cores, 64);
    EXPECT_EQ(site.partitions.at(0).nodes, (std::vector<std::string>{"n1", "n2", "n3", "fat"}));
    EXPECT_EQ(partition_factors(site, {"big", "main", "other"}), "1/0.25/0");
    EXPECT_EQ(site.partitions.at(0).max_time, 1800);
    EXPECT_EQ(error_of(text, "none"), "drom-sim: there is no partition 'none' in the slurm.conf");
    EXPECT_EQ(machine_of(kNodes + "PartitionName=all Nodes=ALL\n"), "4x8");
    EXPECT_EQ(machine_of("NodeName=a,b CPUs=4 Features=x,gpu\nNodeName=c CPUs=8 Features=gpus\nNodeSet=g Feature=gpu\n"
                         "PartitionName=p Nodes=g\n"),
              "2x4");
}

TEST(SlurmConf, OptionsBecomeParameters) {
    const SlurmSite site = read(
        "SchedulerType=sched/backfill\nSelectType=select/linear\n"
        "SchedulerParameters=bf_max_job_test=1000,bf_interval=60,bf_window=2880,bf_resolution=300,bf_continue,"
        "bf_interval=5,defer\n"
        "PriorityType=priority/multifactor\nPriorityWeightAge=1000\npriorityweightjobsize=10 PriorityMaxAge=1-0\n"
        "PriorityFavorSmall=YES\nPriorityWeightFairshare=5000\n" +
        kNodes);
    EXPECT_EQ(parameters_of(site),
              "bf_max_job_test=1000 bf_interval=60 bf_window=2880 bf_resolution=300 weight_age=1000 weight_size=10 "
              "max_age=86400 favor_small=yes");
    EXPECT_EQ(site.unused, (std::vector<std::string>{"slurm.conf:3: SchedulerParameters (bf_continue, defer)",
                                                     "slurm.conf:8: PriorityWeightFairshare"}));
    const SlurmSite basic = read("PriorityType=priority/basic\nPriorityWeightAge=1000\n");
    EXPECT_EQ(parameters_of(basic), "");
    EXPECT_EQ(basic.unused, std::vector<std::string>{"weight_age (PriorityType is priority/basic)"});
    EXPECT_EQ(parameters_of(read("SchedulerParameters=bf_interval=-1\n")), "bf_max_job_test=1");
    EXPECT_EQ(parameters_of(read("SchedulerType=sched/builtin\nSchedulerParameters=bf_max_job_test=9\n")),
              "bf_max_job_test=1");
    EXPECT_EQ(parameters_of(
                  read("SelectType=select/malleable\nSchedulerParameters=\"sd_max_slowdown=inf, sd_max_mates=3\"\n")),
              "max_slowdown=inf max_mates=3");
    EXPECT_EQ(parameters_of(read("SelectType=select/malleable\nSchedulerParameters=sd_gain=1,sd_add_free_nodes=yes\n")),
              "gain=1 add_free_nodes=yes");
}

// Options of an earlier line counted beside those of the latest, without a word.
TEST(SlurmConf, TheLatestOfTwoLinesCountsAsForSlurm) {
    const SlurmSite site = read(
        "SlurmctldHost=a\nSlurmctldHost=b\n"
        "SchedulerParameters=bf_interval=-1,bf_window=60,sd_max_mates=4\nPriorityWeightAge=5\n"
        "SchedulerType=sched/builtin\n"
        "PriorityWeightAge=7\nschedulerparameters=bf_interval=9\nSchedulerType=sched/backfill\n" +
        kNodes);
    EXPECT_EQ(parameters_of(site), "weight_age=7 bf_interval=9");
    EXPECT_EQ(site.unused,
              (std::vector<std::string>{
                  "slurm.conf:1: SlurmctldHost", "slurm.conf:2: SlurmctldHost",
                  "slurm.conf:4: PriorityWeightAge (slurm.conf:6 has it again, and Slurm takes the latest)",
                  "slurm.conf:3: schedulerparameters (slurm.conf:7 has it again, and Slurm takes the latest)",
                  "slurm.conf:5: SchedulerType (slurm.conf:8 has it again, and Slurm takes the latest)"}));
}

TEST(SlurmConf, NodesAndPartitionsThatAreThereAlreadyAreRefusedAsBySlurm) {
    EXPECT_EQ(error_of(kNodes + "NodeName=m,n2 CPUs=9\n"),
              "drom-sim: read slurm.conf: line 2, column 1: NodeName 'm,n2' has node n2, which slurm.conf:1 has, too");
    EXPECT_EQ(error_of(kNodes + "PartitionName=p Nodes=n1\nPartitionName=q\nPartitionName=p Nodes=n2\n"),
              "drom-sim: read slurm.conf: line 4, column 1: PartitionName 'p' is at slurm.conf:2, too");
}

TEST(SlurmConf, LinesWithoutMeaningAreListed) {
    const SlurmSite site = read(
        "# A comment\nClusterName=c\nSlurmctldHost=a SlurmUser=slurm # and another\nSelectType=select/cons_tres\n"
        "NodeName=n1 CPUs=8 \\\n  RealMemory=1000 Gres=gpu:2\nPartitionName=main Nodes=n1 MaxTime=1-0\n");
    EXPECT_EQ(site.unused,
              (std::vector<std::string>{"slurm.conf:2: ClusterName", "slurm.conf:3: SlurmctldHost, SlurmUser",
                                        "slurm.conf:4: SelectType (a simulated job has whole nodes)",
                                        "slurm.conf:5: RealMemory, Gres", "slurm.conf:7: MaxTime"}));
}

TEST(SlurmConf, IncludedFilesAreRead) {
    const auto site = read_files({{"slurm.conf", "ClusterName=c1\nInclude nodes.conf\ninclude /etc/%c_parts\n"},
                                  {"nodes.conf", kNodes},
                                  {"/etc/c1_parts", "PartitionName=p Nodes=n[1-2] MaxTime=5\n"}});
    ASSERT_TRUE(site.has_value()) << site.error();
    EXPECT_EQ(site->nodes, 2);
    EXPECT_EQ(site->unused, (std::vector<std::string>{"slurm.conf:1: ClusterName", "/etc/c1_parts:1: MaxTime"}));
    EXPECT_EQ(error_of("Include nodes.conf\n"), "drom-sim: read nodes.conf: no such file");
    EXPECT_EQ(error_of("A=1\nInclude slurm.conf\n"),
              "drom-sim: read slurm.conf: line 2, column 1: slurm.conf includes itself");
}

TEST(SlurmConf, BadLinesAreRefusedWithTheirPlace) {
    EXPECT_EQ(error_of("A=1\n  Nonsense here\n"),
              "drom-sim: read slurm.conf: line 2, column 3: 'Nonsense here' is no NAME=VALUE");
    EXPECT_EQ(error_of("A=\"open\n"), "drom-sim: read slurm.conf: line 1, column 3: a \" without its end");
    EXPECT_EQ(error_of("SchedulerParameters=bf_window=long\n"),
              "drom-sim: read slurm.conf: line 1, column 1: SchedulerParameters has bf_window 'long', which is no "
              "number from 1 on");
    EXPECT_EQ(error_of("NodeName=n1 CPUs=many\n"),
              "drom-sim: read slurm.conf: line 1, column 13: CPUs 'many' is no number from 0 to 100000");
    EXPECT_EQ(error_of("NodeName=n[1- CPUs=1\n"),
              "drom-sim: read slurm.conf: line 1, column 1: NodeName 'n[1-' has a [ without its ]");
    EXPECT_EQ(error_of("PartitionName=p Nodes=n MaxTime=long\n"),
              "drom-sim: read slurm.conf: line 1, column 25: MaxTime 'long' is no limit like 1-12:00:00");
    EXPECT_EQ(error_of("PriorityMaxAge=old\n"),
              "drom-sim: read slurm.conf: line 1, column 1: PriorityMaxAge 'old' is no time like 7-0");
    EXPECT_EQ(error_of("PriorityWeightAge=x\n"),
              "drom-sim: read slurm.conf: line 1, column 1: PriorityWeightAge 'x' is no weight");
    EXPECT_EQ(error_of(kNodes + "PartitionName=p Nodes=n[\n"),
              "drom-sim: read slurm.conf:2: Nodes 'n[' has a [ without its ]");
}

TEST(SlurmConfProperties, AnyBytesGiveASiteOrASentence) {
    const auto piece = rc::gen::oneOf(rc::gen::elementOf(std::vector<std::string>{"NodeName=",
                                                                                  "PartitionName=",
                                                                                  "NodeSet=",
                                                                                  "DEFAULT",
                                                                                  "n[1-4]",
                                                                                  "[",
                                                                                  "]",
                                                                                  ",",
                                                                                  " CPUs=8",
                                                                                  " Sockets=2",
                                                                                  " Nodes=",
                                                                                  "ALL",
                                                                                  "\n",
                                                                                  "\\\n",
                                                                                  "#",
                                                                                  "\"",
                                                                                  "=",
                                                                                  "Include ",
                                                                                  "slurm.conf",
                                                                                  "SchedulerParameters=bf_interval=3,",
                                                                                  "PriorityMaxAge=1-0",
                                                                                  "CoreSpecCount=9",
                                                                                  "SchedulerType=sched/builtin"}),
                                      rc::gen::string<std::string>());
    EXPECT_TRUE(test::holds("any text is read or refused", [&] {
        std::string text;
        for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) text += part;
        const auto site = read_files({{"slurm.conf", text}});
        if (!site) {
            RC_ASSERT(site.error().starts_with("drom-sim: read "));
            return;
        }
        RC_ASSERT(site->no_machine.empty() == (site->nodes > 0 && site->cores > 0));
    }));
}

}  // namespace
}  // namespace drom::sim
