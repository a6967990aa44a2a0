// SPDX-License-Identifier: BSD-3-Clause
// talp.cpp - dlb_talp.h: monitoring regions, each a region of drom.h.
#include "talp.hpp"

#include <pthread.h>
#include <strings.h>
#include <unistd.h>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "drom/dlb_talp.h"
#include "mask.hpp"
#include "private.h"
#include "process.hpp"
#include "say.hpp"

namespace drom::dlb {

namespace {

/// A handle is the address of `shown`.
struct Monitor {
    dlb_monitor_t shown;
    char name[DLB_MONITOR_NAME_MAX];  ///< empty: free
    uint64_t started;                 ///< number of its last start among all; 0: it is not open
    drom_region_info before;          ///< the region's figures at the last reset
};

constexpr size_t kMonitors = 64;
constinit Monitor monitors[kMonitors] = {};  // the first is that of the whole program
constinit uint64_t starts = 0;
constinit unsigned nameless = 0;
constinit pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// Admits one thread at a time to the monitors. Not the lock of the other calls, under which the process may join.
class Guard {
public:
    Guard() noexcept { pthread_mutex_lock(&mutex); }
    ~Guard() { pthread_mutex_unlock(&mutex); }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
};

bool is_on() noexcept { return is_initialised() && process.talp.load(std::memory_order_relaxed); }

int64_t now_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

drom_region_info figures_of(const Monitor& monitor) noexcept {
    drom_region_info info{};
    info.size = sizeof info;
    if (drom_region_get(monitor.name, &info, nullptr) != DROM_OK) return monitor.before;
    return info;
}

void update(Monitor& monitor) noexcept {
    const drom_region_info info = figures_of(monitor);
    CpuSet mask{};
    if (drom_dlb_wanted(nullptr, getpid(), mask.words, kMaskWords) == DROM_OK)
        monitor.shown.num_cpus = static_cast<int>(mask.count());
    const uint64_t elapsed = info.elapsed_ns - monitor.before.elapsed_ns;
    const uint64_t available = info.available_ns - monitor.before.available_ns;
    monitor.shown.elapsed_time = static_cast<int64_t>(elapsed);
    monitor.shown.useful_time = static_cast<int64_t>(info.cpu_ns - monitor.before.cpu_ns);
    monitor.shown.avg_cpus = elapsed == 0 ? 0 : static_cast<float>(available) / static_cast<float>(elapsed);
}

void clear(Monitor& monitor) noexcept {
    const int resets = monitor.shown.num_resets;
    monitor.shown = {};
    monitor.shown.name = monitor.name;
    monitor.shown.num_resets = resets;
}

/// Returns a free one, with this name; nullptr: there is none.
Monitor* make(const char* name) noexcept {
    for (Monitor& monitor : monitors) {
        if (monitor.name[0] != '\0') continue;
        snprintf(monitor.name, sizeof monitor.name, "%s", name);
        clear(monitor);
        return &monitor;
    }
    return nullptr;
}

Monitor* find_or_make(const char* name) noexcept {
    if (strcasecmp(name, DLB_GLOBAL_REGION_NAME) == 0) return &monitors[0];
    for (Monitor& monitor : monitors)
        if (monitor.name[0] != '\0' && strncmp(monitor.name, name, sizeof monitor.name - 1) == 0) return &monitor;
    return make(name);
}

/// Returns the region without a name that comes next.
Monitor* make_nameless() noexcept {
    char name[40];
    snprintf(name, sizeof name, "Anonymous Region %u", ++nameless);
    return find_or_make(name);
}

/// Returns nullptr for what is no handle.
Monitor* monitor_of(const dlb_monitor_t* handle) noexcept {
    if (handle == DLB_GLOBAL_REGION) return &monitors[0];
    for (Monitor& monitor : monitors)
        if (handle == &monitor.shown && monitor.name[0] != '\0') return &monitor;
    return nullptr;
}

Monitor* last_open() noexcept {
    Monitor* last = nullptr;
    for (Monitor& monitor : monitors)
        if (monitor.started > (last != nullptr ? last->started : 0)) last = &monitor;
    return last;
}

int start(Monitor& monitor) noexcept {
    if (monitor.started != 0) return DLB_NOUPDT;
    if (const int status = drom_region_begin(monitor.name); status != DROM_OK) return dlb_error(status);
    monitor.started = ++starts;
    monitor.shown.start_time = now_ns();
    monitor.shown.stop_time = 0;
    return DLB_SUCCESS;
}

int stop(Monitor& monitor) noexcept {
    if (monitor.started == 0) return DLB_NOUPDT;
    monitor.started = 0;
    drom_region_end(monitor.name);
    monitor.shown.stop_time = now_ns();
    ++monitor.shown.num_measurements;
    update(monitor);
    return DLB_SUCCESS;
}

int reset(Monitor& monitor) noexcept {
    if (monitor.started != 0) drom_region_end(monitor.name);
    monitor.started = 0;
    monitor.before = figures_of(monitor);
    clear(monitor);
    ++monitor.shown.num_resets;
    return DLB_SUCCESS;
}

int report(Monitor& monitor) noexcept {
    if (monitor.started != 0) update(monitor);
    const dlb_monitor_t& shown = monitor.shown;
    say("drom: dlb: region %.127s: %d measurements, %.6f s, %.6f s of CPU time on %.1f CPUs", monitor.name,
        shown.num_measurements, static_cast<double>(shown.elapsed_time) / 1e9,
        static_cast<double>(shown.useful_time) / 1e9, static_cast<double>(shown.avg_cpus));
    return DLB_SUCCESS;
}

/// Does `what` with the region of a handle.
int with(const dlb_monitor_t* handle, int (*what)(Monitor&)) noexcept {
    if (!is_on()) return DLB_ERR_NOTALP;
    const Guard guard;
    Monitor* monitor = monitor_of(handle);
    return monitor != nullptr ? what(*monitor) : int{DLB_ERR_NOENT};
}

}  // namespace

void begin_regions() noexcept {
    if (!process.talp.load()) return;
    const Guard guard;
    if (monitors[0].name[0] == '\0') make(DLB_GLOBAL_REGION_NAME);
    start(monitors[0]);
}

void end_regions() noexcept {
    const Guard guard;
    for (Monitor& monitor : monitors) stop(monitor);
}

void forget_regions() noexcept {
    mutex = PTHREAD_MUTEX_INITIALIZER;
    starts = 0;
    for (Monitor& monitor : monitors) {
        monitor.started = 0;
        monitor.before = {};
        if (monitor.name[0] != '\0') clear(monitor);
    }
}

}  // namespace drom::dlb

