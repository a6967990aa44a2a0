// SPDX-License-Identifier: BSD-3-Clause
// environment.hpp - tells a process that is about to be executed of its reservation.
#pragma once

#include <cstdint>

namespace drom::dlb {

/// The values of the variables by which a process learns of its reservation.
struct ReservationVariables {
    int32_t pid;
    const char* args;   ///< appended to DLB_ARGS, before --preinit-pid
    int threads;        ///< OMP_NUM_THREADS, where that is set; 0: left alone
    const char* where;  ///< DROM_TABLE; nullptr: left alone
    const char* slot;   ///< DROM_SLOT; nullptr: left alone
    const char* cpus;   ///< DROM_START_CPUS, with DROM_SLOT
};

/// Writes the variables into *next_environ (malloc'd, as its strings are), or into the present environment when that is
/// NULL. Returns false when memory is short.
bool write_variables(const ReservationVariables& values, char*** next_environ) noexcept;

}  // namespace drom::dlb
