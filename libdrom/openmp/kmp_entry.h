/* SPDX-License-Identifier: BSD-3-Clause
 * kmp_entry.h - offsets that kmp_entry.S uses; gate.hpp asserts them. */
#ifndef DROM_KMP_ENTRY_H
#define DROM_KMP_ENTRY_H

#define DROM_GATE_PRIMARY 0
#define DROM_GATE_REGIONS 8
#define DROM_GATE_ATTENTION 16
#define DROM_GATE_CLAIMABLE 17
#define DROM_GATE_PLACING 32
#define DROM_GATE_REAL 40

#define DROM_HOT_REQUEST 0
#define DROM_HOT_SEEN 8

#endif
