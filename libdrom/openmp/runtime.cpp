// SPDX-License-Identifier: BSD-3-Clause
// runtime.cpp - the OpenMP runtime of this process.
#include "runtime.hpp"

#include <dlfcn.h>
#include <link.h>
#include <strings.h>
#include <cstdlib>
#include <cstring>

#include "client/client.hpp"
#include "client/runtime_waiting.hpp"

namespace drom::runtime {

constinit std::atomic<void*> found[kNames] = {};

namespace {

constexpr const char* kSymbols[kNames] = {"omp_set_num_threads",
                                          "omp_set_num_threads_",
                                          "omp_set_num_threads_8_",
                                          "__kmpc_fork_call",
                                          "__kmpc_fork_call_if",
                                          "__kmpc_fork_teams",
                                          "__kmpc_push_num_threads",
                                          "__kmpc_global_thread_num",
                                          "GOMP_parallel",
                                          "GOMP_parallel_reductions",
                                          "GOMP_parallel_sections",
                                          "GOMP_parallel_loop_static",
                                          "GOMP_parallel_loop_dynamic",
                                          "GOMP_parallel_loop_guided",
                                          "GOMP_parallel_loop_nonmonotonic_dynamic",
                                          "GOMP_parallel_loop_nonmonotonic_guided",
                                          "GOMP_parallel_loop_runtime",
                                          "GOMP_parallel_loop_nonmonotonic_runtime",
                                          "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
                                          "GOMP_teams_reg"};
/// Returns whether the function carries the same version in every runtime. If so, the first one in the search order is
/// right for every caller.
constexpr bool is_same_in_all(Name name) noexcept { return name > Name::SetNumThreadsFortran8; }

/// Functions found for callers in one object. Entries are only added; an object that is loaded at the address of a
/// former one is taken for that one.
struct Local {
    std::atomic<uintptr_t> low;
    uintptr_t high;
    std::atomic<void*> functions[kNames];
};
constexpr uint32_t kLocals = 32;
constinit Local locals[kLocals] = {};
constinit std::atomic<uint32_t> local_count{0};

const Object& own_object() noexcept {
    static constinit Object self{};
    static constinit std::atomic<bool> known{false};
    if (!known.load(std::memory_order_acquire)) {
        self = object_of(reinterpret_cast<const void*>(&own_object));
        known.store(true, std::memory_order_release);
    }
    return self;
}

/// Returns a handle of the object that holds `address`; the caller closes it.
void* handle_of(const void* address) noexcept {
    Dl_info info{};
    link_map* map = nullptr;
    void* extra = nullptr;
    if (dladdr1(address, &info, &extra, RTLD_DL_LINKMAP) == 0) return nullptr;
    map = static_cast<link_map*>(extra);
    const bool is_program = map == nullptr || map->l_name == nullptr || map->l_name[0] == '\0';
    return dlopen(is_program ? nullptr : map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

Local* local_of(const void* caller) noexcept {
    const auto at = reinterpret_cast<uintptr_t>(caller);
    const uint32_t count = local_count.load(std::memory_order_acquire);
    for (uint32_t i = 0; i < count && i < kLocals; ++i) {
        const uintptr_t low = locals[i].low.load(std::memory_order_acquire);
        if (low != 0 && at >= low && at < locals[i].high) return &locals[i];
    }
    return nullptr;
}

Local* add_local(const void* caller) noexcept {
    const Object object = object_of(caller);
    if (object.high == 0) return nullptr;
    const uint32_t index = local_count.fetch_add(1);
    if (index >= kLocals) {
        local_count.store(kLocals);
        return nullptr;
    }
    locals[index].high = object.high;
    locals[index].low.store(object.low, std::memory_order_release);
    return &locals[index];
}

/// Keeps a runtime that was found through a caller loaded, so that the remembered addresses stay valid.
void keep_loaded(void* function) noexcept { handle_of(function); }

void* look_up(void* where, const char* symbol, const char* version) noexcept {
    void* function = version != nullptr ? dlvsym(where, symbol, version) : dlsym(where, symbol);
    return function != nullptr && !is_ours(function) ? function : nullptr;
}

/// Looks among the libraries of the calling object.
void* look_up_nearby(const char* symbol, const char* version, const void* caller) noexcept {
    void* handle = handle_of(caller);
    if (handle == nullptr) return nullptr;
    void* function = look_up(handle, symbol, version);
    dlclose(handle);
    return function;
}

/// Set once callers differ: a runtime that comes later must not be used for every caller.
constinit std::atomic<bool> differs[kNames] = {};

void* remember_for_all(uint32_t index, void* function) noexcept {
    if (!differs[index].load()) found[index].store(function, std::memory_order_relaxed);
    return function;
}

void* remember(uint32_t index, const void* caller, void* function) noexcept {
    differs[index].store(true);
    Local* local = local_of(caller);
    if (local == nullptr) local = add_local(caller);
    if (local == nullptr) return function;
    keep_loaded(function);
    local->functions[index].store(function, std::memory_order_relaxed);
    return function;
}

}  // namespace

bool is_ours(const void* function) noexcept { return own_object().holds(function); }

void* find_behind(const char* symbol, const void* caller) noexcept {
    const char* version = needed_version(caller, symbol);
    if (void* next = look_up(RTLD_NEXT, symbol, version); next != nullptr) return next;
    if (void* near = look_up_nearby(symbol, version, caller); near != nullptr || version == nullptr) return near;
    return look_up(RTLD_NEXT, symbol, nullptr);  // the loader would have accepted any version, too
}

void* find(Name name, const void* caller) noexcept {
    const auto index = static_cast<uint32_t>(name);
    if (const Local* local = local_of(caller); local != nullptr)
        if (void* function = local->functions[index].load(std::memory_order_relaxed)) return function;
    void* next = is_same_in_all(name) ? look_up(RTLD_NEXT, kSymbols[index], nullptr) : nullptr;
    if (next != nullptr) return remember_for_all(index, next);
    void* function = find_behind(kSymbols[index], caller);
    return function == nullptr ? nullptr : remember(index, caller, function);
}

namespace {

void name_runtime(const void* function, Runtime& runtime) noexcept {
    Dl_info info{};
    const char* path = dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
    const char* slash = strrchr(path, '/');
    strncpy(runtime.name, slash != nullptr ? slash + 1 : path, sizeof runtime.name - 1);
}

bool describe_object(const void* function, Runtime& runtime) noexcept {
    void* handle = handle_of(function);  // kept open: the runtime must stay loaded
    if (handle == nullptr) return false;
    runtime.object = object_of(function);
    const auto look = [&]<class F>(const char* symbol, F*& slot) noexcept {
        void* address = dlsym(handle, symbol);
        slot = reinterpret_cast<F*>(address != nullptr && runtime.object.holds(address) ? address : nullptr);
        return slot != nullptr;
    };
    look("omp_get_num_places", runtime.num_places);
    look("omp_get_place_num_procs", runtime.place_num_procs);
    look("omp_get_place_proc_ids", runtime.place_proc_ids);
    look("omp_get_max_active_levels", runtime.max_active_levels);
    void (*probe)() = nullptr;
    runtime.kind = look("kmp_set_blocktime", probe) ? Kind::Kmp
                   : look("GOMP_parallel", probe)   ? Kind::Gomp
                                                    : Kind::None;
    const bool complete = look("omp_get_max_threads", runtime.max_threads) &&
                          look("omp_get_dynamic", runtime.dynamic) && look("omp_get_num_procs", runtime.num_procs) &&
                          look("omp_get_level", runtime.level) && look("omp_get_thread_num", runtime.thread_num) &&
                          look("omp_set_num_threads", runtime.set_num_threads);
    if (!complete || runtime.kind == Kind::None) return false;
    name_runtime(function, runtime);
    runtime.waiting.find(runtime.kind, handle);
    return true;
}

}  // namespace

bool describe(const void* function, Runtime& runtime) noexcept {
    if (describe_object(function, runtime)) return true;
    const void* behind = dlsym(RTLD_NEXT, "omp_get_level");
    runtime.is_shadowed = behind != nullptr && describe_object(behind, runtime);
    return runtime.is_shadowed;
}

namespace {

bool is_off(const char* text) noexcept {
    return strcasecmp(text, "false") == 0 || strcasecmp(text, "none") == 0 || strcasecmp(text, "disabled") == 0;
}

}  // namespace

bool binds_threads() noexcept {
    // OpenMP's own variable decides; the others count only without it.
    if (const char* text = getenv("OMP_PROC_BIND"); text != nullptr) return !is_off(text);
    const char* kmp = getenv("KMP_AFFINITY");
    return getenv("OMP_PLACES") != nullptr || getenv("GOMP_CPU_AFFINITY") != nullptr ||
           (kmp != nullptr && !is_off(kmp));
}

CpuSet places_of(const Runtime& runtime) noexcept {
    CpuSet all{};
    if (runtime.num_places == nullptr || runtime.place_num_procs == nullptr || runtime.place_proc_ids == nullptr)
        return all;
    static constinit int ids[kMaxCpus] = {};
    const int places = runtime.num_places();
    for (int place = 0; place < places; ++place) {
        const int count = runtime.place_num_procs(place);
        if (count <= 0 || static_cast<uint32_t>(count) > kMaxCpus) continue;
        runtime.place_proc_ids(place, ids);
        for (int i = 0; i < count; ++i)
            if (ids[i] >= 0 && static_cast<uint32_t>(ids[i]) < kMaxCpus) all.add(static_cast<uint32_t>(ids[i]));
    }
    return all;
}

// ---- how threads wait ---------------------------------------------------------------------------------------------

namespace {

bool user_chose_waiting() noexcept {
    return getenv("KMP_BLOCKTIME") != nullptr || getenv("OMP_WAIT_POLICY") != nullptr ||
           getenv("KMP_LIBRARY") != nullptr;
}

}  // namespace

void Waiting::find(Kind kind, void* handle) noexcept {
    constexpr uint64_t kLongSpin = 3'000'000;
    if (kind == Kind::Gomp) long_ = waiting::spin_count() > kLongSpin;
    if (kind != Kind::Kmp) return;
    get_blocktime_ = reinterpret_cast<int (*)()>(dlsym(handle, "kmp_get_blocktime"));
    set_blocktime_ = reinterpret_cast<void (*)(int)>(dlsym(handle, "kmp_set_blocktime"));
    if (get_blocktime_ == nullptr) set_blocktime_ = nullptr;
}

void Waiting::begin(bool follows) noexcept {
    if (set_blocktime_ == nullptr) return;
    draining_ = false;  // a thread's own setting, and this thread is new
    // A left-over thread would spin for 200 ms, the default, on a CPU that other threads need. A millisecond costs
    // nothing between regions that follow each other.
    if (follows && !user_chose_waiting()) set_blocktime_(1);
    long_ = get_blocktime_() > 10;
}

void Waiting::yield(bool on) noexcept { client::team_shares_cpus(on); }

void Waiting::drain(bool on) noexcept {
    if (on) yield(true);
    if (on == draining_ || set_blocktime_ == nullptr) return;
    draining_ = on;
    if (on) saved_ = get_blocktime_();
    set_blocktime_(on ? 0 : saved_);
}

}  // namespace drom::runtime
