// SPDX-License-Identifier: BSD-3-Clause
// counting_test.cpp - says at the end how many generated cases each suite ran.
#include "property.hpp"

namespace {

class Count final : public testing::Environment {
    void TearDown() override {
        unsigned long sum = 0;
        for (const auto& [suite, cases] : drom::test::cases_of_suites()) {
            printf("unit: %-12s %8lu generated cases\n", suite.c_str(), cases);
            sum += cases;
        }
        printf("unit: %-12s %8lu generated cases\n", "all", sum);
    }
};

const auto* const registered = testing::AddGlobalTestEnvironment(new Count);

}  // namespace
