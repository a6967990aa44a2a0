/* SPDX-License-Identifier: BSD-3-Clause
 * words.c - an object with the data of an OpenMP runtime: the words by which its threads wait, among others. */
#include <stdint.h>

#define WORD __attribute__((visibility("default"), aligned(8)))

#ifdef LLVM
WORD uint32_t llvm[] = {0x7fffffff, 1, 1, 1, 1024, 512, 1, 0};
#endif
#ifdef TWICE
WORD uint32_t again[] = {1, 1024, 512};
#endif
#ifdef LIBGOMP
WORD uint64_t libgomp[] = {7, 100, 300000, 0, 9};
#endif
