// SPDX-License-Identifier: BSD-3-Clause
// orders.hpp - carries out what an administrator asks, and waits for it if asked to.
#pragma once

#include "order_cpus.hpp"
#include "table.hpp"

namespace drom {

/// One of several masks that are granted together or not at all.
struct ClientMask {
    uint32_t pid;
    CpuSet mask;
};

/// Carries out an order about one client. Returns DROM_UNCHANGED if the client had those CPUs.
int change(Table& table, uint32_t pid, const Order& order, const Options& options, drom_error* error) noexcept;
/// Gives several clients their masks in one step, or refuses them all.
int set_masks(Table& table, const ClientMask* wanted, size_t n, const Options& options, drom_error* error) noexcept;
/// Drains CPUs (intent::kDrain), or gives them back to be owned (intent::kRestore).
int change_cpus(Table& table, uint64_t kind, const CpuSet& mask, const Options& options, drom_error* error) noexcept;

}  // namespace drom
