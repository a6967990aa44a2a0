/* SPDX-License-Identifier: BSD-3-Clause
 * tally.c - a library that keeps a sum per thread, and is neither built for OpenMP nor linked to it.
 */
#include "teams.h"

static _Thread_local uint64_t mine;

void tally_add(uint64_t value) { mine += value; }
uint64_t tally_of_this_thread(void) { return mine; }
