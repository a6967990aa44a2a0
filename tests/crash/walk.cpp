// SPDX-License-Identifier: BSD-3-Clause
// walk.cpp - crash-walk: every mutating operation, from every start state, killed after every store; recovery killed
// likewise.
//
// Each state that a killed process can leave is checked:
//   - Every invariant holds, and no CPU is in two clients' effective sets. An effective set has the CPUs on which a
//     client may be running: all that were posted to it since its last release.
//   - drom_check, run by another process, accepts it, completes it, and has nothing to do the second time.
//   - When every client has obeyed, all CPUs are where they were before the operation, or all where they would be after
//     it.
//   - Sequence numbers did not go back.
//
// Every state that a killed recovery leaves is checked likewise.
//
//   crash_walk [ONLY-THIS-START [ONLY-THIS-OPERATION]]
#include <fcntl.h>
#include <unistd.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scene.hpp"
#include "shmem/invariants.hpp"
#include "shmem/reconcile.hpp"
#include "shmem/slots.hpp"
#include "temp_dir.hpp"
#include "watchdog.hpp"

namespace {

using namespace drom;
using namespace drom::crash;

// --- looking at a state --------------------------------------------------------------------------------------------

/// Returns the snapshot as a ledger. Only for reading.
Ledger view(const Snapshot& snapshot) {
    Ledger ledger;
    ledger.base = const_cast<char*>(snapshot.ledger);
    ledger.size = sizeof snapshot.ledger;
    ledger.shape = shape_of(ledger.header());
    return ledger;
}

uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 31;
}

/// Returns a hash of the state without the parts that differ from run to run: times, pids, stamps.
uint64_t fingerprint(const Snapshot& snapshot, const std::map<uint32_t, uint32_t>& roles) {
    const Ledger ledger = view(snapshot);
    const auto role = [&](const IdentityWords& identity) {
        const auto found = roles.find(identity.pid.load());
        return uint64_t{found != roles.end() ? found->second : identity.pid.load() != 0 ? 99U : 0U};
    };
    uint64_t hash = ledger.header().admin_lock.load() != 0 ? 1 : 0;
    hash = mix(hash, ledger.intent().kind.load() << 56 ^ ledger.intent().words[0].load() << 16 ^
                         ledger.intent().client.load());
    for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
        hash = mix(hash, ledger.owner(cpu).load() & (UINT64_MAX >> 10));
        hash = mix(hash, ledger.home(cpu).load());
    }
    for (uint32_t i = 0; i < kSlots; ++i) {
        const Slot& slot = ledger.slot(i);
        const SlotState state = state_of(slot);
        hash = mix(hash, state.phase << 32 | state.generation);
        hash = mix(hash, role(slot.client) << 40 | role(slot.launcher) << 20 | role(slot.claimer));
        hash = mix(hash, uint64_t{slot.min_cpus.load()} << 32 | slot.max_cpus.load());
        hash = mix(hash, uint64_t{slot.joined_ns.load() != 0} << 1 | (slot.name[0] != 0));
        hash = mix(hash, ledger.mailbox(i).newest.load() << 8 ^ ledger.mailbox(i).confined.load());
        for (uint64_t seq = 0; seq < 2; ++seq) {
            const RequestHalf& half = ledger.half(i, seq);
            hash = mix(hash, half.words[0].load() ^ half.stamp.load() << 24);
        }
    }
    for (const Snapshot::File& file : snapshot.pages) {
        const auto* page = reinterpret_cast<const Page*>(file.bytes);
        if (file.used == 0) continue;
        hash = mix(hash, uint64_t{file.slot} << 32 | file.generation);
        hash = mix(hash, page->magic ^ page->joined.load());
        hash = mix(hash, page->released.load() << 32 | page->resized.load());
        hash = mix(hash, uint64_t{page->limited.load()} << 32 | page->entry_points.load());
    }
    return hash;
}