namespace dlb = drom::dlb;

extern "C" {

dlb_monitor_t* DLB_MonitoringRegionGetGlobal(void) { return dlb::is_on() ? &dlb::monitors[0].shown : nullptr; }
dlb_monitor_t* DLB_MonitoringRegionGetImplicit(void) { return DLB_MonitoringRegionGetGlobal(); }
const dlb_monitor_t* DLB_MonitoringRegionGetMPIRegion(void) { return DLB_MonitoringRegionGetGlobal(); }

dlb_monitor_t* DLB_MonitoringRegionRegister(const char* name) {
    const bool forbidden = name == DLB_LAST_OPEN_REGION || (name != nullptr && strcasecmp(name, "all") == 0);
    if (forbidden || !dlb::is_on()) return nullptr;
    const dlb::Guard guard;
    dlb::Monitor* monitor = name == nullptr || *name == '\0' ? dlb::make_nameless() : dlb::find_or_make(name);
    return monitor != nullptr ? &monitor->shown : nullptr;
}

int DLB_MonitoringRegionReset(dlb_monitor_t* handle) { return dlb::with(handle, dlb::reset); }

int DLB_MonitoringRegionStart(dlb_monitor_t* handle) { return dlb::with(handle, dlb::start); }

int DLB_MonitoringRegionStop(dlb_monitor_t* handle) {
    if (handle != DLB_LAST_OPEN_REGION) return dlb::with(handle, dlb::stop);
    if (!dlb::is_on()) return DLB_ERR_NOTALP;
    const dlb::Guard guard;
    dlb::Monitor* last = dlb::last_open();
    return last != nullptr ? dlb::stop(*last) : int{DLB_ERR_NOENT};
}

int DLB_MonitoringRegionReport(const dlb_monitor_t* handle) { return dlb::with(handle, dlb::report); }

int DLB_MonitoringRegionsUpdate(void) {
    if (!dlb::is_on()) return DLB_ERR_NOTALP;
    const dlb::Guard guard;
    for (dlb::Monitor& monitor : dlb::monitors)
        if (monitor.started != 0) dlb::update(monitor);
    return DLB_SUCCESS;
}

}  // extern "C"
