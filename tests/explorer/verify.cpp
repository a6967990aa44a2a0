// SPDX-License-Identifier: BSD-3-Clause
// verify.cpp - what must be true of the table at every point, and when all actors are done.
#include "verify.hpp"

#include <algorithm>
#include <cstdio>

#include "shmem/invariants.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"

namespace drom::explorer {

namespace {

bool is_alive(uint32_t process) { return process < kProcesses && memory.kernel.alive[process].load() != 0; }

uint32_t process_with(uint32_t pid) {
    return pid >= kFirstPid && pid < kFirstPid + kProcesses ? pid - kFirstPid : kNoProcess;
}

uint32_t process_in(const Ledger& ledger, uint32_t slot) { return process_with(ledger.slot(slot).client.pid.load()); }

/// Returns whether a launcher keeps the CPUs that it reserved for a process that died. CPUs that the dead process was
/// notified to leave are released when another client waits for them, or when the launcher has ended.
bool is_kept_for_another(const Ledger& ledger, uint32_t slot) {
    return slot < kSlots && !is_alive(process_in(ledger, slot)) &&
           is_alive(process_with(ledger.slot(slot).launcher.pid.load()));
}

const Page* page_of(uint32_t slot, uint32_t generation) {
    for (uint32_t i = 0; i < kPages; ++i)
        if (memory.kernel.page_names[i].load() == ((uint64_t{slot} + 1) << 32 | generation))
            return reinterpret_cast<const Page*>(memory.pages[i]);
    return nullptr;
}

/// Answers as is_live(), which is under test here.
bool is_present(const Ledger& ledger, Owner::Name client) {
    const uint64_t bits = client.slot < kSlots ? ledger.slot(client.slot).state.load() : 0;
    const uint64_t now = bits >> 56;
    return (now == phase::kLive || now == phase::kReserved) && (bits & 0xfff) == client.gen;
}

bool has_released(const Ledger& ledger, uint32_t slot) {
    const Page* page = page_of(slot, state_of(ledger.slot(slot)).generation);
    return confined_seq(ledger, slot) > 0 || (page != nullptr && page->released.load() > 0);
}

/// Returns the CPUs where the living client may run, and those that it may use next without asking.
uint64_t effective(const Ledger& ledger, uint32_t slot) {
    const uint32_t process = process_in(ledger, slot);
    if (!is_live(ledger, name_of(ledger, slot)) || !is_alive(process) || !has_released(ledger, slot)) return 0;
    Request posted{};
    const uint64_t told = read_request(ledger, slot, posted) ? posted.mask.words[0] : 0;
    return memory.kernel.affinity[process].load() | told;
}

/// Returns whether both clients may use the CPU. In a fast hand-over the owner and the next owner use it until the
/// owner has left it; no other clients share a CPU.
bool are_allowed_to_share(const Ledger& ledger, uint32_t cpu, uint32_t one, uint32_t other) {
    const Owner word{ledger.owner(cpu).load()};
    if (!word.is(Owner::kFast)) return false;
    const uint32_t owner = word.owner().slot;
    const uint32_t next = word.next().slot;
    return (owner == one && next == other) || (owner == other && next == one);
}

bool in_two_sets(const Ledger& ledger) {
    uint64_t mask[kSlots];
    for (uint32_t slot = 0; slot < kSlots; ++slot) mask[slot] = effective(ledger, slot);
    for (uint32_t one = 0; one < kSlots; ++one)
        for (uint32_t other = one + 1; other < kSlots; ++other)
            for (uint32_t cpu = 0; cpu < kCpus; ++cpu)
                if ((mask[one] & mask[other] & uint64_t{1} << cpu) != 0 &&
                    !are_allowed_to_share(ledger, cpu, one, other))
                    return true;
    return false;
}

/// Returns whether a process that has not released yet was moved to CPUs that it neither began with nor got.
bool was_moved_for_another(const Ledger& ledger) {
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
        const Owner::Name client = name_of(ledger, slot);
        const uint32_t process = process_in(ledger, slot);
        if (!is_live(ledger, client) || !is_alive(process) || has_released(ledger, slot)) continue;
        const uint64_t own = memory.kernel.first_affinity[process].load() | owned_cpus(ledger, client).words[0];
        if ((memory.kernel.affinity[process].load() & ~own) != 0) return true;
    }
    return false;
}

bool is_torn(const Ledger& ledger) {
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
        Request posted{};
        const bool none = ledger.mailbox(slot).newest.load() == 0;
        if (is_live(ledger, name_of(ledger, slot)) && !none && !read_request(ledger, slot, posted)) return true;
    }
    return false;
}