/// The CPUs on which each client may be running: all that were posted to it since its last release.
class Effective {
public:
    /// Returns false when a CPU is in two sets without a fast hand-over in its word.
    bool observe(const Snapshot& snapshot, const std::set<uint32_t>& gone) {
        const Ledger ledger = view(snapshot);
        for (uint32_t slot = 0; slot < kSlots; ++slot) {
            const SlotState state = state_of(ledger.slot(slot));
            const uint32_t pid = ledger.slot(slot).client.pid.load();
            if ((state.phase != phase::kLive && state.phase != phase::kReserved) || gone.contains(pid)) continue;
            Request posted{};
            if (read_request(ledger, slot, posted))
                may_[{slot, state.generation}] = may_[{slot, state.generation}] | posted.mask;
        }
        return disjoint(ledger, gone);
    }
    [[nodiscard]] uint64_t fingerprint() const {
        uint64_t hash = 0;
        for (const auto& [client, mask] : may_)
            hash = mix(hash, uint64_t{client.first} << 40 | uint64_t{client.second} << 8 | mask.words[0]);
        return hash;
    }

private:
    bool disjoint(const Ledger& ledger, const std::set<uint32_t>& gone) const {
        uint32_t users[kCpus] = {};
        for (const auto& [client, mask] : may_) {
            const SlotState state = state_of(ledger.slot(client.first));
            // The slot's former user has ended, or this user is known to be dead.
            if (state.generation != client.second || gone.contains(ledger.slot(client.first).client.pid.load()))
                continue;
            if (state.phase == phase::kFree || state.phase == phase::kLeaving) continue;
            for (uint32_t cpu = 0; cpu < kCpus; ++cpu) users[cpu] += mask.has(cpu) ? 1U : 0U;
        }
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu)
            if (users[cpu] > 1 && !Owner{ledger.owner(cpu).load()}.is(Owner::kFast)) return false;
        return true;
    }
    std::map<std::pair<uint32_t, uint32_t>, CpuSet> may_;
};

/// The owner of each CPU when all is done: pids, 0 for none, -1 for drained.
struct Outcome {
    int64_t owner[kCpus];
    bool operator==(const Outcome&) const = default;
};

// --- the walk ------------------------------------------------------------------------------------------------------

struct Totals {
    uint64_t runs = 0, stores = 0, recoveries = 0, violations = 0, between = 0, checked = 0;
    std::set<uint64_t> distinct;
};

class Walk {
public:
    Walk(const People& people, Totals& totals)
        : people_(people), totals_(totals), scratch_(directory_.path() + "/scratch", people) {
        operation_ = make_recording();
        recovery_ = make_recording();
        uint32_t number = 1;
        for (const test::Child* child : {&people.a, &people.b, &people.c, &people.d}) roles_[child->upid()] = number++;
        roles_[people.dead.pid] = number++;
        roles_[self().pid] = number++;
        role_of_victim_ = number;
    }

    void run(const Start& start, const Operation& operation) {
        where_ = std::string(start.name) + " / " + operation.name;
        const test::TempDir place;
        Scene scene(place.table(), people_);
        start.build(scene);
        const int pid = perform(scene, operation);
        if (pid == 0) return;
        ++totals_.runs;
        totals_.stores += operation_->stores;
        if (operation_->lost > 0) violation("the recording is too short");
        const auto victim = static_cast<uint32_t>(pid);
        roles_[victim] = role_of_victim_;
        load(operation_->snapshots[0]);
        const Outcome before = finish();
        load(operation_->snapshots[operation_->count - 1]);
        const Outcome after = finish();
        Effective effective;
        for (uint32_t i = 0; i < operation_->count; ++i)
            visit(operation_->snapshots[i], effective, victim, before, after);
        roles_.erase(victim);
    }

private:
    /// Runs the operation in a child that is gone afterwards. Returns its pid, 0 when it did not end well.
    int perform(Scene& scene, const Operation& operation) {
        test::Child victim = test::Child::run([&] {
            operation.prepare(scene);
            start_stepping(scene.path, operation_);
            operation.act(scene);
            stop_stepping();
            return 0;
        });
        const int pid = victim.pid();
        if (const int code = victim.wait(); code != 0) {
            violation(("the victim ended with " + std::to_string(code)).c_str());
            return 0;
        }
        return pid;
    }

    void visit(const Snapshot& state, Effective& effective, uint32_t victim, const Outcome& before,
               const Outcome& after) {
        const uint64_t id = fingerprint(state, roles_);
        totals_.distinct.insert(id);
        check_state(state, effective, {people_.dead.pid});
        if (!seen_.insert(mix(id, effective.fingerprint()) ^ hash_of(before) ^ hash_of(after) * 3).second) return;
        recover(state, effective, victim, before, after, true);
    }

