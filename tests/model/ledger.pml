// SPDX-License-Identifier: BSD-3-Clause
// ledger.pml - offer, release, accept: owner words, the administrator lock, intents, recovery, slots. Each step is a
// load, a store or a compare-and-swap.
//
// A killed administrator takes no more steps, which the search tries at every step. `stage` says that all other
// administrators are dead. The last one is never killed, and must be able to bring the table into order alone (R4, R5,
// R6). A request is posted and read in one step here: mailbox.pml shows why it may be. docs/developer/protocol.md says
// which function is which step.

#ifndef CPUS
#define CPUS 1
#endif
#ifndef ADMINISTRATORS
#define ADMINISTRATORS 2
#endif
#ifndef OPERATIONS
#define OPERATIONS 1 /* per administrator */
#endif
#ifndef RECONCILERS
#define RECONCILERS 1 /* processes that reconcile without the lock: a client that joins, a reaper */
#endif

// Two slots. A name is slot + 1 + 2 * generation; 0 is no client. The last client of a slot is of generation 1.
#define NAME(slot, gen) ((slot) + 1 + 2 * (gen))
#define SLOT(name) (((name) - 1) & 1)
#define GEN(name) (((name) - 1) >> 1)
#define FREE 0
#define CLAIMED 1
#define LIVE 3
#define LEAVING 4
#ifdef M_GENERATION_NOT_COMPARED
#define IS_LIVE(name) ((name) != 0 && phase[SLOT(name)] == LIVE)
#else
#define IS_LIVE(name) ((name) != 0 && phase[SLOT(name)] == LIVE && generation[SLOT(name)] == GEN(name))
#endif
#define KEEP 7 /* a target: the present owner */

// An owner word: owner, next owner, offered, notified, and a stamp that changes with every change.
#define WORD(owner, next_owner, offered, notified) ((owner) | (next_owner) << 3 | (offered) << 6 | (notified) << 7)
#define OWNER(w) ((w) & 7)
#define NEXT_OWNER(w) ((w) >> 3 & 7)
#define IS_OFFERED(w) ((w) >> 6 & 1)
#define IS_NOTIFIED(w) ((w) >> 7 & 1)
short word[CPUS];   // {stamp:7, word:8}
#define BITS(w) ((w) & 255)
#define STAMPED(old, w) (((((old) >> 8) + 1) & 127) << 8 | (w))

byte phase[2], generation[2];
byte newest[2], mask[2]; // the newest request
bool unreadable[2];      // an overtaken administrator has written over the newest request
byte released[2];        // the client's page
byte affinity[2];        // CPUs that threads of the slot's client may run on
bool dead[2];            // the client's process has ended
byte lock;               // 0: free
bool intent;             // the kind of the intent: 0 nothing, 1 a mask for a client
byte intent_self, intent_ordered, intent_sum;
#define SUM(client, mask) ((client) | (mask) << 4)

// Only the claims look at these: the administrator's operation, and the next owner of each CPU before it.
byte asked_self, asked_ordered;
byte before[CPUS];
#define NEXT(w) (IS_OFFERED(w) -> NEXT_OWNER(w) : OWNER(w))
byte stage;              // 1: the first administrators are dead, and one recovers; 2: that one is dead, too
byte recoverer;

#define BIT(cpu) (1 << (cpu))
// No CPU is in two clients' masks, neither in those that were requested nor in those that their threads have (R2).
#define NOBODY_TWICE assert((affinity[0] & affinity[1]) == 0)

// change_owner(): compare-and-swap of an owner word.
inline change_owner(c, from, to, ok) {
    atomic {
        ok = word[c] == (from);
        if
        :: ok -> word[c] = STAMPED(from, to)
        :: else
        fi
    }
}

#include "reconcile.pml"

// plan_gain() and plan_loss(): the old word and the new one, for the client `self`. The words of other CPUs stay.
inline plan_word(c) {
    atomic {
        from[c] = word[c];
        w = from[c];
        to_be[c] = BITS(w);
        if
        :: (ordered & BIT(c)) && OWNER(w) == self && IS_OFFERED(w) -> to_be[c] = WORD(self, 0, 0, 0)
        :: (ordered & BIT(c)) && OWNER(w) != self && (OWNER(w) == 0 || !IS_LIVE(OWNER(w))) -> to_be[c] = WORD(self, 0, 0, 0)
        :: (ordered & BIT(c)) && OWNER(w) != self && OWNER(w) != 0 && IS_LIVE(OWNER(w)) ->
            to_be[c] = WORD(OWNER(w), self, 1, IS_NOTIFIED(w));
            touched = touched | BIT(SLOT(OWNER(w)))
        :: !(ordered & BIT(c)) && OWNER(w) == self && !IS_OFFERED(w) -> to_be[c] = WORD(self, 0, 1, 0)
        :: !(ordered & BIT(c)) && OWNER(w) != self && NEXT_OWNER(w) == self ->
            to_be[c] = WORD(OWNER(w), 0, 0, 0);
            touched = touched | BIT(SLOT(OWNER(w)))
        :: else
        fi;
        if
        :: to_be[c] != BITS(w) && NEXT_OWNER(w) != 0 -> touched = touched | BIT(SLOT(NEXT_OWNER(w)))
        :: else
        fi;
        touched = touched | BIT(SLOT(self));
        w = 0
    }
}

