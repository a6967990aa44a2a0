// SPDX-License-Identifier: BSD-3-Clause
// world.cpp - what can be seen of a table from outside.
#include "world.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "options.hpp"

namespace drom::faults {

namespace {

unsigned read_first_cpu() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    unsigned first = 0;
    while (first < CPU_SETSIZE && !CPU_ISSET(first, &set)) ++first;
    return first;
}

unsigned first_cpu() {
    static const unsigned first = read_first_cpu();
    return first;
}

void add_mask(std::string& text, const char* what, uint64_t mask) {
    text += std::string(" ") + what + "=" + std::to_string(mask);
}

void add_clients(drom_table* table, std::string& text) {
    std::array<drom_client_info, 8> clients{};
    clients[0].size = sizeof clients[0];
    size_t count = clients.size();
    drom_error error{};
    if (drom_clients(table, clients.data(), &count, &error) != DROM_OK) text += std::string("clients: ") + error.text;
    for (size_t i = 0; i < std::min(count, clients.size()); ++i) {
        const drom_client_info& client = clients[i];
        uint64_t owned = 0;
        uint64_t wanted = 0;
        drom_get_mask(table, client.pid, &owned, &wanted, 1, nullptr);
        text += "slot " + std::to_string(client.slot) + " " + client.name + " job=" + client.job;
        text += " state=" + std::to_string(client.state) + " flags=" + std::to_string(client.flags);
        text += " least=" + std::to_string(client.min_cpus) + " most=" + std::to_string(client.max_cpus);
        add_mask(text, "owned", owned);
        add_mask(text, "wanted", wanted);
        text += "\n";
    }
}

/// The generation in a page's name counts attempts.
std::string without_generation(const std::string& file) {
    return file.rfind("client.", 0) == 0 ? file.substr(0, file.rfind('.')) : file;
}

void add_files(const std::string& path, std::string& text) {
    std::vector<std::string> names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(path, none))
        names.push_back(without_generation(entry.path().filename()));
    std::sort(names.begin(), names.end());
    text += "files:";
    for (const std::string& name : names) text += " " + name;
    text += "\n";
}

}  // namespace

uint64_t cpus(unsigned bits) { return uint64_t{bits} << first_cpu(); }
uint32_t table_cpus() { return first_cpu() + 8; }

std::string seen_from_outside(const World& world) {
    std::string text;
    drom_table* table = nullptr;
    const drom_options options = test::options_with(DROM_READONLY);
    drom_error error{};
    const int status = drom_open(&table, world.path.c_str(), &options, &error);
    if (status == DROM_OK) {
        add_clients(table, text);
        uint64_t present = 0;
        uint64_t unowned = 0;
        uint64_t drained = 0;
        drom_table_masks(table, &present, &unowned, &drained, 1, nullptr);
        add_mask(text, "present", present);
        add_mask(text, "free", unowned);
        add_mask(text, "drained", drained);
        text += "\n";
    } else {
        text += status == DROM_E_NOTABLE ? "no table\n" : std::string(error.text) + "\n";
    }
    drom_close(table);
    add_files(world.path, text);
    return text;
}

std::string what_is_broken(const World& world) {
    drom_table* table = nullptr;
    const drom_options options = test::options_with(0);
    drom_error error{};
    int status = drom_open(&table, world.path.c_str(), &options, &error);
    if (status == DROM_E_NOTABLE) return "";
    for (int i = 0; i < 2 && status >= 0; ++i) status = drom_check(table, &options, &error);
    drom_close(table);
    if (status == DROM_UNCHANGED) return "";
    return status < 0 ? std::string("the table: ") + error.text : "the table: drom_check finds something to do twice";
}

}  // namespace drom::faults
