// SPDX-License-Identifier: BSD-3-Clause
// options.hpp - the DROM options in DLB_ARGS and in the argument of DLB_Init; and the table that they name.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom::dlb {

/// Enough for a key with each of its characters written as %XX.
inline constexpr size_t kKeyRoom = 3 * 64 + 1;

struct Options {
    bool drom = false;           ///< --drom
    bool talp = false;           ///< --talp: monitoring regions
    bool async = false;          ///< --mode=async
    bool return_stolen = false;  ///< --debug-opts=return-stolen; set by DLB_DROM_PreInit
    bool silent = false;         ///< --silent: no sentences
    bool key_refused = false;    ///< --shm-key is longer than a name may be
    int32_t preinit_pid = 0;     ///< --preinit-pid
    char key[kKeyRoom] = {};     ///< --shm-key, fit for a file name
};

/// Reads `args` (may be NULL), then DLB_ARGS, which wins. `speak`: reports unknown or unsupported options on stderr,
/// once.
Options read_options(const char* args, bool speak) noexcept;

/// Reads the options of a program that did not call DLB_Init, because the agent took part for it: DLB_ARGS, with --drom
/// unless they refuse that.
Options read_options_of_agent() noexcept;

/// Returns the path of the table: the user's (DROM_TABLE), or for a key one of its own beside it. NULL: the user's.
/// `room` belongs to the caller. Returns false when the path would be too long.
bool table_of(const Options& options, char* room, size_t size, const char*& where) noexcept;

/// Removes words that begin with `prefix` from `text`, in place.
void remove_words(char* text, const char* prefix) noexcept;

}  // namespace drom::dlb
