// SPDX-License-Identifier: BSD-3-Clause
// regions_test.cpp - regions by name: what their figures are, with threads, forks and wrong names; and pages of clients
// that hold anything.
#include <unistd.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "shmem/regions.hpp"
#include "shmem/segment.hpp"
#include "table_fixture.hpp"

namespace {

using namespace drom::test;

drom_region_info info_of(const char* name) {
    drom_region_info info{};
    info.size = sizeof info;
    drom_error error{};
    EXPECT_EQ(drom_region_get(name, &info, &error), DROM_OK) << error.text;
    return info;
}

void spin(uint64_t ns) {
    const uint64_t end = drom::now_ns() + ns;
    while (drom::now_ns() < end) {}
}

constexpr uint64_t kMs = drom::kMillisecond;

std::string name_of(int number) { return "a name of some length " + std::to_string(number); }

TEST(Regions, WithoutATableTimeAndCpuTimeAddUp) {
    const uint64_t before = drom::now_ns();
    for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(drom_region_begin("adds up"), DROM_OK);
        spin(5 * kMs);
        ASSERT_EQ(drom_region_end("adds up"), DROM_OK);
        spin(kMs);
    }
    const drom_region_info info = info_of("adds up");
    EXPECT_STREQ(info.name, "adds up");
    EXPECT_EQ(info.count, 3U);
    EXPECT_EQ(info.open, 0U);
    EXPECT_GE(info.elapsed_ns, 15 * kMs);
    EXPECT_LE(info.elapsed_ns, drom::now_ns() - before - 3 * kMs);
    EXPECT_GT(info.cpu_ns, 0U);
    EXPECT_LE(info.cpu_ns, info.elapsed_ns + kMs) << "one thread";
    EXPECT_EQ(info.available_ns, 0U) << "no client";
}

TEST(Regions, CpuTimeIsThatOfAllThreads) {
    std::atomic<bool> stop{false};
    std::thread other([&] {
        while (!stop.load()) {}
    });
    drom_region_begin("all threads");
    spin(100 * kMs);
    drom_region_end("all threads");
    stop.store(true);
    other.join();
    const drom_region_info info = info_of("all threads");
    EXPECT_LE(info.cpu_ns, 2 * info.elapsed_ns + 20 * kMs);
    EXPECT_GT(info.cpu_ns, 0U);
}

TEST(Regions, WrongNamesAreRefusedAndChangeNothing) {
    const std::string longest(DROM_REGION_NAME - 1, 'x');
    const std::string too_long(DROM_REGION_NAME, 'x');
    drom_region_info info{};
    info.size = sizeof info;
    drom_error error{};
    for (const char* name : {static_cast<const char*>(nullptr), "", too_long.c_str()}) {
        EXPECT_EQ(drom_region_begin(name), DROM_E_INVAL);
        EXPECT_EQ(drom_region_end(name), DROM_E_INVAL);
        EXPECT_EQ(drom_region_get(name, &info, &error), DROM_E_INVAL);
        EXPECT_NE(strstr(error.text, "NULL, empty, or longer than 127 bytes"), nullptr) << error.text;
    }
    EXPECT_EQ(drom_region_begin(longest.c_str()), DROM_OK);
    EXPECT_EQ(drom_region_end(longest.c_str()), DROM_OK);
    EXPECT_EQ(info_of(longest.c_str()).name, longest);
    EXPECT_EQ(drom_region_get("never", &info, &error), DROM_E_NOPROC);
    EXPECT_EQ(drom_region_get(longest.c_str(), nullptr, &error), DROM_E_INVAL);
    info.size = 8;
    EXPECT_EQ(drom_region_get(longest.c_str(), &info, &error), DROM_E_INVAL);
}

TEST(Regions, AnEndWithoutABeginChangesNothing) {
    EXPECT_EQ(drom_region_end("not begun"), DROM_UNCHANGED);
    ASSERT_EQ(drom_region_begin("begun"), DROM_OK);
    EXPECT_EQ(drom_region_end("begun"), DROM_OK);
    const drom_region_info before = info_of("begun");
    EXPECT_EQ(drom_region_end("begun"), DROM_UNCHANGED);
    const drom_region_info after = info_of("begun");
    EXPECT_EQ(memcmp(&before, &after, sizeof before), 0);
}