inline apply(c) {
    atomic {
        if
        :: to_be[c] != BITS(from[c]) && UNCHANGED(word[c], from[c]) -> word[c] = STAMPED(from[c], to_be[c])
        :: to_be[c] != BITS(from[c]) && !UNCHANGED(word[c], from[c]) -> complete = false
        :: else
        fi;
        from[c] = 0;
        to_be[c] = 0
    }
}

inline plan_all() {
    plan_word(0);
#if CPUS > 1
    plan_word(1);
#endif
    complete = true
}
inline apply_all() {
    apply(0);
#if CPUS > 1
    apply(1)
#endif
}
#define MANY_CHANGES (to_be[0] != BITS(from[0]) && to_be[1] != BITS(from[1]))

#define ADMINISTRATOR 0
#define JOINS 1
#define REAPS 2
#define RECOVERS 3
#define RECONCILES 4

byte handled[2];   // the newest request that the client knows to have handled
bool put_in_order;
bool joined[2];    // the process reads requests
bool joining[2];   // the process has claimed the slot and does not read yet

#define IDLE(s) (!joined[s] || unreadable[s] || handled[s] == newest[s])


proctype Party(byte kind; byte me) provided (stage == 0 || (stage == 1 && _pid == recoverer)) {
    byte asked, n, kept, to, what, touched, client, base, unnotified, usable, self, ordered, c, s, back, round, count;
    short w;
    short from[CPUS], to_be[CPUS], snap[CPUS];
    bool acked, unasked, ok, changed, again, complete, announced, finishing, inherited;

    if
    :: kind == JOINS -> goto join
    :: kind == REAPS -> goto reap
    :: kind == RECONCILES -> // has posted, and was stopped before it marks the CPU as notified
        atomic { client = NAME(0, 0); unnotified = 1; snap[0] = WORD(NAME(0, 0), 0, 1, 0) }
        mark_notified(0);
        goto done
    :: else
    fi;

    if
    :: kind == RECOVERS -> atomic { recoverer = _pid; stage = 1 }
    :: else
    fi;
#ifdef THIRD
    goto begun; // correctness does not depend on the lock
#endif
    // The administrator lock is free, or is taken from its holder.
    atomic { inherited = lock != 0; lock = me }
#if CPUS > 1
    if
    :: intent && intent_sum == SUM(intent_self, intent_ordered) -> // finish_intent()
        atomic { self = intent_self; ordered = intent_ordered; finishing = true }
        if
        :: IS_LIVE(self) -> goto carry_out
        :: else -> intent = false; self = 0; ordered = 0; finishing = false
        fi;
reconcile_everybody:
        inherited = true
    :: else
    fi;
#endif
    if
    :: inherited ->
        inherited = false;
        touched = 3;
        back = 1;
        goto settling
    :: else
    fi;
begun:
    if
    :: kind == RECOVERS -> goto finished
    :: else
    fi;
    // Chooses a client, and for each CPU whether the client is to have it.
    atomic {
        if
#ifdef THIRD
        :: true -> self = (me == 1 -> NAME(0, 0) : NAME(1, 0))
#else
        :: phase[0] == LIVE -> self = NAME(0, generation[0])
        :: phase[1] == LIVE -> self = NAME(1, generation[1])
        :: phase[0] != LIVE && phase[1] != LIVE -> goto finished
#endif
        fi;
        c = 0;
        do
#ifndef THIRD
        :: c < CPUS -> c++
#endif
        :: c < CPUS -> ordered = ordered | BIT(c); c++
        :: else -> break
        od;
        c = 0;
        asked_self = self;
        asked_ordered = ordered;
        before[0] = NEXT(word[0]);
#if CPUS > 1
        before[1] = NEXT(word[1])
#endif
    }
carry_out:
    plan_all();
#if CPUS > 1 && !defined(M_NO_INTENT)
    announced = again || finishing || MANY_CHANGES;
    if
    :: announced && !(intent && intent_self == self && intent_ordered == ordered && intent_sum == SUM(self, ordered)) ->
        intent = false; // write_intent()
        intent_self = self;
        intent_ordered = ordered;
        intent_sum = SUM(self, ordered);
        intent = true
    :: else
    fi;
#endif
    apply_all();
    if
    :: !complete && !again -> again = true; goto carry_out
    :: else
    fi;
    atomic { again = false; complete = false; self = 0; ordered = 0 }
    back = 2;
    goto settling;
carried_out:
#if CPUS > 1
    if
    :: announced -> intent = false // clear_intent()
    :: else
    fi;
    announced = false;
    if
    :: finishing -> finishing = false; goto reconcile_everybody
    :: else
    fi;
#endif
finished:
    atomic {
        if
        :: lock == me -> lock = 0
        :: else
        fi
    }
    goto done;

join:
    // claim_slot(), blank(), create_page(), move_slot(), claim_cpus().
    atomic {
        if
        :: joining[0] -> s = 0; goto claimed
        :: phase[0] == FREE && generation[0] == 0 -> s = 0
        :: phase[1] == FREE && generation[1] == 0 -> s = 1
#ifndef REUSE
        :: true -> goto done
#endif
        fi;
        phase[s] = CLAIMED;
        generation[s] = generation[s] + 1;
        joining[s] = true
    }
    atomic { newest[s] = 0; mask[s] = 0; unreadable[s] = false }
    released[s] = 0;
    phase[s] = LIVE;
    self = NAME(s, generation[s]);
    for (c : 0 .. CPUS - 1) {
        w = word[c];
        if
        :: OWNER(w) == 0 || !IS_LIVE(OWNER(w)) -> change_owner(c, w, WORD(self, 0, 0, 0), ok)
        :: else
        fi
    }
    atomic { w = 0; ok = false; c = 0; self = 0 }
claimed:
    touched = BIT(s);
    back = 3;
    goto settling;
may_read:
    atomic {
        s = (joining[0] -> 0 : 1);
        handled[s] = 0;
        joining[s] = false;
        joined[s] = true;
        goto done
    }

reap:
    // reap(), retire(): retires the first dead client, then looks again.
    atomic {
        if
        :: (phase[0] == LIVE && dead[0]) || phase[0] == LEAVING -> s = 0
        :: (phase[1] == LIVE && dead[1]) || phase[1] == LEAVING -> s = 1
        :: else -> goto done
        fi;
        self = NAME(s, generation[s]);
        phase[s] = LEAVING
    }
    back = 4;
#ifdef M_SLOT_FREED_BEFORE_SETTLING
    phase[s] = FREE;
#endif
    goto settling;
retired:
    atomic {
        s = SLOT(self);
        if
        :: generation[s] == GEN(self) -> phase[s] = FREE; dead[s] = false; joining[s] = false
        :: else
        fi;
        self = 0;
        s = 0;
        goto reap
    }

settling:
    reconcile();
    atomic { n = back; back = 0 }
    if
    :: n == 1 -> n = 0; goto begun
    :: n == 2 -> n = 0; goto carried_out
    :: n == 3 -> n = 0; goto may_read
    :: n == 4 -> n = 0; goto retired
    fi;
done:
    skip
}

