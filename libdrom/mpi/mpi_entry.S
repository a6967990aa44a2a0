/* SPDX-License-Identifier: BSD-3-Clause
 * mpi_entry.S - the slow paths of an MPI entry point: %r11 is its index, all other registers are as its caller left
 * them.
 */
    .text

/* Calls `hook`(index, address at `caller`(%rbp)) with the arguments kept, then jumps to the function that it
 * returns. */
.macro LEAVE_THROUGH name, hook, caller
    .globl \name
    .hidden \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
    push %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    sub $208, %rsp
    mov %rdi, (%rsp)
    mov %rsi, 8(%rsp)
    mov %rdx, 16(%rsp)
    mov %rcx, 24(%rsp)
    mov %r8, 32(%rsp)
    mov %r9, 40(%rsp)
    mov %rax, 48(%rsp)
    mov %r11, 56(%rsp)
    movups %xmm0, 64(%rsp)
    movups %xmm1, 80(%rsp)
    movups %xmm2, 96(%rsp)
    movups %xmm3, 112(%rsp)
    movups %xmm4, 128(%rsp)
    movups %xmm5, 144(%rsp)
    movups %xmm6, 160(%rsp)
    movups %xmm7, 176(%rsp)
    mov %r11d, %edi
    mov \caller(%rbp), %rsi
    call \hook
    mov %rax, %r11
    movups 64(%rsp), %xmm0
    movups 80(%rsp), %xmm1
    movups 96(%rsp), %xmm2
    movups 112(%rsp), %xmm3
    movups 128(%rsp), %xmm4
    movups 144(%rsp), %xmm5
    movups 160(%rsp), %xmm6
    movups 176(%rsp), %xmm7
    mov (%rsp), %rdi
    mov 8(%rsp), %rsi
    mov 16(%rsp), %rdx
    mov 24(%rsp), %rcx
    mov 32(%rsp), %r8
    mov 40(%rsp), %r9
    mov 48(%rsp), %rax
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
    .cfi_endproc
    .size \name, . - \name
.endm

    /* There is a request that no MPI call is done with. */
    LEAVE_THROUGH drom_mpi_look, drom_mpi_deal, 8

    /* The first call of this entry point: the real function must be found. */
    LEAVE_THROUGH drom_mpi_resolve, drom_mpi_find, 8

    /* The same, called and not jumped to: the program's return address is behind the frame of ENTER_INIT. */
    LEAVE_THROUGH drom_mpi_resolve_init, drom_mpi_find, 40

    .section .note.GNU-stack, "", @progbits
