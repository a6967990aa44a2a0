// SPDX-License-Identifier: BSD-3-Clause
// layout.hpp - every byte that processes share: the ledger file and one page per client.
//
// A table is a directory:
//   ledger               header | owner words | home words | locations | slots | requests | intent | events
//   client.<slot>.<gen>  one page (16 KiB), written by the client, read by administrators; in a node table it is shared
//                        memory without a file
//
// Any process may be killed between any two stores. Therefore
// - the owner of a CPU is one 64-bit word, changed by one compare-and-swap, and nothing repeats it;
// - a request becomes visible by one store of its sequence number, after its words;
// - everything else can be derived again from the owner words (reconcile.hpp does).
// Administrators write the ledger; a client writes only its page. In a user's own table every process is both, so
// clients map the ledger read-write there; in node mode (root's table) they map it read-only.
//
// Shared structs have no bool, enum or bit-field, but fixed widths, explicit padding, and offsets pinned by
// static_assert.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cpuset.hpp"

namespace drom {

inline constexpr uint64_t kLedgerMagic = 0x6c6d6f7264'01ULL;  // "drom" and a byte that text tools do not print
inline constexpr uint64_t kPageMagic = 0x6761706d6f7264ULL;
inline constexpr uint32_t kLayoutVersion = 1;
inline constexpr uint32_t kMaxClients = 1024;
inline constexpr uint32_t kEvents = 4096;
inline constexpr uint32_t kNoSlot = UINT32_MAX;
inline constexpr uint32_t kModeUser = 0;
inline constexpr uint32_t kModeNode = 1;
inline constexpr uint32_t kModeVirtual = 2;  // added to either

using Word = std::atomic<uint64_t>;
using Half = std::atomic<uint32_t>;  // a futex is 32 bits wide
#ifndef DROM_PLAIN_PAYLOAD
/// A word that another word publishes. A process that has seen the publishing word may read it; any other process
/// learns from the checksum that it may not.
using Payload = Word;
#else
/// The same for ThreadSanitizer, which then reports an access that nothing orders behind the publishing word
/// (tests/race/edges_test.cpp).
struct Payload {
    uint64_t value;
    [[nodiscard]] uint64_t load(std::memory_order = std::memory_order_seq_cst) const noexcept { return value; }
    void store(uint64_t to, std::memory_order = std::memory_order_seq_cst) noexcept { value = to; }
};
#endif
static_assert(sizeof(Payload) == 8 && alignof(Payload) == 8);
static_assert(Word::is_always_lock_free && sizeof(Word) == 8 && sizeof(Half) == 4);

/// The identity of a process, so that a reused pid is never taken for the former process. Written before the slot's
/// state says so.
struct IdentityWords {
    Payload start;  ///< start time in clock ticks since boot (field 22 of /proc/PID/stat)
    Payload pidns;  ///< inode of its pid namespace
    Half pid;
    Half signs;  ///< of a claimer: the generation of the slot that it has claimed, written last
};
static_assert(sizeof(IdentityWords) == 24);

struct Header {
    // --- constant after creation, covered by `checksum` ---
    uint64_t magic;
    uint32_t layout_version;
    uint32_t header_size;
    uint64_t layout_hash;  ///< kLayoutHash of the library that made the table
    uint64_t file_size;
    uint64_t boot_id;  ///< hash of the kernel's boot id: a table that outlived a boot is refused
    uint32_t mode;
    uint32_t owner_uid;
    uint32_t cpus;     ///< owner words
    uint32_t clients;  ///< slots
    uint32_t mask_words;
    uint32_t request_stride;
    uint64_t owners_at, homes_at, locations_at, slots_at, requests_at, events_at, intent_at;
    uint64_t checksum;
    // --- the administrator lock: {pid:22, start:42} of its holder (0: free). See admin_lock.hpp ---
    Word admin_lock;
    Half admin_lock_waiters;
    uint32_t pad1;
    Word reaped_ns;  ///< when the dead were last looked for
    uint64_t pidns;  ///< pid namespace of the table's creator, constant after creation
    uint8_t pad2[32];
    // --- events ---
    Word event_head;     ///< events ever recorded
    Half event_bell;     ///< futex: counts completed events
    Half event_waiters;  ///< > 0: a process sleeps on event_bell
    uint8_t pad3[48];
};
static_assert(offsetof(Header, layout_hash) == 16 && offsetof(Header, checksum) == 120 &&
              offsetof(Header, admin_lock) == 128);
static_assert(offsetof(Header, event_head) == 192 && sizeof(Header) == 256);

/// The location of a CPU; UINT16_MAX: unknown. Filled at creation, so that applications need no topology library.
struct Location {
    uint16_t core, l3, numa, package;
};
static_assert(sizeof(Location) == 8);

/// A slot's `state` is {phase:8, flags:8, takes:16, generation:32}. `takes` counts how often another process took the
/// slot's CPUs over, so that the death of a former process does not end its successor.
///
/// While the slot is Claimed, `state` is {phase:8, unused:1, at home:1, claimer's pid:22, generation:32}: `claimer` may
/// still name the former claimer, which may be dead. `at home`: the pid belongs to the namespace that the header names.
/// Processes of that namespace can judge the claimer before it has signed.
///
/// The phase moves Free -> Claimed -> Reserved|Live -> Leaving -> Free. A slot may be Free only when no owner word
/// names it; Leaving exists for that.
namespace phase {
inline constexpr uint64_t kFree = 0, kClaimed = 1, kReserved = 2, kLive = 3, kLeaving = 4;
}
namespace slot_flag {
inline constexpr uint64_t kRigid = 1, kReturn = 2;
inline constexpr uint64_t kTree =
    4;  ///< the launcher is the subreaper of this client alone: all processes below it are the client's
}  // namespace slot_flag

struct Slot {
    Word state;
    IdentityWords client;    ///< the process that adopts requests
    IdentityWords launcher;  ///< its launcher: the CPUs stay reserved while either lives; pid 0: none
    IdentityWords claimer;   ///< the process that fills this slot while it is Claimed
    Half min_cpus, max_cpus;
    Half uid;
    Half page_key;  ///< in a node table: key of the segment that is the client's page; 0: none. See node_page.hpp
    Word joined_ns;
    char name[32];
    char job[32];
    uint8_t pad1[88];
};
static_assert(offsetof(Slot, client) == 8 && offsetof(Slot, min_cpus) == 80 && offsetof(Slot, name) == 104);
static_assert(sizeof(Slot) == 256);

/// Administrator -> client. Three blocks {stamp, checksum, mask_words words} follow: the two halves, and the mask to
/// which the threads were last confined from outside. The next process that moves the threads starts from that mask.
/// Request s is in half s & 1; `newest` names the complete one. A client copies its half and believes it only if the
/// half's own stamp and checksum agree: an overtaken administrator may still be writing there.
struct Mailbox {
    Word newest;       ///< sequence number; its low half is the futex the client sleeps on
    Half ack_waiters;  ///< > 0: a process sleeps on the client's `released` or `resized`
    uint32_t pad0;
    Word confined;  ///< {generation:24, seq:40}: the newest request of that user of the slot that an administrator
                    ///< enforced by affinity
    Word posted_ns;
    Word attempts;     ///< counts writers, so that each has a stamp of its own; never reset
    Word confined_ns;  ///< when `confined` was written
    Word begun;  ///< as `confined`: the newest request that an administrator began to enforce by affinity, ended or not
    Word moved;  ///< {tick:40, count:24}: when an administrator last announced moves; see moves.hpp
};
static_assert(sizeof(Mailbox) == 64);

struct RequestHalf {
    Word stamp;        ///< {attempt:24, seq:40}; seq 0: being written. Taken and finished by compare-and-swap. In the
                       ///< outside block {generation:24, seq:40}
    Payload checksum;  ///< over the stamp and the words
    Payload words[1];
};

/// The changes of several words that the holder of the administrator lock is about to make, so that the next holder can
/// finish them. Written before the first word changes, `kind` last; cleared after everything is reconciled.
struct IntentRecord {
    Word kind;       ///< 0: nothing; otherwise an IntentKind
    Payload client;  ///< {slot:32, generation:32}
    Payload flags;   ///< DROM_TAKE, DROM_RETURN, DROM_FAST
    Payload checksum;
    Payload words[1];  ///< mask_words of them; then, for kMasks, one Half per CPU: Owner::packed() of its new owner
};
namespace intent {
inline constexpr uint64_t kNothing = 0, kMask = 1, kDrain = 2, kRestore = 3, kAdd = 4, kRemove = 5, kMasks = 6;
inline constexpr uint64_t kLast = kMasks;
}  // namespace intent
constexpr uint32_t intent_bytes(uint32_t mask_words) noexcept {
    return (32 + 8 * mask_words + 4 * 64 * mask_words + 63) / 64 * 64;
}

struct Event {
    Word index;  ///< 1 + position, stored last; 0 or anything else: not complete
    Payload time_ns;
    Payload seq;
    Payload what;   ///< {type:8, slot:24, cpu:32}
    Payload value;  ///< {value:32, pid:32}
    uint64_t pad[3];
};
static_assert(sizeof(Event) == 64);

/// Client -> administrators: one page, with RegionArea behind this. Administrators treat it as untrusted input.
struct Page {
    uint64_t magic;
    uint32_t layout_version;
    uint32_t slot;
    uint32_t generation;
    Half joined;       ///< 1 once the client reads requests
    Half has_regions;  ///< 1: RegionArea has records, of this process or of one before it in the reservation
    uint8_t pad0[36];
    // acknowledgements; each store is a release; the low half of each is a futex
    Word released;
    Word resized;
    Word released_ns, resized_ns;
    Half sleeping;  ///< 1: the agent's thread sleeps on the request; an administrator that clears it must wake it
    Half limited;   ///< 1: the cpuset allows less than the request; released as the intersection
    Half disabled;  ///< not 0: between drom_disable and drom_enable; adoption is deferred
    uint8_t pad1[20];
    // the agent's facts about itself
    Half entry_points, resize, team_size, start_size;
    Half min_cpus, max_cpus;
    uint8_t pad2[40];
    // counters, each written by one thread with plain relaxed stores
    Word safe_points, queries, polls, adoptions;
    // what the client says to other movers of its processes; see moves.hpp
    Word began;  ///< the newest request for which it began to move them, ended or not
    Word moved;  ///< {tick:40, count:24}: when it last announced moves
    uint8_t pad3[16];
    char why[96];  ///< a sentence for `drom explain`; may be torn, is always cut at 95
    Half ranks;    ///< number of ranks of its MPI job; 0: the client is no rank, or the number is not known
    Half rank;
    Half local_rank;  ///< on this node
    uint8_t pad4[12];
    // the mask that the threads got at `released`: less than the request in a narrower cpuset
    Payload applied_checksum;  ///< over `released` and the words
    Payload applied[CpuSet::kWords];
    // the page's client, in a node table: remove_left_pages() reads it when the table itself is gone
    IdentityWords client, launcher;
};
static_assert(offsetof(Page, released) == 64 && offsetof(Page, entry_points) == 128 &&
              offsetof(Page, safe_points) == 192);
static_assert(offsetof(Page, why) == 256 && offsetof(Page, applied) == 384 && sizeof(Page) <= 1024);

/// A region of the client: what happened while it was open. Sums are {end - begin} modulo 2^64. So while the region is
/// open each sum lacks its clock, which a reader adds (regions.hpp).
struct RegionRecord {
    Half stamp;  ///< odd: being written; 0: never written
    Half open;   ///< begins without their end
    Word count;  ///< begins
    Word elapsed_ns, cpu_ns, available_ns;
    uint8_t pad0[24];
    Word name[16];  ///< text with its end
};
static_assert(offsetof(RegionRecord, name) == 64 && sizeof(RegionRecord) == 192);

/// Client -> observers: the regions of the client, kRegionsAt bytes behind the begin of its page.
struct RegionArea {
    Half stamp;  ///< as that of a record, for the three words below
    uint8_t pad0[4];
    Word since_ns, sum_ns, cpus;  ///< CPUs of the client's mask since then, and the sum over all time before
    uint8_t pad1[32];
    RegionRecord regions[64];
};
static_assert(offsetof(RegionArea, since_ns) == 8 && offsetof(RegionArea, regions) == 64);
inline constexpr uint32_t kRegions = 64;
inline constexpr size_t kRegionsAt = 1024;
inline constexpr size_t kPageSize = 16384;
static_assert(sizeof(Page) <= kRegionsAt && kRegionsAt + sizeof(RegionArea) <= kPageSize);

constexpr uint32_t half_bytes(uint32_t mask_words) noexcept { return (16 + 8 * mask_words + 63) / 64 * 64; }
constexpr uint32_t request_stride(uint32_t mask_words) noexcept { return 64 + 3 * half_bytes(mask_words); }

/// An owner word: a CPU's owner and next owner.
///   owner none, !offered                free (or drained / absent by flag)
///   owner A, !offered                   A's
///   owner A, offered, next owner B      offered: A was notified to leave; B gets it when A has released
///   owner A, offered, next owner none   offered: becomes free when A has released
/// `notified`: a request without this CPU was posted to A after the offer. Only then does a release count. An older
/// request without the CPU may still be overtaken by one that was derived before the offer and has the CPU.
///
/// A client is named by slot + 1 and the low 12 bits of the slot's generation. So a word never passes to the slot's
/// next user.
struct Owner {
    uint64_t bits;

