// SPDX-License-Identifier: BSD-3-Clause
// env_test.cpp - the environment: every variable is in the table, garbage falls back, unknown ones are found.
#include "base/env.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "property.hpp"

namespace {

using namespace drom;
using drom::test::holds;

/// A variable for the length of a test.
struct Set {
    const char* name;
    Set(const char* variable, const char* value) : name(variable) { setenv(name, value, 1); }
    ~Set() { unsetenv(name); }
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;
};

/// Unsets all variables of drom for the length of a test: the environment of the tests may have some, such as
/// DROM_TEST_CASES.
class BlankEnvironment {
public:
    BlankEnvironment() {
        for (char** entry = environ; *entry != nullptr; ++entry)
            if (std::strncmp(*entry, "DROM_", 5) == 0) kept_.emplace_back(*entry);
        for (const auto& entry : kept_) unsetenv(name_of(entry).c_str());
    }
    ~BlankEnvironment() {
        for (const auto& entry : kept_) {
            const std::string name = name_of(entry);
            setenv(name.c_str(), entry.c_str() + std::min(entry.size(), name.size() + 1), 1);
        }
    }
    BlankEnvironment(const BlankEnvironment&) = delete;
    BlankEnvironment& operator=(const BlankEnvironment&) = delete;

private:
    static std::string name_of(const std::string& entry) { return entry.substr(0, entry.find('=')); }
    std::vector<std::string> kept_;
};

TEST(Environment, EveryVariableHasANameADefaultAndASentence) {
    size_t count = 0;
    const env::Variable* table = env::table(count);
    ASSERT_GT(count, 5U);
    std::set<std::string> names;
    for (size_t i = 0; i < count; ++i) {
        EXPECT_EQ(std::strncmp(table[i].name, "DROM_", 5), 0) << table[i].name;
        EXPECT_TRUE(names.insert(table[i].name).second) << table[i].name << " is twice";
        EXPECT_NE(table[i].fallback, nullptr);
        EXPECT_GT(std::strlen(table[i].doc), 8U) << table[i].name;
    }
    EXPECT_TRUE(names.contains("DROM_TABLE"));
    EXPECT_TRUE(names.contains("DROM_DISABLE"));
}

TEST(Environment, AnEmptyVariableIsNone) {
    const BlankEnvironment blank;
    const Set empty("DROM_NAME", "");
    EXPECT_EQ(env::text("DROM_NAME"), nullptr);
    EXPECT_EQ(env::text("DROM_JOB"), nullptr);
}

TEST(Environment, NumbersComeBackAndAnythingElseIsTheDefault) {
    EXPECT_TRUE(holds("numbers", [] {
        const auto value = *rc::gen::inRange(0L, 1L << 40);
        const Set set("DROM_TIMEOUT_MS", std::to_string(value).c_str());
        RC_ASSERT(env::number("DROM_TIMEOUT_MS", -7) == value);
    }));
    for (const char* garbage : {"-1", "1x", "x", "1 ", "99999999999999999999999", "0x10", " "}) {
        const Set set("DROM_TIMEOUT_MS", garbage);
        EXPECT_EQ(env::number("DROM_TIMEOUT_MS", 1000), 1000) << garbage;
    }
}

TEST(Environment, Flags) {
    for (const char* yes : {"1", "yes", "true", "on", "YES", "True"}) {
        const Set set("DROM_ASYNC", yes);
        EXPECT_TRUE(env::flag("DROM_ASYNC", false)) << yes;
    }
    for (const char* no : {"0", "no", "false", "off", "OFF"}) {
        const Set set("DROM_ASYNC", no);
        EXPECT_FALSE(env::flag("DROM_ASYNC", true)) << no;
    }
    const Set garbage("DROM_ASYNC", "perhaps");
    EXPECT_TRUE(env::flag("DROM_ASYNC", true));
    EXPECT_FALSE(env::flag("DROM_ASYNC", false));
}

TEST(Environment, TheGracePeriodIsANumberOrNever) {
    const BlankEnvironment blank;
    EXPECT_EQ(env::grace_ms(), 20U);
    const Set never("DROM_GRACE_MS", "never");
    EXPECT_EQ(env::grace_ms(), env::kGraceNever);
    const Set zero("DROM_GRACE_MS", "0");
    EXPECT_EQ(env::grace_ms(), 0U);
    const Set huge("DROM_GRACE_MS", "4294967296");
    EXPECT_NE(env::grace_ms(), 0U) << "a period beyond 32 bits became \"at once\"";
}

TEST(Environment, AValueThatAVariableCannotHaveIsDescribed) {
    const BlankEnvironment blank;
    char text[256] = "";
    for (const char* good : {"place", "bind", "none"}) {
        const Set set("DROM_PIN", good);
        EXPECT_FALSE(env::wrong_value("DROM_PIN", text, sizeof text)) << good;
    }
    for (const char* bad : {"plac", "places", "Bind", "the", " place", ";"}) {
        const Set set("DROM_PIN", bad);
        EXPECT_TRUE(env::wrong_value("DROM_PIN", text, sizeof text)) << bad;
        EXPECT_EQ(std::string(text),
                  "DROM_PIN=" + std::string(bad) + " is none of place, bind, none; the default holds (place)");
    }
    EXPECT_FALSE(env::wrong_value("DROM_GRACE_MS", text, sizeof text)) << "unset";
    const Set never("DROM_GRACE_MS", "NEVER");
    EXPECT_FALSE(env::wrong_value("DROM_GRACE_MS", text, sizeof text));
    const Set anything("DROM_NAME", "2;$");
    EXPECT_FALSE(env::wrong_value("DROM_NAME", text, sizeof text));
    const Set long_one("DROM_ASYNC", std::string(500, 'x').c_str());
    char small[8] = "";
    EXPECT_TRUE(env::wrong_value("DROM_ASYNC", small, sizeof small));
    EXPECT_STREQ(small, "DROM_AS");
}

}  // namespace
