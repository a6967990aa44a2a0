// SPDX-License-Identifier: BSD-3-Clause
// partition_test.cpp - the CPUs of each job when jobs come and go, on captured machines.
#include "partition/partition.hpp"

#include "node.hpp"

namespace {

using namespace drom;
using namespace drom::test;
using partition::Arrival;
using partition::Client;

struct Came {
    uint64_t job;
    uint32_t tasks, max_cpus;
    const char* granted;  ///< nullptr: without a grant
};

struct Row {
    const char* what;
    const char* machine;
    std::vector<Came> came;
    std::vector<const char*> masks;  ///< the masks of each job, in the same order
};

const Row kArrivals[] = {
    {"alone on the node", "2x24", {{1, 1, 0, nullptr}}, {"0-47"}},
    {"alone, with the CPUs it can use on one package", "2x24", {{1, 2, 8, nullptr}}, {"0-7 8-15"}},
    {"a package each", "2x24", {{1, 1, 0, nullptr}, {2, 1, 0, nullptr}}, {"0-23", "24-47"}},
    {"a package each, the owner's ranks balanced on what is left",
     "2x24",
     {{1, 4, 0, nullptr}, {2, 2, 0, nullptr}},
     {"0-5 12-17 6-11 18-23", "24-35 36-47"}},
    {"free CPUs before others'", "2x24", {{1, 1, 24, nullptr}, {2, 1, 0, nullptr}}, {"0-23", "24-47"}},
    {"the third shares a package with one of two, not with both",
     "2x24",
     {{1, 1, 24, nullptr}, {2, 1, 24, nullptr}, {3, 1, 0, nullptr}},
     {"0-23", "24-35", "36-47"}},
    {"the third takes from the guest: the owner has lent its half",
     "2x24",
     {{1, 1, 0, nullptr}, {2, 1, 0, nullptr}, {3, 1, 0, nullptr}},
     {"0-23", "24-35", "36-47"}},
    {"no more than it can use", "2x24", {{1, 1, 0, nullptr}, {2, 1, 6, nullptr}}, {"0-41", "42-47"}},
    {"ranks give in turn: none changes its CPUs with another",
     "2x24",
     {{1, 2, 0, nullptr}, {2, 1, 0, "12-23,36-47"}},
     {"0-11 24-35", "12-23,36-47"}},
    {"a guest on whole L3s: 8 cores, 16 CPUs",
     "2x64-smt2",
     {{1, 1, 0, nullptr}, {2, 1, 16, nullptr}},
     {"0-119,128-247", "120-127,248-255"}},
    {"one CPU of use: the core's other one stays free",
     "2x64-smt2",
     {{1, 1, 0, nullptr}, {2, 1, 1, nullptr}},
     {"0-126,128-254", "255"}},
    {"a NUMA node rather than parts of two",
     "8-numa",
     {{1, 1, 0, nullptr}, {2, 2, 3, nullptr}},
     {"0-41", "42-44 45-47"}},
    {"the little cluster for the guest: no cache is shared, although shares are unequal",
     "big-little",
     {{1, 1, 0, nullptr}, {2, 1, 0, nullptr}},
     {"0-7", "8,10,12,14"}},
    {"packages of different size: each has one",
     "holes",
     {{1, 1, 0, nullptr}, {2, 1, 0, nullptr}},
     {"0-4,7-22", "24-29,36-47"}},
    {"offline CPUs have no owner", "numa-vm", {{1, 1, 0, nullptr}, {2, 1, 0, nullptr}}, {"0-4,6-11", "12-13,16-23"}},
    {"granted: exactly these, whichever job has them, and more than the sharing factor",
     "2x24",
     {{1, 2, 0, nullptr}, {2, 3, 0, "6-44"}},
     {"0-4 5,45-47", "6-18 19-31 32-44"}},
    {"granted more than it can use: free ones and whole caches first",
     "8-numa",
     {{1, 1, 30, nullptr}, {2, 1, 6, "24-47"}},
     {"0-29", "30-35"}},
};

TEST(Partition, Arrivals) {
    for (const Row& row : kArrivals) {
        Node node(captured(row.machine));
        for (const Came& came : row.came) {
            const int status = came.granted == nullptr
                                   ? node.arrive(came.job, came.tasks, came.max_cpus)
                                   : node.arrive_on(came.granted, came.job, came.tasks, came.max_cpus);
            EXPECT_EQ(status, DROM_OK) << row.what << ": " << node.error.text;
        }
        for (size_t i = 0; i < row.came.size(); ++i)
            EXPECT_EQ(node.masks(row.came[i].job), row.masks[i]) << row.what << ", job " << row.came[i].job;
    }
}

TEST(Partition, AGuestEndsAndItsCpusAreWhereTheyWere) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 4), DROM_OK);
    const std::string before = node.masks(1);
    ASSERT_EQ(node.arrive(2, 2), DROM_OK);
    EXPECT_NE(node.masks(1), before);
    ASSERT_EQ(node.end(2), DROM_OK);
    EXPECT_EQ(node.masks(1), before);
}

