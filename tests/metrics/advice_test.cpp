// SPDX-License-Identifier: BSD-3-Clause
// advice_test.cpp - what drom advise makes of clients that were watched, and which CPUs carry its changes out.
#include "verbs/advice.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace drom::command {

namespace {

CpuSet cpus(const char* text) { return CpuSet::parse(text).value(); }

ClientView client(pid_t pid, const char* name, const char* job, const char* mask) {
    ClientView view;
    view.info.pid = pid;
    std::strncpy(view.info.name, name, sizeof view.info.name - 1);
    std::strncpy(view.info.job, job, sizeof view.info.job - 1);
    view.info.state = DROM_CLIENT_LIVE;
    view.info.resize = DROM_RESIZE_FOLLOWS;
    view.owned = view.wanted = cpus(mask);
    return view;
}

Snapshot node_of_eight(std::vector<ClientView> clients) {
    Snapshot snapshot;
    snapshot.node = "n1";
    snapshot.cpus = 8;
    snapshot.masks.present = cpus("0-7");
    snapshot.masks.free = cpus("0-7");
    for (const ClientView& view : clients) snapshot.masks.free = snapshot.masks.free - view.wanted;
    snapshot.clients = std::move(clients);
    for (uint16_t cpu = 0; cpu < 8; ++cpu) {
        drom_location location{};
        location.core = cpu;
        snapshot.locations.push_back(location);
    }
    return snapshot;
}

/// Returns one second of one process: `useful` of its own code, `waited` for a CPU, on `threads` threads.
ClientSeen seen(const ClientView& view, double useful, double waited = 0, unsigned threads = 1) {
    ClientSeen client;
    client.info = view.info;
    client.cpus = view.wanted.count();
    ProcessSeen process{view.info.pid, "p", {}, useful, waited, 100};
    for (unsigned i = 0; i < threads; ++i) process.threads.push_back({useful / threads, 0, 0});
    client.processes.push_back(process);
    return client;
}

std::vector<WindowSeen> looks_at(std::vector<ClientSeen> clients) {
    return std::vector<WindowSeen>(4, WindowSeen{1, true, 0, std::move(clients)});
}

}  // namespace

TEST(Advice, TheClientsOfAJobAreOneProgramByRank) {
    auto second = client(12, "mpi.1", "7", "2-3"), first = client(13, "mpi.0", "7", "0-1");
    second.info.ranks = first.info.ranks = 2;
    second.info.rank = 1;
    const auto other = client(14, "heat", "", "4");
    const AdvisedNode node = advised_node(node_of_eight({second, first, other}),
                                          looks_at({seen(second, 1), seen(first, 2), seen(other, 1)}), "");
    ASSERT_EQ(node.programs.size(), 2U);
    EXPECT_EQ(node.free, 3);
    const policy::NodeProgram& job = node.programs[0].seen;
    EXPECT_EQ(job.clients[0].id + job.clients[1].id, 25);
    for (const AdvisedProgram& program : node.programs)
        if (program.clients.size() == 2) {
            EXPECT_EQ(program.seen.name, "mpi");
            EXPECT_EQ(program.seen.clients[0].id, 13);
            EXPECT_EQ(program.seen.clients[0].useful, (std::vector<double>{2, 2, 2, 2}));
        }
    EXPECT_EQ(advised_node(node_of_eight({second, first, other}), {}, "7").programs.size(), 1U);
}

TEST(Advice, AProgramGetsNoMoreCpusThanItHasThreadsUnlessItFollows) {
    auto view = client(1, "heat", "", "0");
    const auto max = [&] {
        return advised_node(node_of_eight({view}), looks_at({seen(view, 1, 0, 3)}), "").programs[0].seen.max();
    };
    EXPECT_EQ(max(), 8);
    view.info.max_cpus = 5;
    EXPECT_EQ(max(), 5);
    view.info.max_cpus = 0;
    view.info.resize = DROM_RESIZE_KEEPS;
    EXPECT_EQ(max(), 3);
    view.info.team_size = 6;
    EXPECT_EQ(max(), 6);
}

TEST(Advice, AThreadThatWakesUpNowAndThenIsNoReasonForASecondCpu) {
    auto view = client(1, "heat", "", "0");
    view.info.resize = DROM_RESIZE_KEEPS;
    ClientSeen watched = seen(view, 1);
    watched.processes[0].threads.push_back({0.001, 0, 0});
    EXPECT_EQ(advised_node(node_of_eight({view}), looks_at({watched}), "").programs[0].seen.max(), 1);
}

