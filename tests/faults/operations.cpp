// SPDX-License-Identifier: BSD-3-Clause
// operations.cpp - every operation of drom on a table.
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "options.hpp"
#include "shim.hpp"
#include "world.hpp"

namespace drom::faults {

namespace {

// --- tables --------------------------------------------------------------------------------------------------------

void drained(World& world) {
    two_clients(world);
    const uint64_t mask = cpus(0xc0);
    drom_error error{};
    const drom_options options = with(0);
    must(world, drom_drain(world.table, &mask, 1, &options, &error), error);
}

int open_again(World& world, const drom_options& options, drom_error* error) {
    drom_close(world.opened);
    return drom_open(&world.opened, world.path.c_str(), &options, error);
}

int create(World& world, drom_error* error) { return open_again(world, creating(0), error); }
int create_node(World& world, drom_error* error) {
    return open_again(world, creating(geteuid() == 0 ? DROM_NODE : 0), error);
}
int create_for_machine(World& world, drom_error* error) {
    drom_options options = with(DROM_CREATE);
    options.clients = 6;
    return open_again(world, options, error);
}
int open_it(World& world, drom_error* error) { return open_again(world, with(0), error); }
int observe(World& world, drom_error* error) { return open_again(world, with(DROM_READONLY), error); }

// --- looking -------------------------------------------------------------------------------------------------------

int list(World& world, drom_error* error) {
    std::array<drom_client_info, 8> clients{};
    clients[0].size = sizeof clients[0];
    size_t count = clients.size();
    const int status = drom_clients(world.table, clients.data(), &count, error);
    world.listed = count;
    return status;
}

int get(World& world, drom_error* error) {
    uint64_t owned = 0;
    const int status = drom_get_mask(world.table, world.people.a.pid(), &owned, nullptr, 1, error);
    if (status == DROM_OK && owned != cpus(0x0f)) world.wrong = "a mask is not the client's";
    return status;
}

int check(World& world, drom_error* error) {
    const drom_options options = with(0);
    return drom_check(world.table, &options, error);
}

int look_at_events(World& world, drom_error* error) {
    std::array<drom_event, 4> events{};
    uint64_t next = 0;
    size_t count = events.size();
    return drom_events(world.table, &next, events.data(), &count, 0, error);
}

int watch(World& world, drom_error* error) {
    std::array<drom_event, 4> events{};
    uint64_t next = UINT64_MAX;
    size_t count = events.size();
    return drom_events(world.table, &next, events.data(), &count, 2, error);
}

// --- changing ------------------------------------------------------------------------------------------------------

int set(World& world, pid_t pid, unsigned bits, uint64_t flags, drom_error* error) {
    const uint64_t mask = cpus(bits);
    const drom_options options = with(flags);
    return drom_set_mask(world.table, pid, &mask, 1, &options, error);
}

int set_one(World& w, drom_error* e) { return set(w, w.people.a.pid(), 0x47, 0, e); }
int set_and_wait(World& w, drom_error* e) { return set(w, w.people.a.pid(), 0x01, DROM_WAIT_RELEASED, e); }
int set_fast(World& w, drom_error* e) { return set(w, w.people.b.pid(), 0x3c, DROM_TAKE | DROM_FAST, e); }
int add(World& w, drom_error* e) { return set(w, w.people.a.pid(), 0x40, DROM_ADD, e); }
int remove_cpus(World& w, drom_error* e) { return set(w, w.people.a.pid(), 0x08, DROM_REMOVE, e); }

int set_many(World& world, drom_error* error) {
    const uint64_t a = cpus(0x13);
    const uint64_t b = cpus(0xac);
    const std::array<drom_client_mask, 2> both{{{world.people.a.pid(), 0, &a, 1}, {world.people.b.pid(), 0, &b, 1}}};
    const drom_options options = with(0);
    return drom_set_masks(world.table, both.data(), both.size(), &options, error);
}

int shrink(World& world, drom_error* error) {
    const drom_options options = with(0);
    return drom_shrink(world.table, world.people.a.pid(), 2, &options, error);
}

int expand(World& world, drom_error* error) {
    const drom_options options = with(0);
    return drom_expand(world.table, world.people.b.pid(), 4, &options, error);
}

int reserve_for_c(World& world, unsigned bits, uint64_t flags, drom_error* error) {
    const uint64_t mask = cpus(bits);
    drom_options options = with(flags);
    options.name = "newcomer";  // the name of its command may be unreadable
    return drom_reserve(world.table, world.people.c.pid(), &mask, 1, &options, &world.environment, error);
}
int reserve_free(World& w, drom_error* e) { return reserve_for_c(w, 0xc0, 0, e); }
int reserve_taking(World& w, drom_error* e) { return reserve_for_c(w, 0x48, DROM_TAKE, e); }

int release(World& world, drom_error* error) {
    const drom_options options = with(0);
    return drom_release(world.table, world.people.a.pid(), &options, error);
}

int drain(World& world, drom_error* error) {
    const uint64_t mask = cpus(0x60);
    const drom_options options = with(0);
    return drom_drain(world.table, &mask, 1, &options, error);
}

int restore(World& world, drom_error* error) {
    const uint64_t mask = cpus(0xc0);
    const drom_options options = with(0);
    return drom_restore(world.table, &mask, 1, &options, error);
}

void asked_to_shrink(World& world) {
    two_clients(world);
    drom_error error{};
    must(world, set(world, world.people.a.pid(), 0x01, 0, &error), error);
}

int wait(World& world, drom_error* error) {
    return drom_wait(world.table, world.people.a.pid(), 0, with(0).timeout_ms, error);
}

// --- this process as a client --------------------------------------------------------------------------------------

int join_with(uint64_t flags, drom_error* error) {
    const uint64_t mask = cpus(0x03);
    drom_options options = with(flags);
    options.name = "self";
    return drom_init(&mask, 1, &options, error);
}

int join(World&, drom_error* error) { return join_with(0, error); }
int join_async(World&, drom_error* error) { return join_with(DROM_ASYNC, error); }

void reserved_for_self(World& world) {
    one_client(world);
    const uint64_t mask = cpus(0xc3);
    drom_error error{};
    drom_options options = with(0);
    options.name = "self";
    must(world, drom_reserve(world.table, getpid(), &mask, 1, &options, &world.environment, &error), error);
    for (char** at = world.environment; at != nullptr && *at != nullptr; ++at) {
        const std::string variable(*at);
        const size_t equals = variable.find('=');
        setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
    }
}

void joined(World& world) {
    one_client(world);
    drom_error error{};
    must(world, join_with(0, &error), error);
}

void joined_async(World& world) {
    one_client(world);
    drom_error error{};
    must(world, join_with(DROM_ASYNC, &error), error);
}

void asked(World& world) {
    joined(world);
    drom_error error{};
    must(world, set(world, getpid(), 0x01, 0, &error), error);
}

int poll(World&, drom_error* error) {
    uint64_t mask = 0;
    return drom_poll(&mask, 1, error);
}

int leave(World&, drom_error* error) { return drom_finalize(error); }

int ask_the_agent(World& world, drom_error* error) {
    return set(world, getpid(), 0x01, DROM_WAIT_RELEASED | DROM_NEVER_CONFINE, error);
}

int be_called_back(World&, drom_error* error) {
    const drom_options options = with(DROM_ASYNC);
    return drom_on_change([](const uint64_t*, size_t, void*) {}, nullptr, &options, error);
}

}  // namespace

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all{
        {"create", nothing, create, finish, Operation::kTable},
        {"create for a node", nothing, create_node, finish, Operation::kTable},
        {"create for this machine", nothing, create_for_machine, finish, Operation::kTable},
        {"open", two_clients, open_it, finish},
        {"observe", two_clients, observe, finish},
        {"list", two_clients, list, finish},
        {"list a node", two_clients_of_a_node, list, finish},
        {"get", two_clients, get, finish},
        {"check", two_clients, check, finish},
        {"recover after a death", one_died, check, finish},
        {"set", two_clients, set_one, finish},
        {"set and wait", two_clients, set_and_wait, finish},
        {"set and wait on a node", two_clients_of_a_node, set_and_wait, finish},
        {"set, fast", two_clients, set_fast, finish},
        {"set many", two_clients, set_many, finish},
        {"shrink", two_clients, shrink, finish},
        {"expand", two_clients, expand, finish},
        {"add", two_clients, add, finish},
        {"remove", two_clients, remove_cpus, finish},
        {"reserve", two_clients, reserve_free, finish},
        {"reserve, taking", two_clients, reserve_taking, finish},
        {"reserve on a node", two_clients_of_a_node, reserve_free, finish},
        {"reserve after a death", one_died, reserve_free, finish, Operation::kTheDead},
        {"release", two_clients, release, finish},
        {"drain", two_clients, drain, finish},
        {"restore", drained, restore, finish},
        {"wait", asked_to_shrink, wait, finish},
        {"events", two_clients, look_at_events, finish},
        {"watch", two_clients, watch, finish},
        {"join", one_client, join, finish},
        {"join, creating", name_the_table, join, finish, Operation::kTable},
        {"join a reservation", reserved_for_self, join, finish},
        {"join with the agent's thread", one_client, join_async, finish},
        {"poll", asked, poll, finish},
        {"be called back", joined, be_called_back, finish},
        {"be asked, with the agent's thread", joined_async, ask_the_agent, finish},
        {"leave", joined, leave, finish},
    };
    return all;
}

}  // namespace drom::faults
