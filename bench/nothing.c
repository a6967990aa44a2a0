// SPDX-License-Identifier: BSD-3-Clause
// nothing.c - a library with one function that does nothing: what a call into a library and a preload cost by
// themselves.
__attribute__((visibility("default"))) void bench_nothing(void);

void bench_nothing(void) { __asm__ volatile(""); }
