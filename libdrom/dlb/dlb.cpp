// SPDX-License-Identifier: BSD-3-Clause
// dlb.cpp - dlb.h: a process that takes part.
#include "drom/dlb.h"

#include <pthread.h>
#include <unistd.h>
#include <cstdlib>

#include "environment.hpp"
#include "process.hpp"
#include "reservation.hpp"
#include "say.hpp"
#include "tables.hpp"
#include "talp.hpp"

namespace drom::dlb {

constinit Process process{};

namespace {

constinit pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// Begins anew in a forked child. It is no client, even if its parent was one, and another thread of the parent may
/// have held the lock.
void begin_anew() {
    mutex = PTHREAD_MUTEX_INITIALIZER;
    process.ready.store(false);
    process.quiet.store(false);
    process.pid.store(0);
    process.disabled.store(false);
    process.preinitialised = false;
    process.over = true;
    process.reported.store(0);
    process.talp.store(false);
    forget_regions();
}

[[gnu::constructor]] void watch_forks() { pthread_atfork(nullptr, nullptr, begin_anew); }

struct Callback {
    std::atomic<dlb_callback_t> fn;
    std::atomic<void*> arg;
};
constexpr int kCallbacks = dlb_callback_disable_cpu_set + 1;
constinit Callback callbacks[kCallbacks] = {};

bool is_callback(int which) noexcept { return which >= dlb_callback_set_num_threads && which < kCallbacks; }

void call_back(const CpuSet& mask) {
    const Callback& whole = callbacks[dlb_callback_set_process_mask];
    cpu_set_t set;
    to_mask(mask, &set);
    if (const auto fn = reinterpret_cast<dlb_callback_set_process_mask_t>(whole.fn.load())) fn(&set, whole.arg.load());
    const Callback& number = callbacks[dlb_callback_set_num_threads];
    if (const auto fn = reinterpret_cast<dlb_callback_set_num_threads_t>(number.fn.load()))
        fn(static_cast<int>(mask.count()), number.arg.load());
}

/// Runs in the agent's own thread, with --mode=async. A program that has set no callback polls.
void released() {
    const bool wanted = callbacks[dlb_callback_set_process_mask].fn.load() != nullptr ||
                        callbacks[dlb_callback_set_num_threads].fn.load() != nullptr;
    CpuSet mask{};
    if (!wanted || !process.ready.load() || !process.drom.load() || adopt(mask) != DLB_SUCCESS) return;
    call_back(mask);
    drom_dlb_followed(process.seen.load(), 0);
}

/// Marks the present request as seen, so that no poll reports it again.
void catch_up() noexcept {
    CpuSet mask{};
    process.seen.store(0);
    process.reported.store(0);
    if (adopt(mask) == DLB_SUCCESS) drom_dlb_followed(process.seen.load(), 0);
}

int refuse(int error, const Options& options, const drom_error& why) noexcept {
    if (!options.silent && why.text[0] != '\0') say("%s", why.text);
    return error;
}

int leave(bool return_stolen, bool reserved) noexcept {
    Tables tables;
    const int pid = getpid();
    if ((return_stolen || reserved) && tables.open(drom_dlb_where(), false, nullptr) == DROM_OK && return_stolen)
        drom_dlb_lend(tables.view(), pid, nullptr, 0);
    const int status = drom_dlb_leave(nullptr);
    if (reserved && status == DROM_OK && tables.is_open()) drom_release(tables.table(), pid, nullptr, nullptr);
    return status;
}

void take_effect(const Options& options, bool reserved) noexcept {
    process.options = options;
    process.reserved = reserved;
    process.drom.store(options.drom);
    process.talp.store(options.talp);
    process.disabled.store(false);
    process.polls.store(false);
}

/// Initialises this process.
void be_ready() noexcept {
    process.newest = drom_dlb_newest();
    process.pid.store(getpid());
    process.ready.store(true);
    begin_regions();
    if (process.options.async) drom_dlb_on_release(released);
}

}  // namespace

Lock::Lock() noexcept { pthread_mutex_lock(&mutex); }
Lock::~Lock() { pthread_mutex_unlock(&mutex); }

bool takes_part(const Lock&) noexcept {
    if (process.ready.load()) return true;
    uint64_t first = 0;
    if (process.over || drom_dlb_joined(&first) == 0) return false;
    take_effect(read_options_of_agent(), false);
    process.seen.store(first);  // a request after that one is news for the program
    process.reported.store(0);
    be_ready();
    return true;
}

bool is_initialised() noexcept {
    if (process.ready.load(std::memory_order_acquire)) return true;
    const Lock lock;
    return takes_part(lock);
}

int adopt(CpuSet& mask) noexcept {
    uint64_t before = process.seen.load(std::memory_order_relaxed);
    uint64_t seen = before;
    const int status = drom_dlb_poll(&seen, mask.words, kMaskWords);
    if (status == DROM_UNCHANGED) return DLB_NOUPDT;
    if (status == DROM_E_NOINIT) return DLB_ERR_NOPROC;
    if (status != DROM_OK) return dlb_error(status);
    // Two threads may poll at once: one of them gets the request.
    return process.seen.compare_exchange_strong(before, seen) ? DLB_SUCCESS : DLB_NOUPDT;
}

void follow(const CpuSet& mask) noexcept {
    call_back(mask);
    drom_dlb_followed(process.seen.load(), 1);
}

namespace {

int begin(const Options& options, const char* where, const void* set) noexcept {
    drom_error error{};
    Tables tables;
    if (const int status = tables.open(where, true, &error); status != DROM_OK)
        return refuse(dlb_error(status), options, error);
    CpuSet mask{};
    if (set != nullptr) mask = from_mask(set);
    bool reserved = false;
    const int status = enter(tables, options, set != nullptr ? &mask : nullptr, reserved, &error);
    if (status != DLB_SUCCESS) return refuse(status, options, error);
    take_effect(options, reserved);
    catch_up();
    process.over = false;
    be_ready();
    return DLB_SUCCESS;
}

/// Returns whether there is no news; programs poll in loops. A poll that has found nothing else sets `quiet`; a call
/// that changes one of the conditions clears it.
bool has_no_news() noexcept {
    return process.quiet.load(std::memory_order_acquire) &&
           newest_request() <= process.seen.load(std::memory_order_relaxed);
}

/// Returns DLB_NOUPDT, and notes that calls may be quiet. Both this function and a call that changes one of the four
/// conditions write first and read then: one of the two sees the other.
int nothing_new() noexcept {
    process.quiet.store(true);
    const bool busy = process.reported.load() != 0 || process.disabled.load();
    if (busy || !process.ready.load() || !process.drom.load()) process.quiet.store(false);
    return DLB_NOUPDT;
}

int poll(CpuSet& mask, bool updates) noexcept {
    if (!process.ready.load(std::memory_order_acquire) && !is_initialised()) [[unlikely]]
        return DLB_ERR_NOINIT;
    if (!process.drom.load(std::memory_order_relaxed)) return DLB_ERR_NOCOMP;
    if (process.disabled.load(std::memory_order_relaxed)) return DLB_ERR_DISBLD;
    if (!process.polls.load(std::memory_order_relaxed)) [[unlikely]] {
        process.polls.store(true);
        drom_dlb_polls(updates ? 1 : 0);
    }
    // A program that calls again is done with the request that was reported before.
    if (process.reported.load(std::memory_order_relaxed) != 0) drom_dlb_followed(process.reported.exchange(0), 0);
    if (newest_request() <= process.seen.load(std::memory_order_relaxed)) return nothing_new();
    return adopt(mask);
}

[[gnu::noinline]] int poll_and_tell(int* ncpus, void* mask) noexcept {
    CpuSet news{};
    const int status = poll(news, false);
    if (status != DLB_SUCCESS) return status;
    process.reported.store(process.seen.load());
    process.quiet.store(false);
    if (ncpus != nullptr) *ncpus = static_cast<int>(news.count());
    if (mask != nullptr) to_mask(news, mask);
    return DLB_SUCCESS;
}

[[gnu::noinline]] int poll_and_follow() noexcept {
    CpuSet news{};
    const int status = poll(news, true);
    if (status == DLB_SUCCESS) follow(news);
    return status;
}

int set_enabled(bool enabled) noexcept {
    const Lock lock;
    if (!takes_part(lock)) return DLB_ERR_NOINIT;
    if (process.disabled.load() == !enabled) return DLB_NOUPDT;
    process.disabled.store(!enabled);
    process.quiet.store(false);
    return dlb_error(enabled ? drom_enable() : drom_disable());
}

}  // namespace

}  // namespace drom::dlb

