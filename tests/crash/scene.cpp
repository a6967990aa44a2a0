// SPDX-License-Identifier: BSD-3-Clause
// scene.cpp - the tables from which the walk starts, and the operations of its victims.
#include "scene.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "client/client.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"

namespace drom::crash {

namespace {

[[noreturn]] void give_up(const char* what, const char* why) {
    std::fprintf(stderr, "crash-walk: %s: %s\n", what, why);
    std::exit(2);
}

void must(int status, const drom_error& error) {
    if (status < 0) give_up("building a scene", error.text);
}

void set(Scene& scene, const test::Child& child, const char* mask, uint64_t flags) {
    drom_error error{};
    must(change(scene.table, child.upid(), {Order::kSet, cpus(mask)}, with(flags), &error), error);
}

}  // namespace

Options with(uint64_t flags) {
    Options options;
    options.flags = flags;
    options.timeout_ms = 1000;
    options.grace_ms = 20;
    options.cpus = kCpus;
    options.clients = kSlots;
    return options;
}

CpuSet cpus(const char* text) {
    CpuSet set{};
    if (parse_cpus(text, set).what != nullptr) give_up("not a CPU set", text);
    return set;
}

People::People() {
    test::Child short_lived = test::Child::sleeper();
    identify(short_lived.upid(), dead);
}

ProcessIdentity Scene::identity(const test::Child& child) {
    ProcessIdentity identity{};
    if (!identify(child.upid(), identity)) give_up("a helper process", "it has ended");
    return identity;
}

Scene::Scene(const std::string& where, const People& who) : path(where), people(who) {
    drom_error error{};
    must(table.open(path.c_str(), with(DROM_CREATE), &error), error);
}

void Scene::client(const ProcessIdentity& identity, const CpuSet& mask, uint32_t min_cpus, bool rigid) {
    const uint32_t slot = claim_slot(ledger());
    if (slot == kNoSlot) give_up("building a scene", "no slot is free");
    Slot& s = ledger().slot(slot);
    const uint32_t generation = state_of(s).generation;
    write_identity(s.client, identity);
    s.min_cpus.store(min_cpus);
    copy_text(s.name, sizeof s.name, "client");
    Page* page = create_page(ledger(), path.c_str(), slot, generation, geteuid(), nullptr);
    if (page == nullptr) give_up("building a scene", "no page");
    page->joined.store(1);
    unmap_page(page);
    move_slot(ledger(), slot, generation, phase::kLive, rigid ? slot_flag::kRigid : 0);
    for (uint32_t cpu = mask.first(); cpu < kCpus; cpu = mask.next(cpu + 1)) {
        const Owner word{ledger().owner(cpu).load()};
        change_owner(ledger(), cpu, word, word.with(name_of(ledger(), slot), Owner::none(), 0));
    }
    Pages pages;
    pages.open(&ledger(), path.c_str());
    SlotSet touched;
    touched.add(slot);
    reconcile(ledger(), pages, touched);
    acknowledge();
}

void Scene::acknowledge() {
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
        if (!is_live(ledger(), name_of(ledger(), slot))) continue;
        Page* page = open_page(ledger(), path.c_str(), slot, state_of(ledger().slot(slot)).generation);
        if (page == nullptr) continue;
        page->released.store(ledger().mailbox(slot).newest.load());
        unmap_page(page);
    }
}

const std::vector<Start>& starts() {
    static const std::vector<Start> all{
        {"an empty table", [](Scene&) {}},
        {"two clients own everything",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-3"));
             s.client(s.people.b, cpus("4-7"));
         }},
        {"two clients and free CPUs",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-1,4"));
             s.client(s.people.b, cpus("2,5"));
         }},
        {"a shrink that is not acknowledged",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-5"));
             s.client(s.people.b, cpus("6"));
             set(s, s.people.a, "0-2", 0);
         }},
        {"a taking that is not acknowledged",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-4"));
             s.client(s.people.b, cpus("5-6"));
             set(s, s.people.b, "3-6", DROM_TAKE | DROM_RETURN);
         }},
        {"lent CPUs in use",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-5"));
             s.client(s.people.b, cpus("6-7"));
             s.client(s.people.c, CpuSet::empty());
             set(s, s.people.c, "1-3", DROM_TAKE | DROM_RETURN);
             s.acknowledge();
             drom_error error{};
             must(check_table(s.table, with(0), &error), error);
             s.acknowledge();
         }},
        {"a fast hand-over that is not acknowledged",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-4"));
             s.client(s.people.b, cpus("5-6"));
             set(s, s.people.b, "3-6", DROM_TAKE | DROM_FAST);
         }},
        {"CPUs drained and being drained",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-3"));
             s.client(s.people.b, cpus("4-6"));
             drom_error error{};
             must(change_cpus(s.table, intent::kDrain, cpus("3,7"), with(0), &error), error);
         }},
        {"a dead client that was promised CPUs, and owned some",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-3"));
             s.client(s.people.dead, cpus("4-5"));
             s.client(s.people.b, cpus("6"));
             const Owner word{s.ledger().owner(3).load()};
             change_owner(s.ledger(), 3, word, word.with(word.owner(), name_of(s.ledger(), 1), Owner::kOffered));
             const Owner other{s.ledger().owner(5).load()};
             change_owner(s.ledger(), 5, other, other.with(other.owner(), name_of(s.ledger(), 2), Owner::kOffered));
         }},
        {"an administrator died half way and holds the lock",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-3"));
             s.client(s.people.b, cpus("4-7"));
             const Owner word{s.ledger().owner(2).load()};
             change_home(s.ledger(), 2, home_of(s.ledger(), 0));
             change_owner(s.ledger(), 2, word, word.with(word.owner(), name_of(s.ledger(), 1), Owner::kOffered));
             s.ledger().header().admin_lock.store(packed(s.people.dead));
         }},
        {"every slot taken, one by a claimer that died",
         [](Scene& s) {
             s.client(s.people.a, cpus("0-1"));
             s.client(s.people.b, cpus("2-3"));
             s.client(s.people.c, cpus("4"));
             s.client(s.people.dead, cpus("5"));
             const uint32_t slot = claim_slot(s.ledger());
             Slot& half = s.ledger().slot(slot);
             write_identity(half.claimer, s.people.dead);
             const uint64_t bits = half.state.load() & ~(uint64_t{0x3fffff} << 32);
             half.state.store(bits | uint64_t{s.people.dead.pid} << 32);
         }},
    };
    return all;
}

