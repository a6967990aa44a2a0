/* SPDX-License-Identifier: BSD-3-Clause
 * affinity_calls.S - syscall() in front of libc's, x86-64 System V: it is variadic, and nothing of it may be touched.
 */
    .set SCHED_SETAFFINITY, 203

    .text

    .globl syscall
    .type syscall, @function
    .p2align 4
syscall:
    .cfi_startproc
    endbr64
    cmp $SCHED_SETAFFINITY, %rdi
    je 1f
    jmp *drom_next_syscall(%rip)
1:  mov (%rsp), %r8
    jmp drom_set_affinity
    .cfi_endproc
    .size syscall, . - syscall

/* The kernel itself: number and six arguments as in syscall(2). */
    .type drom_raw_syscall, @function
    .p2align 4
drom_raw_syscall:
    .cfi_startproc
    endbr64
    mov %rdi, %rax
    mov %rsi, %rdi
    mov %rdx, %rsi
    mov %rcx, %rdx
    mov %r8, %r10
    mov %r9, %r8
    mov 8(%rsp), %r9
    syscall
    cmp $-4095, %rax
    jae 1f
    ret
1:  neg %eax
    push %rax
    .cfi_adjust_cfa_offset 8
    call __errno_location@PLT
    pop %rdx
    .cfi_adjust_cfa_offset -8
    mov %edx, (%rax)
    mov $-1, %rax
    ret
    .cfi_endproc
    .size drom_raw_syscall, . - drom_raw_syscall

    .data
    .globl drom_next_syscall
    .hidden drom_next_syscall
    .type drom_next_syscall, @object
    .p2align 3
drom_next_syscall:
    .quad drom_raw_syscall
    .size drom_next_syscall, 8

    .section .note.GNU-stack, "", @progbits
