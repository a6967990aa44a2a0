# What a mistake in each of these places would look like, and the scenario that finds it first. Read by CMakeLists.txt.

explorer_fault(weak_owner "a client joins while" shmem/ledger.cpp
"    return ledger.owner(cpu).compare_exchange_strong(expected, to.bits);"
"    if (ledger.owner(cpu).load() != expected) return false;
    ledger.owner(cpu).store(to.bits);
    return true;")

explorer_fault(told_not_asked "a CPU is given twice" shmem/reconcile.cpp
"        return notified && all_released_ && !kept_.has(cpu);"
"        return all_released_ && !kept_.has(cpu);")

explorer_fault(never_asked_at_once "two reapers and a new user" shmem/reconcile.cpp
"        return notified && all_released_ && !kept_.has(cpu);"
"        const bool never = ledger_.mailbox(owner.slot).newest.load() == 0;
        return never || (notified && all_released_ && !kept_.has(cpu));")

explorer_fault(retired_unseen "a dead client's slot has a new user" shmem/enrolment.cpp
"        if (!ledger.slot(slot).state.compare_exchange_strong(seen, leaving)) return false;"
"        ledger.slot(slot).state.store(leaving);")

explorer_fault(weak_post "held up for long" shmem/mailbox.cpp
"    if (!mailbox.newest.compare_exchange_strong(expected, seq)) return false;"
"    if (mailbox.newest.load() != expected) return false;
    mailbox.newest.store(seq);")

explorer_fault(newest_before_half "a CPU moves while its owner releases" shmem/mailbox.cpp
"    if (!write_half(ledger, who, base, mask)) return false;"
"")

explorer_fault(mark_of_any_user "confined while its slot has a new user" shmem/mailbox.cpp
"    return is_of(mark, state_of(ledger.slot(slot)).generation) ? mark & kSeqMask : 0;"
"    return mark & kSeqMask;")

explorer_fault(any_generation "given to who has just left" shmem/slots.cpp
"    return state.takes_part() && (state.generation & 0xfff) == name.gen;"
"    return state.takes_part();")

explorer_fault(weak_claim "two newcomers" shmem/slots.cpp
"        if (!slot.state.compare_exchange_strong(expected, claimed)) continue;"
"        if (slot.state.load() != expected) continue;
        slot.state.store(claimed);")

explorer_fault(no_intent "two administrators set both masks" admin/carry_out.cpp
"        if (announced) write_intent(ledger, what);"
"")

explorer_fault(intent_forgotten "a swap is finished" admin/carry_out.cpp
"        finish_intent(table);
        reconcile_all(table.ledger, table.pages);"
"        clear_intent(table.ledger);
        reconcile_all(table.ledger, table.pages);")

explorer_fault(alive_called_dead "a CPU moves while its owner releases" base/process_identity.cpp
"? Liveness::kDead : Liveness::kAlive;"
"? Liveness::kDead : Liveness::kDead;")

explorer_fault(dead_called_alive "a client leaves while" base/process_identity.cpp
"    if (kill(static_cast<pid_t>(identity.pid), 0) != 0 && errno == ESRCH) return Liveness::kDead;
    ProcessStat"
"    if (kill(static_cast<pid_t>(identity.pid), 0) != 0 && errno == ESRCH) return Liveness::kAlive;
    ProcessStat")

explorer_fault(checked_before_planned "a client joins while its CPU is given away" admin/plan.cpp
"    plan.count = 0;
    plan.touched.add(who.slot);
    // Gains first: an"
"    if (const int status = check_foreign(ledger, only(who), mask, rules, error); status != DROM_OK) return status;
    plan.count = 0;
    plan.touched.add(who.slot);
    plan_gains(ledger, who, mask, rules, plan);
    for (uint32_t cpu = 0; cpu < ledger.cpus(); ++cpu)
        if (!mask.has(cpu)) plan_loss(ledger, who, cpu, load_owner(ledger, cpu), plan);
    return plan.shared == kNoCpuShared ? int{DROM_OK} : refuse_shared(ledger, plan.shared, rules.verb, error);
    // Gains first: an")

explorer_fault(confines_whoever_is_there "confined while its slot has a new user" admin/confine_outside.cpp
"    if (state_of(table.ledger.slot(slot)).generation != generation) return true;
    const Liveness"
"    const Liveness")

explorer_fault(released_before_left "a node's client releases" client/client.cpp
"    if (real) clear_off(state.known, origin, wanted.mask);"
"    acknowledge_release(wanted.seq, false);
    if (real) clear_off(state.known, origin, wanted.mask);")

explorer_fault(takeover_not_counted "takes its place" shmem/slots.cpp
"        const auto takes = static_cast<uint16_t>(now.takes + 1);"
"        const auto takes = now.takes;")
