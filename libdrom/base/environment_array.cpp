// SPDX-License-Identifier: BSD-3-Clause
// environment_array.cpp - an environment as execve takes it. Part of libdrom.so and of libdlb.so.
#include "environment_array.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace drom {

namespace {

size_t length_of(char** environment) noexcept {
    size_t count = 0;
    while (environment != nullptr && environment[count] != nullptr) ++count;
    return count;
}

}  // namespace

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
    const size_t count = length_of(*environment);
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

namespace {

constexpr size_t kSlotRoom = sizeof "DROM_SLOT=4294967295:4294967295";

bool is_of_reservation(const char* entry) noexcept {
    for (const char* name : {"DROM_TABLE=", "DROM_SLOT=", "DROM_START_CPUS="})
        if (strncmp(entry, name, strlen(name)) == 0) return true;
    return false;
}

}  // namespace

ReservationVariables::~ReservationVariables() {
    free(static_cast<void*>(array_));
    for (char* entry : {table_, cpus_, slot_}) free(entry);
}

bool ReservationVariables::prepare(char** environment, const char* table, const char* cpus) noexcept {
    array_ = static_cast<char**>(malloc((length_of(environment) + 4) * sizeof(char*)));
    slot_ = static_cast<char*>(malloc(kSlotRoom));
    if (asprintf(&table_, "DROM_TABLE=%s", table) < 0) table_ = nullptr;
    if (asprintf(&cpus_, "DROM_START_CPUS=%s", cpus) < 0) cpus_ = nullptr;
    return array_ != nullptr && slot_ != nullptr && table_ != nullptr && cpus_ != nullptr;
}

void ReservationVariables::put(char*** environment, uint32_t slot, uint32_t generation) noexcept {
    snprintf(slot_, kSlotRoom, "DROM_SLOT=%u:%u", slot, generation);
    size_t count = 0;
    for (char** at = *environment; at != nullptr && *at != nullptr; ++at) {
        if (is_of_reservation(*at))
            free(*at);
        else
            array_[count++] = *at;
    }
    for (char** entry : {&table_, &cpus_, &slot_}) array_[count++] = std::exchange(*entry, nullptr);
    array_[count] = nullptr;
    free(static_cast<void*>(*environment));
    *environment = std::exchange(array_, nullptr);
}

}  // namespace drom
