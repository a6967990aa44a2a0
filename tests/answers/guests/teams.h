/* SPDX-License-Identifier: BSD-3-Clause
 * teams.h - a library with regions of its own (teams.c), and one that knows nothing of OpenMP (tally.c).
 */
#ifndef TEAMS_H
#define TEAMS_H

#include <stdint.h>

/* Puts the result of each thread of the team into partial[]: the caller knows how many threads there are. */
void teams_by_number(uint64_t* partial, long round);
/* Calls `item` for each of n items, in a static loop. */
void teams_for_each(long round, int n, void (*item)(long round, int i));
/* Calls the function once per thread of the team. */
void teams_once_each(void (*done)(void));

/* Adds to the calling thread's sum, and reads it. */
void tally_add(uint64_t value);
uint64_t tally_of_this_thread(void);

#endif
