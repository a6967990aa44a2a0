// SPDX-License-Identifier: BSD-3-Clause
// reservation.hpp - which client of a table has a reservation. A pid does not tell: another container may have the
// same.
#pragma once

#include <string>

#include "table/snapshot.hpp"

namespace drom::command {

/// Returns the client's slot as DROM_SLOT names it.
std::string slot_of(const drom_client_info& info);

/// Returns the slot that the reservation's environment names.
std::string slot_of(const Table::Reservation& reservation);

/// Returns the client in whose reservation this process was started, as by a script under drom run; nullptr: none.
const ClientView* client_around(const Snapshot& snapshot);

}  // namespace drom::command