using drom::dlb::Lock;
using drom::dlb::Options;
using drom::dlb::process;
namespace dlb = drom::dlb;

extern "C" {

int DLB_Init(int, const_dlb_cpu_set_t mask, const char* dlb_args) {
    const Lock lock;
    if (dlb::takes_part(lock)) return DLB_ERR_INIT;
    const Options options = dlb::read_options(dlb_args, true);
    char room[256];
    const char* where = nullptr;
    if (!dlb::table_of(options, room, sizeof room, where)) {
        if (!options.silent) dlb::say("drom: dlb: init: --shm-key is too long; choose at most 64 characters");
        return DLB_ERR_NOCOMP;
    }
    return dlb::begin(options, where, mask);
}

int DLB_Finalize(void) {
    const Lock lock;
    if (!dlb::takes_part(lock))
        return process.preinitialised ? dlb::give_up_reservation() : int{DLB_NOUPDT};  // mutant second-finalize
    dlb::end_regions();
    process.ready.store(false);
    process.quiet.store(false);
    process.pid.store(0);
    process.over = true;
    if (process.disabled.exchange(false)) drom_enable();
    drom_dlb_on_release(nullptr);
    dlb::leave(process.options.return_stolen, process.reserved);
    for (auto& each : dlb::callbacks) each.fn.store(nullptr);
    return DLB_SUCCESS;  // after DLB_PreInit a second call ends a reservation that no process took over
}

int DLB_PreInit(const_dlb_cpu_set_t mask, char*** next_environ) {
    const Lock lock;
    if (mask == nullptr) return DLB_ERR_UNKNOWN;
    if (dlb::takes_part(lock) || process.preinitialised) return DLB_ERR_INIT;
    const Options options = dlb::read_options(nullptr, true);
    drom_error error{};
    const int status = dlb::reserve_for_self(options, dlb::from_mask(mask), next_environ, &error);
    process.preinitialised = status == DLB_SUCCESS;
    return status == DLB_SUCCESS ? status : dlb::refuse(status, options, error);
}

int DLB_Enable(void) { return dlb::set_enabled(true); }
int DLB_Disable(void) { return dlb::set_enabled(false); }

int DLB_CallbackSet(dlb_callbacks_t which, dlb_callback_t callback, void* arg) {
    if (!dlb::is_callback(which)) return DLB_ERR_NOCBK;
    auto& entry = dlb::callbacks[which];
    entry.fn.store(nullptr);
    entry.arg.store(arg);
    entry.fn.store(callback);
    return DLB_SUCCESS;
}

int DLB_CallbackGet(dlb_callbacks_t which, dlb_callback_t* callback, void** arg) {
    if (!dlb::is_callback(which)) return DLB_ERR_NOCBK;
    if (callback != nullptr) *callback = dlb::callbacks[which].fn.load();
    if (arg != nullptr) *arg = dlb::callbacks[which].arg.load();
    return DLB_SUCCESS;
}

int DLB_PollDROM(int* ncpus, dlb_cpu_set_t mask) {
    return dlb::has_no_news() ? int{DLB_NOUPDT} : dlb::poll_and_tell(ncpus, mask);
}

int DLB_PollDROM_Update(void) { return dlb::has_no_news() ? int{DLB_NOUPDT} : dlb::poll_and_follow(); }

int DLB_GetVersion(int* major, int* minor, int* patch) {
    if (major != nullptr) *major = DLB_VERSION >> 16 & 0xff;
    if (minor != nullptr) *minor = DLB_VERSION >> 8 & 0xff;
    if (patch != nullptr) *patch = DLB_VERSION & 0xff;
    return DLB_SUCCESS;
}

}  // extern "C"
