// SPDX-License-Identifier: BSD-3-Clause
// options.hpp - DLB_ARGS and the argument of DLB_Init, as far as they concern DROM; and which table they mean.
#pragma once

#include <cstddef>
#include <cstdint>

namespace drom::dlb {

/// Long enough for a key and each of its characters written as %XX.
inline constexpr size_t kKeyRoom = 3 * 64 + 1;

struct Options {
    bool drom = false;           ///< --drom
    bool async = false;          ///< --mode=async
    bool return_stolen = false;  ///< --debug-opts=return-stolen; set by DLB_DROM_PreInit
    bool silent = false;         ///< --silent: no sentences
    bool key_refused = false;    ///< --shm-key is longer than a name may be
    int32_t preinit_pid = 0;     ///< --preinit-pid
    char key[kKeyRoom] = {};     ///< --shm-key, fit for a file name
};

/// Reads `args` (may be NULL), then DLB_ARGS, which wins. `speak`: says once on stderr what it does not know or does
/// not have.
Options read_options(const char* args, bool speak) noexcept;

/// Of a program that did not call DLB_Init, because the agent took part for it: DLB_ARGS, and --drom unless they refuse
/// that.
Options read_options_of_agent() noexcept;

/// The directory of the table: that of the user (DROM_TABLE), or one of its own beside it for a key. NULL: the user's.
/// `room` belongs to the caller. False when the path would be too long.
bool table_of(const Options& options, char* room, size_t size, const char*& where) noexcept;

/// Removes words that begin with `prefix`. `text` is changed in place.
void remove_words(char* text, const char* prefix) noexcept;

}  // namespace drom::dlb
