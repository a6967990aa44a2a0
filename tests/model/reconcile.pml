// SPDX-License-Identifier: BSD-3-Clause
// reconcile.pml - reconcile() and what it calls, for ledger.pml.

// The comparison in the compare-and-swap of an owner word.
#ifdef M_WORD_BY_STORE
#define UNCHANGED(now, then) true
#else
#define UNCHANGED(now, then) ((now) == (then))
#endif

#define NOTHING 0
#define GIVE 1
#define DISINHERIT 2
#define ASK 3
#define RELEASED(c) (acked && !(kept & BIT(c)))
#if defined(M_ACCEPT_BEFORE_RELEASE)
#define MAY_HAND_OVER(c) IS_NOTIFIED(w)
#elif defined(M_NOTIFIED_NOT_REQUIRED)
#define MAY_HAND_OVER(c) RELEASED(c)
#elif defined(OLD_NEVER)
#define MAY_HAND_OVER(c) (unasked || (IS_NOTIFIED(w) && RELEASED(c)))
#else
#define MAY_HAND_OVER(c) (IS_NOTIFIED(w) && RELEASED(c))
#endif

// Reconciliation::step() on word c, with has_released(), give(), leave_dead(), next_died() and hand_over(). A word and
// the liveness of the clients in it are looked at in one step: every change that follows is a compare-and-swap from
// that word.
inline reconcile_word(c) {
    atomic {
        w = word[c];
        to = 0;
        if
#ifndef M_THE_DEAD_KEEP
        :: OWNER(w) != 0 && !IS_LIVE(OWNER(w)) ->
            what = GIVE;
            to = (IS_OFFERED(w) && IS_LIVE(NEXT_OWNER(w)) -> NEXT_OWNER(w) : 0)
#endif
#ifndef M_THE_DEAD_INHERIT
        :: OWNER(w) != 0 && IS_LIVE(OWNER(w)) && NEXT_OWNER(w) != 0 && !IS_LIVE(NEXT_OWNER(w)) -> what = DISINHERIT
#endif
        :: OWNER(w) != 0 && IS_LIVE(OWNER(w)) && IS_OFFERED(w) && (NEXT_OWNER(w) == 0 || IS_LIVE(NEXT_OWNER(w))) -> what = ASK; to = NEXT_OWNER(w)
        :: else -> what = NOTHING; w = 0
        fi
    }
    if
    :: what == ASK && asked != OWNER(w) ->
        atomic {
            asked = OWNER(w);
            n = (unreadable[SLOT(asked)] -> 0 : newest[SLOT(asked)]);
            kept = mask[SLOT(asked)];
            unasked = newest[SLOT(asked)] == 0
        }
#ifdef THIRD
        atomic { acked = n != 0; n = 0 } // clients that obey at once
#else
        atomic { acked = n != 0 && released[SLOT(asked)] == n; n = 0 }
#endif
    :: else
    fi;
    atomic {
        if
        :: what == ASK && !MAY_HAND_OVER(c) ->
            touched = touched | BIT(SLOT(OWNER(w)));
            what = NOTHING
        :: else
        fi;
        if
        :: what != NOTHING ->
            changed = true;
            if
            :: !UNCHANGED(word[c], w)
            :: UNCHANGED(word[c], w) && what == DISINHERIT -> word[c] = STAMPED(w, WORD(OWNER(w), 0, 1, IS_NOTIFIED(w)))
            :: UNCHANGED(word[c], w) && what != DISINHERIT ->
                word[c] = STAMPED(w, WORD(to, 0, 0, 0));
                if
                :: to != 0 -> touched = touched | BIT(SLOT(to))
                :: else
                fi
            fi
        :: else
        fi;
        w = 0;
        to = 0;
        what = NOTHING
    }
}

// unnotified_cpus() and usable_cpus(), for one word.
inline look_unnotified(c) {
    atomic {
        if
        :: OWNER(word[c]) == client && IS_OFFERED(word[c]) && !IS_NOTIFIED(word[c]) -> unnotified = unnotified | BIT(c); snap[c] = word[c]
        :: else
        fi
    }
}
inline look_usable(c) {
    atomic {
        if
        :: OWNER(word[c]) == client && !IS_OFFERED(word[c]) -> usable = usable | BIT(c)
        :: else
        fi
    }
}
// mark_notified()
inline mark_notified(c) {
#ifdef OLD_NOTIFIED
    if
    :: unnotified & ~usable & BIT(c) ->
        snap[c] = word[c];
        atomic {
            if
            :: OWNER(snap[c]) == client && IS_OFFERED(snap[c]) && word[c] == snap[c] -> word[c] = STAMPED(snap[c], WORD(client, NEXT_OWNER(snap[c]), 1, 1))
            :: else
            fi
        }
    :: else
    fi
#else
    atomic {
        if
        :: (unnotified & ~usable & BIT(c)) && word[c] == snap[c] -> word[c] = STAMPED(snap[c], WORD(client, NEXT_OWNER(snap[c]), 1, 1))
        :: else
        fi
    }
#endif
}

#ifdef M_UNREADABLE_IS_POSTED
#define POSTED_ALREADY(s) (base != 0 && mask[s] == usable && unnotified == 0)
#else
#define POSTED_ALREADY(s) (base != 0 && !unreadable[s] && mask[s] == usable && unnotified == 0)
#endif
#ifdef M_NUMBER_BY_STORE
#define PUBLISHES(s) true
#else
#define PUBLISHES(s) (newest[s] == base)
#endif

// post_words(): posts the mask that the words spell, unless it is posted already. Each client has a CPU of its own
// besides those here, for which no administrator asks, so that no mask is empty. The comparison with the posted mask is
// one step with the compare-and-swap of the number: under one number the mask never changes. A poster that comes too
// late may have written over the half by then.
inline post_words(s) {
    do
    :: atomic { touched & BIT(s) -> client = (phase[s] == LIVE -> NAME(s, generation[s]) : 0); base = newest[s] }
        if
        :: client == 0 -> touched = touched & ~BIT(s)
        :: else ->
            look_unnotified(0);
#if CPUS > 1
            look_unnotified(1);
#endif
            look_usable(0);
#if CPUS > 1
            look_usable(1);
#endif
            atomic {
                if
                :: newest[s] == base && POSTED_ALREADY(s) ->
                    touched = touched & ~BIT(s)
                :: PUBLISHES(s) && !POSTED_ALREADY(s) ->
                    newest[s] = base + 1;
                    mask[s] = usable;
#ifdef THIRD
                    assert((mask[0] & mask[1]) == 0 || unreadable[0] || unreadable[1]);
#endif
                    unreadable[s] = generation[s] != GEN(client);
                    touched = touched & ~BIT(s)
                :: newest[s] != base && !PUBLISHES(s) ->
                    unnotified = 0;
                    if
                    :: newest[s] > base && ((newest[s] - base) & 1) -> unreadable[s] = true
                    :: true
                    fi
                fi
            }
            mark_notified(0);
#if CPUS > 1
            mark_notified(1);
#endif
            atomic {
                base = 0; unnotified = 0; usable = 0; client = 0;
                snap[0] = 0;
#if CPUS > 1
                snap[1] = 0;
#endif
            }
        fi
    :: else -> break
    od
}

inline reconcile() {
    do
    :: round < 4 ->
        reconcile_word(0);
#if CPUS > 1
        reconcile_word(1);
#endif
        atomic { asked = 0; kept = 0; acked = false; unasked = false; round = (changed -> round + 1 : 4); changed = false }
    :: else -> break
    od;
    round = 0;
    post_words(0);
    post_words(1)
}
