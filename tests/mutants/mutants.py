# SPDX-License-Identifier: BSD-3-Clause
"""mutants.py - deliberate breakages of drom, and which test is to notice each.

A breakage changes one line, which has a marker (markers.py)."""

from dataclasses import dataclass

from markers import ALWAYS, GONE, NEVER, Becomes, Before, Edit, Moved, Word

# Kinds. All of ORDER, SEQUENCE and RULE must be noticed, and nine in ten of the others.
ORDER = "order"            # a memory order weakened
SEQUENCE = "sequence"      # two steps swapped, or one compare-and-swap made a store
RECOVERY = "recovery"      # a step left out that finishes the work of a dead administrator
VALIDATION = "validation"  # a check of untrusted bytes left out
RULE = "rule"              # a rule that a suite above the protocol holds: of a team, a policy, a command


@dataclass(frozen=True)
class Killer:
    """A test program, and the arguments that choose its tests.

    With `library` the mutant is in that library. Then `program` is a test of CTest, whose programs load the library."""

    program: str
    arguments: tuple[str, ...] = ()
    library: str = ""


@dataclass(frozen=True)
class Mutant:
    name: str
    kind: str
    marker: str
    edit: Edit
    killers: tuple[Killer, ...]  # the explorer and, if there are others, one of those: each alone has to notice
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


def of_policy(*tests: str) -> Killer:
    return Killer("policy_tests", ("--gtest_filter=" + ":".join(tests),))


def bats(suite: str, test: str, library: str) -> Killer:
    return Killer(suite, ("-f", f"^{test}"), library)


RACE = Killer("race_tests", ("--gtest_filter=Race.*",))
STORM = Killer("kill_storm", ("1000",))

SEQ_CST = "it stands twice: the half's stamp is released and acquired as well, and either is enough"