TEST(Partition, AnOwnerEndsAndItsGuestHasTheNode) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 2), DROM_OK);
    ASSERT_EQ(node.arrive(2, 2), DROM_OK);
    ASSERT_EQ(node.end(1), DROM_OK);
    EXPECT_EQ(node.masks(2), "0-11,24-35 12-23,36-47");
    // All CPUs are home of job 2 now: a guest of job 2 gives them back to it.
    ASSERT_EQ(node.arrive(3, 1), DROM_OK);
    ASSERT_EQ(node.end(3), DROM_OK);
    EXPECT_EQ(node.masks(2), "0-11,24-35 12-23,36-47");
}

TEST(Partition, AnOwnerEndsAndNoJobGetsMoreThanItCanUse) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 1), DROM_OK);
    ASSERT_EQ(node.arrive(2, 2, 14), DROM_OK);
    ASSERT_EQ(node.end(1), DROM_OK);
    EXPECT_EQ(cpus_of(node.clients, 2).count(), 28U);
}

TEST(Partition, AJobThatLentNothingLeavesItsCpusFree) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 1, 24), DROM_OK);
    ASSERT_EQ(node.arrive_on("24-40", 2, 1), DROM_OK);
    ASSERT_EQ(node.end(1), DROM_OK);
    EXPECT_EQ(node.masks(2), "24-40");
}

TEST(Partition, AGuestOfAGuestGivesBackToWhoIsLeft) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 1), DROM_OK);
    ASSERT_EQ(node.arrive(2, 1), DROM_OK);
    ASSERT_EQ(node.arrive(3, 1), DROM_OK);
    EXPECT_EQ(node.masks(3), "36-47");
    ASSERT_EQ(node.end(2), DROM_OK);
    EXPECT_EQ(node.masks(1), "0-35");
    ASSERT_EQ(node.end(3), DROM_OK);
    EXPECT_EQ(node.masks(1), "0-47");
}

TEST(Partition, ATaskThatEndsLeavesItsCpusToItsJob) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 3), DROM_OK);
    ASSERT_EQ(node.depart({101}), DROM_OK);
    EXPECT_EQ(node.masks(1), "0-23 24-47");
}

TEST(Partition, ATaskOfAGuestThatEndsGivesBackToTheOwner) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 1), DROM_OK);
    ASSERT_EQ(node.arrive(2, 2), DROM_OK);
    ASSERT_EQ(node.depart({200}), DROM_OK);
    EXPECT_EQ(node.masks(1), "0-35");
    EXPECT_EQ(node.masks(2), "36-47");
}

TEST(Partition, AnUnusedCpuOfACoreComesBackWithIt) {
    Node node(captured("2x64-smt2"));
    ASSERT_EQ(node.arrive(1, 1), DROM_OK);
    ASSERT_EQ(node.arrive(2, 1, 1), DROM_OK);
    ASSERT_EQ(node.arrive(3, 1, 2), DROM_OK);
    ASSERT_EQ(node.end(3), DROM_OK);
    EXPECT_EQ(node.masks(1), "0-126,128-254") << "not the one beside job 2";
    ASSERT_EQ(node.end(2), DROM_OK);
    EXPECT_EQ(node.masks(1), "0-255");
}

TEST(Partition, RanksOfOneClientCountForItsPart) {
    Node node(captured("2x24"));
    Arrival arrival{tasks_of(1, 2), std::nullopt, 0.5};
    arrival.tasks[1].ranks = 3;
    ASSERT_EQ(node.arrive(arrival), DROM_OK);
    EXPECT_EQ(node.masks(1), "0-11 12-47");
}

