// SPDX-License-Identifier: BSD-3-Clause
// format.hpp - drom.h's numbers as the words that lists, JSON and man pages use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

std::vector<std::string> entry_point_words(uint32_t entry_points);
std::string resize_word(uint32_t resize);
/// Returns why the number of the client's threads does not follow its CPUs; empty: it does.
std::string why_not_resized(const drom_client_info& info);
/// Returns whether its CPUs change, and its threads stay as many as they are.
bool keeps_threads(const drom_client_info& info);
std::string event_word(uint32_t type);
/// Returns "live" once the process adopts requests itself, "reserved" until then.
std::string state_word(uint32_t state);
/// Returns how far the newest request is: "none", "posted", "confined" or "released", "resized".
std::string request_word(const drom_client_info& info);
/// Returns the client as messages name it: "render (4242)".
std::string client_words(const drom_client_info& info);
/// Returns "CPU 3", "CPUs 0-3", "no CPU".
std::string cpus_text(const CpuSet& set);
/// Returns "63 us", "1.2 ms", "4 s".
std::string duration_text(uint64_t ns);
std::string joined(const std::vector<std::string>& words, const char* separator);
/// Returns "1 CPU", "2 CPUs", "3 entries".
std::string counted(uint64_t count, std::string_view what);

/// Returns how far a request has come: "released after 0.1 ms, resized after 2 ms". Where the threads stay as many as
/// they are it says why. `took_ns`: the whole call, for a client that had released before the request was posted.
std::string progress_words(const drom_client_info& info, uint64_t took_ns);

}  // namespace drom::command
