// SPDX-License-Identifier: BSD-3-Clause
// scene.cpp - the scenarios: the clients and administrators of each, and what they are about to do.
#include "scene.hpp"

#include <new>

#include "shmem/intent.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"

namespace drom::explorer {

Options with(uint64_t flags) {
    Options options;
    options.flags = flags;
    options.timeout_ms = 1;  // an administrator that is held up for longer loses the lock
    options.grace_ms = 0;
    options.grace_chosen = true;
    return options;
}

CpuSet cpus(const char* text) {
    CpuSet set{};
    if (*text != '\0' && parse_cpus(text, set).what != nullptr) give_up("not a CPU set", text);
    return set;
}

int follow_requests(int looks) {
    for (int look = 0; look < looks; ++look) {
        Request wanted{};
        if (client::newest(wanted) && wanted.seq > client::released().seq) client::release(wanted);
    }
    return DROM_OK;
}

namespace {

int join(const char* mask, uint32_t reserved_for = client::kNoReservation, const CpuSet* claim = nullptr) {
    const CpuSet set = cpus(mask);
    const client::JoinOptions options{&set,  DROM_ENTRY_EXPLICIT, false,       "client", nullptr, 1, 0, false,
                                      claim, "/explored",         reserved_for};
    return client::join(options, nullptr);
}

/// Joins with the reserved CPUs, if there are some by then; otherwise with the free ones of the mask.
int join_reserved(const char* mask) { return join(mask, 0); }

int reserve(Table& table, uint32_t process, const char* mask) {
    return reserve(table, pid_of(process), cpus(mask), with(DROM_TAKE), nullptr, nullptr);
}

/// Reserves CPUs as the healthy administrator, before the scene begins.
void reserve_before(const Scene& scene, uint32_t process, const char* mask) {
    enter(scene.healthy_process);
    if (reserve(*scene.healthy, process, mask) < 0) give_up("building a scene", "nothing can be reserved");
    enter(kNoProcess);
}

}  // namespace

void Scene::begin(bool node) {
    start_machine(node);
    scheduler.actors.clear();
    processes_ = 0;
    healthy_process = process("0-3");
    healthy = &open_table(healthy_process);
}

uint32_t Scene::process(const char* affinity) {
    if (processes_ == kProcesses) give_up("building a scene", "too many processes");
    start_process(processes_, cpus(affinity).words[0]);
    return processes_++;
}

uint32_t Scene::client(const char* mask) {
    const uint32_t number = process(mask);
    enter(number);
    if (join(mask) != DROM_OK) give_up("building a scene", "a client cannot join");
    follow_requests(1);
    enter(kNoProcess);
    return number;
}

uint32_t Scene::client_without_cpus(const char* affinity) {
    const uint32_t number = process(affinity);
    const CpuSet nothing = CpuSet::empty();
    enter(number);
    if (join(affinity, client::kNoReservation, &nothing) != DROM_OK)
        give_up("building a scene", "a client cannot join");
    enter(kNoProcess);
    return number;
}

uint32_t Scene::reserved_client(const char* mask) {
    const uint32_t number = process(mask);
    reserve_before(*this, number, mask);
    enter(number);
    if (join_reserved(mask) != DROM_OK) give_up("building a scene", "a client cannot join its reservation");
    follow_requests(1);
    enter(kNoProcess);
    return number;
}

Table& Scene::open_table(uint32_t process) const {
    let_write(process);
    enter(process);
    auto* table = new (malloc(sizeof(Table))) Table;
    if (table->open("/explored", with(0), nullptr) != DROM_OK)
        give_up("building a scene", "the table cannot be opened");
    enter(kNoProcess);
    return *table;
}

void Scene::act(const char* name, uint32_t process, std::function<int()> what) {
    Actor actor;
    actor.name = name;
    actor.process = process;
    actor.act = std::move(what);
    scheduler.actors.push_back(std::move(actor));
}

void Scene::administer(const char* name, const std::function<int(Table&)>& what) {
    const uint32_t number = process("0-3");
    Table& table = open_table(number);
    act(name, number, [&table, what] { return what(table); });
}

void Scene::kill(uint32_t process) const { memory.kernel.alive[process].store(0); }

namespace {

void adopt(Scene& scene, const char* name, uint32_t process) {
    scene.act(name, process, [] { return follow_requests(2); });
}

int set(Table& table, uint32_t process, const char* mask, uint64_t flags) {
    return change(table, pid_of(process), {Order::kSet, cpus(mask)}, with(flags), nullptr);
}

int give(Table& table, uint32_t process, const char* mask) {
    return change(table, pid_of(process), {Order::kAdd, cpus(mask)}, with(DROM_TAKE), nullptr);
}

int set_two(Table& table, uint32_t a, const char* mask_a, uint32_t b, const char* mask_b) {
    const ClientMask both[] = {{pid_of(a), cpus(mask_a)}, {pid_of(b), cpus(mask_b)}};
    return set_masks(table, both, 2, with(0), nullptr);
}

void two_administrators(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t b = scene.client("2-3");
    scene.administer("sets a 0-2, b 3", [a, b](Table& table) { return set_two(table, a, "0-2", b, "3"); });
    scene.administer("sets a 0, b 1-3", [a, b](Table& table) { return set_two(table, a, "0", b, "1-3"); });
}

void move(Scene& scene, uint32_t a, uint32_t b) {
    scene.administer("moves CPU 1 to b", [b](Table& table) { return set(table, b, "1-3", DROM_TAKE); });
    adopt(scene, "a releases", a);
    adopt(scene, "b follows", b);
}

void move_and_release(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t b = scene.client("2-3");
    move(scene, a, b);
}

void take_back(Scene& scene) {
    const uint32_t a = scene.client("0-2");
    const uint32_t b = scene.client("3");
    scene.administer("moves CPUs 1-2 to b", [b](Table& table) { return set(table, b, "1-3", DROM_TAKE); });
    scene.administer("moves CPU 1 back to a", [a](Table& table) { return set(table, a, "0-1", DROM_TAKE); });
    adopt(scene, "a releases", a);
}

void leave_and_take(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t b = scene.client("2-3");
    scene.administer("moves CPU 1 to b", [b](Table& table) { return set(table, b, "1-3", DROM_TAKE); });
    scene.act("a leaves", a, [] { return client::leave(nullptr); });
}

void join_and_take(Scene& scene) {
    const uint32_t a = scene.client("0-2");
    const uint32_t newcomer = scene.process("3");
    scene.administer("gives a all CPUs", [a](Table& table) { return set(table, a, "0-3", DROM_TAKE); });
    scene.act("a newcomer joins", newcomer, [] { return join("3"); });
}

void reap_and_reuse(Scene& scene) {
    scene.client("0-1");
    const uint32_t dead = scene.client("2");
    const uint32_t newcomer = scene.process("2-3");
    scene.kill(dead);
    scene.administer("looks for the dead", [](Table& table) { return check_table(table, with(0), nullptr); });
    scene.act("a newcomer joins", newcomer, [] { return join("2-3"); });
}

void two_reapers(Scene& scene) {
    const uint32_t a = scene.client("0");
    const uint32_t dead = scene.client("1-2");
    const uint32_t newcomer = scene.process("1,3");
    scene.kill(dead);
    scene.administer("looks for the dead", [](Table& table) { return check_table(table, with(0), nullptr); });
    scene.administer("gives a CPU 1", [a](Table& table) { return give(table, a, "1"); });
    scene.act("a newcomer joins", newcomer, [] { return join("1,3"); });
}

void shrink_and_expand(Scene& scene) {
    const uint32_t a = scene.client("0-2");
    const uint32_t b = scene.client("3");
    scene.administer("shrinks a to 1",
                     [a](Table& table) { return change(table, pid_of(a), {Order::kShrink, {}, 1}, with(0), nullptr); });
    scene.administer("expands b to 2", [b](Table& table) {
        return change(table, pid_of(b), {Order::kExpand, {}, 2}, with(DROM_TAKE), nullptr);
    });
}

void swap_and_take(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t b = scene.client("2-3");
    scene.administer("sets a 0,2, b 1,3", [a, b](Table& table) { return set_two(table, a, "0,2", b, "1,3"); });
    scene.administer("takes CPU 3 from b", [b](Table& table) {
        return change(table, pid_of(b), {Order::kRemove, cpus("3")}, with(0), nullptr);
    });
}

void add_and_remove(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t b = scene.client("2-3");
    scene.administer("gives b CPU 1", [b](Table& table) { return give(table, b, "1"); });
    scene.administer("takes CPU 3 from b", [b](Table& table) {
        return change(table, pid_of(b), {Order::kRemove, cpus("3")}, with(0), nullptr);
    });
    adopt(scene, "a releases", a);
}

void post_and_release_cross(Scene& scene) {
    const uint32_t a = scene.client("0-2");
    const uint32_t b = scene.client("3");
    scene.administer("sets a 0-1", [a](Table& table) { return set(table, a, "0-1", 0); });
    scene.administer("gives b CPU 0", [b](Table& table) { return give(table, b, "0"); });
    adopt(scene, "a releases", a);
}

void given_twice(Scene& scene) {
    const uint32_t a = scene.client("0");
    const uint32_t b = scene.client("2-3");
    scene.administer("gives a CPU 1", [a](Table& table) {
        return change(table, pid_of(a), {Order::kAdd, cpus("1")}, with(0), nullptr);
    });
    scene.administer("gives b CPU 1", [b](Table& table) { return give(table, b, "1"); });
}

/// Lets the second administrator post twice to a.
void held_up_for_long(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    scene.administer("sets a 0-2", [a](Table& table) { return set(table, a, "0-2", 0); });
    scene.administer("sets a 0, then 0-3", [a](Table& table) {
        const int first = set(table, a, "0", 0);
        return first < 0 ? first : set(table, a, "0-3", 0);
    });
    scheduler.actors.back().may_crash = false;  // between the two posts it is neither before nor after them
}

void two_newcomers(Scene& scene) {
    const uint32_t one = scene.process("0-1");
    const uint32_t other = scene.process("1-2");
    scene.act("a newcomer joins", one, [] { return join("0-1"); });
    scene.act("another joins", other, [] { return join("1-2"); });
}

void given_and_gone(Scene& scene) {
    const uint32_t a = scene.client("0");
    const uint32_t newcomer = scene.process("3");
    scene.administer("gives a CPU 1", [a](Table& table) {
        return change(table, pid_of(a), {Order::kAdd, cpus("1")}, with(0), nullptr);
    });
    scene.act("a leaves", a, [] { return client::leave(nullptr); });
    scene.act("a newcomer joins", newcomer, [] { return join("3"); });
}

void drain_and_join(Scene& scene) {
    scene.client("0");
    const uint32_t newcomer = scene.process("2-3");
    scene.administer("drains CPU 3",
                     [](Table& table) { return change_cpus(table, intent::kDrain, cpus("3"), with(0), nullptr); });
    scene.act("a newcomer joins", newcomer, [] { return join("2-3"); });
}

/// Begins with the leavings of an administrator that was killed half-way: its lock, its intent, one word of two.
void left_half_done(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t b = scene.client("2-3");
    const uint32_t dead = scene.process("0-3");
    const Ledger ledger = ledger_view();
    enter(dead);
    ledger.header().admin_lock.store(packed(self()));
    enter(kNoProcess);
    const Owner::Name name_a = name_of(ledger, 0);
    const Owner::Name name_b = name_of(ledger, 1);
    Owner::Name targets[kCpus] = {name_a, name_b, name_b, name_a};
    Intent what{intent::kMasks, kNoSlot, 0, cpus("0-3"), 0, targets};
    write_intent(ledger, what);
    const Owner word{ledger.owner(3).load()};
    change_owner(ledger, 3, word, word.with(name_b, name_a, Owner::kOffered));
    scene.kill(dead);
    scene.administer("gives a CPU 2", [a](Table& table) { return give(table, a, "2"); });
    scene.administer("takes CPU 2 from b", [b](Table& table) {
        return change(table, pid_of(b), {Order::kRemove, cpus("2")}, with(0), nullptr);
    });
}

void confine(Scene& scene, uint32_t a, uint32_t b) {
    scene.administer("moves CPU 2 to b, and waits",
                     [b](Table& table) { return set(table, b, "2-3", DROM_TAKE | DROM_WAIT_RELEASED); });
    adopt(scene, "a releases", a);
}

void confine_and_release(Scene& scene) {
    const uint32_t a = scene.client("0-2");
    const uint32_t b = scene.client("3");
    confine(scene, a, b);
}

void confine_and_reuse(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t newcomer = scene.process("2-3");
    scene.administer("shrinks a, and waits", [a](Table& table) { return set(table, a, "0", DROM_WAIT_RELEASED); });
    scene.act("a leaves", a, [] { return client::leave(nullptr); });
    scene.act("a newcomer joins", newcomer, [] { return join("2-3"); });
}

/// Makes the first request to the newcomer one of the same number.
void confine_first_and_reuse(Scene& scene) {
    const uint32_t a = scene.client_without_cpus("0-1");
    const uint32_t newcomer = scene.process("2-3");
    scene.administer("gives a its first CPU, and waits",
                     [a](Table& table) { return set(table, a, "0", DROM_WAIT_RELEASED); });
    scene.act("a leaves", a, [] { return client::leave(nullptr); });
    scene.act("a newcomer joins", newcomer, [] { return join("2-3"); });
}

void reserve_and_join(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t newcomer = scene.process("2-3");
    scene.administer("reserves CPUs 1 and 3 for a newcomer",
                     [newcomer](Table& table) { return reserve(table, newcomer, "1,3"); });
    scene.act("the newcomer joins", newcomer, [] { return join_reserved("2-3"); });
    adopt(scene, "a releases", a);
}

void call_off_and_join(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t newcomer = scene.process("2-3");
    reserve_before(scene, newcomer, "2-3");
    scene.administer("calls the reservation off",
                     [newcomer](Table& table) { return release(table, pid_of(newcomer), with(0), nullptr); });
    scene.administer("gives a CPU 2", [a](Table& table) { return give(table, a, "2"); });
    scene.act("the newcomer joins", newcomer, [] { return join_reserved("2-3"); });
}

void dead_and_taken_over(Scene& scene) {
    const uint32_t dead = scene.client("0-1");
    const uint32_t next = scene.process("2-3");
    scene.kill(dead);
    scene.administer("looks for the dead", [](Table& table) { return check_table(table, with(0), nullptr); });
    scene.act("the next program takes its place", next, [dead] { return join("2-3", pid_of(dead)); });
}

void node_take_and_join(Scene& scene) {
    scene.use_node_table();
    const uint32_t a = scene.reserved_client("0-1");
    const uint32_t newcomer = scene.process("2-3");
    reserve_before(scene, newcomer, "2-3");
    scene.administer("gives a CPU 2", [a](Table& table) { return give(table, a, "2"); });
    scene.administer("takes CPU 1 from a", [a](Table& table) {
        return change(table, pid_of(a), {Order::kRemove, cpus("1")}, with(0), nullptr);
    });
    scene.act("the newcomer joins", newcomer, [] { return join_reserved("2-3"); });
}

void node_move_and_release(Scene& scene) {
    scene.use_node_table();
    const uint32_t a = scene.reserved_client("0-1");
    const uint32_t b = scene.reserved_client("2-3");
    move(scene, a, b);
    // Clients reconcile nothing in a node table.
    scene.administer("looks after the table", [](Table& table) { return check_table(table, with(0), nullptr); });
}

void node_confine_and_release(Scene& scene) {
    scene.use_node_table();
    const uint32_t a = scene.reserved_client("0-2");
    const uint32_t b = scene.reserved_client("3");
    confine(scene, a, b);
}

void hand_over_fast(Scene& scene) {
    const uint32_t a = scene.client("0-1");
    const uint32_t b = scene.client("2");
    const uint32_t c = scene.client("3");
    scene.administer("hands CPU 1 over to b, fast",
                     [b](Table& table) { return set(table, b, "1-2", DROM_TAKE | DROM_FAST); });
    scene.administer("gives c CPU 1", [c](Table& table) { return give(table, c, "1"); });
    adopt(scene, "a releases", a);
}

}  // namespace

const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> all{
        {"two administrators set both masks", two_administrators, false},
        {"a CPU moves while its owner releases", move_and_release, true},
        {"a CPU is taken back", take_back, false},
        {"a client leaves while it is taken from", leave_and_take, false},
        {"a client joins while its CPU is given away", join_and_take, false},
        {"a dead client's slot has a new user", reap_and_reuse, false},
        {"two reapers and a new user", two_reapers, false},
        {"shrink against expand", shrink_and_expand, false},
        {"add against remove", add_and_remove, false},
        {"post and release cross", post_and_release_cross, false},
        {"a swap is finished by who comes next", swap_and_take, false},
        {"a CPU is given twice at once", given_twice, false},
        {"an administrator is held up for long", held_up_for_long, false},
        {"two newcomers join at once", two_newcomers, false},
        {"a CPU is given to who has just left", given_and_gone, false},
        {"a CPU is drained while a newcomer claims it", drain_and_join, false},
        {"a dead administrator's work has two successors", left_half_done, false},
        {"confined while it releases", confine_and_release, true},
        {"confined while its slot has a new user", confine_and_reuse, false},
        {"confined for the first time while its slot has a new user", confine_first_and_reuse, false},
        {"a newcomer joins while CPUs are reserved for it", reserve_and_join, false},
        {"a reservation is called off while its process joins", call_off_and_join, false},
        {"a dead client is reaped while another one takes its place", dead_and_taken_over, false},
        {"a CPU is handed over fast, and taken from its next owner", hand_over_fast, false},
        {"a node's client releases a CPU that moves", node_move_and_release, true},
        {"a node's client is confined while releasing", node_confine_and_release, true},
        {"a node's newcomer joins while CPUs are taken from it", node_take_and_join, false},
    };
    return all;
}

}  // namespace drom::explorer
