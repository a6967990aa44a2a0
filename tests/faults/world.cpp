// SPDX-License-Identifier: BSD-3-Clause
// world.cpp - tables with clients, and their description from outside.
#include "world.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "options.hpp"
#include "shim.hpp"

namespace drom::faults {

namespace {

bool patient = true;

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

void add_clients(drom_table* table, bool names, std::string& text) {
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
        text += "slot " + std::to_string(client.slot) + " " + (names ? client.name : "") + " job=" + client.job;
        text += " state=" + std::to_string(client.state) + " flags=" + std::to_string(client.flags);
        text += " min=" + std::to_string(client.min_cpus) + " max=" + std::to_string(client.max_cpus);
        add_mask(text, "owned", owned);
        add_mask(text, "wanted", wanted);
        text += "\n";
    }
}

/// Removes the generation from the name of a page: it counts attempts, and differs from run to run.
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

void reserve(World& world, pid_t pid, unsigned bits) {
    drom_error error{};
    const uint64_t mask = cpus(bits);
    const drom_options options = with(0);
    must(world, drom_reserve(world.table, pid, &mask, 1, &options, nullptr, &error), error);
}

void make_table(World& world, uint64_t flags) {
    drom_error error{};
    const drom_options options = creating(flags);
    must(world, drom_open(&world.table, world.path.c_str(), &options, &error), error);
    setenv("DROM_TABLE", world.path.c_str(), 1);
}

/// Waits for the agent's thread: it ends a moment after it may, and until then it may have descriptors of its own.
void wait_for_other_threads() {
    const auto count = [] {
        return std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                             std::filesystem::directory_iterator());
    };
    for (int looks = 0; looks < 60000 && count() > 1; ++looks) usleep(1000);
}

}  // namespace

uint64_t cpus(unsigned bits) { return uint64_t{bits} << first_cpu(); }
uint32_t table_cpus() { return first_cpu() + 8; }

void be_patient(bool now) { patient = now; }

drom_options with(uint64_t flags) {
    constexpr uint32_t kShort_ms = 30;
    constexpr uint32_t kLong_ms = 60'000;  // long enough for the busiest machine
    return test::options_with(flags, patient ? kLong_ms : kShort_ms);
}

void must(World& world, int status, const drom_error& error) {
    if (status < 0 && world.wrong.empty()) world.wrong = std::string("preparing: ") + error.text;
}

void nothing(World&) {}

void two_clients(World& world) {
    make_table(world, 0);
    reserve(world, world.people.a.pid(), 0x0f);
    reserve(world, world.people.b.pid(), 0x30);
}

void two_clients_of_a_node(World& world) {
    make_table(world, geteuid() == 0 ? DROM_NODE : 0);
    reserve(world, world.people.a.pid(), 0x0f);
    reserve(world, world.people.b.pid(), 0x30);
}

void one_client(World& world) {
    make_table(world, 0);
    reserve(world, world.people.b.pid(), 0x30);
}

/// Prepares a table of two clients, and one with CPUs 6-7 that was killed.
void one_died(World& world) {
    two_clients(world);
    test::Gate joined;
    test::Child victim = test::Child::run([&] {
        const uint64_t mask = cpus(0xc0);
        if (drom_init(&mask, 1, nullptr, nullptr) != DROM_OK) return 1;
        joined.open();
        for (;;) pause();
        return 0;
    });
    joined.pass();
    victim.stop();
}

void finish(World& world) {
    drom_finalize(nullptr);
    wait_for_other_threads();
    drom_close(world.opened);
    drom_close(world.table);
    for (char** at = world.environment; at != nullptr && *at != nullptr; ++at) free_given(*at);
    free_given(static_cast<void*>(world.environment));
    world.opened = world.table = nullptr;
    world.environment = nullptr;
}
drom_options creating(uint64_t flags) {
    drom_options options = with(DROM_CREATE | flags);
    options.cpus = table_cpus();
    options.clients = 6;
    return options;
}

void name_the_table(World& world) { setenv("DROM_TABLE", world.path.c_str(), 1); }

std::string seen_from_outside(const World& world) {
    std::string text;
    drom_table* table = nullptr;
    const drom_options options = test::options_with(DROM_READONLY);
    drom_error error{};
    const int status = drom_open(&table, world.path.c_str(), &options, &error);
    if (status == DROM_OK) {
        add_clients(table, world.names, text);
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

void let_them_leave(const World& world) {
    drom_table* table = nullptr;
    // No client answers, and CPUs that this machine does not have cannot be left. The rest is done at once.
    constexpr uint32_t kOnce_ms = 200;
    drom_options options = test::options_with(0, kOnce_ms);
    options.grace_ms = DROM_GRACE_AT_ONCE;
    if (drom_open(&table, world.path.c_str(), &options, nullptr) != DROM_OK) return;
    for (const pid_t pid : {world.people.a.pid(), world.people.b.pid(), world.people.a.pid(), world.people.b.pid()})
        drom_wait_for(table, pid, 0, &options, nullptr);
    drom_close(table);
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
