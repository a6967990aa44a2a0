// SPDX-License-Identifier: BSD-3-Clause
// locations.cpp - reads the locations of CPUs from sysfs.
#include "locations.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>

#include "base/process_stat.hpp"

namespace drom {

namespace {

uint16_t topology_number(uint32_t cpu, const char* file) noexcept {
    char path[96];
    char text[32];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/%s", cpu, file);
    if (read_text(AT_FDCWD, path, text, sizeof text) < 0) return UINT16_MAX;
    const long value = strtol(text, nullptr, 10);
    return value < 0 ? UINT16_MAX : static_cast<uint16_t>(value);
}

uint16_t numa_node(uint32_t cpu) noexcept {
    char path[96];
    for (uint32_t node = 0; node < 64; ++node) {
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/node%u", cpu, node);
        if (access(path, F_OK) == 0) return static_cast<uint16_t>(node);
    }
    return UINT16_MAX;
}

}  // namespace

Location location_of(uint32_t cpu) noexcept {
    return {topology_number(cpu, "topology/core_id"), topology_number(cpu, "cache/index3/id"), numa_node(cpu),
            topology_number(cpu, "topology/physical_package_id")};
}

}  // namespace drom