inline reap_one(k) {
    if
    :: phase[k] != FREE && (dead[k] || joining[k] || phase[k] == CLAIMED || phase[k] == LEAVING) ->
        phase[k] = LEAVING;
        reconcile();
        phase[k] = FREE;
        dead[k] = false;
        joining[k] = false
    :: else
    fi
}
inline check_word(c) {
    assert(dead[0] || dead[1] || (!IS_OFFERED(word[c]) && NEXT_OWNER(word[c]) == 0));
    assert(dead[0] || dead[1] || OWNER(word[c]) == 0 || IS_LIVE(OWNER(word[c])))
}
// The CPUs that the client's threads may use are those that the words spell, unless it has died since the last look.
inline check_client(k) {
    if
    :: dead[k]
    :: !dead[k] && phase[k] == LIVE ->
        assert(newest[k] != 0 && !unreadable[k] && released[k] == newest[k] && affinity[k] == mask[k]);
        assert(((mask[k] & 1) != 0) == (OWNER(word[0]) == NAME(k, generation[k])));
#if CPUS > 1
        assert(((mask[k] & 2) != 0) == (OWNER(word[1]) == NAME(k, generation[k])))
#endif
    :: !dead[k] && phase[k] != LIVE -> assert(phase[k] == FREE && affinity[k] == 0)
    fi
}

