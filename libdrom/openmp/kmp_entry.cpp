// SPDX-License-Identifier: BSD-3-Clause
// kmp_entry.cpp - the part of the entry points in kmp_entry.S for when there is something to do.
#include <cstdint>

#include "gate.hpp"
#include "runtime.hpp"
#include "safe_point.hpp"

#if defined(__x86_64__)

using drom::drom_clause;
using drom::drom_gate;
using drom::runtime::Name;

extern "C" {
void drom_slow___kmpc_fork_call();
void drom_slow___kmpc_fork_call_if();
void drom_slow___kmpc_fork_teams();
void drom_kmp_place();
}

namespace {

using ForkCall = void(void* location, int argc, void* function, ...);
using Outlined = void(int* global_id, int* id_in_team, void* argument);

/// Replaces __kmpc_fork_call_if, which runtimes before LLVM 16 do not have.
void fork_call_if(void* location, int argc, void* function, int condition, void* argument) {
    const void* caller = __builtin_return_address(0);
    if (condition != 0)
        return drom::runtime::real<ForkCall>(Name::ForkCall, caller)(location, argc, function, argument);
    const auto find = [caller](const char* symbol) { return drom::runtime::find_behind(symbol, caller); };
    auto* thread_num = reinterpret_cast<int (*)(void*)>(find("__kmpc_global_thread_num"));
    auto* begin = reinterpret_cast<void (*)(void*, int)>(find("__kmpc_serialized_parallel"));
    auto* end = reinterpret_cast<void (*)(void*, int)>(find("__kmpc_end_serialized_parallel"));
    if (thread_num == nullptr || begin == nullptr || end == nullptr) return;
    int global_id = thread_num(location);
    int id_in_team = 0;
    begin(location, global_id);
    reinterpret_cast<Outlined*>(function)(&global_id, &id_in_team, argument);
    end(location, global_id);
}

/// Does nothing: without a runtime no compiled code makes this call.
void no_runtime() {}

using Target = void();
using Push = void(void* location, int global_id, int threads);

/// Asks for threads as a num_threads clause does: for the next region of this thread, without a change of the program's
/// settings.
void ask_for_threads(void* location, uint32_t threads, const void* caller) noexcept {
    auto* push = drom::runtime::real<Push>(Name::PushNumThreads, caller);
    auto* thread_num = drom::runtime::real<int(void*)>(Name::GlobalThreadNum, caller);
    if (push != nullptr && thread_num != nullptr) push(location, thread_num(location), static_cast<int>(threads));
}

Target* target_of(uint32_t which, const void* caller) noexcept {
    constexpr Name kNames[] = {Name::ForkCall, Name::ForkCallIf, Name::ForkTeams};
    if (Target* function = drom::runtime::real<Target>(kNames[which], caller); function != nullptr) {
        // Only a function that is the same for every caller may be jumped to without a look.
        if (drom::runtime::known<Target>(kNames[which]) != nullptr)
            drom_gate.real[which].store(function, std::memory_order_relaxed);
        return function;
    }
    const bool has_runtime = drom::runtime::real<Target>(Name::ForkCall, caller) != nullptr;
    return which == 1 && has_runtime ? reinterpret_cast<Target*>(&fork_call_if) : &no_runtime;
}

}  // namespace

extern "C" {

struct Entered {
    const void* run;
    Target* target;
};

[[gnu::visibility("hidden"), gnu::used]] Entered drom_kmp_enter(const void* function, uint32_t which,
                                                                const void* caller, void* location) {
    Target* target = target_of(which, caller);
    const auto* runtime = reinterpret_cast<const void*>(target);
    const void* thunk = reinterpret_cast<const void*>(&drom_kmp_place);
    const uint32_t clause = drom_clause;
    drom_clause = 0;
    if (which == 2) {
        drom::safe_point::uses_teams(runtime);
        return {function, target};
    }
    if (function == thunk || drom::pass_region()) return {function, target};
    const drom::safe_point::Start start =
        drom::safe_point::region_entry(function, {runtime, thunk, DROM_ENTRY_KMP, clause, caller});
    if (start.threads != clause) ask_for_threads(location, start.threads, caller);
    return {start.run, target};
}

/// Notes the num_threads clause of the region that starts next. It is the program's, and is not changed.
DROM_EXPORT void __kmpc_push_num_threads(void* location, int global_id, int threads) {
    const void* caller = __builtin_extract_return_addr(__builtin_return_address(0));
    auto* real = drom::runtime::real<Push>(Name::PushNumThreads, caller);
    if (real == nullptr) return;
    drom_clause = threads > 0 ? static_cast<uint32_t>(threads) : 0;
    real(location, global_id, threads);
}

[[gnu::visibility("hidden"), gnu::used]] void drom_place_thread(uint32_t index) {
    drom::safe_point::place_thread(index);
}

}  // extern "C"

namespace drom {
constinit Gate drom_gate{
    .primary = {nullptr},
    .regions = {nullptr},
    .attention = {0},
    .claimable = {1},
    .pad = {},
    .placing = nullptr,
    .real = {{&drom_slow___kmpc_fork_call}, {&drom_slow___kmpc_fork_call_if}, {&drom_slow___kmpc_fork_teams}}};
}

#else

namespace drom {
constinit Gate drom_gate{.primary = {nullptr}, .claimable = {1}};
}

#endif

namespace drom {
__thread uint32_t drom_clause = 0;
__thread uint32_t drom_own_number = 0;
}  // namespace drom
