// SPDX-License-Identifier: GPL-2.0-or-later
// agent_fixture.hpp - a node agent on a virtual node of 2 x 24 cores, and steps of sleeping processes.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "child.hpp"
#include "drom/drom.h"
#include "node_agent/node_agent.hpp"
#include "temp_dir.hpp"

namespace drom::slurm {

inline const CpuSet kNode = CpuSet::range(0, 48);

inline StepName step_of(uint32_t job) { return {job, 0}; }

class Agent : public testing::Test {
protected:
    [[nodiscard]] NodeAgent agent() const {
        auto opened = NodeAgent::open(settings_);
        EXPECT_TRUE(opened.has_value()) << opened.error();
        return std::move(*opened);
    }

    Launch launch(uint32_t job, unsigned tasks, const CpuSet& granted, bool malleable = true) {
        Launch launch;
        launch.step = step_of(job);
        launch.user = geteuid();
        launch.name = "test";
        launch.granted = granted;
        launch.malleable = malleable;
        for (unsigned i = 0; i < tasks; ++i) launch.tasks.push_back(tasks_.emplace_back(test::Child::sleeper()).pid());
        return launch;
    }

    /// Returns a step of a job that asked for the whole node, and shares it by the controller's plan.
    Launch shared(uint32_t job, unsigned tasks, const CpuSet& granted) {
        Launch step = launch(job, tasks, granted);
        step.whole = kNode;
        return step;
    }

    Launch extern_of(uint32_t job, const CpuSet& granted) {
        Launch place = shared(job, 1, granted);
        place.step.step = kExternStep;
        return place;
    }

    Launch script_of(uint32_t job) {
        Launch script = launch(job, 1, kNode);
        script.step.step = kBatchStep;
        return script;
    }

    std::string arrive(const Launch& launch) {
        auto arrived = agent().arrive(launch);
        return arrived ? arrived->news : arrived.error();
    }

    /// Returns the CPUs that the table gives to a process.
    CpuSet wanted(pid_t pid) {
        CpuSet mask{};
        drom_table* table = nullptr;
        EXPECT_EQ(drom_open(&table, settings_.table.c_str(), nullptr, nullptr), DROM_OK);
        drom_get_mask(table, pid, nullptr, mask.words, CpuSet::kWords, nullptr);
        drom_close(table);
        return mask;
    }

    static ProcessIdentity process_of(const Launch& launch) {
        ProcessIdentity identity{};
        EXPECT_TRUE(identify(static_cast<uint32_t>(launch.tasks[0]), identity));
        return identity;
    }

    test::TempDir directory_;
    AgentSettings settings_{directory_.table(), "package:2 core:24 pu:1", 0.5, 5000};
    std::vector<test::Child> tasks_;
};

}  // namespace drom::slurm