namespace {

void nothing(Scene&) {}

void join(Scene& scene, const CpuSet& mask) {
    setenv("DROM_TABLE", scene.path.c_str(), 1);
    const client::JoinOptions options{&mask, DROM_ENTRY_EXPLICIT, false, "victim", nullptr, 1, 0, false};
    client::join(options, nullptr);
}

/// Makes the victim a client with a request that it has not seen.
void join_and_ask(Scene& scene) {
    join(scene, cpus("0,6-7"));
    change(scene.table, static_cast<uint32_t>(getpid()), {Order::kSet, cpus("0")}, with(0), nullptr);
}

void adopt(Scene&) {
    Request wanted{};
    if (client::newest(wanted) && client::release(wanted))
        client::acknowledge_resize(wanted.seq, 1, DROM_RESIZE_CALLER, "walk");
}

void set_two(Scene& scene, const char* a, const char* b, uint64_t flags) {
    const ClientMask both[] = {{scene.people.a.upid(), cpus(a)}, {scene.people.b.upid(), cpus(b)}};
    set_masks(scene.table, both, 2, with(flags), nullptr);
}

void reserve_d(Scene& scene, const char* mask, uint64_t flags) {
    reserve(scene.table, scene.people.d.upid(), cpus(mask), with(flags), nullptr, nullptr);
}

}  // namespace

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all{
        {"set, give up and claim", nothing,
         [](Scene& s) { change(s.table, s.people.a.upid(), {Order::kSet, cpus("1,5,7")}, with(0), nullptr); }},
        {"set, take", nothing,
         [](Scene& s) {
             change(s.table, s.people.a.upid(), {Order::kSet, cpus("0-1,5-7")}, with(DROM_TAKE), nullptr);
         }},
        {"set, take to return", nothing,
         [](Scene& s) {
             change(s.table, s.people.b.upid(), {Order::kSet, cpus("1-2,6")}, with(DROM_TAKE | DROM_RETURN), nullptr);
         }},
        {"set, take fast", nothing,
         [](Scene& s) {
             change(s.table, s.people.b.upid(), {Order::kSet, cpus("0,6")}, with(DROM_TAKE | DROM_FAST), nullptr);
         }},
        {"shrink", nothing,
         [](Scene& s) { change(s.table, s.people.a.upid(), {Order::kShrink, {}, 1}, with(0), nullptr); }},
        {"expand", nothing,
         [](Scene& s) { change(s.table, s.people.b.upid(), {Order::kExpand, {}, 5}, with(DROM_TAKE), nullptr); }},
        {"add", nothing,
         [](Scene& s) { change(s.table, s.people.a.upid(), {Order::kAdd, cpus("5,7")}, with(DROM_TAKE), nullptr); }},
        {"remove", nothing,
         [](Scene& s) { change(s.table, s.people.a.upid(), {Order::kRemove, cpus("1,4")}, with(0), nullptr); }},
        {"set several, among themselves and what is free", nothing,
         [](Scene& s) { set_two(s, "1,4-5", "0,2-3,7", 0); }},
        {"set several, take to return", nothing, [](Scene& s) { set_two(s, "0-1,6", "5,7", DROM_TAKE | DROM_RETURN); }},
        {"set several, exchange fast", nothing, [](Scene& s) { set_two(s, "4-7", "0-3", DROM_TAKE | DROM_FAST); }},
        {"reserve, take to return", nothing, [](Scene& s) { reserve_d(s, "2,6", DROM_TAKE | DROM_RETURN); }},
        {"reserve", nothing, [](Scene& s) { reserve_d(s, "7", 0); }},
        {"release of a reservation", [](Scene& s) { reserve_d(s, "2,6", DROM_TAKE | DROM_RETURN); },
         [](Scene& s) { release(s.table, s.people.d.upid(), with(0), nullptr); }},
        {"drain", nothing, [](Scene& s) { change_cpus(s.table, intent::kDrain, cpus("1,5,7"), with(0), nullptr); }},
        {"restore", [](Scene& s) { change_cpus(s.table, intent::kDrain, cpus("1,5"), with(0), nullptr); },
         [](Scene& s) { change_cpus(s.table, intent::kRestore, cpus("0-7"), with(0), nullptr); }},
        {"check", nothing, [](Scene& s) { check_table(s.table, with(0), nullptr); }},
        {"check, after everybody obeyed", [](Scene& s) { s.acknowledge(); },
         [](Scene& s) { check_table(s.table, with(0), nullptr); }},
        {"join", nothing, [](Scene& s) { join(s, cpus("0,6-7")); }},
        {"release and resize", join_and_ask, adopt},
        {"leave", [](Scene& s) { join(s, cpus("0,6-7")); }, [](Scene&) { client::leave(nullptr); }},
    };
    return all;
}

}  // namespace drom::crash
