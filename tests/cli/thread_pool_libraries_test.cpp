// SPDX-License-Identifier: BSD-3-Clause
// thread_pool_libraries_test.cpp - libraries with threads of their own, recognised in what a process has mapped.
#include "program/thread_pool_libraries.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using drom::command::pools_in;
using Names = std::vector<std::string>;

std::string mapped(const std::string& path) { return "7f00-7f01 r-xp 00000000 08:01 42    " + path + "\n"; }

TEST(Pools, ALibraryIsNamedOnceHoweverOftenItIsMapped) {
    const std::string tbb = mapped("/usr/lib/x86_64-linux-gnu/libtbb.so.12.8");
    EXPECT_EQ(pools_in(tbb + mapped("[heap]") + tbb), Names{"oneTBB"});
    const std::string blas = mapped("/opt/a/libopenblasp-r0.3.21.so") + mapped("/opt/b/libopenblas.so.0");
    EXPECT_EQ(pools_in(blas), Names{"OpenBLAS"});
}

TEST(Pools, ThoseThatPythonsWheelsBringAlongAreKnown) {
    EXPECT_EQ(pools_in(mapped("/venv/numpy.libs/libscipy_openblas64_-ff651d7f.so")), Names{"OpenBLAS"});
    EXPECT_EQ(pools_in(mapped("/venv/numpy.libs/libopenblas64_p-r0-0cf96a72.3.23.dev.so")), Names{"OpenBLAS"});
    EXPECT_EQ(pools_in(mapped("/venv/lib/libtbb-1234abcd.so.12.8")), Names{"oneTBB"});
}

TEST(Pools, WhatMayBeBuiltForOpenMpIsLeftToThatWhereItIs) {
    const std::string blis = mapped("/usr/lib/blis-openmp/libblis.so.4");
    EXPECT_EQ(pools_in(blis), Names{"BLIS"});
    EXPECT_EQ(pools_in(blis + mapped("/usr/lib/libgomp.so.1.0.0")), Names{});
    EXPECT_EQ(pools_in(blis + mapped("/usr/lib/libomp.so.5") + mapped("/usr/lib/libtbb.so.12")), Names{"oneTBB"});
}

TEST(Pools, OfTwoBuildsWithOneFileNameTheFolderTells) {
    const std::string gomp = mapped("/usr/lib/libgomp.so.1.0.0");
    const std::string openmp = mapped("/usr/lib/openblas-openmp/libopenblasp-r0.3.21.so");
    const std::string pthread = mapped("/usr/lib/openblas-pthread/libopenblasp-r0.3.21.so");
    EXPECT_EQ(pools_in(gomp + openmp), Names{});
    EXPECT_EQ(pools_in(gomp + pthread), Names{"OpenBLAS"});
    EXPECT_EQ(pools_in(gomp + openmp + pthread), Names{"OpenBLAS"});
}

TEST(Pools, OtherFilesAreNone) {
    EXPECT_EQ(pools_in(""), Names{});
    EXPECT_EQ(pools_in("7f00-7f01 rw-p 00000000 00:00 0"), Names{});
    EXPECT_EQ(pools_in(mapped("/opt/libtbb.so/program") + mapped("/usr/lib/libtbbmalloc.so.2")), Names{});
}

}  // namespace
