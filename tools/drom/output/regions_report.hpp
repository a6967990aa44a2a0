// SPDX-License-Identifier: BSD-3-Clause
// regions_report.hpp - the regions of clients, by name, and how drom stats --regions says them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "drom/drom.hpp"

namespace drom::command {

struct ClientRegions {
    std::string client;
    std::string job;
    pid_t pid = 0;
    std::optional<unsigned> rank;
    std::vector<drom_region_info> regions;
};

struct RegionsReport {
    std::string node;
    std::vector<ClientRegions> clients;
};

/// Puts the regions that took longest first.
void sort_regions(std::vector<drom_region_info>& regions);

/// Returns lines of 80 columns at most: a heading per client, and one line per region. Longer names are cut.
std::string regions_text(const RegionsReport& report);

/// Returns the word for DROM_REGION_FINE and so on.
std::string region_state_word(uint32_t state);

}  // namespace drom::command
