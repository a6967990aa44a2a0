// SPDX-License-Identifier: BSD-3-Clause
// node_page.cpp - a job's page in root's table.
#include "node_page.hpp"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>
#include <cerrno>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "slots.hpp"

namespace drom {

namespace {

// A key is {from the clock:19, generation:12}. The slot's next user has another key, and no process can take all keys
// in advance.
constexpr uint32_t kGenerationBits = 12;
constexpr uint32_t kGenerationMask = (1U << kGenerationBits) - 1;

uint32_t new_key(uint32_t generation) noexcept {
    const uint64_t mixed = (now_ns() * 0x9e3779b97f4a7c15) >> (64 - 19);
    return static_cast<uint32_t>(mixed) << kGenerationBits | (generation & kGenerationMask);
}

/// Returns the segment's number, or -1.
int make_segment(uint32_t generation, uint32_t& key) noexcept {
    constexpr int kTries = 64;
    for (int tries = 0; tries < kTries; ++tries) {
        key = new_key(generation);
        if (key == IPC_PRIVATE) continue;
        const int id = shmget(static_cast<key_t>(key), kPageSize, IPC_CREAT | IPC_EXCL | 0600);
        if (id >= 0 || errno != EEXIST) return id;
    }
    return -1;
}

Page* attach(int id) noexcept {
    void* base = shmat(id, nullptr, 0);
    return base == reinterpret_cast<void*>(-1) ? nullptr : static_cast<Page*>(base);
}

bool give_to(int id, uint32_t uid) noexcept {
    shmid_ds info{};
    if (shmctl(id, IPC_STAT, &info) != 0) return false;
    info.shm_perm.uid = uid;
    return shmctl(id, IPC_SET, &info) == 0;
}

/// Returns whether root made the segment. Its user may remove it and make another one with its key, but cannot change
/// its creator.
bool is_roots(int id, uint32_t root) noexcept {
    shmid_ds info{};
    return shmctl(id, IPC_STAT, &info) == 0 && info.shm_perm.cuid == root && info.shm_segsz == kPageSize;
}

/// Returns the page that the slot's user `generation` has, attached, and its number: only while it is attached that
/// number cannot pass to another segment.
Page* find(const Slot& slot, uint32_t generation, uint32_t root, int& id) noexcept {
    const uint32_t key = slot.page_key.load(std::memory_order_acquire);
    if (key == 0 || (key & kGenerationMask) != (generation & kGenerationMask)) return nullptr;
    id = shmget(static_cast<key_t>(key), kPageSize, 0);
    Page* page = id >= 0 ? attach(id) : nullptr;
    if (page == nullptr || is_roots(id, root)) return page;
    munmap(static_cast<void*>(page), kPageSize);
    return nullptr;
}

/// Returns whether this user made the segment as make_segment() does, and no process has it attached.
bool may_be_left(const shmid_ds& info) noexcept {
    const ipc_perm& made = info.shm_perm;
    return made.cuid == geteuid() && (made.mode & 0777) == 0600 && made.__key != IPC_PRIVATE &&
           info.shm_segsz == kPageSize && info.shm_nattch == 0;
}

/// Returns whether neither the page's process nor its launcher lives, so that no process will ever ask for it. Other
/// contents that the job may have written concern this page alone, and the job may remove it anyhow.
bool is_left(int id) noexcept {
    void* base = shmat(id, nullptr, SHM_RDONLY);
    if (base == reinterpret_cast<void*>(-1)) return false;
    const Page& page = *static_cast<const Page*>(base);
    const bool left = page.magic == kPageMagic && page.layout_version == kLayoutVersion &&
                      liveness(read_identity(page.client)) == Liveness::kDead &&
                      liveness(read_identity(page.launcher)) == Liveness::kDead;
    munmap(base, kPageSize);
    return left;
}

/// Makes a segment; removes left pages and tries once more when the kernel has no segment left.
int make_segment_somehow(uint32_t generation, uint32_t& key) noexcept {
    const int id = make_segment(generation, key);
    if (id >= 0 || errno != ENOSPC) return id;
    if (remove_left_pages() > 0) return make_segment(generation, key);
    errno = ENOSPC;
    return -1;
}

}  // namespace

uint32_t remove_left_pages() noexcept {
    shm_info all{};
    const int last = shmctl(0, SHM_INFO, reinterpret_cast<shmid_ds*>(&all));  // 0 also where there is no segment
    uint32_t removed = 0;
    for (int index = 0; index <= last; ++index) {
        shmid_ds info{};
        const int id = shmctl(index, SHM_STAT, &info);
        if (id >= 0 && may_be_left(info) && is_left(id) && shmctl(id, IPC_RMID, nullptr) == 0) ++removed;
    }
    return removed;
}

Page* create_node_page(Slot& slot, uint32_t index, uint32_t generation, uint32_t uid, drom_error* error) noexcept {
    uint32_t key = 0;
    const int id = make_segment_somehow(generation, key);
    Page* page = id >= 0 ? attach(id) : nullptr;
    if (page != nullptr) {
        page->magic = kPageMagic;
        page->layout_version = kLayoutVersion;
        page->slot = index;
        page->generation = generation;
        write_identity(page->client, read_identity(slot.client));
        write_identity(page->launcher, read_identity(slot.launcher));
        if (give_to(id, uid)) {
            slot.page_key.store(key, std::memory_order_release);
            return page;
        }
    }
    const int code = errno;
    if (page != nullptr) munmap(static_cast<void*>(page), kPageSize);
    if (id >= 0) shmctl(id, IPC_RMID, nullptr);
    fail(error, code == ENOSPC ? DROM_E_FULL : DROM_E_OS, "drom: reserve: a page of shared memory for slot %u: %s",
         index, errno_text(code));
    return nullptr;
}

Page* open_node_page(const Slot& slot, uint32_t generation, uint32_t root) noexcept {
    int id = -1;
    return find(slot, generation, root, id);
}

void remove_node_page(Slot& slot, uint32_t generation, uint32_t root) noexcept {
    int id = -1;
    Page* page = find(slot, generation, root, id);
    if (page == nullptr) return;
    shmctl(id, IPC_RMID, nullptr);
    munmap(static_cast<void*>(page), kPageSize);
}

}  // namespace drom
