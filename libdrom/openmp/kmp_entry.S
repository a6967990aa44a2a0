/* SPDX-License-Identifier: BSD-3-Clause
 * kmp_entry.S - the entry points of LLVM-derived OpenMP runtimes, x86-64 System V.
 *
 * __kmpc_fork_call is variadic, so it cannot be wrapped in C: these jump to the real function with every argument in
 * its place. Idle means: this is the primary thread, there is no request, and no attention is wanted. Then the code
 * clears the clause that the region may have had, counts, and jumps. Otherwise drom_kmp_enter decides what runs.
 */
#include "kmp_entry.h"

    .text

/* Saves the six argument registers and rax (variadic: number of vector arguments), and any vector arguments. */
.macro SAVE_ARGUMENTS
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $192, %rsp
    mov %rdi, -8(%rbp)
    mov %rsi, -16(%rbp)
    mov %rdx, -24(%rbp)
    mov %rcx, -32(%rbp)
    mov %r8, -40(%rbp)
    mov %r9, -48(%rbp)
    mov %rax, -56(%rbp)
    test %al, %al
    je 8f
    movaps %xmm0, -80(%rbp)
    movaps %xmm1, -96(%rbp)
    movaps %xmm2, -112(%rbp)
    movaps %xmm3, -128(%rbp)
    movaps %xmm4, -144(%rbp)
    movaps %xmm5, -160(%rbp)
    movaps %xmm6, -176(%rbp)
    movaps %xmm7, -192(%rbp)
8:
.endm

.macro RESTORE_ARGUMENTS
    mov -56(%rbp), %rax
    test %al, %al
    je 9f
    movaps -80(%rbp), %xmm0
    movaps -96(%rbp), %xmm1
    movaps -112(%rbp), %xmm2
    movaps -128(%rbp), %xmm3
    movaps -144(%rbp), %xmm4
    movaps -160(%rbp), %xmm5
    movaps -176(%rbp), %xmm6
    movaps -192(%rbp), %xmm7
9:
    mov -8(%rbp), %rdi
    mov -16(%rbp), %rsi
    mov -24(%rbp), %rdx
    mov -32(%rbp), %rcx
    mov -40(%rbp), %r8
    mov -48(%rbp), %r9
    leave
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
.endm

/* drom_kmp_enter(function, which, caller, location) returns {function to run, address to jump to} in rax, rdx. */
.macro SLOW_PATH name, which
    .globl drom_slow_\name
    .hidden drom_slow_\name
    .type drom_slow_\name, @function
drom_slow_\name:
    SAVE_ARGUMENTS
    mov %rdi, %rcx
    mov %rdx, %rdi
    mov $\which, %esi
    mov 8(%rbp), %rdx
    call drom_kmp_enter
    mov %rax, -24(%rbp)
    mov %rdx, %r11
    RESTORE_ARGUMENTS
    jmp *%r11
.endm

.macro REGION_ENTRY name, which
    .globl \name
    .type \name, @function
    .p2align 6
\name:
    .cfi_startproc
    endbr64
    mov drom_gate+DROM_GATE_PRIMARY(%rip), %r11
    cmp %fs:0, %r11
    jne 2f
    mov _ZN4drom6client3hotE@GOTPCREL(%rip), %r11
    mov DROM_HOT_REQUEST(%r11), %r10
    mov (%r10), %r10
    cmp DROM_HOT_SEEN(%r11), %r10
    jne drom_slow_\name
    cmpb $0, drom_gate+DROM_GATE_ATTENTION(%rip)
    jne drom_slow_\name
    mov drom_clause@GOTTPOFF(%rip), %r11
    movl $0, %fs:(%r11)
    mov drom_gate+DROM_GATE_REGIONS(%rip), %r11
    incq (%r11)
    jmp *drom_gate+DROM_GATE_REAL+8*\which(%rip)
2:  cmpb $0, drom_gate+DROM_GATE_CLAIMABLE(%rip)
    jne drom_slow_\name
    jmp *drom_gate+DROM_GATE_REAL+8*\which(%rip)
    SLOW_PATH \name, \which
    .cfi_endproc
    .size \name, . - \name
    .size drom_slow_\name, . - drom_slow_\name
.endm

    REGION_ENTRY __kmpc_fork_call, 0
    REGION_ENTRY __kmpc_fork_call_if, 1

/* Leagues of teams set team sizes by rules of their own: always a look. */
    .globl __kmpc_fork_teams
    .type __kmpc_fork_teams, @function
    .p2align 4
__kmpc_fork_teams:
    .cfi_startproc
    endbr64
    SLOW_PATH __kmpc_fork_teams, 2
    .cfi_endproc
    .size __kmpc_fork_teams, . - __kmpc_fork_teams
    .size drom_slow___kmpc_fork_teams, . - drom_slow___kmpc_fork_teams

/* Runs in place of the outlined function on each thread of the team: (int *global_id, int *id_in_team, ...). The
 * runtime passes no vector arguments. */
    .globl drom_kmp_place
    .hidden drom_kmp_place
    .type drom_kmp_place, @function
    .p2align 4
drom_kmp_place:
    .cfi_startproc
    endbr64
    xor %eax, %eax
    SAVE_ARGUMENTS
    mov (%rsi), %edi
    call drom_place_thread
    RESTORE_ARGUMENTS
    jmp *drom_gate+DROM_GATE_PLACING(%rip)
    .cfi_endproc
    .size drom_kmp_place, . - drom_kmp_place

    .section .note.GNU-stack, "", @progbits
