// SPDX-License-Identifier: BSD-3-Clause
// mailbox.pml - one client's mailbox, store by store: posters that overtake one another, a slot's next user, a
// reader.
//
// A mask is two words, so that a reader can see half of one. A checksum is a copy of the words that it is taken over:
// equal checksums have the same stamp and words. Attempts and sequence numbers are small; the source gives them 24 and
// 40 bits. A killed process takes no more steps, which the search tries at every step: no process here waits for
// another.
//
// The claims (R3): a reader of a request gets a complete mask, which was posted as that request to this user of the
// slot. All its readers get the same mask. Numbers never go back.

#ifndef POSTERS
#define POSTERS 2
#endif
#ifndef TRIES
#define TRIES 2 /* how often a poster derives a mask, of which all but the first after it was overtaken */
#endif
#ifndef READS
#define READS 2
#endif

#define SEQS (2 * POSTERS * TRIES + 2)
#define STAMP(attempt, seq) ((attempt) * 16 + (seq))
#define SEQ_OF(stamp) ((stamp) % 16)
#define HALF(seq) ((seq) & 1)

byte newest;
byte attempts;
byte stamp[2];
byte word0[2], word1[2];
byte sum_stamp[2], sum0[2], sum1[2];
byte generation;

// Only the claims look at these.
byte seen[SEQS];   // the mask that was read as this request
byte user[9];      // the generation for which this mask was derived
byte base_of[9];   // the number under which this mask was derived

// read_half(): load of the stamp, words, checksum.
inline read_half(want, ok, m) {
    got_stamp = stamp[HALF(want)];
    if
    :: SEQ_OF(got_stamp) != (want) -> ok = false
    :: else ->
        got0 = word0[HALF(want)];
        got1 = word1[HALF(want)];
        atomic {
#ifdef M_NO_CHECKSUM
            ok = true;
#else
            ok = sum_stamp[HALF(want)] == got_stamp && sum0[HALF(want)] == got0 && sum1[HALF(want)] == got1;
#endif
            assert(!ok || got0 == got1);
            m = got0
        }
    fi;
    d_step { got_stamp = 0; got0 = 0; got1 = 0 }
}

// write_half(): takes the half over, fills it, and marks it as complete.
inline write_half(expected, want, m, ok) {
    before = stamp[HALF(want)];
    if
    :: newest != expected -> ok = false
    :: else ->
        atomic { attempts++; mine = STAMP(attempts, 0) }
        atomic {
            ok = stamp[HALF(want)] == before;
            if
            :: ok -> stamp[HALF(want)] = mine
            :: else
            fi
        }
#ifndef OLD_TAKE
        if
        :: ok -> ok = newest == expected
        :: else
        fi;
#endif
#ifndef M_NAME_NOT_COMPARED
        if
        :: ok -> ok = generation == client
        :: else
        fi;
#endif
        if
        :: ok ->
            word0[HALF(want)] = m;
            word1[HALF(want)] = m;
            atomic { sum_stamp[HALF(want)] = mine + (want); sum0[HALF(want)] = m; sum1[HALF(want)] = m }
            atomic {
                ok = stamp[HALF(want)] == mine;
                if
                :: ok -> stamp[HALF(want)] = mine + (want)
                :: else
                fi
            }
        :: else
        fi
    fi;
    d_step { before = 0; mine = 0 }
}

// post_words() and post_request(): a mask derived under `base` for the user `client`.
proctype Poster(byte first; byte client) {
    byte base, mask, before, mine, got_stamp, got0, got1, check, try;
    bool ok;
    mask = first;
again:
    atomic { base = newest; user[mask] = client; base_of[mask] = base }
    write_half(base, base + 1, mask, ok);
    if
    :: ok ->
        atomic {
#ifdef M_NUMBER_BY_STORE_OF_THE_PAGE
            ok = true;
#else
            ok = newest == base;
#endif
            if
            :: ok -> newest = base + 1
            :: else
            fi
        }
    :: else
    fi;
    if
    :: ok ->
        read_half(base + 1, ok, check);
#ifdef OLD_TAKE
        if
        :: !ok -> write_half(base + 1, base + 1, mask, ok)
        :: else
        fi;
        ok = true
#else
        ok = ok && check == mask
#endif
    :: else
    fi;
    if
    :: !ok && try + 1 < TRIES -> d_step { try++; mask++; check = 0 } goto again
    :: else
    fi
}

// claim_slot() and blank_request(): the slot has another user from now on.
proctype Claimer() {
    generation = 1;
#ifndef M_HALVES_NOT_BLANKED
    atomic { attempts++; stamp[0] = STAMP(attempts, 0) }
    atomic { attempts++; stamp[1] = STAMP(attempts, 0) }
#endif
    newest = 0;
    run Poster(1 + TRIES, 1);
    run Reader(1)
}

// read_request() by the user of generation `mine`, which begins when the slot is its own.
proctype Reader(byte client) {
    byte seq, last, mask, reads, got_stamp, got0, got1;
    bool ok;
    do
    :: reads < READS ->
        seq = newest;
        if
        :: seq != 0 ->
            read_half(seq, ok, mask);
            if
            :: ok && generation == client ->
                assert(seq >= last);
                assert(user[mask] == client);
                assert(base_of[mask] + 1 == seq);
                assert(seen[seq] == 0 || seen[seq] == mask);
                d_step { seen[seq] = mask; last = seq }
            :: else
            fi
        :: else
        fi;
        d_step { reads++; seq = 0; mask = 0; ok = false }
    :: else -> break
    od
}

init {
    atomic {
        run Poster(1, 0);
#ifdef REUSE
        run Claimer()
#else
        run Poster(1 + TRIES, 0);
#if POSTERS > 2
        run Poster(1 + 2 * TRIES, 0);
#endif
        run Reader(0)
#endif
    }
}
