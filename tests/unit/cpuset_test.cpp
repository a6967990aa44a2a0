// SPDX-License-Identifier: BSD-3-Clause
// cpuset_test.cpp - CPU sets as values, as text and as words.
#include "base/cpuset.hpp"

#include <cstring>
#include <string>
#include <vector>

#include "property.hpp"

namespace {

using namespace drom;
using drom::test::holds;

CpuSet any_set(uint32_t limit = kMaxCpus) {
    CpuSet set{};
    for (uint32_t cpu : *rc::gen::container<std::vector<uint32_t>>(rc::gen::inRange(0U, limit))) set.add(cpu);
    // Mistakes are likely at runs, and at both ends of the range.
    const auto first = *rc::gen::inRange(0U, limit);
    const auto count = *rc::gen::inRange(0U, limit - first + 1);
    if (*rc::gen::inRange(0, 2) == 1) set = set | CpuSet::range(first, count);
    return set;
}

std::string text_of(const CpuSet& set, size_t size = 32768) {
    std::vector<char> out(size + 1, '\x7f');
    to_text(set, out.data(), size);
    EXPECT_EQ(out[size], '\x7f') << "wrote beyond its buffer";
    return out.data();
}

std::string hex_of(const CpuSet& set) {
    std::string hex;
    for (uint32_t nibble = 0; nibble < kMaxCpus / 4; ++nibble) {
        const uint64_t value = set.words[nibble / 16] >> (nibble % 16 * 4) & 0xf;
        hex.insert(hex.begin(), "0123456789abcdef"[value]);
    }
    const size_t start = hex.find_first_not_of('0');
    return "0x" + (start == std::string::npos ? "0" : hex.substr(start));
}

TEST(Cpuset, TextComesBackAsTheSameSet) {
    EXPECT_TRUE(holds("list text round trip", [] {
        const CpuSet set = any_set();
        CpuSet back{};
        const CpuTextError error = parse_cpus(text_of(set).c_str(), back);
        if (set.none()) {
            RC_ASSERT(error.what != nullptr);
            return;
        }
        RC_ASSERT(error.what == nullptr);
        RC_ASSERT(back == set);
    }));
}

TEST(Cpuset, HexadecimalComesBackAsTheSameSet) {
    EXPECT_TRUE(holds("mask text round trip", [] {
        const CpuSet set = any_set();
        CpuSet back{};
        const CpuTextError error = parse_cpus(hex_of(set).c_str(), back);
        RC_ASSERT((error.what == nullptr) == !set.none());
        RC_ASSERT(back == set);
    }));
}

TEST(Cpuset, WordsComeBackOrAreRefused) {
    EXPECT_TRUE(holds("words round trip", [] {
        const CpuSet set = any_set();
        const auto nwords = *rc::gen::inRange<size_t>(0, CpuSet::kWords + 4);
        std::vector<uint64_t> words(nwords + 1, 0xdead);
        const bool fits = set.none() || set.last() < 64 * nwords;
        RC_ASSERT(to_words(set, words.data(), nwords) == fits);
        RC_ASSERT(words[nwords] == 0xdead);
        if (!fits) return;
        CpuSet back{};
        RC_ASSERT(from_words(words.data(), nwords, back));
        RC_ASSERT(back == set);
    }));
}

TEST(Cpuset, AlgebraAgreesWithCountingOneByOne) {
    EXPECT_TRUE(holds("algebra", [] {
        const CpuSet a = any_set(300);
        const CpuSet b = any_set(300);
        const CpuSet both = a & b;
        const CpuSet either = a | b;
        const CpuSet rest = a - b;
        uint32_t count = 0;
        for (uint32_t cpu = 0; cpu < 320; ++cpu) {
            RC_ASSERT(both.has(cpu) == (a.has(cpu) && b.has(cpu)));
            RC_ASSERT(either.has(cpu) == (a.has(cpu) || b.has(cpu)));
            RC_ASSERT(rest.has(cpu) == (a.has(cpu) && !b.has(cpu)));
            count += a.has(cpu) ? 1U : 0U;
        }
        RC_ASSERT(a.count() == count);
        RC_ASSERT(a.none() == (count == 0));
        RC_ASSERT(a.contains(b) == ((a | b) == a));
        RC_ASSERT(a.intersects(b) == !(a & b).none());
    }));
}

TEST(Cpuset, WalkingVisitsEachCpuOnceAscending) {
    EXPECT_TRUE(holds("next", [] {
        const CpuSet set = any_set();
        CpuSet seen{};
        uint32_t last = kMaxCpus;
        for (uint32_t cpu = set.first(); cpu < kMaxCpus; cpu = set.next(cpu + 1)) {
            RC_ASSERT(last == kMaxCpus || cpu > last);
            seen.add(cpu);
            last = cpu;
        }
        RC_ASSERT(seen == set);
        RC_ASSERT(set.last() == last);
    }));
}

TEST(Cpuset, GarbageNeverPassesForASet) {
    EXPECT_TRUE(holds("garbage", [] {
        const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("0123456789,-:xXaF \n;")));
        CpuSet set{};
        const CpuTextError error = parse_cpus(text.c_str(), set);
        RC_ASSERT(error.at <= text.size());
        // An accepted text has at least one CPU, and its set prints as a text with the same meaning.
        if (error.what != nullptr) return;
        CpuSet back{};
        RC_ASSERT(parse_cpus(text_of(set).c_str(), back).what == nullptr);
        RC_ASSERT(back == set);
        RC_ASSERT(text.find_first_of(" \n;") == std::string::npos);
    }));
}

