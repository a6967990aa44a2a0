// SPDX-License-Identifier: BSD-3-Clause
// request_test.cpp - a malleable job's request becomes every core of its nodes, or a sentence.
#include "job_submit/request.hpp"

#include "property.hpp"

namespace {

using namespace drom::slurm;
using drom::test::holds;

TEST(Misfit, ARangeInsideTheRequestFits) {
    EXPECT_EQ(misfit({1, 0}, {.cpus = 1}, {}), "");
    EXPECT_EQ(misfit({2, 8}, {.cpus = 8}, {8, 8}), "");
    EXPECT_EQ(misfit({2, 8}, {.cpus = 1, .cpus_per_node = 8}, {}), "");
    EXPECT_EQ(misfit({2, 8}, {}, {}), "");
}

TEST(Misfit, MoreThanTheRequestIsTold) {
    EXPECT_EQ(misfit({2, 0}, {.cpus = 1}, {}),
              "--malleable=2: the job asks for 1 CPU only; ask for 2 on each node, for instance -c 2, or for whole "
              "nodes with "
              "--exclusive");
    EXPECT_EQ(
        misfit({1, 8}, {.cpus = 4}, {}),
        "--malleable=1-8: the job asks for 4 CPUs only; ask for 8 on each node, for instance -c 8, or for whole nodes "
        "with --exclusive");
    EXPECT_EQ(misfit({1, 8}, {.cpus = 4, .whole_nodes = true}, {8, 8}), "");
}

TEST(Misfit, MoreThanAnyNodeIsToldFirst) {
    EXPECT_EQ(misfit({1, 9}, {.cpus = 1, .whole_nodes = true}, {4, 8}),
              "--malleable=1-9: no node that the job can get has 9 CPUs; give at most 8");
}

TEST(FullCores, AsManyNodesAsTheRequestNeeds) {
    const auto full = full_cores({.cpus = 20, .whole_nodes = true}, {8, 8});
    ASSERT_TRUE(full);
    EXPECT_EQ(full->nodes, 3U);
    EXPECT_EQ(full->cpus, 24U);
    EXPECT_EQ(full->cpus_per_node, 8U);
    EXPECT_EQ(full_cores({.cpus = 1, .nodes = 4, .whole_nodes = true}, {8, 8})->cpus, 32U);
    EXPECT_EQ(full_cores({.whole_nodes = true}, {8, 8})->cpus, 8U);
}

TEST(FullCores, NoNumberMeansAllOfNodesThatDiffer) {
    EXPECT_FALSE(full_cores({.cpus = 1}, {4, 8}));
    EXPECT_FALSE(full_cores({.cpus = 1}, {}));
}

TEST(FullCores, NeverLessThanWasAskedFor) {
    EXPECT_TRUE(holds("whole nodes, enough of them, no more than needed", [] {
        CpuRequest request;
        request.cpus = *rc::gen::inRange(0U, 5000U);
        request.nodes = *rc::gen::inRange(0U, 50U);
        const uint32_t each = *rc::gen::inRange(1U, 300U);
        const auto full = full_cores(request, {each, each});
        RC_ASSERT(full.has_value());
        RC_ASSERT(full->cpus == full->nodes * each);
        RC_ASSERT(full->cpus >= request.cpus && full->nodes >= request.nodes && full->nodes >= 1U);
        RC_ASSERT(full->nodes == std::max(1U, request.nodes) || full->cpus - each < request.cpus);
    }));
}

TEST(AdminComment, TheRangeIsBehindWhatIsThere) {
    EXPECT_EQ(with_range("", {2, 8}), "malleable=2-8");
    EXPECT_EQ(with_range("ticket 17", {2, 8}), "ticket 17 malleable=2-8");
    EXPECT_EQ(with_range("malleable=1 ticket  17", {2, 8}), "ticket 17 malleable=2-8");
    EXPECT_EQ(with_range("two  blanks", {1, 0}), "two  blanks malleable=1");
}

TEST(AdminComment, TheRangeIsFoundAgain) {
    EXPECT_FALSE(range_text(""));
    EXPECT_FALSE(range_text("notmalleable=2 and so on"));
    EXPECT_EQ(range_text("ticket 17 malleable=2-8"), "2-8");
    EXPECT_EQ(range_text("malleable="), "");
    EXPECT_TRUE(holds("range_text() finds what with_range() wrote", [] {
        const auto comment = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab =malleable-")));
        const uint32_t min = *rc::gen::inRange(1U, 100U);
        const MalleableRange range{min, *rc::gen::element(0U, min + 3)};
        RC_ASSERT(range_text(with_range(comment, range)) == range.text());
    }));
}

}  // namespace
