// SPDX-License-Identifier: BSD-3-Clause
// segment.hpp - a table on disk: create it, open it, check it.
#pragma once

#include "drom/drom.h"
#include "layout.hpp"

namespace drom {

/// The offsets of a ledger: a copy of its header when that was checked. The header itself is shared memory, where any
/// process that may write can write anything later.
struct Shape {
    uint64_t owners_at, homes_at, locations_at, slots_at, requests_at, events_at, intent_at;
    uint32_t cpus, clients, mask_words, request_stride, mode;
};
Shape shape_of(const Header&) noexcept;

/// A mapped ledger. A plain view: copies share the mapping, close_ledger() ends it. Numbers that are read from the
/// mapping (slots in owner words, for instance) may be anything. They are compared with cpus() and clients() before
/// they are used as an index.
struct Ledger {
    char* base = nullptr;
    size_t size = 0;
    Shape shape{};
    int directory = -1;  ///< descriptor of the table's directory; -1 in clients, which keep none
    int file = -1;       ///< descriptor of the ledger, to notice its removal; -1 in clients
    bool writable = false;

    [[nodiscard]] Header& header() const noexcept { return *reinterpret_cast<Header*>(base); }
    [[nodiscard]] Word& owner(uint32_t cpu) const noexcept { return at<Word>(shape.owners_at, 8, cpu); }
    [[nodiscard]] Word& home(uint32_t cpu) const noexcept { return at<Word>(shape.homes_at, 8, cpu); }
    [[nodiscard]] Location& location(uint32_t cpu) const noexcept { return at<Location>(shape.locations_at, 8, cpu); }
    [[nodiscard]] Slot& slot(uint32_t index) const noexcept { return at<Slot>(shape.slots_at, sizeof(Slot), index); }
    [[nodiscard]] Mailbox& mailbox(uint32_t slot) const noexcept {
        return at<Mailbox>(shape.requests_at, shape.request_stride, slot);
    }
    [[nodiscard]] RequestHalf& half(uint32_t slot, uint64_t seq) const noexcept { return third(slot, seq & 1); }
    /// Returns the mask to which an administrator last confined the client's threads.
    [[nodiscard]] RequestHalf& outside(uint32_t slot) const noexcept { return third(slot, 2); }
    [[nodiscard]] IntentRecord& intent() const noexcept { return at<IntentRecord>(shape.intent_at, 0, 0); }
    /// Returns the client to which an intent of several masks gives this CPU.
    [[nodiscard]] Half& intent_target(uint32_t cpu) const noexcept {
        return at<Half>(shape.intent_at + offsetof(IntentRecord, words) + uint64_t{8} * mask_words(), sizeof(Half),
                        cpu);
    }
    [[nodiscard]] Event& event(uint64_t index) const noexcept {
        return at<Event>(shape.events_at, sizeof(Event), index % kEvents);
    }
    [[nodiscard]] uint32_t cpus() const noexcept { return shape.cpus; }
    [[nodiscard]] uint32_t clients() const noexcept { return shape.clients; }
    [[nodiscard]] uint32_t mask_words() const noexcept { return shape.mask_words; }
    [[nodiscard]] bool node_mode() const noexcept { return (shape.mode & kModeNode) != 0; }
    /// Returns whether its CPUs are not this machine's: masks are recorded, affinities are left alone.
    [[nodiscard]] bool virtual_node() const noexcept { return (shape.mode & kModeVirtual) != 0; }

private:
    [[nodiscard]] RequestHalf& third(uint32_t slot, uint64_t index) const noexcept {
        const uint64_t start = shape.requests_at + uint64_t{shape.request_stride} * slot + sizeof(Mailbox);
        return at<RequestHalf>(start, half_bytes(shape.mask_words), index);
    }
    template <class T>
    [[nodiscard]] T& at(uint64_t start, uint64_t stride, uint64_t index) const noexcept {
        return *reinterpret_cast<T*>(base + start + stride * index);
    }
};

struct CreateSpec {
    uint32_t cpus;     ///< 0: this machine's; otherwise a synthetic node where every CPU is present
    uint32_t clients;  ///< 0: kMaxClients
    uint32_t mode;     ///< kModeUser or kModeNode, plus kModeVirtual
};

/// Writes the path of the table: `where`, else DROM_TABLE, else /dev/shm/drom-<uid>.
int table_path(const char* where, char* out, size_t size, drom_error*) noexcept;

/// Opens and validates a ledger: directory and ledger belong to this user (or to root, in node mode), modes, size,
/// magic, layout version, checksum, boot, CPU count. Never creates, never repairs, never maps a file that it has not
/// checked.
int open_ledger(const char* path, bool read_only, Ledger&, drom_error*) noexcept;

/// Creates the table atomically: built under a temporary name, then linked into place. Returns DROM_OK also when
/// another process was faster.
int create_ledger(const char* path, const CreateSpec&, drom_error*) noexcept;

/// Fills in the error when the table was removed while a process uses it, which is named. Returns false when none does.
/// Takes milliseconds, as user_of_removed does. Thread-safe.
bool tell_of_removed(const char* path, const char* verb, drom_error*) noexcept;

void close_ledger(Ledger&) noexcept;

/// Returns DROM_E_NOTABLE when the ledger's file was removed meanwhile. About 0.3 us.
int still_there(const Ledger&, const char* path, drom_error*) noexcept;

// --- a client's page ---

/// Makes and maps the page of a process of `uid`: a file `client.<slot>.<gen>`, or a segment (node_page.hpp). Returns
/// nullptr with a sentence on failure.
Page* create_page(const Ledger&, const char* path, uint32_t slot, uint32_t generation, uint32_t uid,
                  drom_error*) noexcept;

/// Maps an existing page.
Page* open_page(const Ledger&, const char* path, uint32_t slot, uint32_t generation) noexcept;
void remove_page(const Ledger&, const char* path, uint32_t slot, uint32_t generation) noexcept;
void unmap_page(Page*) noexcept;

uint64_t header_checksum(const Header&) noexcept;

/// Returns the CPUs of /sys/devices/system/cpu/{present,online}; sysconf's answer when /sys is hidden.
CpuSet present_cpus() noexcept;
CpuSet online_cpus() noexcept;
/// Returns false when /sys does not say.
bool read_online_cpus(CpuSet& cpus) noexcept;

}  // namespace drom