TEST(Cpuset, TextThatDoesNotFitIsCutAndSaysSo) {
    EXPECT_TRUE(holds("short buffers", [] {
        const CpuSet set = any_set();
        const auto size = *rc::gen::inRange<size_t>(16, 128);
        const std::string whole = text_of(set);
        const std::string cut = text_of(set, size);
        RC_ASSERT(cut.size() < size);
        if (whole.size() < size - 5) RC_ASSERT(cut == whole);
        if (cut == whole) return;
        RC_ASSERT(cut.ends_with(",..."));
        const std::string kept = cut.substr(0, cut.size() - 4);
        RC_ASSERT(whole.starts_with(kept + ","));
    }));
}

struct Refusal {
    const char* text;
    const char* what;
    size_t at;
};

const Refusal kRefusals[] = {
    {"", "the CPU set is empty", 0},
    {",", "a CPU number is missing", 0},
    {"0,", "a CPU number is missing", 2},
    {"0,,1", "a CPU number is missing", 2},
    {"-3", "a CPU number is missing", 0},
    {"3-", "a CPU number is missing", 2},
    {"5-2", "range runs backwards", 0},
    {"0,5-2", "range runs backwards", 2},
    {"4096", "CPU number beyond 4095", 0},
    {"0-4096", "CPU number beyond 4095", 2},
    {"99999999999999999999", "CPU number beyond 4095", 0},
    {"0-8:0", "step of zero", 4},
    {"0-8:", "a CPU number is missing", 4},
    {"3:2", "unexpected character", 1},
    {"1 2", "unexpected character", 1},
    {" 1", "a CPU number is missing", 0},
    {"1\n", "unexpected character", 1},
    {"all", "a CPU number is missing", 0},
    {"0x", "hexadecimal digits are missing", 2},
    {"0x0", "the mask is empty", 0},
    {"0x1g", "not a hexadecimal digit", 3},
    {"0x1,0x2", "not a hexadecimal digit", 3},
};

TEST(Cpuset, RefusalsNameThePlace) {
    for (const Refusal& row : kRefusals) {
        CpuSet set{};
        const CpuTextError error = parse_cpus(row.text, set);
        ASSERT_NE(error.what, nullptr) << row.text;
        EXPECT_STREQ(error.what, row.what) << row.text;
        EXPECT_EQ(error.at, row.at) << row.text;
    }
    CpuSet set{};
    EXPECT_NE(parse_cpus(nullptr, set).what, nullptr);
    const std::string huge = "0x1" + std::string(kMaxCpus / 4, '0');
    EXPECT_STREQ(parse_cpus(huge.c_str(), set).what, "CPU number beyond 4095");
}

TEST(Cpuset, TheKernelsOwnNotation) {
    CpuSet set{};
    ASSERT_EQ(parse_cpus("0-3,8,10-14:2", set).what, nullptr);
    EXPECT_EQ(text_of(set), "0-3,8,10,12,14");
    ASSERT_EQ(parse_cpus("0x1f", set).what, nullptr);
    EXPECT_EQ(text_of(set), "0-4");
    ASSERT_EQ(parse_cpus("0-4095", set).what, nullptr);
    EXPECT_EQ(set.count(), 4096U);
    EXPECT_EQ(text_of(set), "0-4095");
    EXPECT_EQ(text_of(CpuSet::empty()), "");
}

TEST(Cpuset, WordsBeyondTheLargestNode) {
    std::vector<uint64_t> words(CpuSet::kWords + 3, 0);
    CpuSet set{};
    EXPECT_TRUE(from_words(words.data(), words.size(), set));
    words.back() = 1;
    EXPECT_FALSE(from_words(words.data(), words.size(), set)) << "CPU 4224 was dropped silently";
}

TEST(Cpuset, MembersOutsideTheRangeAreNoMembers) {
    const CpuSet all = CpuSet::range(0, kMaxCpus);
    EXPECT_FALSE(all.has(kMaxCpus));
    EXPECT_FALSE(all.has(UINT32_MAX));
    EXPECT_EQ(all.next(kMaxCpus), kMaxCpus);
    EXPECT_EQ(CpuSet::empty().first(), kMaxCpus);
    EXPECT_EQ(CpuSet::empty().last(), kMaxCpus);
}

}  // namespace
