# SPDX-License-Identifier: BSD-3-Clause
"""mutants.py - deliberate breakages of the broker, and which test is to notice each.

A breakage replaces one text, which its file has once, by another."""

from dataclasses import dataclass

# Kinds. All of ORDER and SEQUENCE must be noticed, and nine in ten of the others.
ORDER = "order"            # a memory order weakened
SEQUENCE = "sequence"      # two steps swapped, or one compare-and-swap made a store
RECOVERY = "recovery"      # a step left out that finishes the work of a dead administrator
VALIDATION = "validation"  # a check of untrusted bytes left out


@dataclass(frozen=True)
class Killer:
    """A test program, and the arguments that choose its tests."""

    program: str
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Mutant:
    name: str
    kind: str
    file: str  # below libdrom
    old: str
    new: str
    killers: tuple[Killer, ...]
    survives: str = ""  # why no test can notice it, if so


def unit(*tests: str) -> Killer:
    return Killer("unit_tests", ("--gtest_filter=" + ":".join(tests),))


def hostile(*tests: str) -> Killer:
    return Killer("hostile_tests", ("--gtest_filter=" + ":".join(tests),))


def edges(test: str) -> Killer:
    return Killer("mutants_edges", (f"--gtest_filter=Edges.{test}",))


def walk(start: str = "", operation: str = "") -> Killer:
    return Killer("crash_walk_O0", (start, operation))


def explorer(scenario: str) -> Killer:
    return Killer("explorer", ("--only", scenario, "--preemptions", "4"))


def slow_calls(test: str) -> Killer:
    return Killer("slow_calls_tests", (f"--gtest_filter=SlowCalls.{test}*",))


RACE = Killer("race_tests", ("--gtest_filter=Race.*",))
STORM = Killer("kill_storm", ("1000",))

SEQ_CST = "it stands twice: the half's stamp is released and acquired as well, and either is enough"