TEST(Regions, NestedBeginsCountOnceAndRegionsOverlap) {
    const uint64_t before = drom::now_ns();
    drom_region_begin("nested");
    drom_region_begin("crossing");
    const uint64_t between = drom::now_ns() - before;  // the most that the first began before the second
    drom_region_begin("nested");
    EXPECT_EQ(info_of("nested").open, 2U);
    spin(2 * kMs);
    EXPECT_EQ(drom_region_end("nested"), DROM_OK);
    EXPECT_EQ(drom_region_end("nested"), DROM_OK);
    spin(2 * kMs);
    const drom_region_info open = info_of("crossing");
    EXPECT_EQ(drom_region_end("crossing"), DROM_OK);
    const drom_region_info nested = info_of("nested");
    const drom_region_info crossing = info_of("crossing");
    EXPECT_EQ(nested.count, 2U);
    EXPECT_GE(nested.elapsed_ns, 2 * kMs);
    EXPECT_GE(crossing.elapsed_ns + between, nested.elapsed_ns + 2 * kMs);
    EXPECT_EQ(open.open, 1U);
    EXPECT_GE(open.elapsed_ns, 4 * kMs) << "until now";
    EXPECT_GE(crossing.elapsed_ns, open.elapsed_ns);
}

TEST(Regions, ThreadsThatCallAtOnceLoseNothing) {
    constexpr unsigned kThreads = 8;
    constexpr unsigned kRounds = 3000;
    std::atomic<unsigned> ready{0};
    std::vector<uint64_t> inside(kThreads);
    std::vector<std::thread> threads;
    drom_error ignored{};
    const uint64_t begin = drom::now_ns();
    for (unsigned me = 0; me < kThreads; ++me)
        threads.emplace_back([&, me] {
            ready.fetch_add(1);
            while (ready.load() < kThreads) std::this_thread::yield();
            for (unsigned round = 0; round < kRounds; ++round) {
                if (drom_region_begin("at once") != DROM_OK) std::abort();
                const uint64_t from = drom::now_ns();
                if (round % 64 == 0) std::this_thread::yield();
                inside[me] += drom::now_ns() - from;
                if (drom_region_end("at once") != DROM_OK) std::abort();
            }
        });
    // At first there is no such region, and later a reader may find it changed at each look.
    drom_region_info seen{};
    seen.size = sizeof seen;
    while (seen.count < 1000) drom_region_get("at once", &seen, &ignored);
    for (std::thread& thread : threads) thread.join();
    const uint64_t wall = drom::now_ns() - begin;
    const drom_region_info info = info_of("at once");
    EXPECT_EQ(info.count, kThreads * kRounds);
    EXPECT_EQ(info.open, 0U);
    EXPECT_LE(info.elapsed_ns, wall);
    EXPECT_GE(info.elapsed_ns, *std::max_element(inside.begin(), inside.end()));
}

