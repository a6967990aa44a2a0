// SPDX-License-Identifier: BSD-3-Clause
// regions.cpp - the regions of a client, written into its page and read from it.
#include "regions.hpp"

#include <sched.h>
#include <cstring>
#include <ctime>

#include "base/clock.hpp"

namespace drom {

namespace {

constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

/// Marks a record as being written while it lives. The words behind the mark are stored with release, and loaded with
/// acquire: a reader of a new word finds a changed stamp afterwards.
class Writing {
public:
    explicit Writing(Half& stamp) noexcept : stamp_(stamp), next_((stamp.load(std::memory_order_relaxed) | 1) + 1) {
        stamp_.store(next_ - 1, kRelease);
    }
    ~Writing() { stamp_.store(next_ != 0 ? next_ : 2, kRelease); }  // 0 is for records that were never written
    Writing(const Writing&) = delete;
    Writing& operator=(const Writing&) = delete;

private:
    Half& stamp_;
    uint32_t next_;
};

/// Calls `copy` until the record was not written meanwhile. Returns kNone, kFine or kBusy.
template <class Copy>
RegionLook read_stable(const Half& stamp, const Copy& copy) noexcept {
    constexpr int kLooks = 64;
    for (int looks = 0; looks < kLooks; ++looks) {
        const uint32_t before = stamp.load(kAcquire);
        if (before == 0) return RegionLook::kNone;
        copy();
        if (before % 2 == 0 && stamp.load(kAcquire) == before) return RegionLook::kFine;
        sched_yield();
    }
    return RegionLook::kBusy;
}

CpusOverTime cpus_of(const RegionArea& area) noexcept {
    CpusOverTime cpus{};
    read_stable(area.stamp,
                [&] { cpus = {area.since_ns.load(kAcquire), area.sum_ns.load(kAcquire), area.cpus.load(kAcquire)}; });
    return cpus;
}

uint64_t cpu_time_of(uint32_t pid) noexcept {
    clockid_t clock = 0;
    timespec used{};
    if (pid == 0 || clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0 || clock_gettime(clock, &used) != 0)
        return kNotKnown;
    return static_cast<uint64_t>(used.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(used.tv_nsec);
}

RegionClocks clocks_of(const RegionArea& area, uint32_t pid) noexcept {
    const CpusOverTime cpus = cpus_of(area);
    const uint64_t cpu = cpu_time_of(pid);
    const uint64_t now = now_ns();
    return {now, cpu, cpus.until(now)};
}

void copy_record(const RegionRecord& record, RegionFigures& figures) noexcept {
    figures.open = record.open.load(kAcquire);
    figures.count = record.count.load(kAcquire);
    figures.elapsed_ns = record.elapsed_ns.load(kAcquire);
    figures.cpu_ns = record.cpu_ns.load(kAcquire);
    figures.available_ns = record.available_ns.load(kAcquire);
    uint64_t words[kNameWords];
    for (size_t i = 0; i < kNameWords; ++i) words[i] = record.name[i].load(kAcquire);
    memcpy(figures.name, words, sizeof words);
}

/// Returns whether this machine may have used that much since its boot. A sum that lacks its clock is far above it.
bool is_possible(const RegionFigures& figures, uint64_t now) noexcept {
    return figures.elapsed_ns <= now && figures.available_ns / kMaxCpus <= now && figures.open <= figures.count &&
           (figures.cpu_ns == kNotKnown || figures.cpu_ns / kMaxCpus <= now) && figures.name[0] != '\0' &&
           memchr(figures.name, '\0', sizeof figures.name) != nullptr;
}

/// Returns `begun` + `clock`, or 0 when that is negative: a thread's CPU time is known to the last tick only.
uint64_t completed(uint64_t begun, uint64_t clock) noexcept {
    const uint64_t sum = begun + clock;
    return static_cast<int64_t>(sum) < 0 ? 0 : sum;
}

}  // namespace

void add_open(RegionFigures& figures, const RegionClocks& now) noexcept {
    if (figures.open == 0) return;
    figures.elapsed_ns = completed(figures.elapsed_ns, now.now_ns);
    figures.cpu_ns = now.cpu_ns != kNotKnown ? completed(figures.cpu_ns, now.cpu_ns) : kNotKnown;
    figures.available_ns = completed(figures.available_ns, now.available_ns);
}

RegionArea& region_area(Page& page) noexcept {
    return *reinterpret_cast<RegionArea*>(reinterpret_cast<char*>(&page) + kRegionsAt);
}

const RegionArea& region_area(const Page& page) noexcept {
    return *reinterpret_cast<const RegionArea*>(reinterpret_cast<const char*>(&page) + kRegionsAt);
}

void write_region(RegionRecord& record, const RegionFigures& figures) noexcept {
    uint64_t words[kNameWords];
    memcpy(words, figures.name, sizeof words);
    const Writing mark(record.stamp);
    record.open.store(figures.open, kRelease);
    record.count.store(figures.count, kRelease);
    record.elapsed_ns.store(figures.elapsed_ns, kRelease);
    record.cpu_ns.store(figures.cpu_ns, kRelease);
    record.available_ns.store(figures.available_ns, kRelease);
    for (size_t i = 0; i < kNameWords; ++i) record.name[i].store(words[i], kRelease);
}

void write_cpus(RegionArea& area, const CpusOverTime& cpus) noexcept {
    const Writing mark(area.stamp);
    area.since_ns.store(cpus.since_ns, kRelease);
    area.sum_ns.store(cpus.sum_ns, kRelease);
    area.cpus.store(cpus.cpus, kRelease);
}

void announce_regions(RegionArea& area) noexcept {
    auto* page = reinterpret_cast<Page*>(reinterpret_cast<char*>(&area) - kRegionsAt);
    page->has_regions.store(1, kRelease);
}

void clear_regions(Page& page) noexcept {
    if (page.has_regions.load(kAcquire) == 0) return;
    for (RegionRecord& record : region_area(page).regions)
        if (record.stamp.load(kAcquire) != 0) record.stamp.store(0, kRelease);
    page.has_regions.store(0, kRelease);
}

RegionLook look_at_region(const Page& page, uint32_t index, uint32_t pid, RegionFigures& figures) noexcept {
    const RegionArea& area = region_area(page);
    const RegionRecord& record = area.regions[index];
    RegionFigures read{};
    RegionClocks clocks{};
    const RegionLook look = read_stable(record.stamp, [&] {
        copy_record(record, read);
        if (read.open != 0) clocks = clocks_of(area, pid);  // inside: the region is open at that moment
    });
    if (look != RegionLook::kFine) return look;
    add_open(read, clocks);
    if (!is_possible(read, now_ns())) return RegionLook::kDamaged;
    figures = read;
    return look;
}

}  // namespace drom
