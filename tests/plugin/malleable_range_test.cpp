// SPDX-License-Identifier: BSD-3-Clause
// malleable_range_test.cpp - texts that --malleable and --drom-min-per-rank accept, and messages about other texts.
#include "common/malleable_range.hpp"

#include <string>

#include "property.hpp"

namespace {

using namespace drom::slurm;
using drom::test::holds;

std::string refusal(const std::string& text, uint32_t node_cpus = 0) {
    const auto range = parse_malleable(text, node_cpus);
    return range ? "accepted as " + range->text() : range.error();
}

TEST(MalleableRange, NothingMeansOneToEverything) {
    EXPECT_EQ(parse_malleable(""), (MalleableRange{1, 0}));
    EXPECT_EQ(parse_malleable("")->text(), "1");
}

TEST(MalleableRange, AMinimumAndARange) {
    EXPECT_EQ(parse_malleable("4"), (MalleableRange{4, 0}));
    EXPECT_EQ(parse_malleable("2-8"), (MalleableRange{2, 8}));
    EXPECT_EQ(parse_malleable("3-3"), (MalleableRange{3, 3}));
    EXPECT_EQ(parse_malleable("007-0010"), (MalleableRange{7, 10}));
    EXPECT_EQ(parse_malleable("1-65535"), (MalleableRange{1, 65535}));
}

TEST(MalleableRange, EachBadValueHasASentenceOfItsOwn) {
    EXPECT_EQ(refusal("0"), "--malleable=0: at least 1 CPU has to stay; give 1 or more");
    EXPECT_EQ(refusal("0-4"), "--malleable=0-4: at least 1 CPU has to stay; give 1 or more");
    EXPECT_EQ(refusal("-2"), "--malleable=-2: '-2' is negative; give MIN or MIN-MAX, for instance 2-8");
    EXPECT_EQ(refusal("2--4"), "--malleable=2--4: '-4' is negative; give MIN or MIN-MAX, for instance 2-8");
    EXPECT_EQ(refusal("8-4"), "--malleable=8-4: MAX is less than MIN; did you mean 4-8?");
    EXPECT_EQ(refusal("2-"), "--malleable=2-: there is no MAX behind the dash; give MIN or MIN-MAX, for instance 2-8");
    EXPECT_EQ(refusal("many"), "--malleable=many: 'many' is no number of CPUs; give MIN or MIN-MAX, for instance 2-8");
    EXPECT_EQ(refusal("99999999999999999999"),
              "--malleable=99999999999999999999: 99999999999999999999 is more CPUs than a node of Slurm can have "
              "(65535); give MIN or MIN-MAX, for instance 2-8");
}

TEST(MalleableRange, NumbersAreDigitsOnly) {
    for (const char* text : {"+4", " 4", "4 ", "4.0", "0x4", "4,8", "4-8-9", "--4", "-", "4k", "2-8 "})
        EXPECT_FALSE(parse_malleable(text)) << text;
}

TEST(MalleableRange, MoreThanTheNodeHasIsRefusedWhereThatIsKnown) {
    EXPECT_EQ(parse_malleable("2-16", 16), (MalleableRange{2, 16}));
    EXPECT_EQ(refusal("2-17", 16), "--malleable=2-17: no node that the job can get has 17 CPUs; give at most 16");
    EXPECT_EQ(refusal("17", 16), "--malleable=17: no node that the job can get has 17 CPUs; give at most 16");
    EXPECT_EQ(parse_malleable("17"), (MalleableRange{17, 0}));
}

TEST(MalleableRange, WhatItWritesItReads) {
    EXPECT_TRUE(holds("text() and parse_malleable() are inverse", [] {
        MalleableRange range;
        range.min = *rc::gen::inRange<uint32_t>(1, kMaxNodeCpus + 1);
        range.max = *rc::gen::element(0U, *rc::gen::inRange<uint32_t>(range.min, kMaxNodeCpus + 1));
        RC_ASSERT(parse_malleable(range.text()) == range);
    }));
}

TEST(MalleableRange, NoTextIsMisread) {
    EXPECT_TRUE(holds("accepted means a range in its limits; refused means one sentence about this very text", [] {
        const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789--+ ,x\n")));
        const uint32_t node = *rc::gen::inRange<uint32_t>(0, 200);
        const auto range = parse_malleable(text, node);
        if (range) {
            RC_ASSERT(range->min >= 1U);
            RC_ASSERT(range->max == 0U || range->max >= range->min);
            RC_ASSERT(node == 0U || std::max(range->min, range->max) <= node);
        } else {
            RC_ASSERT(range.error().starts_with("--malleable="));
            RC_ASSERT(range.error().find("; ") != std::string::npos);
        }
    }));
}

TEST(MinPerRank, IsANumberOfCpus) {
    EXPECT_EQ(parse_min_per_rank("2"), 2U);
    EXPECT_EQ(parse_resize("follow"), "follow");
    EXPECT_EQ(parse_resize("").error(),
              "--drom-resize=: a team can keep its size or follow the CPUs; give keep, follow or auto");
    EXPECT_EQ(parse_min_per_rank("0").error(), "--drom-min-per-rank=0: at least 1 CPU has to stay; give 1 or more");
    EXPECT_EQ(parse_min_per_rank("").error(),
              "--drom-min-per-rank=: '' is no number of CPUs; give a number of CPUs, for instance 2");
    EXPECT_EQ(parse_min_per_rank("-1").error(),
              "--drom-min-per-rank=-1: '-1' is negative; give a number of CPUs, for instance 2");
    EXPECT_FALSE(parse_min_per_rank("2-4"));
    EXPECT_FALSE(parse_min_per_rank("70000"));
}

}  // namespace
