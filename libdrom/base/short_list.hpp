// SPDX-License-Identifier: BSD-3-Clause
// short_list.hpp - a list without malloc: the program that was interrupted may be inside malloc.
#pragma once

#include <sys/mman.h>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace drom {

/// Has room for `kRoom` entries, and maps memory for more. One thread at a time.
template <class Entry, uint32_t kRoom>
class ShortList {
    static_assert(std::is_trivially_copyable_v<Entry>);

public:
    ShortList() noexcept = default;
    ~ShortList() {
        if (at_ != room_) munmap(at_, capacity_ * sizeof(Entry));
    }
    ShortList(const ShortList&) = delete;
    ShortList& operator=(const ShortList&) = delete;

    [[nodiscard]] uint32_t count() const noexcept { return count_; }
    Entry& operator[](uint32_t index) noexcept { return at_[index]; }
    void cut(uint32_t count) noexcept { count_ = count; }
    /// Removes an entry. The last one takes its place.
    void remove(uint32_t index) noexcept { at_[index] = at_[--count_]; }

    /// Returns false when memory is short.
    bool add(const Entry& entry) noexcept {
        if (count_ == capacity_ && !grow()) return false;
        at_[count_++] = entry;
        return true;
    }

private:
    bool grow() noexcept {
        const uint32_t more = capacity_ * 4;
        void* room = mmap(nullptr, more * sizeof(Entry), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (room == MAP_FAILED) return false;
        memcpy(room, static_cast<const void*>(at_), count_ * sizeof(Entry));
        if (at_ != room_) munmap(at_, capacity_ * sizeof(Entry));
        at_ = static_cast<Entry*>(room);
        capacity_ = more;
        return true;
    }

    Entry room_[kRoom];
    Entry* at_ = room_;
    uint32_t count_ = 0;
    uint32_t capacity_ = kRoom;
};

}  // namespace drom
