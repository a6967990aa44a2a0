// SPDX-License-Identifier: BSD-3-Clause
// cpu_text_test.cpp - the public C++ CPU set: algebra, text, and words of the topology.
#include "command_line/cpu_text.hpp"

#include <cstdlib>
#include <string>
#include <vector>

#include "property.hpp"

namespace {

using drom::CpuSet;
using drom::command::read_cpus;
using drom::test::holds;

struct Row {
    const char* text;
    const char* expected;  ///< the set, or what the refusal contains
};

TEST(CpuText, ReadsWhatPeopleWrite) {
    const Row rows[] = {
        {"0", "0"},         {"0-3,8", "0-3,8"},
        {"8,0-3", "0-3,8"}, {"0-14:2", "0,2,4,6,8,10,12,14"},
        {"0x1f", "0-4"},    {"0X1F", "0-4"},
        {"0x10,0", "0,4"},  {"3-3", "3"},
        {"0-3,2-5", "0-5"}, {"4095", "4095"},
        {"007", "7"},       {"1-9:4", "1,5,9"},
        {"63-64", "63-64"}, {"0x10000000000000000", "64"},
    };
    for (const Row& row : rows) {
        const auto set = CpuSet::parse(row.text);
        ASSERT_TRUE(set.has_value()) << row.text << ": " << set.error().text;
        EXPECT_EQ(set->text(), row.expected) << row.text;
    }
}

TEST(CpuText, RefusesWhatIsNoSetAndSaysWhere) {
    const Row rows[] = {
        {"", "the CPU set is empty"},
        {" 1", "a number is missing, at ' 1' (character 1)"},
        {"1 ", "unexpected character, at ' ' (character 2)"},
        {"1-", "the end of the range is missing, at the end (character 3)"},
        {"5-2", "the range runs backwards, at '5-2' (character 1)"},
        {"1,5-2", "the range runs backwards, at '5-2' (character 3)"},
        {"1--2", "the end of the range is missing, at '-2'"},
        {"0-4:", "the step is missing, at the end"},
        {"0-4:0", "a step of zero"},
        {"1;2", "unexpected character, at ';2'"},
        {"0x", "hexadecimal digits are missing"},
        {"0x0", "the CPU set is empty"},
        {"0xg", "hexadecimal digits are missing, at 'g'"},
        {"4096", "a number beyond 4095"},
        {"18446744073709551616", "a number beyond 4095"},
        {"0-5000", "a number beyond 4095, at '5000' (character 3)"},
        {"core:0", "core:, numa: and package: need a topology, and there is none here"},
    };
    for (const Row& row : rows) {
        const auto set = CpuSet::parse(row.text);
        ASSERT_FALSE(set.has_value()) << row.text << " is " << set->text();
        EXPECT_EQ(set.error().status, DROM_E_INVAL);
        EXPECT_NE(set.error().text.find(row.expected), std::string::npos) << row.text << ": " << set.error().text;
    }
}

TEST(CpuText, HexadecimalHasNoEnd) {
    const auto last = CpuSet::parse("0x8" + std::string(1023, '0'));
    ASSERT_TRUE(last.has_value());
    EXPECT_EQ(last->text(), "4095");
    EXPECT_FALSE(CpuSet::parse("0x1" + std::string(1024, '0')).has_value());
}

CpuSet any_set() {
    CpuSet set;
    for (unsigned cpu : *rc::gen::container<std::vector<unsigned>>(rc::gen::inRange(0U, CpuSet::kMaxCpus)))
        set.add(cpu);
    const auto first = *rc::gen::inRange(0U, CpuSet::kMaxCpus);
    if (*rc::gen::inRange(0, 2) == 1) set = set | CpuSet::range(first, *rc::gen::inRange(0U, 200U));
    return set;
}

TEST(CpuText, TextComesBackAsTheSameSet) {
    EXPECT_TRUE(holds("round trip", [] {
        const CpuSet set = any_set();
        if (set.empty()) return;
        RC_ASSERT(CpuSet::parse(set.text()).value() == set);
        RC_ASSERT(CpuSet::from_words(set.words(), CpuSet::kWords) == set);
    }));
}

TEST(CpuText, AnyTextIsReadOrRefusedAndNothingElse) {
    EXPECT_TRUE(holds("arbitrary text", [] {
        const auto text =
            *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789,-:xXcorenumapackage ")));
        const auto set = CpuSet::parse(text);
        RC_ASSERT((set.has_value() ? !set->empty() : !set.error().text.empty()));
    }));
}

TEST(CpuText, SetsAreSets) {
    EXPECT_TRUE(holds("algebra", [] {
        const CpuSet a = any_set();
        const CpuSet b = any_set();
        RC_ASSERT(((a | b) - b) == (a - b));
        RC_ASSERT(((a & b) | (a - b)) == a);
        RC_ASSERT((a | b).contains(a) && a.contains(a & b));
        RC_ASSERT(a.intersects(b) == !(a & b).empty());
        RC_ASSERT((a | b).count() + (a & b).count() == a.count() + b.count());
        unsigned seen = 0;
        for (unsigned cpu : a) {
            RC_ASSERT(a.has(cpu));
            ++seen;
        }
        RC_ASSERT(seen == a.count());
    }));
}

class Topology : public testing::Test {
protected:
    void SetUp() override { setenv("HWLOC_SYNTHETIC", "Package:2 NUMANode:2 L3:2 Core:4 PU:2", 1); }
    void TearDown() override { unsetenv("HWLOC_SYNTHETIC"); }
};

TEST_F(Topology, WordsNameCoresNodesAndPackages) {
    const Row rows[] = {
        {"core:0", "0-1"},        {"core:1-2", "2-5"},    {"core:0-30:30", "0-1,60-61"},      {"numa:0", "0-15"},
        {"numa:3", "48-63"},      {"package:1", "32-63"}, {"numa:0,package:1", "0-15,32-63"}, {"core:0,2", "0-2"},
        {"0x80,core:0", "0-1,7"},
    };
    for (const Row& row : rows) {
        const auto set = read_cpus(row.text);
        ASSERT_TRUE(set.has_value()) << row.text << ": " << set.error().text;
        EXPECT_EQ(set->text(), row.expected) << row.text;
    }
}

TEST_F(Topology, WhatTheNodeDoesNotHaveIsRefused) {
    EXPECT_NE(read_cpus("core:32").error().text.find("there is no core 32, only 32 of them, at '32' (character 6)"),
              std::string::npos);
    EXPECT_NE(read_cpus("0,numa:4").error().text.find("there is no NUMA node 4, only 4 of them"), std::string::npos);
    EXPECT_NE(read_cpus("package:0-2").error().text.find("there is no package 2, only 2 of them"), std::string::npos);
}

}  // namespace
