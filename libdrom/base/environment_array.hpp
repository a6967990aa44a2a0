// SPDX-License-Identifier: BSD-3-Clause
// environment_array.hpp - an environment as execve takes it, in a malloc'd array of malloc'd texts that its owner
// frees.
#pragma once

#include <cstdint>

namespace drom {

/// Returns the entry `NAME=...`; nullptr when it is not there, or there is no array.
char** find_variable(char** environment, const char* name) noexcept;

/// Appends `NAME=value`, replacing an older value. Returns false when memory is short; the array is unchanged.
bool put_variable(char*** environment, const char* name, const char* value) noexcept;

/// DROM_TABLE, DROM_SLOT and DROM_START_CPUS for a process that CPUs are about to be reserved for. Memory is allocated
/// before the first CPU moves.
class ReservationVariables {
public:
    ReservationVariables() noexcept = default;
    ~ReservationVariables();
    ReservationVariables(const ReservationVariables&) = delete;
    ReservationVariables& operator=(const ReservationVariables&) = delete;

    /// Returns false when memory is short.
    bool prepare(char** environment, const char* table, const char* cpus) noexcept;
    /// Writes into the environment that prepare() got. Cannot fail.
    void put(char*** environment, uint32_t slot, uint32_t generation) noexcept;

private:
    char** array_ = nullptr;
    char* table_ = nullptr;
    char* cpus_ = nullptr;
    char* slot_ = nullptr;
};

}  // namespace drom
