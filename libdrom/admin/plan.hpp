// SPDX-License-Identifier: BSD-3-Clause
// plan.hpp - which owner words must change to give a client a mask, or what is in the way.
//
// Reads the ledger, changes nothing. Every change is bound to the word that it was planned on, so an overtaken plan
// changes nothing either when it is carried out.
//
// Every plan refuses when clients would wait for one another in a circle (DROM_E_BUSY): without DROM_FAST a client
// leaves its last CPU only when it has another.
#pragma once

#include "drom/drom.h"
#include "shmem/ledger.hpp"
#include "shmem/mailbox.hpp"

namespace drom {

struct Change {
    uint32_t cpu;
    uint32_t event;  ///< DROM_EVENT_*
    Owner from, to;
    uint64_t home;  ///< the home word, as change_home() takes it
};

inline constexpr uint32_t kNoCpuShared = UINT32_MAX;

struct Plan {
    Change* changes;  ///< room for one per CPU; the caller's
    uint32_t count;
    SlotSet touched;
    uint32_t shared = kNoCpuShared;  ///< a CPU that two clients use until a fast hand-over is done: the plan is refused

    void add(const Change& change) noexcept { changes[count++] = change; }
};

struct PlanRules {
    bool take;         ///< DROM_TAKE
    bool give_back;    ///< DROM_RETURN
    bool fast;         ///< DROM_FAST
    const char* verb;  ///< begins the sentence: "drom: set 4242"
    bool drain = false;
};

/// Plans that the client gets exactly `mask`. Refusals: DROM_E_NOCPU, DROM_E_BUSY, each with its sentence.
int plan_mask(const Ledger& ledger, Owner::Name client, const CpuSet& mask, const PlanRules& rules, Plan& plan,
              drom_error* error) noexcept;

/// Plans that several clients get exactly their masks, all at once. `targets[cpu]` gets each CPU of `cpus`, and each
/// client named there loses every other CPU. CPUs move among them without DROM_TAKE. Clients that have ended are left
/// out.
int plan_masks(const Ledger& ledger, const CpuSet& cpus, const Owner::Name* targets, const PlanRules& rules, Plan& plan,
               drom_error* error) noexcept;

/// Plans that the client gets `cpus` besides its own, or loses `cpus`. The words of other CPUs are neither read for the
/// plan nor changed: two administrators can move different CPUs of one client at once. No CPUs: an empty plan.
int plan_add(const Ledger& ledger, Owner::Name client, const CpuSet& cpus, const PlanRules& rules, Plan& plan,
             drom_error* error) noexcept;
int plan_remove(const Ledger& ledger, Owner::Name client, const CpuSet& cpus, const PlanRules& rules, Plan& plan,
                drom_error* error) noexcept;

/// Plans that the owners leave `mask`, without next owners. Refuses when a client would be left with fewer CPUs than
/// its min.
int plan_drain(const Ledger& ledger, const CpuSet& mask, const PlanRules& rules, Plan& plan,
               drom_error* error) noexcept;

/// Undoes a drain: the former owners get the CPUs back.
int plan_restore(const Ledger& ledger, const CpuSet& mask, const PlanRules& rules, Plan& plan,
                 drom_error* error) noexcept;

/// Returns DROM_OK, or says which CPU of `mask` does not exist, is offline or is drained.
int check_cpus(const Ledger& ledger, const CpuSet& mask, bool drained_too, const char* verb,
               drom_error* error) noexcept;

/// Returns the number of CPUs that the client in `slot` keeps whatever others ask for: its min, and at least one.
uint32_t min_cpus(const Ledger& ledger, uint32_t slot) noexcept;

/// Returns whether CPUs are never taken from the client in `slot`.
bool is_rigid(const Ledger& ledger, uint32_t slot) noexcept;

/// Returns the free CPUs, and the offered CPUs of the client itself without a next owner: it can have them back at
/// once.
CpuSet givable_cpus(const Ledger& ledger, Owner::Name client) noexcept;

/// "client 4242 (heat, job 88.0)".
struct ClientText {
    char text[112];
    ClientText(const Ledger& ledger, uint32_t slot) noexcept;
};

}  // namespace drom
