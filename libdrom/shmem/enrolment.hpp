// SPDX-License-Identifier: BSD-3-Clause
// enrolment.hpp - a process becomes a client of the table, and stops being one.
//
// No other code fills a slot. By the order of these steps a killed enroller, a joining process and a reaper cannot harm
// each other:
//   1. claim a slot; its state names the claimer, so that a dead claimer can be found;
//   2. fill the slot, and make the client's page;
//   3. move the slot to Reserved or Live by compare-and-swap; from here on it counts;
//   4. look whether the process has another slot. A process that joins and an administrator that reserves for it both
//      do this after step 3. So at least one of them sees the other's slot, and gives its own up.
#pragma once

#include "mailbox.hpp"
#include "slots.hpp"

namespace drom {

/// The facts about a process that its slot records.
struct Enrolment {
    const char* verb;  ///< begins a refusal's sentence: "drom: reserve 4242"
    ProcessIdentity client{};
    ProcessIdentity launcher{};  ///< the CPUs stay reserved while either lives; pid 0: none
    uint32_t uid = 0;
    uint32_t min_cpus = 1, max_cpus = 0;  ///< 0: no limit
    const char* name = nullptr;           ///< null: the command's name
    const char* job = nullptr;
    const char* name_end = "";
    uint64_t phase = phase::kReserved;  ///< kReserved: for a process that has not joined; kLive: the process itself
                                        ///< joins
    uint64_t flags = 0;                 ///< slot_flag::*
    bool needs_page = true;
};

/// Enrols a process, without any CPU. Reaps slots of the dead first. `page`: receives the client's page; null: not
/// wanted. Returns DROM_OK; DROM_E_BUSY (when reserving: the process is a client already, or has just joined),
/// DROM_E_FULL, DROM_E_OS. A refusal leaves nothing behind.
int enrol(const Ledger& ledger, Pages& pages, const char* path, const Enrolment& enrolment, User& user, Page** page,
          drom_error* error) noexcept;

/// Ends a client: its CPUs go to their next owners and homes, its page is removed, its slot is free. Any process may
/// complete this. `seen`: the slot's state word when the client was judged. Returns false when that word has changed
/// since: the slot may have another user by now.
bool retire(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint64_t seen,
            uint32_t event) noexcept;
/// Ends a client that is known by its generation, in any phase.
void retire_user(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint32_t generation,
                 uint32_t event) noexcept;
/// Ends a reservation. Returns false, and leaves it, when its process has joined it meanwhile.
bool call_off(const Ledger& ledger, Pages& pages, const char* path, uint32_t slot, uint32_t generation) noexcept;

/// Retires every abandoned client, and slots whose claimer died while filling them. Returns the number of retired
/// slots.
uint32_t reap(const Ledger& ledger, Pages& pages, const char* path) noexcept;

}  // namespace drom
