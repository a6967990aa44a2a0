// SPDX-License-Identifier: BSD-3-Clause
// environment_array.cpp - an environment as execve takes it. Part of libdrom.so and of libdlb.so.
#include "environment_array.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace drom {

char** find_variable(char** environment, const char* name) noexcept {
    const size_t length = strlen(name);
    for (char** at = environment; at != nullptr && *at != nullptr; ++at)
        if (strncmp(*at, name, length) == 0 && (*at)[length] == '=') return at;
    return nullptr;
}

bool put_variable(char*** environment, const char* name, const char* value) noexcept {
    char* entry = nullptr;
    if (asprintf(&entry, "%s=%s", name, value) < 0) return false;
    if (char** at = find_variable(*environment, name); at != nullptr) {
        free(*at);
        *at = entry;
        return true;
    }
    size_t count = 0;
    while (*environment != nullptr && (*environment)[count] != nullptr) ++count;
    auto** larger = static_cast<char**>(realloc(*environment, (count + 2) * sizeof(char*)));
    if (larger == nullptr) {
        free(entry);
        return false;
    }
    larger[count] = entry;
    larger[count + 1] = nullptr;
    *environment = larger;
    return true;
}

}  // namespace drom
