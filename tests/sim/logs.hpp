// SPDX-License-Identifier: BSD-3-Clause
// logs.hpp - tests that need the real logs, which are no part of this repository: beside a source tree without them
// they are left out, aloud.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>

/// Leaves the test. Unlike packages, the logs cannot be installed, so that this is no failure anywhere; scripts/test.sh
/// says it, too.
#define NEEDS_LOGS(path) \
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "SKIPPED: the workload logs are not in " << (path)
