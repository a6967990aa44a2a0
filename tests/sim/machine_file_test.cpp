// SPDX-License-Identifier: BSD-3-Clause
// machine_file_test.cpp - files of machines and applications: what they mean, and the place of every mistake.
#include "workload/machine_file.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "logs.hpp"
#include "property.hpp"
#include "thesis_energy.hpp"

namespace {

using namespace drom::sim;
using drom::policy::Application;
using drom::policy::Coefficients;
using drom::policy::NodeModel;
using drom::policy::Signature;

const std::string kMachine =
    "# two partitions\n"
    "partition fast\n  nodes 4\n  cores 48\n  nominal 2.7\n  idle 100\n"
    "  state 1.2  1 2 3 4 5 6\n  state 2.7  1 0 0 1 0 0   # nominal\n"
    "partition slow\n  nodes 2\n  cores 40\n  idle 80\n  nominal 2.4\n  curve 0.475 2.4\n  state 1.0\n  state 2.4\n";

std::vector<PartitionFile> machine(const std::string& text = kMachine) {
    auto read = read_machine_text(text, "m");
    EXPECT_TRUE(read.has_value()) << (read ? "" : read.error());
    return read ? std::move(*read) : std::vector<PartitionFile>{};
}

bool same(const Coefficients& a, const Coefficients& b) {
    return a.a == b.a && a.b == b.b && a.c == b.c && a.d == b.d && a.e == b.e && a.f == b.f;
}

void expect_same(const NodeModel& read, const NodeModel& wanted) {
    EXPECT_EQ(read.nominal, wanted.nominal);
    ASSERT_EQ(read.states.size(), wanted.states.size());
    for (std::size_t i = 0; i < read.states.size(); ++i) {
        EXPECT_EQ(read.states[i].ghz, wanted.states[i].ghz);
        EXPECT_TRUE(same(read.states[i].from_nominal, wanted.states[i].from_nominal)) << read.states[i].ghz;
    }
}

void expect_same(const Signature& read, const Signature& wanted) {
    EXPECT_EQ(read.seconds, wanted.seconds);
    EXPECT_EQ(read.watts, wanted.watts);
    EXPECT_EQ(read.cpi, wanted.cpi);
    EXPECT_EQ(read.tpi, wanted.tpi);
    EXPECT_EQ(read.slope, wanted.slope);
}

TEST(MachineFile, IsRead) {
    const auto partitions = machine();
    ASSERT_EQ(partitions.size(), 2U);
    EXPECT_EQ(partitions[0].name, "fast");
    EXPECT_EQ(partitions[0].nodes, 4);
    EXPECT_EQ(partitions[0].cores_per_node, 48);
    EXPECT_EQ(partitions[0].node.idle_watts, 100);
    EXPECT_EQ(partitions[0].node.nominal_ghz(), 2.7);
    EXPECT_TRUE(same(partitions[0].node.states[0].from_nominal, {1, 2, 3, 4, 5, 6}));
    EXPECT_FALSE(partitions[0].node.curve);
    ASSERT_TRUE(partitions[1].node.curve);
    EXPECT_EQ(partitions[1].node.curve->exponent, 2.4);
}

TEST(MachineFile, EveryMistakeHasItsPlace) {
    const std::string fast = "partition p\n nodes 4\n cores 2\n nominal 2\n idle 1\n";
    const std::pair<std::string, const char*> rows[] = {
        {"", "line 1, column 1: there is no partition"},
        {"# nothing\n", "line 1, column 1: there is no partition"},
        {"nodes 4\n", "line 1, column 1: a line `partition NAME` has to come first"},
        {"partition\n", "line 1, column 10: the name of the partition is missing"},
        {"partition p\n colour red\n",
         "line 2, column 2: 'colour' is no keyword; there are partition, nodes, cores, nominal, idle, curve and state"},
        {"partition p\n nodes\n", "line 2, column 7: a number of nodes is missing"},
        {"partition p\n nodes many\n", "line 2, column 8: 'many' where a number of nodes should be"},
        {"partition p\n nodes 0\n",
         "line 2, column 8: 0 is out of range for a number of nodes; 1 to 1000000 can be meant"},
        {"partition p\n nodes 4 5\n", "line 2, column 10: '5' is one word too many"},
        {"partition p\n nodes 4\n nodes 5\n", "line 3, column 2: nodes is given twice"},
        {"partition p\n nodes 4\n", "line 2, column 9: partition p ends without a line `cores`"},
        {fast, "line 5, column 8: partition p ends without a line `state`"},
        {fast + " state 2 1 0 0 1 0\n", "line 6, column 19: a coefficient (A B C D E F) is missing"},
        {fast + " state 2 1 0 0 1 0 nan\n", "line 6, column 20: 'nan' where a coefficient (A B C D E F) should be"},
        {fast + " state 1 1 0 0 1 0 0\n", "line 6, column 21: partition p has no state of its nominal 2 GHz"},
        {fast + " curve 0.5 2\n state 2\n state 1\n",
         "line 8, column 8: 1 GHz is not above the state before; states are ascending"},
        {fast + " state 2 1 0 0 1 0 0\n curve 0.5 2\n", "line 7, column 2: the curve has to come before the states"},
        {fast + " curve 0.5 2\n state 2 1\n", "line 7, column 10: '1' is one word too many"},
        {fast + " curve 0.5 2\n state 2\npartition p\n", "line 8, column 11: there is a partition 'p' already"},
    };
    for (const auto& [text, complaint] : rows) {
        const auto read = read_machine_text(text, "site.machine");
        ASSERT_FALSE(read.has_value()) << text;
        EXPECT_EQ(read.error(), std::string("drom-sim: read site.machine: ") + complaint) << text;
    }
}

const std::string kFast = " on fast seconds 50 watts 300 cpi 0.5 tpi 3\n";
const std::string kOnFast = "app 1 lu\n" + kFast;
const std::string kLarger = kOnFast + " nodes 4\n" + kFast;

TEST(ApplicationTable, IsRead) {
    const auto table = read_application_text(
        kOnFast + " on slow seconds 60 watts 200 slope 4.5\n on gone seconds 1 watts 1 slope 1\n", "a", machine());
    ASSERT_TRUE(table.has_value()) << table.error();
    ASSERT_EQ(table->applications.size(), 1U);
    const Application& lu = table->applications[0];
    EXPECT_EQ(lu.number, 1);
    EXPECT_EQ(lu.name, "lu");
    expect_same(*lu.on[0], {50, 300, 0.5, 3, 0});
    expect_same(*lu.on[1], {60, 200, 0, 0, 4.5});
    EXPECT_EQ(table->elsewhere, std::vector<std::string>{"gone"});
}

TEST(ApplicationTable, HasLinesForLargerJobs) {
    const std::string slow = " on slow seconds 60 watts 200 slope 4.5\n";
    const auto table = read_application_text(
        kOnFast + slow + " nodes 4\n on fast seconds 20 watts 310 cpi 0.5 tpi 3\n" + slow + " nodes 9\n" + slow + kFast,
        "a", machine());
    ASSERT_TRUE(table.has_value()) << table.error();
    const Application& lu = table->applications[0];
    ASSERT_EQ(lu.larger.size(), 2U);
    EXPECT_EQ(&lu.on_with(1), &lu.on);
    EXPECT_EQ(&lu.on_with(3), &lu.on);
    EXPECT_EQ(&lu.on_with(8), &lu.larger[0].on);
    EXPECT_EQ(&lu.on_with(99), &lu.larger[1].on);
    expect_same(*lu.larger[0].on[0], {20, 310, 0.5, 3, 0});
    expect_same(*lu.larger[1].on[1], {60, 200, 0, 0, 4.5});
}

TEST(ApplicationTable, EveryMistakeHasItsPlace) {
    const std::pair<std::string, const char*> rows[] = {
        {"", "line 1, column 1: there is no application"},
        {"on fast\n", "line 1, column 1: a line `app NUMBER NAME` has to come first"},
        {"apps 1 x\n", "line 1, column 1: 'apps' is no keyword; there are app, on and nodes"},
        {"nodes 2\n", "line 1, column 1: a line `app NUMBER NAME` has to come first"},
        {"app 1 lu\n nodes 2\n",
         "line 2, column 2: application 1 ends without a line about fast, which requested times are for"},
        {kOnFast + " nodes 1\n",
         "line 3, column 8: 1 is out of range for a number of nodes; 2 to 1000000 can be meant"},
        {kLarger + " nodes 4\n" + kFast, "line 5, column 8: 4 is not above the 4 before; sizes are ascending"},
        {kLarger + "app 2 ep\n" + kFast + "nodes 9\n",
         "line 7, column 8: application 2 ends without a line about fast, which requested times are for"},
        {kLarger + " on slow seconds 60 watts 200 slope 4.5\n",
         "line 5, column 40: application 1 has a line about slow at some sizes only; it needs one at each"},
        {kLarger + kFast, "line 5, column 5: 'fast' is given twice"},
        {"app x lu\n", "line 1, column 5: 'x' where the application's number should be"},
        {"app 1\n", "line 1, column 6: the application's name is missing"},
        {"app 1 lu\n", "line 1, column 9: application 1 ends without a line about fast, which requested times are for"},
        {kOnFast + "app 1 ep\n", "line 3, column 5: there is an application 1 already"},
        {kOnFast + " on fast seconds 50\n", "line 3, column 5: 'fast' is given twice"},
        {"app 1 lu\n on fast time 5\n", "line 2, column 10: 'time' where `seconds` should be"},
        {"app 1 lu\n on fast seconds 0 watts 3\n",
         "line 2, column 18: 0 is out of range for a time in seconds; 1e-09 to 1000000000 can be meant"},
        {"app 1 lu\n on fast seconds 5 watts 3 slope 1\n",
         "line 2, column 28: partition 'fast' has coefficients: its applications have cpi and tpi"},
        {kOnFast + " on slow seconds 5 watts 3 cpi 1 tpi 1\n",
         "line 3, column 28: partition 'slow' has a curve: its applications have a slope"},
        {"app 1 lu\n on fast seconds 50 watts 99 cpi 0.5 tpi 3\n",
         "line 2, column 42: application 1 would take 99.0 W on fast at 2.7 GHz, less than the 100 W of an idle node"},
        {kOnFast + " on slow seconds 60 watts 100 slope 4.5\n",
         "line 3, column 37: application 1 would take 53.9 W on slow at 1 GHz, less than the 80 W of an idle node"},
        {"app 1 lu\n on fast seconds 5 watts 3 cpi 1\n", "line 2, column 33: transactions per instruction is missing"},
    };
    for (const auto& [text, complaint] : rows) {
        const auto read = read_application_text(text, "site.apps", machine());
        ASSERT_FALSE(read.has_value()) << text;
        EXPECT_EQ(read.error(), std::string("drom-sim: read site.apps: ") + complaint) << text;
    }
}

TEST(ApplicationTable, AStateOfNegativePowerOrTimeIsRefusedAndNotLeftOut) {
    for (const char* state : {"1 0 -500 1 0 0", "1 0 0 1 0 -9"}) {
        std::string text = kMachine;
        text.replace(text.find("1 2 3 4 5 6"), 11, state);
        const auto read = read_application_text(kOnFast, "a", machine(text));
        ASSERT_FALSE(read.has_value()) << state;
        EXPECT_EQ(read.error(),
                  "drom-sim: read a: line 2, column 43: application 1 would take no time or no power on "
                  "fast at 1.2 GHz");
    }
}

TEST(MachineFile, NoTextMakesTheReadersFail) {
    EXPECT_TRUE(drom::test::holds("any words", [] {
        const std::vector<std::string> words = {"partition", "nodes", "state", "curve", "nominal", "app",  "on",
                                                "seconds",   "watts", "cpi",   "1",     "2.4",     "-1e9", "\n"};
        std::string text;
        for (int i = *rc::gen::inRange(0, 30); i > 0; --i) text += *rc::gen::elementOf(words) + ' ';
        const auto read = read_machine_text(text, "m");
        RC_ASSERT(read || read.error().starts_with("drom-sim: read m: line "));
        const auto table = read_application_text(text, "a", machine());
        RC_ASSERT(table || table.error().starts_with("drom-sim: read a: line "));
    }));
}

TEST(MachineFile, FilesThatAreNotThereAreRefused) {
    EXPECT_FALSE(read_machine_file("/no/such/file"));
    EXPECT_FALSE(read_application_file("/no/such/file", machine()));
}

// ---- the files of the thesis -----------------------------------------------------------------------------------

TEST(ThesisFiles, AreTheModelOfTheUnitTests) {
    for (const bool third : {false, true}) {
        const auto partitions =
            read_machine_file(std::string(EXAMPLES) + (third ? "/energy/p1-p3" : "/energy/p1-p2") + ".machine");
        ASSERT_TRUE(partitions) << partitions.error();
        const auto table = read_application_file(EXAMPLES "/energy/thesis.apps", *partitions);
        ASSERT_TRUE(table) << table.error();
        const auto model = drom::test::thesis_model(third);
        for (std::size_t p = 0; p < 2; ++p) expect_same((*partitions)[p].node, model.partitions[p]);
        ASSERT_EQ(table->applications.size(), 8U);
        for (std::size_t a = 0; a < 8; ++a)
            for (std::size_t p = 0; p < 2; ++p)
                expect_same(*table->applications[a].on[p], *model.applications[a].on[p]);
    }
}

/// Returns the rows of a published table that predict from its last state, as lines of a machine file.
std::string states_of(const std::string& path, int states, int lowest_tenths) {
    std::ifstream file(path);
    std::ostringstream text;
    std::string line;
    for (int row = 0; std::getline(file, line) && row < states * states; ++row) {
        double k[6];
        std::istringstream words(line);
        for (double& one : k) words >> one;
        if (row < (states - 1) * states || std::ranges::all_of(k, [](double one) { return one == 0; })) continue;
        text << "state " << (lowest_tenths + row % states) / 10.0 << ' ' << line << '\n';
    }
    return text.str();
}

TEST(ThesisFiles, AreThePublishedTables) {
    NEEDS_LOGS(WORKLOADS);
    const std::string folder = std::string(WORKLOADS) + "/energy/";
    const std::string lines = "\nnodes 512\ncores 48\nidle 100\nnominal ";
    const auto published = machine("partition p1" + lines + "2.7\n" + states_of(folder + "normal.energy", 16, 12) +
                                   "partition p2" + lines + "3.1\n" + states_of(folder + "normal2.energy", 20, 12));
    const auto shipped = read_machine_file(EXAMPLES "/energy/p1-p2.machine");
    ASSERT_TRUE(shipped) << shipped.error();
    for (std::size_t p = 0; p < 2; ++p) expect_same((*shipped)[p].node, published[p].node);

    const auto table = read_application_file(EXAMPLES "/energy/thesis.apps", *shipped);
    ASSERT_TRUE(table) << table.error();
    std::ifstream apps(folder + "apps");
    int count = 0, number = 0, partition = 0, fields = 0, rows = 0;
    Signature profile;
    apps >> count;
    for (; apps >> number >> partition >> fields >> profile.seconds >> profile.watts >> profile.cpi >> profile.tpi;
         ++rows)
        expect_same(*table->applications[static_cast<std::size_t>(number - 1)].on[static_cast<std::size_t>(partition)],
                    profile);
    EXPECT_EQ(rows, 2 * count);
}

}  // namespace