// With one operation and no client that dies, the words show all of the operation or nothing of it (R5, R6).
#define AS_ORDERED(c) ((asked_ordered & BIT(c)) -> NEXT(word[c]) == asked_self : NEXT(word[c]) != asked_self)
#define AS_BEFORE(c) (NEXT(word[c]) == before[c])
#if CPUS > 1 && !defined(DEATHS) && ADMINISTRATORS == 1
#define WHOLE_OR_NOT_AT_ALL assert(asked_self == 0 || (AS_ORDERED(0) && AS_ORDERED(1)) || (AS_BEFORE(0) && AS_BEFORE(1)))
#else
#define WHOLE_OR_NOT_AT_ALL skip
#endif

// All other administrators died, at any instruction, and so did the client that was joining. The other clients go on,
// and wait for no process (R1).
proctype Last() {
    byte asked, n, kept, to, what, touched, client, base, unnotified, usable, self, ordered, s, round, looks;
    short w;
    short from[CPUS], to_be[CPUS], snap[CPUS];
    bool acked, unasked, changed, complete;

    stage = 2;
    IDLE(0) && IDLE(1);
    atomic {
        if
        :: intent && intent_sum == SUM(intent_self, intent_ordered) && IS_LIVE(intent_self) ->
            self = intent_self;
            ordered = intent_ordered;
#ifndef M_INTENT_NOT_FINISHED
            plan_all();
            apply_all()
#endif
        :: else
        fi;
        intent = false;
#ifndef M_NOTHING_SETTLED_AFTER_A_DEATH
        touched = 3;
        reconcile();
#endif
        WHOLE_OR_NOT_AT_ALL
    }
    do
    :: looks < 4 ->
        IDLE(0) && IDLE(1);
        atomic {
            reap_one(0);
            reap_one(1);
#ifndef M_NOTHING_SETTLED_AFTER_A_DEATH
            touched = 3;
            reconcile();
#endif
            looks++
        }
    :: else -> break
    od;
    IDLE(0) && IDLE(1);
    atomic {
        check_word(0);
#if CPUS > 1
        check_word(1);
#endif
        check_client(0);
        check_client(1);
        put_in_order = true
    }
}

// When no process can take a step any more, the last administrator has come to its end.
proctype Watch() {
    timeout;
    assert(put_in_order)
}

// The client's safe point, release and death. The client waits for no process: each step can always be taken, but for
// the first, which is a request.
proctype Client(byte s) {
    byte n, m, gen;
alive:
    do
    :: atomic { joined[s] && !unreadable[s] && newest[s] != handled[s] -> n = newest[s]; m = mask[s]; gen = generation[s] }
        assert(n > handled[s]);
#ifdef M_CLIENT_WAITS_FOR_THE_TURN
        lock == 0;
#endif
        atomic { affinity[s] = affinity[s] | m; NOBODY_TWICE }
#ifndef M_RELEASED_FIRST
        affinity[s] = m;
        released[s] = n;
#else
        released[s] = n;
        affinity[s] = m;
#endif
        atomic { handled[s] = n; n = 0; m = 0 }
#ifdef DEATHS
    :: atomic { joined[s] && !dead[s] -> dead[s] = true; joined[s] = false; affinity[s] = 0; handled[s] = 0 }
#endif
    od
}

init {
    atomic {
        phase[0] = LIVE;
        phase[1] = LIVE;
        word[0] = WORD(NAME(0, 0), 0, 0, 0);
        joined[1] = true;
        newest[1] = 1;
        released[1] = 1;
        handled[1] = 1;
#ifdef JOINING
        joining[0] = true;
        run Party(JOINS, 0);
#else
        newest[0] = 1;
        mask[0] = 1;
        released[0] = 1;
#ifdef REUSE
        dead[0] = true;
        run Party(JOINS, 0);
        run Party(REAPS, 0);
#else
        joined[0] = true;
        handled[0] = 1;
        affinity[0] = 1;
#endif
#endif
#ifdef THIRD
        word[0] = WORD(NAME(0, 0), 0, 1, 0);
        newest[0] = 2;
        mask[0] = 0;
#endif
        run Party(ADMINISTRATOR, 1);
#if ADMINISTRATORS > 1
        run Party(ADMINISTRATOR, 2);
#endif
#ifdef REAPING
        run Party(REAPS, 0);
#endif
#if CPUS > 1
        word[1] = WORD(NAME(1, 0), 0, 0, 0);
        mask[1] = 2;
        affinity[1] = 2;
#endif
#ifdef RECOVERERS
        run Party(RECOVERS, 3);
#endif
#ifdef THIRD
        run Party(RECONCILES, 0);
#endif
#ifdef RECOVERY
        run Last();
        run Watch();
#endif
#ifndef THIRD
        run Client(0);
        run Client(1);
#endif
    }
}