MUTANTS = [
    # --- orders ---
    Mutant("a request is published by nothing but relaxed stores", ORDER, "newest",
           Word("seq)) return false;", "seq, kRelaxed)) return false;\n    std::atomic_signal_fence(std::memory_order_seq_cst);"),
           (edges("ARequestThatIsRead"),), SEQ_CST),
    Mutant("a request's half and number are read relaxed", ORDER, "half-stamp", Word("std::memory_order_acquire", "kRelaxed"),
           (edges("ARequestThatIsRead"),), SEQ_CST),
    Mutant("what was confined is stamped relaxed", ORDER, "outside-stamp", Word("std::memory_order_release", "kRelaxed"),
           (edges("WhatWasConfinedFromOutside"),)),
    Mutant("the stamp of what was confined is read relaxed", ORDER, "outside-read", Word("std::memory_order_acquire", "kRelaxed"),
           (edges("WhatWasConfinedFromOutside"),)),
    Mutant("a confined request is marked relaxed", ORDER, "confined", Word("mark)", "mark, kRelaxed)"),
           (edges("ARequestThatIsConfined"),)),
    Mutant("the mark of a confined request is read relaxed", ORDER, "confined-read", Word("std::memory_order_acquire", "kRelaxed"),
           (edges("ARequestThatIsConfined"),)),
    Mutant("the identity of a process is written relaxed", ORDER, "identity-pid", Word("std::memory_order_release", "std::memory_order_relaxed"),
           (edges("WhoAProcessIs"),)),
    Mutant("the identity of a process is read relaxed", ORDER, "identity-read", Word("std::memory_order_acquire", "std::memory_order_relaxed"),
           (edges("WhoAProcessIs"),)),
    Mutant("a slot's phase is read relaxed", ORDER, "phase", Word("std::memory_order_acquire", "std::memory_order_relaxed"),
           (edges("ASlotsNewPhase"),)),
    Mutant("a slot is moved relaxed", ORDER, "move-slot", Word("}))", "}), std::memory_order_relaxed)"),
           (edges("ASlotsNewPhase"),)),
    Mutant("a home is read relaxed", ORDER, "home", Word("std::memory_order_acquire", "std::memory_order_relaxed"),
           (edges("AHomeOfACpu"),)),
    Mutant("an event is completed relaxed", ORDER, "event-end", Word("std::memory_order_release);", "kRelaxed);\n    return;"),
           (edges("AnEvent"),)),
    Mutant("an event is looked at relaxed", ORDER, "event-index", Word("std::memory_order_acquire", "kRelaxed"),
           (edges("AnEvent"),)),
    Mutant("an intent is published relaxed", ORDER, "intent-kind", Word("std::memory_order_release", "std::memory_order_relaxed"),
           (edges("AnIntent"),)),
    Mutant("an intent is read relaxed", ORDER, "intent-read", Word("std::memory_order_acquire", "std::memory_order_relaxed"),
           (edges("AnIntent"),)),
    Mutant("an owner word is changed relaxed", ORDER, "owner-cas", Word(".bits)", ".bits, std::memory_order_relaxed)"),
           (edges("AnOwnersWord"),)),
    Mutant("owner words are read relaxed", ORDER, "owner-read", Word("std::memory_order_acquire", "std::memory_order_relaxed"),
           (edges("AnOwnersWord"),)),
    Mutant("the administrator lock is taken relaxed", ORDER, "lock", Word("std::memory_order_acquire", "std::memory_order_relaxed"),
           (edges("TheAdministratorLock"),)),
    Mutant("the administrator lock is given back relaxed", ORDER, "unlock", Word("std::memory_order_release", "std::memory_order_relaxed"),
           (edges("TheAdministratorLock"),)),
    Mutant("this process's mask is switched relaxed", ORDER, "thread-mask", Word("next)", "next, std::memory_order_relaxed)"),
           (edges("TheMaskOfThisProcess"),)),
    # --- sequences ---
    Mutant("a number is published without its mask", SEQUENCE, "write-half", GONE,
           (unit("Mailbox.*"), explorer("a CPU moves while its owner releases"))),
    Mutant("a number is stored, whatever it is by now", SEQUENCE, "newest",
           Becomes("    if (mailbox.newest.load() != expected) return false;\n    mailbox.newest.store(seq);"),
           (explorer("held up for long"),)),
    Mutant("a half is taken over by a store", SEQUENCE, "half-mine", Becomes("    before = 0;\n    half.stamp.store(mine);"),
           (Killer("model_schedules", ("--gtest_filter=-*WhoIsLookedFor*",)),)),
    Mutant("a half is finished by a store", SEQUENCE, "filled", Becomes("    half.stamp.store(mine | seq);\n    return true;"),
           (Killer("model_schedules", ("--gtest_filter=-*WhoIsLookedFor*",)),)),
    Mutant("the half that is in force is written over", SEQUENCE, "half", Word("seq)", "seq - 1)"),
           (unit("Mailbox.*"),)),
    Mutant("a mask is written before its half is taken over", SEQUENCE, "half-mine",
           Before("    for (uint32_t i = 0; i < ledger.mask_words(); ++i) half.words[i].store(mask.words[i], kRelaxed);"),
           (Killer("model_schedules", ("--gtest_filter=-*WhoIsLookedFor*",)),)),
    Mutant("what was confined is marked before its mask is there", SEQUENCE, "outside-begin", Word("0", "mark"),
           (unit("Mailbox.*"), edges("WhatWasConfinedFromOutside")), "the checksum, which is over the stamp, refuses the half until it is complete"),
    Mutant("an owner word is stored", SEQUENCE, "owner-cas",
           Becomes("    if (ledger.owner(cpu).load() != expected) return false;\n    ledger.owner(cpu).store(to.bits);\n    return true;"),
           (explorer("a client joins while"),)),
    Mutant("a slot is claimed by a store", SEQUENCE, "claim",
           Becomes("        if (slot.state.load() != expected) continue;\n        slot.state.store(claimed);"),
           (explorer("two newcomers join at once"),)),
    Mutant("a slot is moved by a store", SEQUENCE, "move-slot", Becomes("        return word.store(pack_state({to, flags, generation})), true;"),
           (RACE, unit("Slots.*")), "a claimed slot has one mover, and two reapers that free the same one store the same"),
    Mutant("the administrator lock is given back by a store", SEQUENCE, "unlock", Becomes("    mine = 0;\n    header_.admin_lock.store(0);"),
           (hostile("Administrators.*"), RACE), "the lock keeps administrators out of each other's way; what they change, they change by compare-and-swap"),
    Mutant("the identity of a process is written pid first", SEQUENCE, "identity-pid", Moved(-2),
           (edges("WhoAProcessIs"),)),
    Mutant("words change before the intent is written", SEQUENCE, "intent", Moved(1),
           (walk("two clients own everything", "set"), walk("", "set several"))),
    Mutant("an intent is cleared before the table is reconciled", SEQUENCE, "reconcile-first", Moved(1),
           (walk("two clients own everything", "set"),), "the words are complete by then, and the next administrator reconciles them"),
    Mutant("a CPU is offered before its home is written", SEQUENCE, "change-home", Moved(5),
           (walk("", "take to return"),)),
    Mutant("a client counts as notified before its request is posted", SEQUENCE, "post", Before("        mark_notified(ledger, client, unnotified, mask);"),
           (Killer("model_schedules", ("--gtest_filter=-*WhoIsLookedFor*",)),)),
    Mutant("a CPU is given up before the threads have left it", SEQUENCE, "clear-off", Before("    acknowledge_release(wanted.seq, false);"),
           (slow_calls("ACpuIsNotGivenUp"), explorer("a node's client releases"))),
    Mutant("a vforked child that sets its affinity is waited for", RECOVERY, "guard", Word("(counts)", "(counts || true)"),
           (Killer("hostile_tests", ("--gtest_filter=ClientLiveness.AClientReleasesAfter*",)),)),
    Mutant("a CPU is given up when those threads have left it that were known before", SEQUENCE, "setters",
           Before("    acknowledge_release(wanted.seq, false);"),
           (slow_calls("ACpuIsNotGivenUp"),)),
    Mutant("a reservation that was called off is joined all the same", SEQUENCE, "takeover",
           Becomes("    return move_slot(state.ledger, index, generation, phase::kLive, 0);"),
           (explorer("called off"),)),
    Mutant("a process that takes another one's place does not count", SEQUENCE, "takes", Word(" + 1", ""),
           (unit("Slots.*"), explorer("takes its place"))),
    Mutant("a process that joins does not look for what was reserved for it meanwhile", SEQUENCE, "reserved", ALWAYS,
           (explorer("reserved for it"),)),
    Mutant("an administrator that reserves does not look whether the process has joined meanwhile", SEQUENCE, "other-slot", NEVER,
           (explorer("reserved for it"), Killer("model_schedules", ("--gtest_filter=*Registered*",)))),
    Mutant("a reservation that its process has joined is called off", SEQUENCE, "joined", NEVER,
           (Killer("model_schedules", ("--gtest_filter=*ReservationThatThenFails*",)),)),
    Mutant("a slot is free while its page is there", SEQUENCE, "page", Moved(1),
           (walk("", "leave"),)),
    Mutant("a slot is free before its CPUs are passed on", SEQUENCE, "pass-on", Moved(2),
           (walk("", "leave"),)),
    # --- recovery ---
    Mutant("a dead administrator's intent is forgotten", RECOVERY, "inherited", Becomes("        clear_intent(table.ledger);"),
           (unit("DeadAdministrator.*"), walk("two clients own everything", "set"), explorer("a swap is finished"))),
    Mutant("an intent is looked for only after a dead holder of the lock", RECOVERY, "unfinished", Word(" || unfinished", ""),
           (unit("DeadAdministrator.*"),)),
    Mutant("the dead are not looked for", RECOVERY, "reap", Word(" && !ended", ""),
           (Killer("hostile_tests", ("--gtest_filter=ClientLiveness.*",)),)),
    Mutant("a slot that was never filled stays", RECOVERY, "reap", Word("!is_half_made(ledger, slot) && ", ""),
           (unit("Slots.*"),)),
    Mutant("a slot is judged by the number of a claimer of another pid namespace", VALIDATION, "seen-here", Word("(bits & kAtHome) != 0 && ", ""),
           (unit("Slots.*"),)),
    Mutant("a slot is judged by the table's namespace from another one", VALIDATION, "seen-here", Word(" && self().pidns == ledger.header().pidns", ""),
           (unit("Slots.*"),)),
    Mutant("a slot's former claimer is taken for the present one", VALIDATION, "claimer",
           Word("signs.load(std::memory_order_acquire) == static_cast<uint32_t>(bits)", "pid.load() == static_cast<uint32_t>(bits >> kClaimerShift & kClaimerMask)"),
           (unit("Slots.*"),)),
    Mutant("a slot whose reaper died stays", RECOVERY, "reap", Word(" && now != phase::kLeaving", ""),
           (unit("Slots.*"),)),
    Mutant("a dead owner's CPU is kept for it", RECOVERY, "dead-owner", NEVER,
           (unit("Reconcile.*", "Plan.*", "Two.*"),)),
    Mutant("a dead next owner gets its CPU", RECOVERY, "dead-next", NEVER,
           (unit("Two.*"),)),
    Mutant("a lent CPU has no owner when its borrower is gone", RECOVERY, "go-home", NEVER,
           (unit("Plan.*"),)),
    Mutant("a process whose launcher died before it reserved CPUs claims none", RECOVERY, "forsaken", NEVER,
           (unit("DeadAdministrator.WhoWasToBe*"),)),
    Mutant("a thread that falls asleep just after it was woken to end sleeps on", RECOVERY, "wake-agent",
           Becomes("        if (now_ns() + 900 * kMillisecond > deadline) break;"),
           (slow_calls("WhoJoinsAgain"),)),
    Mutant("an administrator does not say that it begins to move threads", RECOVERY, "begun", GONE,
           (Killer("model_schedules", ("--gtest_filter=*AdministratorThatDied*",)),)),
    Mutant("a client does not look where a dead administrator moved its threads", RECOVERY, "begun-since",
           Word("begun_since(state.ledger, state.slot, state.page, last, wanted.seq)", "last.mask"),
           (Killer("model_schedules", ("--gtest_filter=*AdministratorThatDied*",)),)),
    Mutant("an administrator does not look where a dead one moved threads", RECOVERY, "begun-outside",
           Word("begun_since(table.ledger, slot, table.pages.view(slot), last, seq)", "last.mask"),
           (Killer("model_schedules", ("--gtest_filter=*AdministratorThatDied*",)),)),
    Mutant("an offer of which no client was notified is not posted again", RECOVERY, "posted", Word(" && unnotified.cpus.none()", ""),
           (unit("Unfinished.*", "Reconcile.*"), walk("a shrink that is not", "check"))),
    Mutant("a page of a client that died while joining stops the next one", RECOVERY, "old-page", GONE,
           (walk("", "join"), STORM), "generations are counted up by each claimer, and no two make the same name"),
    # --- validation ---
    Mutant("a release counts before the client was notified", VALIDATION, "notified", Word("notified && ", ""),
           (unit("Unfinished.*"), explorer("a CPU is given twice"))),
    Mutant("a client to which nothing was posted yet has nothing to release", VALIDATION, "notified",
           Word("return ", "return ledger_.mailbox(owner.slot).newest.load() == 0 || "),
           (Killer("model_schedules", ("--gtest_filter=-*WhoIsLookedFor*",)), explorer("two reapers and a new user"))),
    Mutant("a half that was published meanwhile is filled again", VALIDATION, "newest-again", NEVER,
           (Killer("model_schedules", ("--gtest_filter=-*WhoIsLookedFor*",)),)),
    Mutant("an offer is marked by a request for an earlier one", VALIDATION, "stamp", Word("word.stamp() == unnotified.stamps[cpu] && ", ""),
           (Killer("model_schedules", ("--gtest_filter=-*WhoIsLookedFor*",)),)),
    Mutant("a process is looked at before the directory of its threads is open", SEQUENCE, "tree-first", Moved(4),
           (slow_calls("AStranger"),)),
    Mutant("a slot's next user is moved to the mask of the last", VALIDATION, "next-user", NEVER,
           (explorer("confined for the first time while its slot has a new user"),)),
    Mutant("a release of an older request counts", VALIDATION, "released-seq", Word("== posted.seq", "> 0"),
           (unit("Reconcile.*", "Unfinished.*", "Two.*"), STORM)),
    Mutant("a job's release counts without a look at its threads", VALIDATION, "believed", ALWAYS,
           (Killer("hostile_tests", ("--gtest_filter=Node.TheCpuOfAJob*",)),)),
    Mutant("a client may release what no request asked for", VALIDATION, "acked", NEVER,
           (unit("Acknowledged.*"),)),
    Mutant("a search for a process takes the slot's next user for it", VALIDATION, "looked-for", Word("now.takes_part() && ", ""),
           (Killer("model_schedules", ("--gtest_filter=*WhoIsLookedFor*",)),)),
    Mutant("a name passes to the slot's next user", VALIDATION, "name", Word(" && (state.generation & 0xfff) == name.gen", ""),
           (unit("Slots.*"), explorer("given to who has just left"))),
    Mutant("a home passes to the slot's next user", VALIDATION, "home-name", Word(" && state.generation == static_cast<uint32_t>(home)", ""),
           (unit("Slots.*", "Plan.*"), STORM)),
    Mutant("a mask is posted to a slot's next user", VALIDATION, "half-user", NEVER,
           (unit("Mailbox.*"),)),
    Mutant("what was confined of a slot's former user is believed of the next", VALIDATION, "confined-user", Word("return ", "return true || "),
           (unit("Mailbox.*"), explorer("confined while its slot has a new user"))),
    Mutant("a half is believed without its checksum", VALIDATION, "checksum", Word(" && half.checksum.load(kRelaxed) == checksum_of(stamp, mask, words)", ""),
           (unit("Mailbox.*"), RACE)),
    Mutant("a half names CPUs that the table has not", VALIDATION, "checksum", Word("fits", "(fits || true)"),
           (unit("Mailbox.*"),)),
    Mutant("an intent is believed without its checksum", VALIDATION, "intent-sum", Word(" ==", ", true ||"),
           (unit("DeadAdministrator.*"),)),
    Mutant("a reused pid is taken for its predecessor", VALIDATION, "start", Word("= !", "= false && !"),
           (unit("Identity.*"), Killer("hostile_tests", ("--gtest_filter=ProcessLiveness.AReused*",)))),
    Mutant("a zombie is alive", VALIDATION, "ended", Word(" || stat.has_ended()", ""),
           (hostile("ProcessLiveness.AZombie*"),)),
    Mutant("a process whose first thread has ended is dead", VALIDATION, "zombie", Word(" && threads < 2", ""),
           (hostile("ProcessLiveness.AProcessWhose*"),)),
    Mutant("a launcher without children lives", VALIDATION, "childless", Word("> 0", ">= 0"),
           (hostile("Launcher.AProcessThatItLeft*"),)),
    Mutant("one thread of a launcher is asked for its children", VALIDATION, "only-list", Word(" || count != 1", ""),
           (hostile("Launcher.AProcessOfItsSecond*"),)),
    Mutant("a stranger with the launcher's number is the launcher", VALIDATION, "siblings",
           Word("static_cast<uint32_t>(getppid()) == launcher", "true"),
           (hostile("Launcher.AClientMovesNo*"),)),
    Mutant("a release is said although a process is inside a fork", VALIDATION, "in-time", GONE,
           (hostile("Forking.AProcessInside*"),)),
    Mutant("a process that gets no processor time is waited for in vain", VALIDATION, "starved",
           Word("(found.pass > 1 || forks_.waits_in_kernel(found.pid))", "true"),
           (hostile("Forking.AProcessThatGets*"),)),
    Mutant("a fork that waited for long is not waited for when it goes on", VALIDATION, "starved-since", GONE,
           (hostile("Forking.AForkThatWas*"),)),
    Mutant("an agent does not look for the first child that was being forked", VALIDATION, "first-fork", GONE,
           (hostile("Forking.AnAgentMoves*"),)),
    Mutant("a child whose fork was not waited for stays outside", VALIDATION, "child-inside", GONE, (hostile("Forking.AChildWhoseFork*"),)),
    Mutant("a process that was moved is in no fork", VALIDATION, "settled", Word("forks_.are_over(found.pid, threads)", "true"),
           (hostile("Forking.AProcessInside*"),)),
    Mutant("a thread that waits inside a fork has left it", VALIDATION, "awake", Word("stat.state == 'D' && !waits_for_child(threads, tid)", "false"),
           (hostile("Forking.AProcessInside*"),)),
    Mutant("a parent that waits for a child of vfork is inside the fork", VALIDATION, "awake", Word(" && !waits_for_child(threads, tid)", ""),
           (hostile("Forking.TheParent*"),)),
    Mutant("a process that an earlier attempt moved was inside from the start", VALIDATION, "untouched",
           Word("!moves_->may_include(found.parent == 0 ? 0 : found.began)", "true"),
           (hostile("Forking.AProcessInside*"),)),
    Mutant("who is held up moves on for the older request", VALIDATION, "overtaken", Word("!origin.is_newest()", "false"),
           (hostile("HeldUp.A*MovesNoProcess*"),)),
    Mutant("a client that was overtaken leaves its processes where it had put them", VALIDATION, "carry-on", ALWAYS,
           (hostile("HeldUp.AClientMovesNo*"),)),
    Mutant("a request that was overtaken counts as released", VALIDATION, "not-released", ALWAYS,
           (hostile("HeldUp.AFork*"),)),
    Mutant("what an overtaken request took is what the program has chosen", VALIDATION, "attempted", GONE,
           (hostile("HeldUp.AClientGives*"),)),
    Mutant("a process that has just ended has left no child", VALIDATION, "just-ended", GONE,
           (hostile("Ends/HeldUpWhileOneEnds.*zombie"),)),
    Mutant("a process that is gone has left no child", VALIDATION, "gone", GONE,
           (hostile("Ends/HeldUpWhileOneEnds.*reaped"),)),
    Mutant("the child of a fork that is over is still there", VALIDATION, "just-settled", GONE,
           (hostile("HeldUp.ADaemon*"),)),
    Mutant("a mover does not say that it moves", VALIDATION, "announce", GONE,
           (hostile("Forking.AProcessInside*"),)),
    Mutant("an attempt of an administrator that failed is forgotten", VALIDATION, "attempts",
           Word("has_begun_since(ledger, slot, page, released)", "page != nullptr && page->began.load() > released"),
           (unit("MovesOfAClient.*"),)),
    Mutant("what an administrator announces meanwhile is not seen", VALIDATION, "announced", GONE,
           (unit("MovesOfAClient.*"),)),
    Mutant("every thread has stack enough for a walk", VALIDATION, "stack", Word("length == kPages || (length < 0 && errno != EFAULT)", "true"),
           (unit("StackRoom.*"),)),
    Mutant("another user's process is dead", VALIDATION, "no-process", Word(" && errno == ESRCH", ""),
           (hostile("ProcessLiveness.AnotherUsers*"),)),
    Mutant("a pid of another container is judged", VALIDATION, "pidns", NEVER,
           (unit("Identity.*"),)),
    Mutant("a header is believed without its checksum", VALIDATION, "header-sum", NEVER,
           (hostile("Damaged.*"),)),
    Mutant("a header whose sizes contradict one another is believed", VALIDATION, "extent", NEVER,
           (hostile("Damaged.*"),)),
    Mutant("a table that was cut is believed", VALIDATION, "file-size", NEVER,
           (hostile("Damaged.*"),)),
    Mutant("a table of another layout is believed", VALIDATION, "layout", NEVER,
           (unit("Layout.*"), hostile("Damaged.*"))),
    Mutant("a table of an earlier boot is believed", VALIDATION, "boot", NEVER,
           (hostile("Damaged.*"),)),
    Mutant("a table that others may write is believed", VALIDATION, "mode", NEVER,
           (hostile("Table.*", "Damaged.*"),)),
    Mutant("a removed table is used", VALIDATION, "removed", ALWAYS,
           (hostile("Table.Removed*"),)),
    Mutant("a link in place of a table's ledger is followed", VALIDATION, "no-link", Word("O_NOFOLLOW | ", ""),
           (hostile("Table.WhatIsNoDirectory*"),)),
    Mutant("a client may be left with fewer CPUs than it needs", VALIDATION, "min", NEVER,
           (hostile("Input.Limits*"),)),
    Mutant("an event that is completed between two looks is passed over", SEQUENCE, "patience",
           Word("kPatience", "kPatience && ledger.event(next).index.load() <= next"),
           (Killer("model_schedules", ("--gtest_filter=*AnEventThatIsCompleted*",)),)),
    Mutant("an event that is being written over is believed", VALIDATION, "written-over", Word("return ", "return true || "),
           (Killer("model_schedules", ("--gtest_filter=*AnEventWhosePlace*",)),)),
    # --- for the explorer alone ---
    Mutant("a slot is retired by a store", SEQUENCE, "retire", Becomes("        ledger.slot(slot).state.store(leaving);"),
           (explorer("a dead client's slot has a new user"),)),
    Mutant("an intent is not written", RECOVERY, "intent", NEVER,
           (explorer("two administrators set both masks"),)),
    Mutant("a living process is dead", VALIDATION, "ended", Word("kAlive", "kDead"),
           (explorer("a CPU moves while its owner releases"),)),
    Mutant("a dead process lives", VALIDATION, "no-process", Word("kDead", "kAlive"),
           (explorer("a client leaves while"),)),
    Mutant("whether CPUs are foreign is checked before the changes are planned, and a circle not at all", SEQUENCE, "foreign",
           Before("    if (const int status = check_foreign(ledger, only(client), mask, rules, error); status != DROM_OK) return status;\n"
                  "    const auto check_foreign = [](auto&&...) { return int{DROM_OK}; };\n"
                  "    const auto check_circle = check_foreign;"),
           (explorer("a client joins while its CPU is given away"),)),
    Mutant("clients may wait for one another", VALIDATION, "circle", Word("cpu == UINT32_MAX", "true"),
           (unit("Plan.NoRequestWaitsForEver"), unit("Waiting.*"))),
    Mutant("a notified client still waits", VALIDATION, "held", Word(" || word.is(Owner::kNotified)", ""),
           (unit("Waiting.*"), unit("Masks.*"))),
    # --- rules: one fault at least for each suite that none of the faults above is for ---
    Mutant("CPUs are taken from an occupant that can lose no more", RULE, "may-lose", Word("lost_[occupant] < occupancy_.occupants[occupant].may_lose &&", ""),
           (Killer("partition_tests", ("--gtest_filter=Choice.*",)),)),
    Mutant("a job that waits has no nodes reserved for it", RULE, "reserve-later", GONE,
           (of_policy("Easy.*"),)),
    Mutant("a guest holds up the jobs beside its mate, and so those that wait for their nodes", RULE, "held-up",
           Word("releases[index(o.job)]", "index(o.job) < sharing.mates.size() ? releases[index(o.job)] : to"),
           (of_policy("Slowdown.NoGuest*"),)),
    Mutant("a forecast leaves the neighbours of a job that ends at the cores that they had", RULE, "neighbours", GONE,
           (of_policy("Forecast.*"),)),
    Mutant("a step that is alone on its node has all of it, whatever it was granted", RULE, "whole", ALWAYS,
           (Killer("node_agent_tests", ("--gtest_filter=Agent.*",)),)),
    Mutant("a step beside another job has the whole node when a third job has just ended", RULE, "co-runners",
           Word(" || has_co_runners(launch.step.job, tasks)", ""), (Killer("node_agent_tests", ("--gtest_filter=Agent.*",)),)),
    Mutant("a job that was moved off the CPUs of its grant has none for its next step", RULE, "moved", Word(" | moved", ""),
           (Killer("node_agent_tests", ("--gtest_filter=Agent.*",)),)),
    Mutant("a guest has what the last job on its node had, whatever that was", RULE, "left", Word("left.count() == launch.alone", "true"),
           (Killer("node_agent_tests", ("--gtest_filter=Agent.*",)),)),
    Mutant("the imbalance of a node counts twice", RULE, "within-nodes", Word("outside.node", "outside.program"),
           (Killer("metrics_tests", ("--gtest_filter=Identities.*",)),)),
    Mutant("a trade that made a job slower is kept", RULE, "undo", Word("slower(present, before->second)", "false"),
           (of_policy("RankBalance.*"),)),
    Mutant("noise moves CPUs back and forth", RULE, "sure", Word("move.gain > 2 * move.error", "true"),
           (of_policy("ShareCpus.*"),)),
    Mutant("idle nodes count as busy", RULE, "busy", Word("busy / all_nodes", "1"),
           (Killer("sim_tests", ("--gtest_filter=Metrics.*",)),)),
    Mutant("a run that no request reached is evidence", RULE, "evidence", NEVER,
           (Killer("cli_tests", ("--gtest_filter=Verdict.*",)),)),
    Mutant("a team that may follow keeps its size", RULE, "follows", Word("follow::threads_of(own, team.cpus)", "own"),
           (Killer("answers", ("--only", "plain:never:gcc:libgomp:2:run:follow", "--sequences", "4", "--seed", "1"), "libdrom-omp.so"),)),
    Mutant("the number that a program set for its team is overruled", RULE, "own-number", GONE,
           (bats("guest-objects", "a program's own omp_set_num_threads", "libdrom-omp.so"),)),
    Mutant("a script may bind its jobs to CPUs that were taken", RULE, "moved-with-us", Word("(own || is_moved_with_us(tid))", "own"),
           (Killer("trees", ("--only", "affinity calls about other processes"), "libdrom-agent.so"),)),
    Mutant("a second DLB_Finalize leaves the reservation of DLB_PreInit", RULE, "second-finalize", Word("process.preinitialised ? dlb::give_up_reservation() : ", ""),
           (Killer("dlb.reserve", (), "libdlb.so"),)),
    Mutant("a rank does not join in MPI_Init", RULE, "rank-joins", ALWAYS,
           (bats("mpi-openmpi", "plain mpirun with the variables exported", "libdrom-mpi.so"),)),
    Mutant("a ledger that cannot be read stays open", RULE, "unread", GONE,
           (Killer("faults", ("open",), "libdrom.so"),)),
    Mutant("the agent's threads begin after a program has forbidden that", RULE, "begin-of-threads", GONE,
           (bats("guest", "a program that forbids the start", "libdrom.so"),)),
    Mutant("an expansion shrinks", RULE, "expand", Word("kExpand", "kShrink"),
           (Killer("python", (), "libdrom.so"),)),
    Mutant("a shrink expands", RULE, "shrink", Word("kShrink", "kExpand"),
           (Killer("fortran", (), "libdrom.so"),)),
]
