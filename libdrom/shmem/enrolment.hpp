// SPDX-License-Identifier: BSD-3-Clause
// enrolment.hpp - a process becomes a client of the table, and stops being one.
//
// No other code fills a slot. The order of the steps is what makes a killed enroller, a joining process and a reaper
// harmless to each other:
//   1. claim a slot; its state names the claimer, so that a claimer that dies can be found;
//   2. fill it, and make the client's page;
//   3. move it to Reserved or Live by compare-and-swap; from here on it counts;
//   4. look whether the process has another slot. A process that joins and an administrator that reserves for it both
//   do this after step 3, so at
//      least one of them sees the other's slot, and gives its own up.
#pragma once

#include "mailbox.hpp"
#include "slots.hpp"

namespace drom {

/// What a slot says of its process.
struct Enrolment {
    const char* verb;  ///< begins a refusal's sentence: "drom: reserve 4242"
    Who client{};
    Who launcher{};  ///< the CPUs stay reserved while either lives; pid 0: none
    uint32_t uid = 0;
    uint32_t min_cpus = 1, max_cpus = 0;  ///< 0: no limit
    const char* name = nullptr;           ///< the command's when null
    const char* job = nullptr;
    const char* name_end = "";
    uint64_t phase = phase::kReserved;  ///< kReserved: for a process that has not joined; kLive: by the process itself
    uint64_t flags = 0;                 ///< slot_flag::*
    bool needs_page = true;
};

/// Enrols a process, without any CPU. Slots of the dead are reaped first. `page`: the client's page, for the process
/// itself; null: not wanted. Returns DROM_OK; DROM_E_BUSY (reserving: it is a client already, or has just joined),
/// DROM_E_FULL, DROM_E_OS. Nothing is left of a refusal.
int enrol(const Ledger& ledger, Pages& pages, const char* path, const Enrolment& enrolment, User& user, Page** page,
          drom_error* error) noexcept;

/// Ends a client: its CPUs go to their next owners and lenders, its page is removed, its slot is free. Any process may
/// finish it. `seen`: the slot's state word when it was judged. Returns false when it has changed since: the slot may
/// have another user by now.
bool retire(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint64_t seen,
            uint32_t event) noexcept;
/// Ends a client that is known by its generation, whatever its phase.
void retire_user(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint32_t generation,
                 uint32_t event) noexcept;
/// Ends a reservation. Returns false, and leaves it, when its process has joined it meanwhile.
bool call_off(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint32_t generation) noexcept;

/// Retires every client that is abandoned, and slots whose claimer died while filling them. Returns how many.
uint32_t reap(const Ledger& ledger, Pages& pages, const char* path) noexcept;

}  // namespace drom
