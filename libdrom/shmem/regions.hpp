// SPDX-License-Identifier: BSD-3-Clause
// regions.hpp - the regions of a client, written into its page and read from it.
#pragma once

#include "layout.hpp"

namespace drom {

inline constexpr size_t kRegionName = sizeof(RegionRecord::name);
inline constexpr size_t kNameWords = kRegionName / sizeof(uint64_t);

/// Three clocks of a process at one moment, in nanoseconds.
struct RegionClocks {
    uint64_t now_ns;        ///< of the machine
    uint64_t cpu_ns;        ///< CPU time of all its threads; kNotKnown: not known
    uint64_t available_ns;  ///< CPUs of its mask, summed over time
};
inline constexpr uint64_t kNotKnown = UINT64_MAX;

/// The number of CPUs of a client's mask over time: a constant since `since_ns`.
struct CpusOverTime {
    uint64_t since_ns, sum_ns, cpus;

    [[nodiscard]] uint64_t until(uint64_t now) const noexcept { return sum_ns + cpus * (now - since_ns); }
};

/// The figures of a region. Sums are those of RegionRecord, or complete after add_open().
struct RegionFigures {
    uint64_t count, elapsed_ns, cpu_ns, available_ns;
    uint32_t open;
    char name[kRegionName];
};

/// Completes the sums of a region that is open, by the clocks of a moment at which it was.
void add_open(RegionFigures& figures, const RegionClocks& now) noexcept;

RegionArea& region_area(Page& page) noexcept;
const RegionArea& region_area(const Page& page) noexcept;

/// Publishes the figures. One writer at a time per record, and per area.
void write_region(RegionRecord& record, const RegionFigures& figures) noexcept;
void write_cpus(RegionArea& area, const CpusOverTime& cpus) noexcept;

/// Notes in the page that it has records, before the first one is written. Cost: a store.
void announce_regions(RegionArea& area) noexcept;

/// Makes all records those of no region, before a process takes over the page of another one. Touches the records only
/// where there may be some: they are three pages of memory.
void clear_regions(Page& page) noexcept;

/// The outcome of a look at a record.
enum class RegionLook : uint8_t {
    kNone,    ///< there is no region
    kFine,    ///< the figures are there
    kBusy,    ///< the figures changed, or were being written, at each look
    kDamaged  ///< the figures are impossible
};

/// Reads region `index` of the client whose process is `pid`. 0 for `pid`: the process cannot be asked, so the CPU time
/// of a region that is open is kNotKnown. The page is untrusted: any bytes, and bytes that change at any moment, have
/// one of the outcomes above. The figures are set for kFine only, and then are not larger than what this machine can
/// have used since its boot. About 0.1 us, and 1 us for a region that is open.
RegionLook look_at_region(const Page& page, uint32_t index, uint32_t pid, RegionFigures& figures) noexcept;

}  // namespace drom
