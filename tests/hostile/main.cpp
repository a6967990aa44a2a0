// SPDX-License-Identifier: BSD-3-Clause
// main.cpp - the suites hostile and liveness, under a watchdog; each ends with a line that tells how many tests ran.
//
//   hostile_tests [hostile|liveness] [--gtest_...]
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "watchdog_per_test.hpp"

namespace {

// ThreadSanitizer looks for races of threads. These tests hold processes of one thread at each system call, or count
// processes, and take three quarters of the suite's time there.
#ifdef __SANITIZE_THREAD__
constexpr const char* kOfProcesses = ":*HeldUp*:*ProcessChain*";
#else
constexpr const char* kOfProcesses = "";
#endif

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const std::string suite = argc > 1 ? argv[1] : "";
    const std::string liveness = "ProcessLiveness.*:ClientLiveness.*:TimeNamespace.*";
    if (suite == "liveness") GTEST_FLAG_SET(filter, liveness);
    if (suite == "hostile") GTEST_FLAG_SET(filter, "-" + liveness + kOfProcesses);
    const int result = drom::test::run_all_tests(300);
    const auto& all = *testing::UnitTest::GetInstance();
    std::printf("%s: %d cases, %d failed, %d skipped\n", suite.empty() ? "hostile and liveness" : suite.c_str(),
                all.test_to_run_count(), all.failed_test_count(), all.skipped_test_count());
    return result;
}