TEST(Advice, ADrainedCpuIsNoReasonToSayThatMoreAreOfNoUse) {
    const auto view = client(1, "heat", "", "0");
    Snapshot snapshot = node_of_eight({view});
    snapshot.masks.drained = cpus("1-7");
    const AdvisedNode node = advised_node(snapshot, looks_at({seen(view, 1)}), "");
    EXPECT_EQ(node.free, 0);
    EXPECT_EQ(node.programs[0].seen.max(), 8);
}

TEST(Advice, AProgramWhoseCpusOthersHadIsUnknown) {
    const auto view = client(1, "heat", "", "0-1");
    const auto program = [&](double used, double waited) {
        return advised_node(node_of_eight({view}), looks_at({seen(view, used, waited, 2)}), "").programs[0].seen;
    };
    EXPECT_EQ(program(0.1, 1.9).unknown(), "other programs had its CPUs for most of the time");
    EXPECT_EQ(program(2, 4).unknown(), "") << "its own threads wait for one another";
    EXPECT_EQ(program(0, 0).unknown(), "") << "it sleeps";
}

TEST(Advice, AProgramIsCalledAsStatsDoes) {
    const auto first = client(1, "b", "7", "0"), second = client(2, "a", "7", "1");
    EXPECT_EQ(advised_node(node_of_eight({first, second}), {}, "").programs[0].seen.name, "b");
}

TEST(Advice, CpuTimeThatOthersTookIsNoFaultOfTheProgram) {
    const auto view = client(1, "heat", "", "0-1");
    const auto useful = [&](double own, double waited) {
        return advised_node(node_of_eight({view}), looks_at({seen(view, own, waited, 2)}), "")
            .programs[0]
            .seen.clients[0]
            .useful[0];
    };
    EXPECT_NEAR(useful(1, 0), 1, 1e-9);
    EXPECT_NEAR(useful(1, 0.5), 1.5, 1e-9);
    EXPECT_NEAR(useful(1.5, 3), 2, 1e-9) << "never more than it has";
    EXPECT_NEAR(useful(2, 3), 2, 1e-9) << "its own threads waited for one another";
    EXPECT_NEAR(useful(0, 0), 0, 1e-9);
}

TEST(Advice, WhatMayNotChangeIsHeldWithAReason) {
    auto rigid = client(1, "a", "", "0"), waits = client(2, "b", "", "1");
    rigid.info.flags = DROM_RIGID;
    waits.info.request_seq = 3;
    waits.info.released_seq = 2;
    const AdvisedNode node = advised_node(node_of_eight({rigid, waits}), {}, "");
    EXPECT_EQ(node.programs[0].seen.held(), "it is rigid");
    EXPECT_EQ(node.programs[1].seen.held(), "a request is not released yet");
}

TEST(Advice, AClientThatWasNotThereInAllLooksIsNotSampled) {
    const auto view = client(1, "a", "", "0");
    auto looks = looks_at({seen(view, 1)});
    looks[1].clients.clear();
    const AdvisedNode node = advised_node(node_of_eight({view}), looks, "");
    EXPECT_TRUE(node.programs[0].seen.clients[0].useful.empty());
    EXPECT_EQ(node.programs[0].seen.unknown(), "it has just started");
    EXPECT_EQ(advised_node(node_of_eight({view}), looks_at({}), "").programs[0].seen.max(), 8);
}

TEST(Advice, ChangesAreCarriedOutWithCpusOfTheirOwnAndFreeOnes) {
    const auto first = client(1, "a", "", "0-3"), second = client(2, "b", "", "4-5"), third = client(3, "c", "", "6");
    const Snapshot snapshot = node_of_eight({first, second, third});
    const AdvisedNode node = advised_node(snapshot, {}, "");
    const auto changes = changes_of(node, {{{2}, ""}, {{5}, ""}, {{1}, ""}});
    ASSERT_EQ(changes.size(), 2U) << "the third keeps its CPU";
    const auto masks = assignments_of(changes, snapshot);
    ASSERT_EQ(masks.size(), 2U);
    EXPECT_EQ(masks[0].cpus.count(), 2U);
    EXPECT_EQ(masks[1].cpus.count(), 5U);
    EXPECT_TRUE((masks[0].cpus & masks[1].cpus).empty());
    EXPECT_TRUE(cpus("0-3").contains(masks[0].cpus)) << "it keeps CPUs that it has";
    EXPECT_TRUE(masks[1].cpus.contains(cpus("4-5")));
    EXPECT_FALSE((masks[0].cpus | masks[1].cpus).contains(cpus("6")));
}

}  // namespace drom::command
