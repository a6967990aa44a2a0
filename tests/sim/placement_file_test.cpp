// SPDX-License-Identifier: BSD-3-Clause
// placement_file_test.cpp - the file of `drom-sim place`: what it means, and where it is wrong.
#include "workload/placement_file.hpp"

#include "property.hpp"

namespace {

using namespace drom::sim;
using namespace drom::policy::placement;

std::string error_of(const std::string& text) {
    const auto file = read_placement(text);
    return file ? "" : file.error();
}

TEST(PlacementFile, IsReadWithItsDefaults) {
    const auto file = read_placement(
        "# two sites\n\nsystem east cores=64 cost=1.5\r\nsystem west cores=0\n"
        "application ocean ranks=40 # the rest has defaults\n"
        "\tapplication ice age=2 move=.5 priority=3 ranks=8\n"
        "runs ice west ranks=4\nruns ice east ranks=1\nrules ageing=2 spread=5e0");
    ASSERT_TRUE(file.has_value()) << file.error();
    EXPECT_EQ(file->systems, (std::vector<std::string>{"east", "west"}));
    EXPECT_EQ(file->applications, (std::vector<std::string>{"ocean", "ice"}));
    const Problem& problem = file->problem;
    EXPECT_EQ(problem.spread, 5);
    EXPECT_EQ(problem.ageing, 2);
    EXPECT_EQ(problem.systems[0].cores, 64);
    EXPECT_EQ(problem.systems[0].cost, 1.5);
    EXPECT_EQ(problem.systems[1].cost, 0);
    EXPECT_EQ(problem.applications[0].priority, 1);
    EXPECT_EQ(problem.applications[0].move, 0);
    EXPECT_EQ(problem.applications[1].ranks, 8);
    EXPECT_EQ(problem.applications[1].age, 2);
    EXPECT_EQ(problem.applications[1].priority, 3);
    EXPECT_EQ(problem.applications[1].move, 0.5);
    EXPECT_EQ(problem.applications[1].now, (Parts{{0, 1}, {1, 4}}));
}

TEST(PlacementFile, EachMistakeHasItsPlace) {
    const std::string system = "system a cores=4\n", both = system + "application x ranks=2\n";
    const std::pair<std::string, std::string> cases[] = {
        {"", "there is no line 'system' in it"},
        {"# nothing\n", "there is no line 'system' in it"},
        {system, "there is no line 'application' in it"},
        {"sytem a cores=4",
         "line 1, column 1: a line begins with rules, system, application or runs, not with 'sytem'"},
        {"\n  \x01\x80z", "line 2, column 3: a line begins with rules, system, application or runs, not with '\?\?z'"},
        {std::string(70, 'y'), "line 1, column 1: a line begins with rules, system, application or runs, not with '" +
                                   std::string(60, 'y') + "...'"},
        {"system", "line 1, column 7: the name of the system is missing"},
        {"system cores=4", "line 1, column 8: the name of the system is missing"},
        {"system a\x7f"
         "b cores=4",
         "line 1, column 8: 'a?b' is no name of printable characters"},
        {"system a", "line 1, column 9: cores= is missing"},
        {"system a cores", "line 1, column 10: 'cores' is no KEY=VALUE"},
        {"system a cores=", "line 1, column 16: cores '' is not a whole number"},
        {"system a cores=4.5", "line 1, column 16: cores '4.5' is not a whole number"},
        {"system a cores=-1", "line 1, column 16: cores '-1' is out of range; 0 to 1000000 can be meant"},
        {"system a cores=99999999999999999999",
         "line 1, column 16: cores '99999999999999999999' is out of range; 0 to 1000000 can be meant"},
        {"system a cores=4 cores=5", "line 1, column 18: 'cores' is given twice"},
        {"system a cores=4 speed=5", "line 1, column 18: a line 'system' has no 'speed'="},
        {"system a cores=4 cost=dear", "line 1, column 23: cost 'dear' is not a number"},
        {"system a cores=4 cost=nan", "line 1, column 23: cost 'nan' is not a number"},
        {"system a cores=4 cost=inf", "line 1, column 23: cost 'inf' is out of range; 0 to 1000000000 can be meant"},
        {"system a cores=4 cost=-1", "line 1, column 23: cost '-1' is out of range; 0 to 1000000000 can be meant"},
        {system + "system a cores=4", "line 2, column 8: there is system 'a' already"},
        {system + "application x", "line 2, column 14: ranks= is missing"},
        {system + "application x ranks=0", "line 2, column 21: ranks '0' is out of range; 1 to 1000000 can be meant"},
        {both + "application x ranks=2", "line 3, column 13: there is application 'x' already"},
        {both + "runs", "line 3, column 5: the name of the application is missing"},
        {both + "runs y a ranks=1", "line 3, column 6: there is no application 'y' above"},
        {both + "runs x", "line 3, column 7: the name of the system is missing"},
        {both + "runs x b ranks=1", "line 3, column 8: there is no system 'b' above"},
        {both + "runs x a", "line 3, column 9: ranks= is missing"},
        {both + "runs x a ranks=1\nruns x a ranks=1",
         "line 4, column 8: there is a line about this application on this system already"},
        {both + "rules spread=1\nrules ageing=1", "line 4, column 1: there is a line 'rules' already"},
        {both + "rules pace=1", "line 3, column 7: a line 'rules' has no 'pace'="},
        {both + "rules spread=1e999",
         "line 3, column 14: spread '1e999' is out of range; 0 to 1000000000 can be meant"},
    };
    for (const auto& [text, error] : cases) EXPECT_EQ(error_of(text), error) << text;
}

TEST(PlacementFile, IsWrittenAsItIsRead) {
    const std::string text =
        "rules spread=0.1 ageing=1\nsystem a cores=4 cost=1.25\nsystem b cores=0 cost=0\n"
        "application x ranks=2 priority=3 move=0.5 age=7\nruns x a ranks=1\nruns x b ranks=2\n"
        "application y ranks=1 priority=1 move=0 age=0\n";
    EXPECT_EQ(placement_text(*read_placement(text)), text);
}

TEST(PlacementFile, AnyBytesAreReadOrRefused) {
    EXPECT_TRUE(drom::test::holds("no crash", [] {
        const auto words = *rc::gen::container<std::vector<std::string>>(
            rc::gen::oneOf(rc::gen::element<std::string>("rules", "system", "application", "runs", "a", "b", "\n",
                                                         "cores=4", "ranks=1", "cost=", "=", "priority=1", "#"),
                           rc::gen::arbitrary<std::string>()));
        std::string text;
        for (const std::string& word : words) text += word + ' ';
        const auto file = read_placement(text);
        if (file) RC_ASSERT(placement_text(*read_placement(placement_text(*file))) == placement_text(*file));
        if (!file) RC_ASSERT(file.error().starts_with("line ") || file.error().starts_with("there is no line"));
    }));
}

}  // namespace
