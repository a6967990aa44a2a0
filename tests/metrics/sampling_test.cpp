// SPDX-License-Identifier: BSD-3-Clause
// sampling_test.cpp - whose code a sample is in, by maps and records that may be anything, and whose thread.
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "sampling/mapped_objects.hpp"
#include "sampling/process_sampler.hpp"
#include "sampling/thread_event.hpp"

namespace drom::command {

namespace {

constexpr char kMaps[] =
    "00400000-00500000 r-xp 00000000 08:01 11 /opt/my programs/heat\n"
    "00500000-00600000 rw-p 00100000 08:01 11 /opt/my programs/heat\n"
    "7f0000000000-7f0000100000 r-xp 00000000 08:01 12 /usr/lib/libmpi.so.40.30.4\n"
    "7f0000200000-7f0000300000 r-xp 00000000 08:01 13 /usr/lib/libgomp.so.1.0.0\n"
    "7f0000400000-7f0000500000 r-xp 00000000 08:01 14 /usr/lib/libc.so.6\n"
    "7f0000600000-7f0000601000 rwxp 00000000 00:00 0 \n";

constexpr uint64_t kProgram = 0x400100, kMpi = 0x7f0000000100, kOpenMp = 0x7f0000200100, kLibc = 0x7f0000400100;

std::vector<std::byte> bytes_of(const std::vector<uint64_t>& words) {
    std::vector<std::byte> bytes(words.size() * sizeof(uint64_t));
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

}  // namespace

TEST(MappedObjects, AFilesNameSaysWhatItHas) {
    for (const char* name :
         {"/usr/lib/libmpi.so.40", "libmpich.so.12", "/x/openmpi3/mca_btl_vader.so", "libopen-pal.so.40", "libucp.so.0",
          "libpmix.so.2", "libpsm2.so.2", "libfabric.so.1", "libdrom-mpi.so.0"})
        EXPECT_EQ(code_of(name), Code::kMpi) << name;
    for (const char* name : {"libgomp.so.1", "/usr/lib/llvm-14/lib/libomp-14.so.5", "libomp.so.5", "libiomp5.so"})
        EXPECT_EQ(code_of(name), Code::kOpenMp) << name;
    for (const char* name : {"libc.so.6", "libc-2.31.so", "[vdso]", "ld-linux-x86-64.so.2", "libevent_core-2.1.so.7"})
        EXPECT_EQ(code_of(name), Code::kSystem) << name;
    for (const char* name : {"libmpire.so", "libcblas.so.3", "libompstate.so", "heat", "", "/", "libgomp",
                             "/opt/libmpi-test", "libm.so.6", "libpmi_like"})
        EXPECT_EQ(code_of(name), Code::kProgram) << name;
}

TEST(MappedObjects, CodeOfTheSystemCountsForItsCaller) {
    const auto objects = MappedObjects::parse(kMaps);
    EXPECT_EQ(objects.size(), 4U);
    EXPECT_EQ(objects.caller_at(kProgram, {}), Code::kProgram);
    EXPECT_EQ(objects.caller_at(kMpi, {}), Code::kMpi);
    EXPECT_EQ(objects.caller_at(kLibc, {}), Code::kProgram);
    const uint64_t stack[] = {17, kLibc, kOpenMp, kMpi};
    EXPECT_EQ(objects.caller_at(kLibc, stack), Code::kOpenMp);
    EXPECT_EQ(objects.caller_at(kProgram, stack), Code::kProgram);
    EXPECT_EQ(objects.caller_at(0x7f0000600010, stack), Code::kProgram) << "made by a just-in-time compiler";
}

TEST(MappedObjects, LinesThatAreNoneAreSkipped) {
    for (const char* maps : {"", "\n\n\n", "-", "x-y r-xp 0 0 0 /a", "500-400 r-xp 0 0 0 /a", "1-2 r-xp", "1-2",
                             "1-2 r-xp 0 0 0 ", "fffffffffffffffff-fffffffffffffffff r-xp 0 0 0 /a", " 1-2 --- /a"})
        EXPECT_EQ(MappedObjects::parse(maps).size(), 0U) << maps;
    std::string many;
    for (int i = 1; i < 70'000; ++i) many += std::to_string(i) + "000-" + std::to_string(i) + "100 r-xp 0 0:0 0 /a\n";
    EXPECT_EQ(MappedObjects::parse(many).size(), 65'536U);
}

TEST(MappedObjects, AnyBytesAreRead) {
    std::mt19937 random(7);
    for (int i = 0; i < 3'000; ++i) {
        std::string maps = kMaps;
        for (int changes = 0; changes < 20; ++changes) maps[random() % maps.size()] = static_cast<char>(random());
        const auto objects = MappedObjects::parse(maps.substr(0, random() % maps.size()));
        EXPECT_LE(objects.size(), maps.size());
        EXPECT_NE(objects.caller_at(random(), {}), Code::kSystem);
    }
}

#if defined(__x86_64__)
TEST(ThreadSample, AWholeRecordIsRead) {
    std::vector<uint64_t> record{0xffffffff81000000, 2, kLibc, 128};
    for (uint64_t i = 0; i < 16; ++i) record.push_back(100 + i);
    record.push_back(24);
    ThreadSample sample;
    ASSERT_TRUE(read_sample(bytes_of(record), sample));
    EXPECT_EQ(sample.address, kLibc) << "not that of the kernel";
    EXPECT_EQ(sample.words, 3U);
    EXPECT_EQ(sample.stack[2], 102U);
}

TEST(ThreadSample, ARecordThatIsCutShortIsNone) {
    std::vector<uint64_t> record{kProgram, 2, kLibc, 128};
    record.resize(4 + 16 + 1, 128);
    const auto bytes = bytes_of(record);
    ThreadSample sample;
    for (size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(read_sample(std::span(bytes).first(length), sample)) << length;
    record[3] = 1ULL << 62U;
    EXPECT_FALSE(read_sample(bytes_of(record), sample)) << "a stack that is larger than the record";
    record[3] = 128;
    record.back() = UINT64_MAX;
    ASSERT_TRUE(read_sample(bytes_of(record), sample));
    EXPECT_EQ(sample.words, ThreadSample::kStackWords);
}
#endif

TEST(ThreadEvent, AThreadThatIsNotThereIsRefused) {
    const auto event = ThreadEvent::open(-7, std::chrono::milliseconds(5), true);
    ASSERT_FALSE(event);
    EXPECT_NE(event.error(), 0);
}

TEST(ProcessSampler, AThreadOfTheAgentIsNoThreadOfTheProgram) {
    std::atomic<int> named = 0;
    std::atomic<bool> stop = false;
    const auto work = [&](const char* name) {
        prctl(PR_SET_NAME, name);
        ++named;
        while (!stop) {}
    };
    std::thread agent(work, "drom"), own(work, "own");
    while (named < 2) std::this_thread::yield();
    ProcessSampler sampler(getpid(), true);
    Pace pace{std::chrono::milliseconds(5), true};
    sampler.look(pace);
    const auto both_worked = [&] { return sampler.seen().cpu_s > 0.2; };
    for (int i = 0; i < 600 && sampler.refused() == 0 && !both_worked(); ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        sampler.look(pace);
    }
    stop = true;
    agent.join();
    own.join();
    if (sampler.refused() != 0) GTEST_SKIP() << "the kernel lets no samples be taken";
    ASSERT_TRUE(both_worked());
    const auto threads = sampler.seen().threads;
    const auto worked =
        std::ranges::count_if(threads, [](const metrics::ThreadTimes& thread) { return thread.on_cpu() > 0.05; });
    EXPECT_EQ(worked, 1) << "its own; the primary one slept";
}

}  // namespace drom::command