TEST(Partition, WhoWasSetByHandKeepsItsMask) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 2), DROM_OK);
    node.client(101).fixed = true;
    ASSERT_EQ(node.arrive(2, 1), DROM_OK);
    EXPECT_EQ(node.masks(1), "0 24-47") << "the other rank gives all but its last";
    EXPECT_EQ(node.masks(2), "1-23");
    EXPECT_EQ(node.arrive_on("24", 3, 1), DROM_E_BUSY);
    EXPECT_STREQ(node.error.text, "job 3: CPU 24 was granted, but client 101 has it and is not to be changed");
}

TEST(Partition, AMaskSetByHandIsWhereItIsAtHome) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 1, 24), DROM_OK);
    node.client(100).mask = cpus("24-47");
    ASSERT_EQ(node.arrive_on("24-29", 2, 1), DROM_OK);
    EXPECT_EQ(node.masks(1), "30-47");
    ASSERT_EQ(node.end(2), DROM_OK);
    EXPECT_EQ(node.masks(1), "24-47");
}

TEST(Partition, WhatWasTakenBackByHandIsNoLongerTheGuests) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 1), DROM_OK);
    ASSERT_EQ(node.arrive(2, 1), DROM_OK);
    node.client(200).mask = cpus("24-40");
    node.client(100).mask = cpus("0-23,41-47");
    ASSERT_EQ(node.arrive_on("44-47", 3, 1), DROM_OK);
    ASSERT_EQ(node.end(3), DROM_OK);
    EXPECT_EQ(node.masks(1), "0-23,41-47");
    EXPECT_EQ(node.masks(2), "24-40");
}

TEST(Partition, WhatCannotBeIsRefusedWithASentence) {
    Node node(captured("2x24"));
    EXPECT_EQ(node.arrive({{}, std::nullopt, 0.5}), DROM_E_INVAL);
    EXPECT_EQ(node.arrive(1, 49), DROM_E_NOCPU);
    EXPECT_STREQ(node.error.text,
                 "job 1: its tasks need 49 CPUs at least in whole cores: 48 free, and running jobs can be asked for 0; "
                 "wait until one ends, or raise the sharing factor");
    ASSERT_EQ(node.arrive(1, 40), DROM_OK);
    EXPECT_EQ(node.arrive(1, 1), DROM_E_INVAL);
    EXPECT_STREQ(node.error.text, "job 1 is here already");
    EXPECT_EQ(node.arrive(2, 9), DROM_E_NOCPU);
    EXPECT_EQ(node.arrive_on("0-9", 2, 1), DROM_E_BUSY);
    EXPECT_STREQ(node.error.text, "job 2: 10 CPUs of job 1 granted, which can give 8: each of its ranks needs one");
    EXPECT_EQ(node.arrive_on("0-3", 2, 5), DROM_E_NOCPU);
    EXPECT_STREQ(node.error.text,
                 "job 2: 4 CPUs granted, but its tasks here need 5 at least; ask for more CPUs per task");
    EXPECT_EQ(node.arrive_on("40-50", 2, 1), DROM_E_NOCPU);
    EXPECT_STREQ(node.error.text, "job 2: CPU 48 was granted, which this node does not have");
    Arrival two{tasks_of(2, 1), std::nullopt, 0.5};
    two.tasks.push_back(tasks_of(3, 1).front());
    EXPECT_EQ(node.arrive(two), DROM_E_INVAL);
    EXPECT_EQ(node.depart({4711}), DROM_E_NOPROC);
    EXPECT_STREQ(node.error.text, "client 4711 leaves, but there is none of that number");
    node.client(101).mask = node.client(100).mask;
    EXPECT_EQ(node.arrive(2, 1), DROM_E_INVAL);
    EXPECT_EQ(node.clients.size(), 40U) << "a refusal changes nothing";
}

TEST(Partition, RequestsNameWhoChangesAndLosersFirst) {
    Node node(captured("2x24"));
    ASSERT_EQ(node.arrive(1, 2), DROM_OK);
    ASSERT_EQ(node.arrive(7, 1, 1), DROM_OK);
    const partition::Clients before = node.clients;
    ASSERT_EQ(node.arrive_on("0-11", 2, 1), DROM_OK);
    const auto requests = partition::requests(before, node.clients);
    ASSERT_EQ(requests.size(), 3U);
    EXPECT_EQ(requests[0].id, 101U) << "gives some of its own to the other rank";
    EXPECT_EQ(requests[1].id, 100U);
    EXPECT_EQ(requests[2].id, 200U);
    EXPECT_TRUE(partition::requests(before, before).empty());
}

}  // namespace
