// SPDX-License-Identifier: BSD-3-Clause
// stack_room.cpp - whether the calling thread has stack enough for work of ours.
#include "stack_room.hpp"

#include <sys/auxv.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cerrno>
#include <cstdint>

namespace drom {

namespace {

constexpr uintptr_t kPage = 4096;
constexpr unsigned kPages = 6;

/// Returns whether the address is on the stack of the first thread, which ends at the program's name. The kernel leaves
/// at least 128 MB between that stack and all mappings.
bool is_on_first_stack(uintptr_t address) noexcept {
    constexpr uintptr_t kGap = uintptr_t{128} << 20;
    return getauxval(AT_EXECFN) - address < kGap;
}

}  // namespace

bool has_stack_room() noexcept {
    const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
    if (is_on_first_stack(here)) return true;
    char bytes[kPages];
    iovec to{bytes, sizeof bytes};
    iovec from[kPages];
    // Every page down to the last: the page that guards the stack is not jumped over.
    for (unsigned i = 0; i < kPages; ++i) from[i] = {reinterpret_cast<void*>(here - (i + 1) * kPage), 1};
    const ssize_t length = process_vm_readv(getpid(), &to, 1, from, kPages, 0);
    return length == kPages || (length < 0 && errno != EFAULT);  // mutant stack
}

}  // namespace drom
