// SPDX-License-Identifier: BSD-3-Clause
// machines.hpp - topologies for the tests of partition.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "partition/topology.hpp"

namespace drom::test {

/// Reads tests/data/topology/NAME.xml.
inline Topology captured(const std::string& name) {
    Topology topology;
    drom_error error{};
    const std::string path = DROM_TEST_DATA "/topology/" + name + ".xml";
    EXPECT_EQ(read_topology_xml(path.c_str(), topology, &error), DROM_OK) << error.text;
    return topology;
}

inline Topology synthetic(const std::string& description) {
    Topology topology;
    drom_error error{};
    EXPECT_EQ(read_synthetic(description.c_str(), topology, &error), DROM_OK) << error.text;
    return topology;
}

inline CpuSet cpus(const char* text) {
    CpuSet set{};
    if (*text == '\0') return set;
    EXPECT_EQ(parse_cpus(text, set).what, nullptr) << text;
    return set;
}

inline std::string text(const CpuSet& set) { return CpuText(set).text; }

}  // namespace drom::test
