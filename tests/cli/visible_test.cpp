// SPDX-License-Identifier: BSD-3-Clause
// visible_test.cpp - what of a name from outside reaches a person's terminal.
#include "text/visible.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using drom::beginning_of, drom::columns_of_text, drom::visible, drom::visible_field;

TEST(Visible, ANameDoesNotTalkToTheTerminal) {
    EXPECT_EQ(visible("\033[31mEV\007\n\t"), "?[31mEV???");
    EXPECT_EQ(visible("a\x7f"), "a?");
    EXPECT_EQ(visible("a\xc2\x9b"
                      "31m"),
              "a?31m")
        << "CSI in one character";
    EXPECT_EQ(visible("\xc2\x80\xc2\x9f\xc2\xa0"), "??\xc2\xa0");
    EXPECT_EQ(visible(std::string("a\0b", 3)), "a?b");
}

TEST(Visible, ANameDoesNotTurnTheTextAround) {
    EXPECT_EQ(visible("a\u202eb\u202ac"), "a?b?c");
    EXPECT_EQ(visible("\u2066\u2069\u200e\u200f\u061c"), "?????");
    EXPECT_EQ(visible("a\u2028b"), "a?b") << "a line separator";
}

TEST(Visible, BytesThatAreNoUtf8AreNotShown) {
    EXPECT_EQ(visible("\x9b"), "?");
    EXPECT_EQ(visible("M\xfcller"), "M?ller");
    EXPECT_EQ(visible("\xc3"), "?") << "cut";
    EXPECT_EQ(visible("\xe6\x97"), "??") << "cut";
    EXPECT_EQ(visible("\xc0\x9b"), "??") << "overlong";
    EXPECT_EQ(visible("\xe0\x82\x9b"), "???") << "overlong";
    EXPECT_EQ(visible("\xed\xa0\x80"), "???") << "half of a pair";
    EXPECT_EQ(visible("\xf4\x90\x80\x80"), "????") << "beyond the last character";
}

TEST(Visible, OrdinaryNamesStay) {
    for (const char* name : {"", "render", "Müller", "日本", "a b", "🙂", "?"}) EXPECT_EQ(visible(name), name);
}

TEST(Visible, WideCharactersTakeTwoColumnsOfATable) {
    EXPECT_EQ(visible_field("render", 8), "render  ");
    EXPECT_EQ(visible_field("render", 6), "render");
    EXPECT_EQ(visible_field("render", 5), "rend+");
    EXPECT_EQ(visible_field("Müller", 8), "Müller  ");
    EXPECT_EQ(visible_field("日本語", 8), "日本語  ");
    EXPECT_EQ(visible_field("日本語", 6), "日本語");
    EXPECT_EQ(visible_field("日本語", 5), "日本+");
    EXPECT_EQ(visible_field("日本語", 4), "日+ ") << "half of a character is not shown";
    EXPECT_EQ(visible_field("🙂x", 4), "🙂x ");
    EXPECT_EQ(visible_field("日", 1), "+");
    EXPECT_EQ(visible_field("", 2), "  ");
    EXPECT_EQ(columns_of_text("a日ü"), 4U);
    EXPECT_EQ(beginning_of("a日b", 2), "a");
    EXPECT_EQ(beginning_of("a日b", 3), "a日");
}

}  // namespace