    static constexpr uint64_t kOffered = 1, kDrained = 2, kAbsent = 4, kOffline = 8, kFast = 16, kNotified = 32;
    struct Name {
        uint32_t slot;  ///< kNoSlot: no client
        uint32_t gen;
        friend constexpr bool operator==(const Name&, const Name&) noexcept = default;
    };
    static constexpr Name none() noexcept { return {kNoSlot, 0}; }

    // {owner slot+1:12, owner gen:12, next slot+1:12, next gen:12, flags:6, stamp:10}; the stamp changes with every
    // change.
    [[nodiscard]] constexpr Name owner() const noexcept { return name(bits); }
    [[nodiscard]] constexpr Name next() const noexcept { return name(bits >> 24); }
    [[nodiscard]] constexpr uint64_t flags() const noexcept { return bits >> 48 & 0x3f; }
    [[nodiscard]] constexpr bool is(uint64_t flag) const noexcept { return (flags() & flag) != 0; }
    [[nodiscard]] constexpr uint64_t stamp() const noexcept { return bits >> 54; }
    [[nodiscard]] constexpr Owner with(Name owner, Name next, uint64_t flags) const noexcept {
        return {packed(owner) | packed(next) << 24 | (flags & 0x3f) << 48 | (stamp() + 1) << 54};
    }

