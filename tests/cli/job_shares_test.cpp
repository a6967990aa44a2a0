// SPDX-License-Identifier: BSD-3-Clause
// job_shares_test.cpp - how the ranks of one job divide CPUs.
#include "verbs/job_shares.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "property.hpp"
#include "small_node.hpp"

namespace {

using namespace drom::command;
using drom::CpuSet;
using drom::test::cpus;
using drom::test::holds;
using drom::test::small_node;
using What = JobOrder::What;

struct Row {
    const char* what;
    What verb;
    const char* mask;
    unsigned all, per_rank;
    std::vector<Member> members;
    std::vector<Share> others;
    const char* expected;  ///< masks, separated by blanks; or the beginning of the refusal
};

const Row kRows[] = {
    {"half of each", What::kExactly, "0-1,4-5", 0, 0, {{cpus("0-3")}, {cpus("4-7")}}, {}, "0-1 4-5"},
    {"who has nothing of it left gets some of another's",
     What::kExactly,
     "0-3",
     0,
     0,
     {{cpus("0-3")}, {cpus("4-7")}},
     {},
     "0-1 2-3"},
    {"an odd one stays with who has it", What::kExactly, "0,4-5", 0, 0, {{cpus("0-3")}, {cpus("4-7")}}, {}, "0 4-5"},
    {"each rank one", What::kShrink, "", 0, 1, {{cpus("0-3")}, {cpus("4-7")}}, {}, "0 4"},
    {"to three in all", What::kShrink, "", 3, 0, {{cpus("0-3")}, {cpus("4-7")}}, {}, "0-1 4"},
    {"a rank that has less keeps it", What::kShrink, "", 0, 2, {{cpus("0-3")}, {cpus("4")}}, {}, "0-1 4"},
    {"each rank two more, near what it has", What::kExpand, "", 0, 4, {{cpus("0-1")}, {cpus("8-9")}}, {}, "0-3 8-11"},
    {"more than is free",
     What::kExpand,
     "",
     17,
     0,
     {{cpus("0-1")}, {cpus("8-9")}},
     {},
     "17 CPUs wanted: the job has 4, and 12 are free"},
    {"what is missing from others",
     What::kExpand,
     "",
     0,
     7,
     {{cpus("0-1")}, {cpus("8-9")}},
     {{cpus("2-5"), 1}},
     "0-1,4-7,10 8-9,11-15"},
    {"more than others can spare",
     What::kExpand,
     "",
     0,
     8,
     {{cpus("0-1")}, {cpus("8-9")}},
     {{cpus("2-5"), 1}},
     "12 CPUs wanted; 8 free and 3 more can be taken"},
    {"not below what they need",
     What::kShrink,
     "",
     3,
     0,
     {{cpus("0-3"), 2}, {cpus("4-7"), 2}},
     {},
     "3 CPUs for 2 ranks, which need 4 at least"},
    {"not above what they use",
     What::kExactly,
     "0-7",
     0,
     0,
     {{cpus("0"), 1, 2}, {cpus("4"), 1, 2}},
     {},
     "8 CPUs for 2 ranks, which can use 4 at most"},
    {"no shrinking upwards",
     What::kShrink,
     "",
     0,
     5,
     {{cpus("0-3")}, {cpus("4-7")}},
     {},
     "to 5 CPUs per rank: the job has 8; use expand"},
    {"shrunk already", What::kShrink, "", 0, 4, {{cpus("0-3")}, {cpus("4-7")}}, {}, "0-3 4-7"},
    {"expanded already", What::kExpand, "", 8, 0, {{cpus("0-3")}, {cpus("4-7")}}, {}, "0-3 4-7"},
    {"no growing downwards",
     What::kExpand,
     "",
     7,
     0,
     {{cpus("0-3")}, {cpus("4-7")}},
     {},
     "to 7 CPUs: the job has 8; use shrink"},
    {"given is divided", What::kAdd, "12-13", 0, 0, {{cpus("0-3")}, {cpus("4-7")}}, {}, "0-3,12 4-7,13"},
    {"taken is divided", What::kRemove, "4-6", 0, 0, {{cpus("0-3")}, {cpus("4-7")}}, {}, "0-2 3,7"},
    {"not theirs",
     What::kRemove,
     "9",
     0,
     0,
     {{cpus("0-3")}, {cpus("4-7")}},
     {},
     "CPU 9 is not one of the job's, which has 0-7"},
};

JobOrder order_of(const Row& row) {
    JobOrder order;
    order.what = row.verb;
    order.cpus = cpus(row.mask);
    if (row.per_rank != 0)
        order.per_rank = row.per_rank;
    else
        order.all = row.all;
    return order;
}

JobState state_of(const Row& row) {
    JobState job{row.members, CpuSet::range(0, 16), CpuSet::range(0, 16), row.others, small_node()};
    for (const Member& member : row.members) job.free = job.free - member.cpus;
    for (const Share& other : row.others) job.free = job.free - other.cpus;
    return job;
}

TEST(JobShares, RanksGetWhatTheRowsSay) {
    for (const Row& row : kRows) {
        const auto masks = plan_job(order_of(row), state_of(row));
        std::string text;
        if (masks)
            for (const CpuSet& mask : *masks) text += (text.empty() ? "" : " ") + mask.text();
        else
            text = masks.error().text;
        const std::string expected = row.expected;
        EXPECT_TRUE(masks ? text == expected : text.starts_with(expected)) << row.what << ": " << text;
    }
}

/// Returns one to five ranks. A CPU belongs to one of them at most, and a rank may have none.
std::vector<Member> some_members() {
    std::vector<Member> members(*rc::gen::inRange<size_t>(1, 6));
    for (unsigned cpu = 0; cpu < 16; ++cpu) {
        const auto who = *rc::gen::inRange<size_t>(0, members.size() + 1);
        if (who < members.size()) members[who].cpus.add(cpu);
    }
    return members;
}

TEST(JobShares, AreEqualDisjointAndAllThatWasGiven) {
    EXPECT_TRUE(holds("equal shares", [] {
        const auto members = some_members();
        CpuSet pool;
        for (unsigned cpu = 0; cpu < 16; ++cpu)
            if (*rc::gen::inRange(0, 3) > 0) pool.add(cpu);
        JobOrder order;
        order.cpus = pool;
        const auto masks = plan_job(order, {members, CpuSet::range(0, 16), {}, {}, small_node()});
        RC_ASSERT(masks.has_value() == (pool.count() >= members.size()));
        if (!masks) return;
        CpuSet seen;
        unsigned fewest = 16;
        unsigned max = 0;
        for (const CpuSet& mask : *masks) {
            RC_ASSERT(!seen.intersects(mask));
            seen = seen | mask;
            fewest = std::min(fewest, mask.count());
            max = std::max(max, mask.count());
        }
        RC_ASSERT(seen == pool);
        RC_ASSERT(max - fewest <= 1U);
    }));
}

TEST(JobShares, NoRankMovesThatNeedNot) {
    EXPECT_TRUE(holds("shares stay", [] {
        const auto members = some_members();
        JobOrder order;
        order.what = What::kShrink;
        order.per_rank = *rc::gen::inRange(1U, 5U);
        const auto masks = plan_job(order, {members, CpuSet::range(0, 16), {}, {}, small_node()});
        if (!masks) return;
        for (size_t i = 0; i < members.size(); ++i) {
            RC_ASSERT(members[i].cpus.contains((*masks)[i]));
            RC_ASSERT((*masks)[i].count() == std::min(members[i].cpus.count(), *order.per_rank));
        }
    }));
}

}  // namespace
