// SPDX-License-Identifier: BSD-3-Clause
// stack.cpp - a stack that is large enough, whatever the limit of the user is.
#include "stack.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace drom::command {

namespace {

constexpr size_t kEnough = size_t{1} << 20;
constexpr size_t kGuard = size_t{64} * 1024;

const std::function<void()>* called;

void call() { (*called)(); }

size_t stack_limit() {
    rlimit limit{};
    return getrlimit(RLIMIT_STACK, &limit) == 0 ? limit.rlim_cur : SIZE_MAX;
}

/// Maps a stack above a guard that faults. Returns nullptr when memory is short. The stack stays mapped.
void* map_stack() {
    void* lowest = mmap(nullptr, kGuard + kEnough, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (lowest == MAP_FAILED) return nullptr;
    void* stack = static_cast<std::byte*>(lowest) + kGuard;
    return mprotect(stack, kEnough, PROT_READ | PROT_WRITE) == 0 ? stack : nullptr;
}

}  // namespace

void with_stack(const std::function<void()>& function) {
    static ucontext_t here;
    static ucontext_t there;
    void* stack = stack_limit() < kEnough ? map_stack() : nullptr;
    if (stack == nullptr || getcontext(&there) != 0) {
        function();
        return;
    }
    called = &function;
    there.uc_stack.ss_sp = stack;
    there.uc_stack.ss_size = kEnough;
    there.uc_link = &here;
    makecontext(&there, call, 0);
    swapcontext(&here, &there);
}

size_t stack_of_program(const std::vector<std::string>& command) {
    size_t taken = 0;
    const auto take = [&taken](size_t length) { taken += length + 1 + sizeof(char*); };
    for (const std::string& argument : command) take(argument.size());
    for (char** variable = environ; *variable != nullptr; ++variable) take(strlen(*variable));
    const size_t limit = stack_limit();
    return limit > taken ? limit - taken : 0;
}

}  // namespace drom::command