    /// Returns a name in 24 bits: {slot + 1:12, generation:12}; 0: no client.
    static constexpr uint64_t packed(Name client) noexcept {
        return client.slot == kNoSlot ? 0 : (uint64_t{client.slot} + 1) | uint64_t{client.gen & 0xfff} << 12;
    }
    static constexpr Name name(uint64_t low) noexcept {
        const auto slot = static_cast<uint32_t>(low & 0xfff);
        return slot == 0 ? none() : Name{slot - 1, static_cast<uint32_t>(low >> 12 & 0xfff)};
    }
};
static_assert(sizeof(Owner) == 8);

// --- which layout this is ------------------------------------------------------------------------------------------

/// Every number that two builds must agree on before they share a table. People raise kLayoutVersion, also for changes
/// of meaning; this list notices a change for which they forgot to.
inline constexpr uint64_t kLayoutFacts[] = {
    kMaxCpus, kMaxClients, kEvents, kPageSize, kLedgerMagic, kPageMagic,
    // how words are packed
    Owner{0}.with({1, 2}, {3, 4}, Owner::kOffered).bits, Owner{0}.with({5, 6}, Owner::none(), Owner::kDrained).bits,
    Owner::kAbsent, Owner::kOffline, Owner::kFast, Owner::kNotified, phase::kClaimed, phase::kReserved, phase::kLive,
    phase::kLeaving, slot_flag::kRigid, slot_flag::kReturn, intent::kMask, intent::kDrain, intent::kRestore,
    intent::kAdd, intent::kRemove, intent::kMasks,
    // the ledger
    sizeof(Header), offsetof(Header, boot_id), offsetof(Header, cpus), offsetof(Header, owners_at),
    offsetof(Header, checksum), offsetof(Header, admin_lock), offsetof(Header, admin_lock_waiters),
    offsetof(Header, reaped_ns), offsetof(Header, pidns), offsetof(Header, event_head), offsetof(Header, event_bell),
    offsetof(Header, event_waiters), sizeof(Location), offsetof(Location, core), offsetof(Location, l3),
    offsetof(Location, numa), offsetof(Location, package), sizeof(IdentityWords), offsetof(IdentityWords, start),
    offsetof(IdentityWords, pidns), offsetof(IdentityWords, pid), offsetof(IdentityWords, signs), sizeof(Slot),
    offsetof(Slot, state), offsetof(Slot, client), offsetof(Slot, launcher), offsetof(Slot, claimer),
    offsetof(Slot, min_cpus), offsetof(Slot, max_cpus), offsetof(Slot, uid), offsetof(Slot, page_key),
    offsetof(Slot, joined_ns), offsetof(Slot, name), offsetof(Slot, job), sizeof(Mailbox), offsetof(Mailbox, newest),
    offsetof(Mailbox, ack_waiters), offsetof(Mailbox, confined), offsetof(Mailbox, posted_ns),
    offsetof(Mailbox, attempts), offsetof(Mailbox, confined_ns), offsetof(Mailbox, begun), offsetof(Mailbox, moved),
    sizeof(RequestHalf), offsetof(RequestHalf, stamp), offsetof(RequestHalf, checksum), offsetof(RequestHalf, words),
    half_bytes(1), half_bytes(64), request_stride(1), request_stride(64), sizeof(IntentRecord),
    offsetof(IntentRecord, kind), offsetof(IntentRecord, client), offsetof(IntentRecord, flags),
    offsetof(IntentRecord, checksum), offsetof(IntentRecord, words), intent_bytes(1), intent_bytes(64), sizeof(Event),
    offsetof(Event, index), offsetof(Event, time_ns), offsetof(Event, seq), offsetof(Event, what),
    offsetof(Event, value),
    // a client's page
    sizeof(Page), offsetof(Page, slot), offsetof(Page, generation), offsetof(Page, joined), offsetof(Page, has_regions),
    offsetof(Page, released), offsetof(Page, resized), offsetof(Page, released_ns), offsetof(Page, resized_ns),
    offsetof(Page, sleeping), offsetof(Page, disabled), offsetof(Page, limited), offsetof(Page, entry_points),
    offsetof(Page, resize), offsetof(Page, team_size), offsetof(Page, start_size), offsetof(Page, min_cpus),
    offsetof(Page, max_cpus), offsetof(Page, safe_points), offsetof(Page, queries), offsetof(Page, polls),
    offsetof(Page, adoptions), offsetof(Page, began), offsetof(Page, moved), offsetof(Page, why), offsetof(Page, ranks),
    offsetof(Page, rank), offsetof(Page, local_rank), offsetof(Page, applied_checksum), offsetof(Page, applied),
    offsetof(Page, client), offsetof(Page, launcher),
    // its regions
    kRegions, kRegionsAt, sizeof(RegionRecord), offsetof(RegionRecord, open), offsetof(RegionRecord, count),
    offsetof(RegionRecord, elapsed_ns), offsetof(RegionRecord, cpu_ns), offsetof(RegionRecord, available_ns),
    offsetof(RegionRecord, name), offsetof(RegionArea, since_ns), offsetof(RegionArea, sum_ns),
    offsetof(RegionArea, cpus), offsetof(RegionArea, regions)};

template <size_t N>
constexpr uint64_t hash_of_facts(const uint64_t (&facts)[N]) noexcept {
    uint64_t hash = 0xcbf29ce484222325;
    for (uint64_t fact : facts) hash = (hash ^ fact) * 0x9e3779b97f4a7c15, hash ^= hash >> 29;
    return hash;
}
inline constexpr uint64_t kLayoutHash = hash_of_facts(kLayoutFacts);

}  // namespace drom
