// SPDX-License-Identifier: BSD-3-Clause
// notes.hpp - answers that were given inside regions, by any thread; the primary thread reads them before the next region.
#pragma once

#include <atomic>
#include <cstdint>

namespace drom {

/// What was asked inside a region.
struct Note {
    uintptr_t site;
    uint32_t answer;
    bool team_size;  ///< omp_get_num_threads; else a query that may also be made outside
};

/// Each asking site is noted once, or a few times when several threads ask at the same moment. Lock-free.
class Notes {
public:
    /// True when the site was noted before; may forget sites that were.
    [[nodiscard]] bool knows(uintptr_t site) const noexcept {
        const uint32_t slot = slot_of(site);
        for (uint32_t step = 0; step < kWays; ++step)
            if (seen_[slot + step].load(std::memory_order_relaxed) == site) return true;
        return false;
    }

    void add(const Note& note) noexcept {
        for (const Entry& entry : entries_) {
            const uintptr_t site = entry.site.load(std::memory_order_relaxed);
            if (site == 0) break;
            if (site == note.site) return remember(site);
        }
        remember(note.site);
        const uint32_t index = count_.fetch_add(1, std::memory_order_relaxed);
        if (index >= kNotes) return;
        entries_[index].answer = note.answer;
        entries_[index].team_size = note.team_size;
        // Release: whoever sees the site sees the rest.
        entries_[index].site.store(note.site, std::memory_order_release);
    }

    /// The oldest note not taken yet. By the primary thread.
    bool take(Note& note) noexcept {
        if (taken_ == kNotes || taken_ == count_.load(std::memory_order_relaxed)) return false;
        const Entry& entry = entries_[taken_];
        const uintptr_t site = entry.site.load(std::memory_order_acquire);
        if (site == 0) return false;  // being written
        note = {site, entry.answer, entry.team_size};
        ++taken_;
        return true;
    }

    [[nodiscard]] bool waiting() const noexcept {
        const uint32_t count = count_.load(std::memory_order_relaxed);
        return taken_ != (count < kNotes ? count : kNotes);
    }

    /// More than fit: some are lost.
    [[nodiscard]] bool overflowed() const noexcept { return count_.load(std::memory_order_relaxed) > kNotes; }

private:
    static constexpr uint32_t kNotes = 1024, kSeen = 1024;
    static constexpr uint32_t kWays = 4;
    static constexpr uint32_t slot_of(uintptr_t site) noexcept { return (site ^ site >> 10) & (kSeen - kWays); }

    void remember(uintptr_t site) noexcept {
        const uint32_t slot = slot_of(site);
        uint32_t way = 0;
        while (way + 1 < kWays && seen_[slot + way].load(std::memory_order_relaxed) != 0) ++way;
        seen_[slot + way].store(site, std::memory_order_relaxed);
    }

    struct Entry {
        std::atomic<uintptr_t> site{0};
        uint32_t answer = 0;
        bool team_size = false;
    };
    std::atomic<uintptr_t> seen_[kSeen] = {};
    Entry entries_[kNotes] = {};
    std::atomic<uint32_t> count_{0};
    uint32_t taken_ = 0;
};

}  // namespace drom
