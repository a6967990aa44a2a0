// SPDX-License-Identifier: BSD-3-Clause
// top_rows.hpp - from a client and what it did to its line in drom top. Pure.
#pragma once

#include <span>
#include <string>

#include "output/top_table.hpp"
#include "table/snapshot.hpp"
#include "verbs/sampled_clients.hpp"

namespace drom::command {

/// Returns the line of a client of which nothing was seen yet.
TopRow row_of(const drom_client_info& info, const CpuSet& owned);

/// Returns the line. A client that is not among the samples has only its CPUs.
TopRow row_of(const ClientView& client, std::span<const ClientSample> samples, uint64_t now_ns);

/// Returns what became of the newest request: "released", "confined" from outside, or "-> 2 12s", the CPUs that the
/// client will have and for how long that has been pending; "-": there is none.
std::string request_text(const drom_client_info& info, uint64_t now_ns);

}  // namespace drom::command
