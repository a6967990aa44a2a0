// SPDX-License-Identifier: BSD-3-Clause
// options_test.cpp - drom_options and the statuses: checked, filled in, named.
#include <cstring>
#include <set>
#include <string>

#include "admin/options.hpp"
#include "base/error.hpp"
#include "drom/drom.h"
#include "property.hpp"

namespace {

using namespace drom;
using drom::test::holds;

constexpr uint64_t kAllowed = DROM_TAKE | DROM_RETURN | DROM_WAIT_RELEASED;

TEST(Options, NothingMeansTheDefaults) {
    Options out;
    drom_error error{};
    ASSERT_EQ(read_options(nullptr, 0, "test", out, &error), DROM_OK);
    EXPECT_EQ(out.flags, 0U);
    EXPECT_EQ(out.timeout_ms, 1000U);
    EXPECT_EQ(out.grace_ms, 20U);
    drom_options zero{};
    zero.size = sizeof zero;
    ASSERT_EQ(read_options(&zero, 0, "test", out, &error), DROM_OK);
    EXPECT_EQ(out.timeout_ms, 1000U);
}

TEST(Options, GraceAtOnceIsZeroMilliseconds) {
    Options out;
    drom_options options{};
    options.size = sizeof options;
    options.grace_ms = DROM_GRACE_AT_ONCE;
    ASSERT_EQ(read_options(&options, 0, "test", out, nullptr), DROM_OK);
    EXPECT_EQ(out.grace_ms, 0U);
    EXPECT_FALSE(out.has(DROM_NEVER_CONFINE));
    options.grace_ms = 77;
    ASSERT_EQ(read_options(&options, 0, "test", out, nullptr), DROM_OK);
    EXPECT_EQ(out.grace_ms, 77U);
}

TEST(Options, ABitThatIsNotAllowedIsRefusedAndNamed) {
    EXPECT_TRUE(holds("flags", [] {
        drom_options options{};
        options.size = sizeof options;
        options.flags = uint64_t{1} << *rc::gen::inRange(0, 64);
        options.flags |= uint64_t{1} << *rc::gen::inRange(0, 64);
        Options out;
        drom_error error{};
        const int status = read_options(&options, kAllowed, "test", out, &error);
        RC_ASSERT((status == DROM_OK) == ((options.flags & ~kAllowed) == 0));
        if (status == DROM_OK) {
            RC_ASSERT(out.flags == options.flags);
            return;
        }
        char bits[32];
        std::snprintf(bits, sizeof bits, "0x%llx", static_cast<unsigned long long>(options.flags & ~kAllowed));
        RC_ASSERT(status == DROM_E_INVAL && error.status == status);
        RC_ASSERT(std::string(error.text).find(bits) != std::string::npos);
    }));
}

TEST(Options, AWrongSizeIsRefused) {
    EXPECT_TRUE(holds("size", [] {
        drom_options options{};
        options.size = *rc::gen::inRange<size_t>(0, 2 * sizeof options);
        Options out;
        const bool fine = options.size >= offsetof(drom_options, reserved) && options.size <= sizeof options;
        RC_ASSERT((read_options(&options, 0, "test", out, nullptr) == DROM_OK) == fine);
    }));
}

TEST(Status, EveryOneHasAName) {
    std::set<std::string> names;
    for (int status = DROM_E_NOINIT; status <= DROM_UNCHANGED; ++status) {
        EXPECT_TRUE(names.insert(drom_status_name(status)).second) << status;
        EXPECT_EQ(std::strncmp(drom_status_name(status), "DROM_", 5), 0) << status;
        EXPECT_EQ(std::strncmp(drom_status_name(status), "DROM_E_", 7) == 0, status < 0) << status;
        EXPECT_GT(std::strlen(drom_status_text(status)), 3U);
    }
    EXPECT_STREQ(drom_status_name(DROM_E_BUSY), "DROM_E_BUSY");
    EXPECT_STREQ(drom_status_name(-12345), "DROM_E_?");
    EXPECT_NE(drom_status_text(12345), nullptr);
}

TEST(Status, ASentenceThatIsTooLongIsCut) {
    EXPECT_TRUE(holds("cut", [] {
        const std::string text(*rc::gen::inRange<size_t>(0, 600), 'x');
        drom_error error{};
        RC_ASSERT(fail(&error, DROM_E_OS, "%s", text.c_str()) == DROM_E_OS);
        RC_ASSERT(std::string(error.text) == text.substr(0, sizeof error.text - 1));
        RC_ASSERT(succeed(&error) == DROM_OK);
        RC_ASSERT(error.text[0] == '\0' && error.status == DROM_OK);
        RC_ASSERT(fail(nullptr, DROM_E_OS, "%s", text.c_str()) == DROM_E_OS);
    }));
}

}  // namespace
