// SPDX-License-Identifier: BSD-3-Clause
// wrapped_test.cpp - help pages on narrow terminals.
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "text/wrapped.hpp"

namespace {

using drom::wrapped;

TEST(Wrapped, WhatFitsStaysAsItIs) {
    const std::string page = "Usage: drom\n\n  -h   help\n  --json  one object\n";
    EXPECT_EQ(wrapped(page, 80), page);
}

TEST(Wrapped, ASentenceGoesOnBelowItsBeginning) {
    EXPECT_EQ(wrapped("  one two three four five six seven eight nine\n", 40),
              "  one two three four five six seven\n  eight nine\n");
    EXPECT_EQ(wrapped("one two three four five six seven eight nine ten\n", 40),
              "one two three four five six seven eight\n    nine ten\n");
}

TEST(Wrapped, TheTextOfAListStaysInItsColumn) {
    EXPECT_EQ(wrapped("  --json  one object instead of text for programs\n", 40),
              "  --json  one object instead of text for\n          programs\n");
}

TEST(Wrapped, AFirstColumnThatIsTooLongIsBrokenLikeItsNeighbours) {
    EXPECT_EQ(wrapped("  -q  quiet\n  --a-very-long-option for all of it, whatever it is\n", 40),
              "  -q  quiet\n  --a-very-long-option for all of it,\n      whatever it is\n");
}

TEST(Wrapped, ACommandIsBrokenAsAShellTakesIt) {
    EXPECT_EQ(wrapped("  drom run --ncpus 1 --max 8 --name render -- ./render\n", 40),
              "  drom run --ncpus 1 --max 8 --name \\\n      render -- ./render\n");
    // Not inside quotes, where the backslash would be a part of the word.
    EXPECT_EQ(wrapped("  drom verify --check 'grep -q energy of it' -- ./simulation\n", 40),
              "  drom verify --check \\\n      'grep -q energy of it' -- \\\n      ./simulation\n");
}

TEST(Wrapped, ACommentStaysAComment) {
    EXPECT_EQ(wrapped("  drom list    # who has what, and why it is so\n", 40),
              "  drom list    # who has what, and why\n               # it is so\n");
    EXPECT_EQ(wrapped("  drom run --ncpus 1 -- ./analytics  # one CPU\n", 40),
              "  drom run --ncpus 1 -- ./analytics\n      # one CPU\n");
}

TEST(Wrapped, AWordThatIsWiderThanThePageStaysWhole) {
    const std::string word(60, 'x');
    EXPECT_EQ(wrapped("  a " + word + " b\n", 40), "  a\n  " + word + "\n  b\n");
}

}  // namespace