    void check_state(const Snapshot& state, Effective& effective, const std::set<uint32_t>& gone) {
        ++totals_.checked;
        drom_error error{};
        if (check_invariants(view(state), &error) != DROM_OK) violation(error.text);
        if (!effective.observe(state, gone)) violation("a CPU is in two clients' effective sets");
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu) check_names(view(state), cpu);
    }

    /// Checks names, whose generations have twelve bits: a slot must not be used again while a word has its former
    /// user's name.
    void check_names(const Ledger& ledger, uint32_t cpu) {
        const Owner word{ledger.owner(cpu).load()};
        for (const Owner::Name client : {word.owner(), word.next()}) {
            if (client == Owner::none()) continue;
            const SlotState state = state_of(ledger.slot(client.slot));
            if (state.phase == phase::kFree && (state.generation & 0xfff) == client.gen)
                violation("a word names the user of a slot that is free");
        }
    }

    /// Lets another process find the state, with the victim dead.
    void recover(const Snapshot& state, Effective effective, uint32_t victim, const Outcome& before,
                 const Outcome& after, bool step) {
        ++totals_.recoveries;
        const Effective start = effective;
        load(state);
        if (step) start_stepping(scratch_.path, recovery_);
        const int first = check();
        if (step) stop_stepping();
        if (first < 0) violation("drom_check refused");
        Snapshot done;
        take_snapshot(scratch_.path, done);
        check_state(done, effective, {people_.dead.pid, victim});
        check_order(state, done);
        if (check() != DROM_UNCHANGED) violation("drom_check found something to do the second time");
        const Outcome outcome = finish();
        compare(outcome, before, after);
        if (!step) return;
        std::vector<Snapshot> prefixes(recovery_->snapshots, recovery_->snapshots + recovery_->count);
        totals_.stores += recovery_->stores;
        for (Snapshot& prefix : prefixes) interrupted(prefix, start, victim, before, after);
    }

    /// Continues after a kill of the recovery: this process ran it, and counts as dead now.
    void interrupted(Snapshot& state, const Effective& effective, uint32_t victim, const Outcome& before,
                     const Outcome& after) {
        Word& lock = view(state).header().admin_lock;
        if (lock.load() == packed(self())) lock.store(packed(people_.dead));
        const uint64_t id = fingerprint(state, roles_);
        totals_.distinct.insert(id);
        Effective now = effective;
        check_state(state, now, {people_.dead.pid, victim});
        if (!seen_.insert(mix(id, now.fingerprint()) ^ hash_of(before) ^ hash_of(after) * 3 ^ 1).second) return;
        recover(state, now, victim, before, after, false);
    }

    void check_order(const Snapshot& from, const Snapshot& to) {
        const Ledger old = view(from);
        const Ledger now = view(to);
        for (uint32_t slot = 0; slot < kSlots; ++slot) {
            if (state_of(old.slot(slot)).generation != state_of(now.slot(slot)).generation) continue;
            if (now.mailbox(slot).newest.load() < old.mailbox(slot).newest.load())
                violation("a sequence number went back");
        }
    }

    void compare(const Outcome& outcome, const Outcome& before, const Outcome& after) {
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu)
            if (outcome.owner[cpu] != before.owner[cpu] && outcome.owner[cpu] != after.owner[cpu]) {
                violation(("CPU " + std::to_string(cpu) + " is neither where it was nor where it was to go").c_str());
                return;
            }
        if (outcome == before || outcome == after) return;
        ++totals_.between;
        violation("the operation was neither finished nor undone");
    }

    // --- the scratch table ---

    void load(const Snapshot& state) {
        const Header& header = view(state).header();
        std::memcpy(scratch_.ledger().base, state.ledger, header.events_at);
        for (const std::string& name : files_) unlink((scratch_.path + "/" + name).c_str());
        files_.clear();
        for (const Snapshot::File& file : state.pages) {
            if (file.used == 0) continue;
            files_.push_back("client." + std::to_string(file.slot) + "." + std::to_string(file.generation));
            const int fd = open((scratch_.path + "/" + files_.back()).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
            const bool fine =
                ftruncate(fd, kPageSize) == 0 && pwrite(fd, file.bytes, sizeof file.bytes, 0) == sizeof file.bytes;
            close(fd);
            if (!fine) violation("the scratch table cannot be written");
        }
    }

    int check() {
        Table table;
        drom_error error{};
        int status = table.open(scratch_.path.c_str(), with(0), &error);
        if (status == DROM_OK) status = check_table(table, with(0), &error);
        if (status < 0) std::fprintf(stderr, "crash-walk: %s: %s\n", where_.c_str(), error.text);
        return status;
    }

    /// Lets every client obey, again and again, until there is nothing left to do.
    Outcome finish() {
        Outcome outcome{};
        int status = DROM_OK;
        for (int round = 0; round < 8 && status != DROM_UNCHANGED; ++round) {
            check();
            scratch_.acknowledge();
            status = check();
        }
        if (status != DROM_UNCHANGED) violation("obeying does not come to an end");
        check_slots_and_files();
        const Ledger& ledger = scratch_.ledger();
        for (uint32_t cpu = 0; cpu < kCpus; ++cpu) {
            const Owner word{ledger.owner(cpu).load()};
            const Owner::Name owner = word.owner();
            if (word.is(Owner::kOffered)) violation("a CPU is still being left when everybody has obeyed");
            outcome.owner[cpu] = word.is(Owner::kDrained) ? -1 : 0;
            if (owner == Owner::none()) continue;
            outcome.owner[cpu] = ledger.slot(owner.slot).client.pid.load();
            Request posted{};
            if (!read_request(ledger, owner.slot, posted) || !posted.mask.has(cpu))
                violation("a client was not notified of a CPU of its own");
        }
        return outcome;
    }

    /// Checks slots and files when no client joins or leaves any more: each slot has a client or is free, and each page
    /// belongs to a client.
    void check_slots_and_files() {
        std::set<std::string> expected{"ledger"};
        for (uint32_t i = 0; i < kSlots; ++i) {
            const SlotState state = state_of(scratch_.ledger().slot(i));
            if (state.phase == phase::kClaimed || state.phase == phase::kLeaving) violation("a slot is lost");
            if (state.phase != phase::kFree)
                expected.insert("client." + std::to_string(i) + "." + std::to_string(state.generation));
        }
        for (const auto& file : std::filesystem::directory_iterator(scratch_.path))
            if (expected.count(file.path().filename()) == 0) violation("a client's page was left behind");
    }

    static uint64_t hash_of(const Outcome& outcome) {
        uint64_t hash = 0;
        for (int64_t pid : outcome.owner) hash = mix(hash, static_cast<uint64_t>(pid));
        return hash;
    }

    void violation(const char* what) {
        if (++totals_.violations <= 20) std::fprintf(stderr, "crash-walk: %s: %s\n", where_.c_str(), what);
    }

    const People& people_;
    Totals& totals_;
    test::TempDir directory_;
    Scene scratch_;
    Recording* operation_;
    Recording* recovery_;
    std::map<uint32_t, uint32_t> roles_;
    uint32_t role_of_victim_ = 0;
    std::set<uint64_t> seen_;
    std::vector<std::string> files_;
    std::string where_;
};

