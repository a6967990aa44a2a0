// SPDX-License-Identifier: BSD-3-Clause
// property.hpp - rapidcheck properties that count their cases, so that "0 failures because nothing ran" is visible.
//
// DROM_TEST_CASES: cases per property. RC_PARAMS (seed=..., reproduce=...) is rapidcheck's own.
#pragma once

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <string>

namespace drom::test {

inline std::map<std::string, unsigned long>& cases_of_suites() {
    static std::map<std::string, unsigned long> cases;
    return cases;
}

/// Returns the cases per property: DROM_TEST_CASES, or 2500.
inline int cases_a_property() {
    const char* text = std::getenv("DROM_TEST_CASES");
    return text != nullptr ? std::atoi(text) : 2500;
}

/// Returns whether `body` holds for every one of `most` generated cases.
template <class Body>
bool holds(const std::string& what, const Body& body, int most = cases_a_property()) {
    unsigned long& cases = cases_of_suites()[testing::UnitTest::GetInstance()->current_test_suite()->name()];
    const auto counted = [&] {
        ++cases;
        body();
    };
    const rc::detail::Configuration& configuration = rc::detail::configuration();
    if (!configuration.reproduce.empty()) return rc::check(what, counted);
    rc::detail::TestParams parameters = configuration.testParams;
    parameters.maxSuccess = most;
    rc::detail::TestMetadata metadata;
    metadata.id = metadata.description = what;
    const auto result = rc::detail::checkTestable(counted, metadata, parameters);
    if (!result.template is<rc::detail::SuccessResult>())
        rc::detail::printResultMessage(result, std::cerr << what << ": ");
    return result.template is<rc::detail::SuccessResult>();
}

}  // namespace drom::test
