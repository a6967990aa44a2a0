// SPDX-License-Identifier: BSD-3-Clause
// number_text_test.cpp - texts that are numbers, and texts that only begin with one.
#include "base/number_text.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "property.hpp"

namespace {

using drom::is_number;
using drom::parse_number;

TEST(NumberText, IsTheWholeTextOrNone) {
    for (const char* text : {"", " 7", "7 ", "+7", "7x", "x7", "7.0", "7,", "-"}) {
        int value = 3;
        EXPECT_EQ(parse_number(text, value), std::errc::invalid_argument) << text;
        EXPECT_EQ(value, 3) << text;
    }
    int value = 3;
    EXPECT_TRUE(is_number("-7", value));
    EXPECT_EQ(value, -7);
}

TEST(NumberText, ThatDoesNotFitIsNotTakenForAWord) {
    unsigned char small = 3;
    EXPECT_EQ(parse_number("256", small), std::errc::result_out_of_range);
    EXPECT_EQ(parse_number("256x", small), std::errc::invalid_argument);
    EXPECT_EQ(parse_number("-1", small), std::errc::invalid_argument);
    EXPECT_FALSE(is_number("256", small));
    EXPECT_EQ(small, 3);
    double real = 3;
    EXPECT_EQ(parse_number("1e999", real), std::errc::result_out_of_range);
    EXPECT_EQ(real, 3);
}

TEST(NumberText, ReadsBackWhatWasWritten) {
    EXPECT_TRUE(drom::test::holds("read back", [] {
        const auto value = *rc::gen::arbitrary<std::int64_t>();
        std::int64_t read = 0;
        RC_ASSERT(is_number(std::to_string(value), read));
        RC_ASSERT(read == value);
    }));
}

}  // namespace