/// Returns whether the launcher of a reservation died before it gave a CPU, while the process had joined by then: the
/// process continues unmanaged.
bool a_client_is_forsaken(const Ledger& ledger) {
    const auto is = [&](uint32_t slot) {
        const uint32_t launcher = process_with(ledger.slot(slot).launcher.pid.load());
        const Owner::Name client = name_of(ledger, slot);
        return is_live(ledger, client) && launcher != kNoProcess && !is_alive(launcher) &&
               wanted_cpus(ledger, client).none();
    };
    bool found = false;
    for (uint32_t slot = 0; slot < kSlots; ++slot) found |= is(slot);
    return found;
}

uint32_t who_died() {
    for (uint32_t i = 0; i < scheduler.actors.size(); ++i)
        if (scheduler.actors[i].state == Actor::kDead) return i;
    return kNoActor;
}

bool all_succeeded() {
    const auto fine = [](const Actor& actor) { return actor.state == Actor::kDead || actor.status >= 0; };
    return std::all_of(scheduler.actors.begin(), scheduler.actors.end(), fine);
}

}  // namespace

const char* Verifier::at_point() {
    const Ledger ledger = ledger_view();
    drom_error error{};
    if (check_invariants(ledger, &error) != DROM_OK) {
        std::snprintf(text_, sizeof text_, "%s", error.text);
        return text_;
    }
    if (in_two_sets(ledger)) return "a CPU is in two clients' effective sets";
    if (was_moved_for_another(ledger)) return "a newcomer was moved for a request that was not its own";
    if (one_administrator_ && is_torn(ledger)) return "a request is there but cannot be read";
    return nullptr;
}

/// Lets an administrator check the table and the clients follow, until there is nothing left to do.
const char* Verifier::everybody_obeys() {
    for (int round = 0; round < 8; ++round) {
        enter(scene_.healthy_process);
        const int status = check_table(*scene_.healthy, with(0), nullptr);
        if (status < 0) return "drom_check refused the table";
        if (status == DROM_UNCHANGED && round > 0) return nullptr;
        for (uint32_t process = 0; process < kProcesses; ++process) {
            if (!is_alive(process)) continue;
            enter(process);
            follow_requests(1);
            if (in_two_sets(ledger_view())) return "a CPU is in two clients' effective sets while everybody obeys";
        }
    }
    return "obeying does not come to an end";
}

const char* Verifier::nothing_is_lost() const {
    const Ledger ledger = ledger_view();
    if (ledger.header().admin_lock.load() != 0) return "the administrator lock was not given back";
    if (ledger.intent().kind.load() != intent::kNothing) return "an intent was left behind";
    for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
        const Owner word{ledger.owner(cpu).load()};
        // Known and open: two administrators, one without the lock, may take a client's last CPUs between them. Then no
        // request can be posted to it.
        if (scheduler.overtaken && is_present(ledger, word.owner()) && wanted_cpus(ledger, word.owner()).none())
            return nullptr;
        if (word.is(Owner::kOffered) && !is_kept_for_another(ledger, word.owner().slot))
            return "a CPU is still being left when everybody has obeyed";
        if (word.owner() != Owner::none() && !is_present(ledger, word.owner())) return "a CPU belongs to the dead";
    }
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
        const Owner::Name client = name_of(ledger, slot);
        const uint64_t now = state_of(ledger.slot(slot)).phase;
        if (now != phase::kFree && !is_live(ledger, client)) return "a slot is neither free nor used";
        if (!is_live(ledger, client)) continue;
        const uint32_t process = process_in(ledger, slot);
        if (is_kept_for_another(ledger, slot)) continue;
        if (!is_alive(process)) return "a dead client still has its slot";
        const CpuSet owned = owned_cpus(ledger, client);
        Request posted{};
        if (owned.none()) continue;
        if (!read_request(ledger, slot, posted) || !(posted.mask == owned))
            return "a client was not notified of what it has";
        if (memory.kernel.affinity[process].load() != owned.words[0]) return "a client does not run on what it has";
    }
    return nullptr;
}