bool chosen(int argc, char** argv, int index, const char* name) {
    return argc <= index || std::strstr(name, argv[index]) != nullptr;
}

}  // namespace

int main(int argc, char** argv) {
    const test::Watchdog watchdog(600);
    if (!can_step()) {
        std::puts("crash-walk: SKIPPED: the stepper knows the trap flag of x86-64 only");
        const char* ci = std::getenv("CI");
        return ci != nullptr && std::strcmp(ci, "true") == 0 ? 1 : 77;
    }
    Totals totals;
    const People people;
    Walk walk(people, totals);
    for (const Start& start : starts())
        for (const Operation& operation : operations())
            if (chosen(argc, argv, 1, start.name) && chosen(argc, argv, 2, operation.name)) {
                test::Watchdog::next_step();
                walk.run(start, operation);
            }
    std::printf(
        "crash-walk %s: %lu operations from %zu start states, %lu stores, %zu distinct states, %lu recoveries, %lu "
        "states checked, "
        "%lu violations; %lu outcomes between before and after\n",
        DROM_WALK_LEVEL, totals.runs, starts().size(), totals.stores, totals.distinct.size(), totals.recoveries,
        totals.checked, totals.violations, totals.between);
    const bool complete = argc > 1 || totals.distinct.size() >= 2000;
    if (!complete) std::puts("crash-walk: fewer than 2000 distinct states: the walk does not see what it should");
    return totals.violations == 0 && complete ? 0 : 1;
}