MUTANTS = [
    # --- orders ---
    Mutant("a request is published by nothing but relaxed stores", ORDER, "shmem/mailbox.cpp",
           "if (!mailbox.newest.compare_exchange_strong(expected, seq)) return false;\n    // Another administrator",
           "if (!mailbox.newest.compare_exchange_strong(expected, seq, kRelaxed)) return false;\n    std::atomic_signal_fence(std::memory_order_seq_cst);\n    // Another administrator",
           (edges("ARequestThatIsRead"),), SEQ_CST),
    Mutant("a request's half and number are read relaxed", ORDER, "shmem/mailbox.cpp",
           "const uint64_t stamp = half.stamp.load(std::memory_order_acquire);\n    return (stamp & kSeqMask) == seq",
           "const uint64_t stamp = half.stamp.load(kRelaxed);\n    return (stamp & kSeqMask) == seq", (edges("ARequestThatIsRead"),), SEQ_CST),
    Mutant("what was confined is stamped relaxed", ORDER, "shmem/mailbox.cpp", "half.stamp.store(mark, std::memory_order_release);", "half.stamp.store(mark, kRelaxed);",
           (edges("WhatWasConfinedFromOutside"),)),
    Mutant("the stamp of what was confined is read relaxed", ORDER, "shmem/mailbox.cpp",
           "ledger.outside(slot).stamp.load(std::memory_order_acquire)", "ledger.outside(slot).stamp.load(kRelaxed)", (edges("WhatWasConfinedFromOutside"),)),
    Mutant("a confined request is marked relaxed", ORDER, "shmem/mailbox.cpp", "if (word.compare_exchange_weak(old, mark)) return;",
           "if (word.compare_exchange_weak(old, mark, kRelaxed)) return;", (edges("ARequestThatIsConfined"),)),
    Mutant("the mark of a confined request is read relaxed", ORDER, "shmem/mailbox.cpp",
           "ledger.mailbox(slot).confined.load(std::memory_order_acquire)", "ledger.mailbox(slot).confined.load(kRelaxed)", (edges("ARequestThatIsConfined"),)),
    Mutant("who a process is, is written relaxed", ORDER, "shmem/slots.cpp", "words.pid.store(identity.pid, std::memory_order_release);",
           "words.pid.store(identity.pid, std::memory_order_relaxed);", (edges("WhoAProcessIs"),)),
    Mutant("who a process is, is read relaxed", ORDER, "shmem/slots.cpp", "const uint32_t pid = words.pid.load(std::memory_order_acquire);",
           "const uint32_t pid = words.pid.load(std::memory_order_relaxed);", (edges("WhoAProcessIs"),)),
    Mutant("a slot's phase is read relaxed", ORDER, "shmem/slots.cpp", "return unpack_state(slot.state.load(std::memory_order_acquire)); }",
           "return unpack_state(slot.state.load(std::memory_order_relaxed)); }", (edges("ASlotsNewPhase"),)),
    Mutant("a slot is moved relaxed", ORDER, "shmem/slots.cpp", "if (word.compare_exchange_weak(bits, pack_state({to, flags, generation}))) return true;",
           "if (word.compare_exchange_weak(bits, pack_state({to, flags, generation}), std::memory_order_relaxed)) return true;", (edges("ASlotsNewPhase"),)),
    Mutant("a home is read relaxed", ORDER, "shmem/ledger.cpp", "return named_by(ledger, ledger.home(cpu).load(std::memory_order_acquire));",
           "return named_by(ledger, ledger.home(cpu).load(std::memory_order_relaxed));", (edges("AHomeOfACpu"),)),
    Mutant("an event is completed relaxed", ORDER, "shmem/events.cpp", "entry.index.store(index + 1, std::memory_order_release);", "entry.index.store(index + 1, kRelaxed);\n    return;",
           (edges("AnEvent"),)),
    Mutant("an event is looked at relaxed", ORDER, "shmem/events.cpp", "const uint64_t there = entry.index.load(std::memory_order_acquire);",
           "const uint64_t there = entry.index.load(kRelaxed);", (edges("AnEvent"),)),
    Mutant("an intent is published relaxed", ORDER, "shmem/intent.cpp", "record.kind.store(what.kind, std::memory_order_release);",
           "record.kind.store(what.kind, std::memory_order_relaxed);", (edges("AnIntent"),)),
    Mutant("an intent is read relaxed", ORDER, "shmem/intent.cpp", "what.kind = record.kind.load(std::memory_order_acquire);",
           "what.kind = record.kind.load(std::memory_order_relaxed);", (edges("AnIntent"),)),
    Mutant("an owner word is changed relaxed", ORDER, "shmem/ledger.cpp", "return ledger.owner(cpu).compare_exchange_strong(expected, to.bits);",
           "return ledger.owner(cpu).compare_exchange_strong(expected, to.bits, std::memory_order_relaxed);", (edges("AnOwnersWord"),)),
    Mutant("owner words are read relaxed", ORDER, "shmem/ledger.cpp", "return {ledger.owner(cpu).load(std::memory_order_acquire)};",
           "return {ledger.owner(cpu).load(std::memory_order_relaxed)};", (edges("AnOwnersWord"),)),
    Mutant("the administrator lock is taken relaxed", ORDER, "shmem/admin_lock.cpp", "return header.admin_lock.compare_exchange_strong(from, mine, std::memory_order_acquire);",
           "return header.admin_lock.compare_exchange_strong(from, mine, std::memory_order_relaxed);", (edges("TheAdministratorLock"),)),
    Mutant("the administrator lock is given back relaxed", ORDER, "shmem/admin_lock.cpp", "compare_exchange_strong(mine, 0, std::memory_order_release)) return;",
           "compare_exchange_strong(mine, 0, std::memory_order_relaxed)) return;", (edges("TheAdministratorLock"),)),
    Mutant("this process's mask is switched relaxed", ORDER, "client/thread_mask.cpp", "current_.store(next);", "current_.store(next, std::memory_order_relaxed);", (edges("TheMaskOfThisProcess"),)),
    # --- sequences ---
    Mutant("a number is published before its mask", SEQUENCE, "shmem/mailbox.cpp",
           "    if (!write_half(ledger, who, base, mask)) return false;\n    mailbox.posted_ns.store(now_ns(), kRelaxed);",
           "    mailbox.posted_ns.store(now_ns(), kRelaxed);\n    if (mailbox.newest.load() == base + 7 && !write_half(ledger, who, base, mask)) return false;",
           (unit("Mailbox.*"),)),
    Mutant("a number is stored, whatever it is by now", SEQUENCE, "shmem/mailbox.cpp", "if (!mailbox.newest.compare_exchange_strong(expected, seq)) return false;",
           "mailbox.newest.store(expected = seq);", (explorer("held up for long"),)),
    Mutant("a half is taken over by a store", SEQUENCE, "shmem/mailbox.cpp", "if (!half.stamp.compare_exchange_strong(before, mine)) return false;",
           "before = 0;\n    half.stamp.store(mine);", (Killer("model_schedules"),)),
    Mutant("a half is finished by a store", SEQUENCE, "shmem/mailbox.cpp",
           "return half.stamp.compare_exchange_strong(mine, mine | seq, std::memory_order_release, kRelaxed);", "half.stamp.store(mine | seq);\n    return true;",
           (Killer("model_schedules"),)),
    Mutant("the half that is in force is written over", SEQUENCE, "shmem/mailbox.cpp", "RequestHalf& half = ledger.half(who.slot, seq);", "RequestHalf& half = ledger.half(who.slot, seq - 1);",
           (unit("Mailbox.*"),)),
    Mutant("a mask is written before its half is taken over", SEQUENCE, "shmem/mailbox.cpp",
           "    uint64_t mine = new_stamp(mailbox);\n    if (!half.stamp",
           "    for (uint32_t i = 0; i < ledger.mask_words(); ++i) half.words[i].store(mask.words[i], kRelaxed);\n    uint64_t mine = new_stamp(mailbox);\n    if (!half.stamp",
           (Killer("model_schedules"), explorer("held up for long"), explorer("two administrators set both masks"))),
    Mutant("what was confined is marked before its mask is there", SEQUENCE, "shmem/mailbox.cpp", "    half.stamp.store(0);\n    for (uint32_t i = 0; i < words; ++i) half.words[i].store(confined",
           "    half.stamp.store(mark);\n    for (uint32_t i = 0; i < words; ++i) half.words[i].store(confined", (unit("Mailbox.*"), edges("WhatWasConfinedFromOutside")),
           "the checksum, which is over the stamp, refuses the half until it is complete"),
    Mutant("an owner word is stored", SEQUENCE, "shmem/ledger.cpp", "return ledger.owner(cpu).compare_exchange_strong(expected, to.bits);",
           "ledger.owner(cpu).store(to.bits);\n    return expected == from.bits;", (explorer("a client joins while"),)),
    Mutant("a slot is claimed by a store", SEQUENCE, "shmem/slots.cpp", "if (!slot.state.compare_exchange_strong(expected, claimed)) continue;",
           "if (slot.state.load() != expected) continue;\n        slot.state.store(claimed);", (explorer("two newcomers join at once"),)),
    Mutant("a slot is moved by a store", SEQUENCE, "shmem/slots.cpp", "if (word.compare_exchange_weak(bits, pack_state({to, flags, generation}))) return true;",
           "return word.store(pack_state({to, flags, generation})), true;", (RACE, unit("Slots.*")),
           "a claimed slot has one mover, and two reapers that free the same one store the same"),
    Mutant("the administrator lock is given back by a store", SEQUENCE, "shmem/admin_lock.cpp", "if (!header_.admin_lock.compare_exchange_strong(mine, 0, std::memory_order_release)) return;",
           "mine = 0;\n    header_.admin_lock.store(0);", (hostile("Administrators.*"), RACE), "the lock keeps administrators out of each other's way; what they change, they change by compare-and-swap"),
    Mutant("who a process is, is written pid first", SEQUENCE, "shmem/slots.cpp",
           "    words.start.store(identity.start, std::memory_order_relaxed);\n    words.pidns.store(identity.pidns, std::memory_order_relaxed);\n    words.pid.store(identity.pid, std::memory_order_release);",
           "    words.pid.store(identity.pid, std::memory_order_release);\n    words.start.store(identity.start, std::memory_order_relaxed);\n    words.pidns.store(identity.pidns, std::memory_order_relaxed);",
           (edges("WhoAProcessIs"),)),
    Mutant("words change before the intent is written", SEQUENCE, "admin/carry_out.cpp",
           "        if (announced) write_intent(ledger, what);\n        const bool complete = apply(ledger, plan);",
           "        const bool complete = apply(ledger, plan);\n        if (announced) write_intent(ledger, what);", (walk("two clients own everything", "set"), walk("", "set several"))),
    Mutant("an intent is cleared before the table is settled", SEQUENCE, "admin/carry_out.cpp",
           "        outcome.changed |= reconcile(ledger, table.pages, touched);\n        if (announced) clear_intent(ledger);",
           "        if (announced) clear_intent(ledger);\n        outcome.changed |= reconcile(ledger, table.pages, touched);", (walk("two clients own everything", "set"),),
           "the words are complete by then, and whoever comes next settles them"),
    Mutant("a CPU is offered before its home is written", SEQUENCE, "admin/carry_out.cpp",
           "        change_home(ledger, change.cpu, change.home);\n        if (!change_owner(ledger, change.cpu, change.from, change.to)) {\n            complete = false;\n            continue;\n        }",
           "        if (!change_owner(ledger, change.cpu, change.from, change.to)) {\n            complete = false;\n            continue;\n        }\n        change_home(ledger, change.cpu, change.home);",
           (walk("", "take to return"),)),
    Mutant("a client counts as notified before its request is posted", SEQUENCE, "shmem/reconcile.cpp",
           "        if (!post_request(ledger, who, base, mask)) continue;", "        mark_notified(ledger, who, unnotified, mask);\n        if (!post_request(ledger, who, base, mask)) continue;",
           (Killer("model_schedules"),)),
    Mutant("a CPU is given up before the threads have left it", SEQUENCE, "client/client.cpp", "    if (real) clear_off(state.known, origin, wanted.mask);",
           "    acknowledge_release(wanted.seq, false);\n    if (real) clear_off(state.known, origin, wanted.mask);", (slow_calls("ACpuIsNotGivenUp"),)),
    Mutant("a vforked child that sets its affinity is waited for", RECOVERY, "client/client.cpp", "AffinityGuard::AffinityGuard(bool counts) noexcept : counts_(counts)",
           "AffinityGuard::AffinityGuard(bool) noexcept : counts_(true)", (Killer("hostile_tests", ("--gtest_filter=ClientLiveness.AClientReleasesAfter*",)),)),
    Mutant("a CPU is given up when those threads have left it that were known before", SEQUENCE, "client/client.cpp", "    if (!state.threads.await_setters()) return false;",
           "    acknowledge_release(wanted.seq, false);\n    if (!state.threads.await_setters()) return false;", (slow_calls("ACpuIsNotGivenUp"),)),
    Mutant("a reservation that was called off is joined all the same", SEQUENCE, "client/joining.cpp",
           "    return sign_takeover(state.ledger, index, generation, phase::kLive);",
           "    return move_slot(state.ledger, index, generation, phase::kLive, 0);", (explorer("called off"),)),
    Mutant("a process that takes another one's place does not count", SEQUENCE, "shmem/slots.cpp", "static_cast<uint16_t>(now.takes + 1)", "now.takes",
           (unit("Slots.*"), explorer("takes its place"))),
    Mutant("who joins does not look for what was reserved for it meanwhile", SEQUENCE, "client/joining.cpp",
           "    if (reserved == kNoSlot) return kNoSlot;\n    retire_user", "    if (reserved != kNoSlot - 1) return kNoSlot;\n    retire_user", (explorer("reserved for it"),)),
    Mutant("an administrator that reserves does not look whether the process has joined meanwhile", SEQUENCE, "shmem/enrolment.cpp",
           "if (find_other_slot(ledger, enrolment.client.pid, slot) != kNoSlot &&", "if (false &&",
           (explorer("reserved for it"), Killer("model_schedules", ("--gtest_filter=*Registered*",)))),
    Mutant("a reservation that its process has joined is called off", SEQUENCE, "shmem/enrolment.cpp", "        if (unpack_state(seen).phase == phase::kLive) return false;\n", "",
           (Killer("model_schedules", ("--gtest_filter=*ReservationThatThenFails*",)),)),
    Mutant("a slot is free while its page is there", SEQUENCE, "shmem/enrolment.cpp",
           "    remove_page(ledger, path, slot, state.generation);\n    move_slot(ledger, slot, state.generation, phase::kFree, 0);",
           "    move_slot(ledger, slot, state.generation, phase::kFree, 0);\n    remove_page(ledger, path, slot, state.generation);", (walk("", "leave"),)),
    Mutant("a slot is free before its CPUs are passed on", SEQUENCE, "shmem/enrolment.cpp",
           "    reconcile(ledger, pages, {});\n    remove_page(ledger, path, slot, state.generation);\n    move_slot(ledger, slot, state.generation, phase::kFree, 0);",
           "    remove_page(ledger, path, slot, state.generation);\n    move_slot(ledger, slot, state.generation, phase::kFree, 0);\n    reconcile(ledger, pages, {});",
           (walk("", "leave"),)),
    # --- recovery ---
    Mutant("a dead administrator's intent is forgotten", RECOVERY, "admin/carry_out.cpp", "        finish_intent(table);\n        reconcile_all(table.ledger, table.pages);\n    }\n    if (tick_ns()",
           "        clear_intent(table.ledger);\n        reconcile_all(table.ledger, table.pages);\n    }\n    if (tick_ns()", (unit("DeadAdministrator.*"), walk("two clients own everything", "set"))),
    Mutant("an intent is looked for only after a dead holder of the lock", RECOVERY, "admin/carry_out.cpp", "if (lock_.inherited() || unfinished) {", "if (lock_.inherited()) {", (unit("DeadAdministrator.*"),)),
    Mutant("the dead are not looked for", RECOVERY, "shmem/enrolment.cpp", "if (!is_half_made(ledger, slot) && !ended && now != phase::kLeaving) continue;", "if (!is_half_made(ledger, slot) && now != phase::kLeaving) continue;",
           (Killer("hostile_tests", ("--gtest_filter=ClientLiveness.*",)),)),
    Mutant("a slot that was never filled stays", RECOVERY, "shmem/enrolment.cpp", "if (!is_half_made(ledger, slot) && !ended && now != phase::kLeaving) continue;", "if (!ended && now != phase::kLeaving) continue;",
           (unit("Slots.*"),)),
    Mutant("a slot is judged by the number of a claimer of another pid namespace", VALIDATION, "shmem/slots.cpp",
           "const bool is_seen_here = (bits & kAtHome) != 0 && self().pidns", "const bool is_seen_here = self().pidns", (unit("Slots.*"),)),
    Mutant("a slot is judged by the table's namespace from another one", VALIDATION, "shmem/slots.cpp",
           "(bits & kAtHome) != 0 && self().pidns == ledger.header().pidns;", "(bits & kAtHome) != 0;", (unit("Slots.*"),)),
    Mutant("a slot's former claimer is taken for the present one", VALIDATION, "shmem/slots.cpp",
           "slot.claimer.signs.load(std::memory_order_acquire) == static_cast<uint32_t>(bits)",
           "slot.claimer.pid.load() == static_cast<uint32_t>(bits >> kClaimerShift & kClaimerMask)", (unit("Slots.*"),)),
    Mutant("a slot whose reaper died stays", RECOVERY, "shmem/enrolment.cpp", "if (!is_half_made(ledger, slot) && !ended && now != phase::kLeaving) continue;", "if (!is_half_made(ledger, slot) && !ended) continue;",
           (unit("Slots.*"),)),
    Mutant("a dead owner's CPU is kept for it", RECOVERY, "shmem/reconcile.cpp", "if (owner != Owner::nobody() && !is_live(ledger_, owner)) return leave_dead(cpu, word);", "",
           (unit("Reconcile.*", "Plan.*", "Two.*"),)),
    Mutant("a dead next owner gets its CPU", RECOVERY, "shmem/reconcile.cpp", "if (word.next() != Owner::nobody() && !is_live(ledger_, word.next())) return next_died(cpu, word);", "",
           (unit("Two.*"),)),
    Mutant("a lent CPU is nobody's when its borrower is gone", RECOVERY, "shmem/reconcile.cpp", "changed |= go_home(cpu, word);", "changed |= false;", (unit("Plan.*"),)),
    Mutant("a process for which CPUs were to be reserved by who died claims none", RECOVERY, "client/joining.cpp",
           "if (status == DROM_OK && is_forsaken()) claim_and_reconcile(claim);", "", (unit("DeadAdministrator.WhoWasToBe*"),)),
    Mutant("a thread that falls asleep just after it was woken to end sleeps on", RECOVERY, "client/joining.cpp",
           "        futex_wake(futex_half(state.ledger.mailbox(state.slot).newest));\n        futex_wait(&state.agent_runs, 1, deadline_in_ms(5));",
           "        futex_wait(&state.agent_runs, 1, deadline_in_ms(5));\n        if (now_ns() + 900 * kMillisecond > deadline) break;", (slow_calls("WhoJoinsAgain"),)),
    Mutant("an administrator does not say that it begins to move threads", RECOVERY, "admin/confine_outside.cpp", "        note_begun(table.ledger, user.slot, user.generation, posted.seq);\n", "",
           (Killer("model_schedules", ("--gtest_filter=*AdministratorThatDied*",)),)),
    Mutant("a client does not look where a dead administrator moved its threads", RECOVERY, "client/client.cpp", "return {last.mask, begun_since(state.ledger, state.slot, last, wanted.seq),", "return {last.mask, last.mask,",
           (Killer("model_schedules", ("--gtest_filter=*AdministratorThatDied*",)),)),
    Mutant("an administrator does not look where a dead one moved threads", RECOVERY, "admin/confine_outside.cpp", "return {last.mask, begun_since(table.ledger, slot, last, seq), ", "return {last.mask, last.mask, ",
           (Killer("model_schedules", ("--gtest_filter=*AdministratorThatDied*",)),)),
    Mutant("an offer of which no client was notified is not posted again", RECOVERY, "shmem/reconcile.cpp", "if (posted_already && unnotified.cpus.none()) return false;", "if (posted_already) return false;",
           (unit("Unfinished.*", "Reconcile.*"), walk("a shrink that is not", "check"))),
    Mutant("a page of somebody who died while joining stops the next one", RECOVERY, "shmem/segment.cpp", "    unlinkat(directory.fd(), name, 0);  // left by", "    // left by",
           (walk("", "join"), STORM), "generations are counted up by each claimer, and no two make the same name"),
    # --- validation ---
    Mutant("a release counts before the client was notified", VALIDATION, "shmem/reconcile.cpp", "return notified && all_released_ && !kept_.has(cpu);",
           "return all_released_ && !kept_.has(cpu);", (unit("Unfinished.*"),)),
    Mutant("a client to which nothing was posted yet has nothing to release", VALIDATION, "shmem/reconcile.cpp", "return notified && all_released_ && !kept_.has(cpu);",
           "return ledger_.mailbox(owner.slot).newest.load() == 0 || (notified && all_released_ && !kept_.has(cpu));", (Killer("model_schedules"), explorer("two reapers and a new user"))),
    Mutant("a half that was published meanwhile is filled again", VALIDATION, "shmem/mailbox.cpp",
           "    if (mailbox.newest.load() != expected) return false;\n    if (!(name_of", "    if (!(name_of",
           (Killer("model_schedules"),)),
    Mutant("an offer is marked by a request for an earlier one", VALIDATION, "shmem/reconcile.cpp", "if (word.stamp() == unnotified.stamps[cpu] && word.owner() == who", "if (word.owner() == who",
           (Killer("model_schedules"),)),
    Mutant("a slot's next user is moved to the mask of the last", VALIDATION, "admin/confine_outside.cpp", "    if (state_of(table.ledger.slot(slot)).generation != generation) return true;\n    const Liveness", "    const Liveness",
           (explorer("confined while its slot has a new user"),)),
    Mutant("a release of an older request counts", VALIDATION, "shmem/reconcile.cpp", "released_seq(ledger_, pages_, owner.slot) == posted.seq &&", "released_seq(ledger_, pages_, owner.slot) > 0 &&",
           (unit("Reconcile.*", "Unfinished.*", "Two.*"), STORM)),
    Mutant("a job's release counts without a look at its threads", VALIDATION, "shmem/reconcile.cpp", "if (!ledger_.node_mode() || ledger_.virtual_node()) return true;", "return true;",
           (Killer("hostile_tests", ("--gtest_filter=Node.TheCpuOfAJob*",)),)),
    Mutant("a client may release what nobody asked for", VALIDATION, "shmem/mailbox.cpp", "if (acked > newest) acked = 0;", "", (unit("Acknowledged.*"),)),
    Mutant("who looks for a process takes the slot's next user for it", VALIDATION, "shmem/slots.cpp", "const bool still = now.takes_part() && ledger", "const bool still = ledger",
           (Killer("model_schedules", ("--gtest_filter=*WhoIsLookedFor*",)),)),
    Mutant("a name passes to the slot's next user", VALIDATION, "shmem/slots.cpp", "return state.takes_part() && (state.generation & 0xfff) == name.gen;", "return state.takes_part();",
           (unit("Slots.*"),)),
    Mutant("a home passes to the slot's next user", VALIDATION, "shmem/ledger.cpp", "state.takes_part() && state.generation == static_cast<uint32_t>(home);", "state.takes_part();",
           (unit("Slots.*", "Plan.*"), STORM)),
    Mutant("a mask is posted to a slot's next user", VALIDATION, "shmem/mailbox.cpp", "    if (!(name_of(ledger, who.slot) == who)) return false;\n", "", (unit("Mailbox.*"),)),
    Mutant("what was confined of a slot's former user is believed of the next", VALIDATION, "shmem/mailbox.cpp",
           "return is_of(mark, state_of(ledger.slot(slot)).generation) ? mark & kSeqMask : 0;", "return mark & kSeqMask;", (unit("Mailbox.*"),)),
    Mutant("a half is believed without its checksum", VALIDATION, "shmem/mailbox.cpp", "return fits && half.checksum.load(kRelaxed) == checksum_of(stamp, mask, words);", "return fits;",
           (unit("Mailbox.*"), RACE)),
    Mutant("a half names CPUs that the table has not", VALIDATION, "shmem/mailbox.cpp", "return fits && half.checksum", "return (fits || true) && half.checksum", (unit("Mailbox.*"),)),
    Mutant("an intent is believed without its checksum", VALIDATION, "shmem/intent.cpp", "return load_record(ledger, what) == record.checksum.load();",
           "load_record(ledger, what);\n    return true;",
           (unit("DeadAdministrator.*"),)),
    Mutant("a reused pid is taken for its predecessor", VALIDATION, "base/process_identity.cpp", "const bool other = !may_be_start(stat.start, by, identity.start);", "const bool other = false;",
           (unit("Identity.*"), Killer("hostile_tests", ("--gtest_filter=ProcessLiveness.AReused*",)))),
    Mutant("a zombie is alive", VALIDATION, "base/process_identity.cpp", "return other || stat.has_ended() ? Liveness::kDead", "return other ? Liveness::kDead", (hostile("ProcessLiveness.AZombie*"),)),
    Mutant("a process whose first thread has ended is dead", VALIDATION, "base/process_stat.cpp", "(state == 'Z' && threads < 2)", "state == 'Z'", (hostile("ProcessLiveness.AProcessWhose*"),)),
    Mutant("another user's process is dead", VALIDATION, "base/process_identity.cpp", "if (kill(static_cast<pid_t>(identity.pid), 0) != 0 && errno == ESRCH) return Liveness::kDead;\n    ProcessStat",
           "if (kill(static_cast<pid_t>(identity.pid), 0) != 0) return Liveness::kDead;\n    ProcessStat", (hostile("ProcessLiveness.AnotherUsers*"),)),
    Mutant("a pid of another container is judged", VALIDATION, "base/process_identity.cpp", "if (identity.pidns != self().pidns) return Liveness::kUnknown;", "", (unit("Identity.*"),)),
    Mutant("a header is believed without its checksum", VALIDATION, "shmem/segment.cpp", 'if (header.checksum != header_checksum(header)) return damaged(error, path, "its header\'s checksum is wrong");', "",
           (hostile("Damaged.*"),)),
    Mutant("a header whose sizes contradict one another is believed", VALIDATION, "shmem/segment.cpp", 'if (!extent_matches(header)) return damaged(error, path, "its sizes contradict one another");', "",
           (hostile("Damaged.*"),)),
    Mutant("a table that was cut is believed", VALIDATION, "shmem/segment.cpp", "if (static_cast<uint64_t>(info.st_size) != header.file_size)", "if (static_cast<uint64_t>(info.st_size) == 1)",
           (hostile("Damaged.*"),)),
    Mutant("a table of another layout is believed", VALIDATION, "shmem/segment.cpp", "if (header.layout_hash != kLayoutHash)", "if (header.layout_hash == 1)", (unit("Layout.*"), hostile("Damaged.*"))),
    Mutant("a table of an earlier boot is believed", VALIDATION, "shmem/segment.cpp", "if (header.boot_id != boot) return damaged", "if (header.boot_id == 1) return damaged", (hostile("Damaged.*"),)),
    Mutant("a table that others may write is believed", VALIDATION, "shmem/segment.cpp", "if ((info.st_mode & 022) != 0)\n        return fail(error, DROM_E_PERM, \"drom: open table %s: others may write to its ledger",
           "if (info.st_mode == 1)\n        return fail(error, DROM_E_PERM, \"drom: open table %s: others may write to its ledger", (hostile("Table.*", "Damaged.*"),)),
    Mutant("a removed table is used", VALIDATION, "shmem/segment.cpp", "info.st_nlink > 0) return DROM_OK;", "info.st_nlink < 99) return DROM_OK;", (hostile("Table.Removed*"),)),
    Mutant("a link in place of a table's ledger is followed", VALIDATION, "shmem/segment.cpp", "(read_only ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_CLOEXEC", "(read_only ? O_RDONLY : O_RDWR) | O_CLOEXEC",
           (hostile("Table.WhatIsNoDirectory*"),)),
    Mutant("a client may be left with fewer CPUs than it needs", VALIDATION, "admin/order_cpus.cpp", "    if (count < least)\n", "    if (count + 99 < least)\n", (hostile("Input.Limits*"),)),
    Mutant("an event that is completed between two looks is passed over", SEQUENCE, "shmem/events.cpp", "if (look == Look::kUnfinished && head - next < kPatience) break;",
           "if (look == Look::kUnfinished && head - next < kPatience && ledger.event(next).index.load() <= next) break;",
           (Killer("model_schedules", ("--gtest_filter=*AnEventThatIsCompleted*",)),)),
    Mutant("an event that is being written over is believed", VALIDATION, "shmem/events.cpp", "return entry.index.load(kRelaxed) == there ? Look::kCopied : Look::kWrittenOver;", "return Look::kCopied;",
           (Killer("model_schedules", ("--gtest_filter=*AnEventWhosePlace*",)),)),
]
