// SPDX-License-Identifier: BSD-3-Clause
// top_screen_test.cpp - the screen of drom top says the same without colour, and fits every terminal.
#include "output/top_screen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "verbs/top_rows.hpp"

namespace drom::command {

namespace {

std::string text_of(const std::vector<ScreenLine>& lines) {
    std::string text;
    for (const ScreenLine& line : lines) {
        std::string whole;
        for (const Span& span : line) whole += span.text;
        whole.resize(whole.find_last_not_of(' ') + 1);
        text += whole + '\n';
    }
    return text;
}

size_t characters(const std::string& text) {
    return static_cast<size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0U) != 0x80; }));
}

TopRow row(uint32_t slot, const char* name, const CpuSet& owned, double busy, std::optional<double> useful) {
    TopRow row;
    row.slot = slot;
    row.pid = static_cast<pid_t>(1000 + slot);
    row.name = name;
    row.owned = owned;
    row.busy = busy;
    row.efficiency = useful;
    if (useful) row.mpi = 0.25;
    row.waited = 0.01;
    row.request = slot == 0 ? "released" : "-> 1 12s";
    return row;
}

/// Returns a node of two packages; in each two caches of two cores with two CPUs.
TopNode small_node() {
    TopNode node;
    for (unsigned cpu = 0; cpu < 16; ++cpu) {
        const unsigned core = cpu % 8;
        node.present.add(cpu);
        node.locations.push_back({static_cast<uint16_t>(core), static_cast<uint16_t>(core / 2),
                                  static_cast<uint16_t>(core / 4), static_cast<uint16_t>(core / 4)});
    }
    node.drained.add(15);
    return node;
}

TopFrame two_clients() {
    return {"n012", 2, {row(0, "heat", CpuSet{0, 8, 1, 9}, 0.875, 0.5), row(27, "render", CpuSet{4, 12}, 0.25, {})}};
}

}  // namespace

TEST(TopScreen, CpusThatShareACoreStandSideBySide) {
    EXPECT_EQ(text_of(top_screen(two_clients(), small_node(), {}, 80, 9)),
              R"(n012: 2 clients, seen for 2.0 s
package 0 numa 0  AAAA ....
package 1 numa 1  bb.. ...x

        PID NAME             CPUS  BUSY         USEFUL     MPI WAITED  REQUEST
A      1000 heat                4  ######mmm==.  50.0%   25.0%   1.0%  released
b      1027 render              2  ===.........      -       -   1.0%  -> 1 12s

q quit  j/k select  s sort  + one CPU more  - one less  e explain  ? help
)");
}

TEST(TopScreen, FitsEveryTerminal) {
    TopFrame frame = two_clients();
    for (uint32_t slot = 40; slot < 90; ++slot)
        frame.rows.push_back(row(slot, "a name with \303\244 letters, and longer", {}, 9, 9));
    TopView view;
    view.message =
        "a message that is longer than many a terminal is wide, so that it needs several lines below the table";
    for (size_t width = 1; width < 130; width += 3) {
        for (size_t height = 1; height < 40; height += 2) {
            const auto lines = top_screen(frame, small_node(), view, width, height);
            EXPECT_LE(lines.size(), height);
            for (const ScreenLine& line : lines) EXPECT_LE(characters(text_of({line})) - 1, width) << text_of({line});
        }
    }
}

TEST(TopScreen, TheLineOfTheKeysIsNeverCut) {
    const auto last = [](size_t width) {
        return text_of({top_screen(two_clients(), small_node(), {}, width, 24).back()});
    };
    EXPECT_EQ(last(39), "q quit  ? help\n");
    EXPECT_EQ(last(14), "q quit  ? help\n");
    EXPECT_EQ(last(13), "q quit\n");
    EXPECT_EQ(last(6), "q quit\n");
    EXPECT_EQ(last(5), "q\n");
    for (size_t width = 40; width < 130; ++width) EXPECT_TRUE(last(width).ends_with("help\n")) << width;
}

TEST(TopScreen, TheHelpFitsASmallScreen) {
    for (const size_t width : {27U, 40U, 80U}) {
        const std::string text = text_of(help_screen(width, 24));
        EXPECT_NE(text.find("k  select the one before\n"), std::string::npos) << text;
        EXPECT_TRUE(text.ends_with("x  drained\nany key goes back\n")) << text;
    }
    EXPECT_EQ(text_of(help_screen(3, 2)), "q\nany\n");
}

TEST(TopScreen, TheSelectedClientIsShownAmongManyAndIsTheOnlyInverseOne) {
    TopFrame frame{"n012", 2, {}};
    for (uint32_t slot = 0; slot < 60; ++slot) frame.rows.push_back(row(slot, "heat", {}, 0, 0));
    TopView view;
    view.selected = 47;
    unsigned inverse = 0;
    for (const ScreenLine& line : top_screen(frame, small_node(), view, 80, 24)) {
        const bool is = std::ranges::any_of(line, &Span::inverse);
        inverse += is ? 1U : 0U;
        EXPECT_EQ(is, text_of({line}).find("1047") != std::string::npos);
    }
    EXPECT_EQ(inverse, 1U);
}

TEST(TopScreen, ANodeThatIsWiderThanTheScreenGoesOnBelow) {
    TopNode node;
    node.present = CpuSet::range(0, 128);
    const std::string text = text_of(top_screen({"n", 1, {}}, node, {}, 80, 24));
    EXPECT_EQ(std::ranges::count(text.substr(0, text.find("PID")), '.') - 1, 128) << text;  // "1.0 s" has one, too
    EXPECT_NE(text.find("CPUs  ...."), std::string::npos);
}

TEST(TopScreen, EachOrderHasItsLargestFirst) {
    std::vector<TopRow> rows{row(0, "a", {1}, 0.1, 0.9), row(1, "b", {2, 3}, 0.2, {}), row(2, "c", {}, 0.3, 0.5)};
    rows[1].waited = 0.5;
    const auto first = [&](TopOrder order) { return ordered(rows, order).front().name; };
    EXPECT_EQ(first(TopOrder::kSlot), "a");
    EXPECT_EQ(first(TopOrder::kCpus), "b");
    EXPECT_EQ(first(TopOrder::kBusy), "c");
    EXPECT_EQ(first(TopOrder::kEfficiency), "a");
    EXPECT_EQ(first(TopOrder::kWaited), "b");
    TopOrder order = TopOrder::kSlot;
    for (int i = 0; i < 5; ++i) order = next_order(order);
    EXPECT_EQ(order, TopOrder::kSlot) << "the orders go round";
}

TEST(TopScreen, ARequestThatIsNotReleasedSaysForHowLong) {
    drom_client_info info{};
    EXPECT_EQ(request_text(info, 0), "-");
    info.request_seq = 3;
    info.posted_ns = 1'000'000'000;
    info.wanted_cpus = 2;
    EXPECT_EQ(request_text(info, 13'900'000'000), "-> 2 12s");
    info.released_seq = 3;
    EXPECT_EQ(request_text(info, 13'900'000'000), "released");
    info.confined_seq = 3;
    EXPECT_EQ(request_text(info, 13'900'000'000), "confined");
}

TEST(TopScreen, ALongTextKeepsTheLineThatSaysHowToGoBack) {
    const auto lines = text_screen("one\ntwo\nthree\nfour\n", 40, 3);
    EXPECT_EQ(text_of(lines), "one\ntwo\nany key goes back\n");
}

}  // namespace drom::command
