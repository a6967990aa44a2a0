// SPDX-License-Identifier: BSD-3-Clause
// environment_array.hpp - an environment as execve takes it, in a malloc'd array of malloc'd texts that its owner frees.
#pragma once

namespace drom {

/// Where `NAME=` is in it; nullptr when it is not there, or there is no array.
char** find_variable(char** environment, const char* name) noexcept;

/// Appends `NAME=value`, replacing an older value. False: no memory; it is as it was.
bool put_variable(char*** environment, const char* name, const char* value) noexcept;

}  // namespace drom