TEST(Regions, ThreadsThatBeginTheSameNewNamesMakeEachOnce) {
    Child child = Child::run([] {
        std::atomic<unsigned> ready{0};
        std::vector<std::thread> threads;
        for (unsigned me = 0; me < 8; ++me)
            threads.emplace_back([&] {
                ready.fetch_add(1);
                while (ready.load() < 8) std::this_thread::yield();
                for (int number = 0; number < 64; ++number) drom_region_begin(name_of(number).c_str());
            });
        for (std::thread& thread : threads) thread.join();
        for (int number = 0; number < 64; ++number)
            if (info_of(name_of(number).c_str()).count != 8) return 1;
        if (drom_region_begin("one more") != DROM_E_FULL) return 2;
        if (drom_region_end("one more") != DROM_UNCHANGED) return 3;
        return drom_region_begin(name_of(63).c_str()) == DROM_OK ? 0 : 4;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST(Regions, TooManyBeginsOfOneRegionAreRefused) {
    Child child = Child::run([] {
        for (int i = 0; i < 65'535; ++i)
            if (drom_region_begin("deep") != DROM_OK) return 1;
        if (drom_region_begin("deep") != DROM_E_FULL || info_of("deep").count != 65'535) return 2;
        for (int i = 0; i < 65'535; ++i)
            if (drom_region_end("deep") != DROM_OK) return 3;
        return drom_region_end("deep") == DROM_UNCHANGED ? 0 : 4;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST(Regions, AForkedChildBeginsAnew) {
    drom_region_begin("forked");
    Child child = Child::run([] {
        if (drom_region_end("forked") != DROM_UNCHANGED) return 1;
        drom_region_begin("forked");
        const drom_region_info info = info_of("forked");
        return info.count == 1 && info.elapsed_ns < 60'000 * kMs && info.available_ns == 0 ? 0 : 2;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(info_of("forked").open, 1U);
    EXPECT_EQ(drom_region_end("forked"), DROM_OK);
}

TEST(Regions, ForksWhileThreadsAreInsideEndNoProcess) {
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        while (!stop.load()) drom_region_begin("busy"), drom_region_end("busy");
    });
    for (int i = 0; i < 50; ++i) {
        Child child = Child::run([] {
            drom_region_begin("busy");
            return drom_region_end("busy") == DROM_OK && info_of("busy").count == 1 ? 0 : 1;
        });
        EXPECT_EQ(child.wait(), 0);
    }
    stop.store(true);
    busy.join();
}

/// A client with regions, seen from outside.
class RegionsOfAClient : public WithTable {
protected:
    void SetUp() override { create(8, 16, DROM_VIRTUAL); }  // the machine may lack CPU 0 or 1
    /// Starts a client with CPUs 0 and 1 that runs `body`, and waits until it has joined.
    Child client(const std::function<int()>& body) {
        Child child = Child::run([&] {
            setenv("DROM_TABLE", path_.c_str(), 1);
            const uint64_t mask = 3;
            drom_region_begin("earlier");
            drom_region_end("earlier");
            if (drom_init(&mask, 1, nullptr, nullptr) != DROM_OK) return 90;
            joined_.open();
            return body();
        });
        joined_.pass();
        return child;
    }
    std::vector<drom_region_info> regions(pid_t pid) {
        std::vector<drom_region_info> list(64);
        list[0].size = sizeof list[0];
        size_t count = list.size();
        EXPECT_EQ(drom_regions(table_, pid, list.data(), &count, &error_), DROM_OK) << error_.text;
        list.resize(count);
        return list;
    }
    drom_region_info region(pid_t pid, const std::string& name) {
        for (const drom_region_info& info : regions(pid))
            if (name == info.name) return info;
        return {};
    }
    drom::Page* page(uint32_t slot) {
        drom::Ledger ledger;
        EXPECT_EQ(drom::open_ledger(path_.c_str(), true, ledger, &error_), DROM_OK) << error_.text;
        const uint64_t state = ledger.slot(slot).state.load();
        drom::Page* found = drom::open_page(ledger, path_.c_str(), slot, static_cast<uint32_t>(state));
        drom::close_ledger(ledger);
        return found;
    }
    /// Checks that each region has possible figures, and a name with its end.
    void expect_bounded(pid_t pid) {
        const uint64_t now = drom::now_ns() + 1000 * kMs;
        for (const drom_region_info& info : regions(pid)) {
            EXPECT_LE(info.elapsed_ns, now);
            EXPECT_LE(info.available_ns / 4096, now);
            EXPECT_TRUE(info.cpu_ns == UINT64_MAX || info.cpu_ns / 4096 <= now);
            EXPECT_LE(info.state, 2U);
            EXPECT_NE(memchr(info.name, '\0', sizeof info.name), nullptr);
            if (info.state != DROM_REGION_FINE) {
                EXPECT_EQ(info.elapsed_ns + info.cpu_ns + info.count, 0U);
            }
        }
    }

    Gate joined_, next_, done_;
};

TEST_F(RegionsOfAClient, AreSeenWhileTheyAreOpenAndAfterwards) {
    Child child = client([&] {
        drom_region_begin("solve");
        done_.open();
        next_.pass();
        drom_region_end("solve");
        done_.open();
        for (;;) pause();
        return 0;
    });
    done_.pass();
    const drom_region_info first = region(child.pid(), "solve");
    usleep(20'000);
    const drom_region_info open = region(child.pid(), "solve");
    EXPECT_EQ(open.state, 0U + DROM_REGION_FINE);
    EXPECT_EQ(open.open, 1U);
    EXPECT_GE(open.elapsed_ns, first.elapsed_ns + 20 * kMs);
    next_.open();
    done_.pass();
    const drom_region_info closed = region(child.pid(), "solve");
    EXPECT_EQ(closed.open, 0U);
    EXPECT_EQ(closed.count, 1U);
    EXPECT_GE(closed.elapsed_ns, open.elapsed_ns);
    EXPECT_EQ(closed.available_ns, 2 * closed.elapsed_ns) << "two CPUs all the time";
    EXPECT_LT(closed.cpu_ns, closed.elapsed_ns) << "it sleeps";
    EXPECT_EQ(region(child.pid(), "earlier").count, 1U) << "from before the process joined";
    EXPECT_EQ(region(child.pid(), "earlier").available_ns, 0U);
    size_t count = 1;
    drom_region_info one{};
    one.size = sizeof one;
    EXPECT_EQ(drom_regions(table_, child.pid(), &one, &count, &error_), DROM_E_FULL);
    EXPECT_EQ(count, 2U);
    EXPECT_EQ(drom_regions(table_, 1, &one, &count, &error_), DROM_E_NOPROC);
    EXPECT_EQ(drom_regions(table_, child.pid(), &one, nullptr, &error_), DROM_E_INVAL);
}

TEST_F(RegionsOfAClient, CpusFollowTheMaskThatTheClientAdopted) {
    Child child = client([&] {
        while (drom_poll(nullptr, 0, nullptr) == DROM_OK) {}
        drom_region_begin("shrinks");
        usleep(10'000);
        done_.open();
        next_.pass();
        if (drom_poll(nullptr, 0, nullptr) != DROM_OK) return 1;
        usleep(10'000);
        drom_region_end("shrinks");
        done_.open();
        for (;;) pause();
        return 0;
    });
    done_.pass();
    EXPECT_GE(set(child.pid(), 1), 0) << error_.text;
    next_.open();
    done_.pass();
    const drom_region_info info = region(child.pid(), "shrinks");
    EXPECT_GE(info.available_ns, info.elapsed_ns + 10 * kMs);
    EXPECT_LE(info.available_ns, 2 * info.elapsed_ns - 10 * kMs);
}

TEST_F(RegionsOfAClient, ThreadsMayBeInsideWhileTheProcessLeavesAndJoins) {
    Child child = client([&] {
        std::atomic<bool> stop{false};
        std::vector<std::thread> threads;
        for (const char* name : {"same", "same", "other"})
            threads.emplace_back([&stop, name] {
                while (!stop.load()) drom_region_begin(name), drom_region_end(name);
            });
        int status = 0;
        for (int rounds = 0; rounds < 200 && status == 0; ++rounds) {
            usleep(500);
            if (drom_finalize(nullptr) != DROM_OK) status = 1;
            if (drom_init(nullptr, 0, nullptr, nullptr) != DROM_OK) status = 2;
        }
        stop.store(true);
        for (std::thread& thread : threads) thread.join();
        return status;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(RegionsOfAClient, AnyBytesInItsPageAreBounded) {
    Child child = client([&] {
        for (;;) pause();
        return 0;
    });
    drom::Page* shared = page(0);
    ASSERT_NE(shared, nullptr);
    char* area = reinterpret_cast<char*>(&drom::region_area(*shared));
    std::mt19937_64 random(19);
    memset(area, 0xff, sizeof(drom::RegionArea));
    expect_bounded(child.pid());
    for (int round = 0; round < 30; ++round) {
        for (size_t i = 0; i < sizeof(drom::RegionArea); i += 8) {
            const uint64_t word = random();
            memcpy(area + i, &word, 8);
        }
        for (drom::RegionRecord& record : drom::region_area(*shared).regions)
            if (round % 3 == 0) record.stamp.store(2), record.open.store(static_cast<uint32_t>(random() % 3));
        expect_bounded(child.pid());
    }
    drom::unmap_page(shared);
}

TEST_F(RegionsOfAClient, ARecordThatStaysHalfWrittenIsBusy) {
    Child child = client([&] {
        for (;;) pause();
        return 0;
    });
    drom::Page* shared = page(0);
    ASSERT_NE(shared, nullptr);
    for (drom::RegionRecord& record : drom::region_area(*shared).regions) record.stamp.store(7);
    const auto list = regions(child.pid());
    EXPECT_EQ(list.size(), 64U);
    for (const drom_region_info& info : list) EXPECT_EQ(info.state, 0U + DROM_REGION_BUSY);
    drom::unmap_page(shared);
}

TEST_F(RegionsOfAClient, APageThatChangesMeanwhileIsBounded) {
    Child child = client([&] {
        for (;;) pause();
        return 0;
    });
    drom::Page* shared = page(0);
    ASSERT_NE(shared, nullptr);
    std::atomic<bool> stop{false};
    std::thread liar([&] {
        std::mt19937_64 random(7);
        drom::RegionArea& area = drom::region_area(*shared);
        while (!stop.load()) {
            drom::RegionRecord& record = area.regions[random() % drom::kRegions];
            record.stamp.store(static_cast<uint32_t>(random() % 4 * 2));
            record.open.store(static_cast<uint32_t>(random() % 2));
            record.elapsed_ns.store(random());
            record.name[random() % drom::kNameWords].store(random());
            area.sum_ns.store(random());
        }
    });
    for (int looks = 0; looks < 500; ++looks) expect_bounded(child.pid());
    stop.store(true);
    liar.join();
    drom::unmap_page(shared);
}

TEST_F(RegionsOfAClient, APageThatWasCutHasNone) {
    Child child = client([&] {
        done_.open();
        for (;;) pause();
        return 0;
    });
    done_.pass();
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
        const std::string file = entry.path().string();
        if (file.find("client.") == std::string::npos) continue;
        ASSERT_EQ(truncate(file.c_str(), 4096), 0) << file;
    }
    drom_table* fresh = nullptr;
    ASSERT_EQ(drom_open(&fresh, path_.c_str(), nullptr, &error_), DROM_OK) << error_.text;
    drom_region_info one{};
    one.size = sizeof one;
    size_t count = 1;
    EXPECT_EQ(drom_regions(fresh, child.pid(), &one, &count, &error_), DROM_OK) << error_.text;
    EXPECT_EQ(count, 0U);
    drom_close(fresh);
}

}  // namespace
