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

/// Each asking site is noted once. Lock-free; a few ns for a site that is noted already.
class Notes {
public:
    /// True when this is news.
    bool add(const Note& note) noexcept {
        std::atomic<uintptr_t>& slot = seen_[note.site >> 2 & (kSeen - 1)];
        if (slot.load(std::memory_order_relaxed) == note.site) return false;
        slot.store(note.site, std::memory_order_relaxed);
        const uint32_t index = count_.fetch_add(1, std::memory_order_relaxed);
        if (index >= kNotes) return true;
        entries_[index].answer = note.answer;
        entries_[index].team_size = note.team_size;
        // Release: whoever sees the site sees the rest.
        entries_[index].site.store(note.site, std::memory_order_release);
        return true;
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
    static constexpr uint32_t kNotes = 64, kSeen = 64;
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