/// Checks that a process that thinks it is a client is one.
const char* Verifier::no_client_is_forgotten() const {
    enter(kNoProcess);
    const Outcome is = outcome();
    for (uint32_t process = 0; process < kProcesses; ++process) {
        const auto* own = reinterpret_cast<const client::State*>(memory.processes[process].client);
        if (is_alive(process) && own->joined.load() && (is.clients >> process & 1) == 0)
            return "a living client has lost its slot";
    }
    return nullptr;
}

Outcome Verifier::outcome() const {
    const Ledger ledger = ledger_view();
    Outcome result{};
    for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
        const Owner::Name owner = Owner{ledger.owner(cpu).load()}.owner();
        result.owner[cpu] = owner == Owner::none() ? kNoProcess : process_in(ledger, owner.slot);
    }
    for (uint32_t slot = 0; slot < kSlots; ++slot)
        if (is_live(ledger, name_of(ledger, slot))) result.clients |= 1U << process_in(ledger, slot);
    return result;
}

const char* Verifier::at_write(size_t offset, uint64_t old_word, uint64_t new_word) {
    const Ledger ledger = ledger_view();
    if (new_word >= old_word) return nullptr;
    for (uint32_t slot = 0; slot < kSlots; ++slot) {
        const auto* newest = reinterpret_cast<const unsigned char*>(&ledger.mailbox(slot).newest);
        if (memory.ledger + offset != newest) continue;
        if (state_of(ledger.slot(slot)).phase != phase::kClaimed) return "a sequence number went back";
    }
    return nullptr;
}

const char* Verifier::at_end() {
    if (const char* wrong = at_point(); wrong != nullptr) return wrong;
    const bool overtaken = scheduler.overtaken;
    const uint32_t died = who_died();
    const bool succeeded = all_succeeded();
    if (const char* wrong = everybody_obeys(); wrong != nullptr) return wrong;
    if (const char* wrong = nothing_is_lost(); wrong != nullptr) return wrong;
    if (const char* wrong = no_client_is_forgotten(); wrong != nullptr) return wrong;
    const auto& allowed = allowed_[died];
    // An administrator that was held up so long that its lock was taken continues without it. Then the table is right,
    // but the CPUs may be where both administrators together put them.
    const bool comparable = succeeded && !overtaken && !allowed.empty() && !a_client_is_forsaken(ledger_view());
    ++(comparable ? compared : overtaken ? without_turn : refused);
    if (!comparable || allowed.contains(outcome())) return nullptr;
    const Outcome is = outcome();
    std::snprintf(text_, sizeof text_, "the CPUs are where no order of the operations leaves them: %d %d %d %d",
                  static_cast<int>(is.owner[0]), static_cast<int>(is.owner[1]), static_cast<int>(is.owner[2]),
                  static_cast<int>(is.owner[3]));
    return text_;
}

const char* Verifier::learn(const std::vector<uint32_t>& order, uint32_t dies) {
    const size_t last = dies == kNoActor ? 0 : order.size();
    for (size_t when = 0; when <= last; ++when) {
        scheduler.run_in_order(order, dies, when);
        const bool succeeded = all_succeeded();
        if (const char* wrong = at_point(); wrong != nullptr) return wrong;
        if (const char* wrong = everybody_obeys(); wrong != nullptr) return wrong;
        if (const char* wrong = nothing_is_lost(); wrong != nullptr) return wrong;
        if (succeeded) allowed_[dies].insert(outcome());
    }
    return nullptr;
}

const char* Verifier::learn_orders() {
    const auto actors = static_cast<uint32_t>(scheduler.actors.size());
    for (uint32_t dies = 0; dies <= actors; ++dies) {
        const uint32_t victim = dies == actors ? kNoActor : dies;
        if (victim != kNoActor && !scheduler.actors[victim].may_crash) continue;
        for (const bool acts : {true, false}) {
            std::vector<uint32_t> order;
            for (uint32_t i = 0; i < actors; ++i)
                if (acts || i != victim) order.push_back(i);
            do {
                if (const char* wrong = learn(order, victim); wrong != nullptr) return wrong;
            } while (std::next_permutation(order.begin(), order.end()));
        }
    }
    return nullptr;
}

}  // namespace drom::explorer
