// SPDX-License-Identifier: BSD-3-Clause
// mailbox.hpp - requests to a client and its acknowledgements.
//
// Request: the administrator fills the half that the client is not reading, then advances `newest` by one
// compare-and-swap. Before that store the request does not exist; after it, it exists completely. There is no third
// case. Acknowledgement: the client makes one release store, and wakes only if a process is registered as waiting.
#pragma once

#include <bit>

#include "base/request.hpp"
#include "segment.hpp"

namespace drom {

/// Reads the newest complete request. Returns false when there is none, or when an overtaken administrator is writing
/// into the half right now: look again at the next occasion.
bool read_request(const Ledger& ledger, uint32_t slot, Request& posted) noexcept;

/// Publishes `mask` as the request after `base`, the newest sequence number under which `mask` was derived for
/// `client`. Returns false when another administrator published first or wrote the same half at the same time, or when
/// the slot has another user: derive again.
bool post_request(const Ledger& ledger, Owner::Name client, uint64_t base, const CpuSet& mask) noexcept;

/// Notes that an administrator has set the threads of the slot's user `generation` to this mask, which is what its
/// cpuset allows of this request. From then on that counts as released. Does nothing when the slot has another user by
/// now.
void note_outside(const Ledger& ledger, uint32_t slot, uint32_t generation, const Request& confined) noexcept;

/// Reads the request for which an administrator last set the present user's threads, and their mask. Returns false, or
/// 0, when none did: an administrator that writes late, about a former user, is not believed.
bool read_outside(const Ledger& ledger, uint32_t slot, Request& confined) noexcept;
/// Returns whether a request may have given threads of the slot's user this affinity: the newest one, the one before,
/// or the last for which an administrator set the threads.
bool was_requested(const Ledger& ledger, uint32_t slot, const CpuSet& affinity) noexcept;
uint64_t confined_seq(const Ledger& ledger, uint32_t slot) noexcept;
/// Returns the contents of `confined` for that request.
uint64_t confined_mark(uint32_t generation, uint64_t seq) noexcept;

/// Notes that an administrator is about to set affinities for request `seq`. Called before the first, so that its death
/// in between leaves a trace.
void note_begun(const Ledger& ledger, uint32_t slot, uint32_t generation, uint64_t seq) noexcept;
/// Returns whether an administrator or the client began to carry out a request after `seq`, whether or not that has
/// ended. `page`: the client's; may be null.
bool has_begun_since(const Ledger& ledger, uint32_t slot, const Page* page, uint64_t seq) noexcept;
/// Returns a second mask, besides that of the last release, to which threads may have been moved before request `seq`.
/// Returns the mask of the last release again when no process began to move any since, or when the request in
/// between is not known.
CpuSet begun_since(const Ledger& ledger, uint32_t slot, const Page* page, const Request& last, uint64_t seq) noexcept;

/// Writes or reads the mask that the client itself gave its threads with release `seq`: what its cpuset allows of the
/// request. It is written before `released` says `seq`, and cannot be read while a newer release is under way.
void write_applied(const Ledger& ledger, Page& page, uint64_t seq, const CpuSet& mask) noexcept;
bool read_applied(const Ledger& ledger, const Page& page, CpuSet& mask) noexcept;

/// Makes unreadable what an overtaken administrator may still publish to the slot's former user. Only the slot's
/// claimer may call this.
void blank_request(const Ledger& ledger, uint32_t slot) noexcept;

/// A set of slots. A number that no table has (from a damaged word) is no member.
struct SlotSet {
    uint64_t words[kMaxClients / 64] = {};
    void add(uint32_t slot) noexcept {
        if (slot < kMaxClients) words[slot / 64] |= uint64_t{1} << (slot % 64);
    }
    [[nodiscard]] bool has(uint32_t slot) const noexcept {
        return slot < kMaxClients && (words[slot / 64] >> (slot % 64) & 1) != 0;
    }
    template <class Visit>
    void each(Visit&& visit) const noexcept {
        for (uint32_t word = 0; word < kMaxClients / 64; ++word)
            for (uint64_t bits = words[word]; bits != 0; bits &= bits - 1)
                visit(word * 64 + static_cast<uint32_t>(std::countr_zero(bits)));
    }
};

/// The pages of all clients, as administrators see them. In node mode a job writes them, and may change them between
/// two looks.
class Pages {
public:
    ~Pages() { clear(); }
    Pages() noexcept = default;
    Pages(const Pages&) = delete;
    Pages& operator=(const Pages&) = delete;

    /// Returns false when memory is short.
    bool open(const Ledger* ledger, const char* path) noexcept;
    void clear() noexcept;
    [[nodiscard]] const char* path() const noexcept { return path_; }

    /// Returns the page of the client in `slot`; nullptr when it has none.
    const Page* view(uint32_t slot) noexcept;

    /// Wakes the client's agent thread if it sleeps (in node mode always, as its word is not trusted). While wakes are
    /// held, only notes that the wake is due.
    void wake_client(uint32_t slot) noexcept;

    /// Holds wakes until wake_held(), except for clients that have disabled adoption.
    void hold_wakes() noexcept { holds_ = true; }
    void wake_held() noexcept;
    [[nodiscard]] bool is_held(uint32_t slot) const noexcept { return held_.has(slot); }

private:
    struct Entry {
        Page* page;
        uint32_t generation;
    };
    Entry* entry(uint32_t slot) noexcept;
    bool refuses(uint32_t slot) noexcept;
    void drop(Entry& entry) noexcept;

    bool holds_ = false;
    SlotSet held_;
    const Ledger* ledger_ = nullptr;
    const char* path_ = nullptr;
    Entry* entries_ = nullptr;
};

/// Returns the newest request that the client's threads have been confined to: by its own word (bounded by what was
/// posted) or by an administrator's affinity calls.
uint64_t released_seq(const Ledger& ledger, Pages& pages, uint32_t slot) noexcept;

}  // namespace drom
