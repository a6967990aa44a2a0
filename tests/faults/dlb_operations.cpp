// SPDX-License-Identifier: BSD-3-Clause
// dlb_operations.cpp - the operations of DLB's users: calls of libdlb.so fail, and those of libdrom.so behind it.
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "drom/dlb.h"
#include "drom/dlb_drom.h"
#include "shim.hpp"
#include "world.hpp"

namespace drom::faults {

namespace {

/// Returns the status that stands for a code of DLB in this suite: DLB itself says only which error it is.
int judged(int code, drom_error* error) {
    if (code == DLB_NOUPDT) return DROM_UNCHANGED;
    if (code == DLB_ERR_TIMEOUT) return DROM_PENDING;
    if (code >= 0) return DROM_OK;
    const bool known = std::strncmp(DLB_Strerror(code), "DLB_ERR_", 8) == 0;
    // These codes would blame the program, which did nothing wrong.
    const bool fits = code != DLB_ERR_NOINIT && code != DLB_ERR_DISBLD && code != DLB_ERR_NOCBK &&
                      code != DLB_ERR_NOCOMP && code != DLB_ERR_PDIRTY;
    error->status = known && fits ? DROM_E_OS : DROM_E_INVAL;
    std::snprintf(error->text, sizeof error->text, "drom: %s", DLB_Strerror(code));
    return error->status;
}

void must(World& world, int code) {
    if (code < 0 && world.wrong.empty()) world.wrong = std::string("preparing: ") + DLB_Strerror(code);
}

cpu_set_t set_of(unsigned bits) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned cpu = 0; cpu < 64; ++cpu)
        if ((cpus(bits) >> cpu & 1) != 0) CPU_SET(cpu, &set);
    return set;
}

/// Sets a grace period of 0, because no client here answers: a call that waits confines.
void prepare(World& world) {
    world.names = false;
    setenv("DROM_GRACE_MS", "0", 1);
    setenv("DROM_TIMEOUT_MS", "30", 1);
}

// --- administrators ------------------------------------------------------------------------------------------------

void nothing_there(World& world) {
    name_the_table(world);
    prepare(world);
}
void one_other(World& world) {
    one_client(world);
    prepare(world);
}
void two_others(World& world) {
    two_clients(world);
    prepare(world);
}
void attached(World& world) {
    two_others(world);
    must(world, DLB_DROM_Attach());
}

void detach_and_finish(World& world) {
    DLB_Finalize();
    while (DLB_DROM_Detach() == DLB_SUCCESS) {}
    finish(world);
}

int attach(World&, drom_error* error) { return judged(DLB_DROM_Attach(), error); }

int list(World& world, drom_error* error) {
    std::array<int, 8> pids{};
    int count = 0;
    const int code = DLB_DROM_GetPidList(pids.data(), &count, static_cast<int>(pids.size()));
    if (code >= 0) world.listed = static_cast<size_t>(count);
    return judged(code, error);
}

int get(World& world, drom_error* error) {
    cpu_set_t mask;
    const cpu_set_t whole = set_of(0x0f);
    const int code = DLB_DROM_GetProcessMask(world.people.a.pid(), &mask, DLB_DROM_FLAGS_NONE);
    if (code >= 0 && !CPU_EQUAL(&mask, &whole)) world.wrong = "a mask is not the client's";
    return judged(code, error);
}

int set(int pid, unsigned bits, int flags, drom_error* error) {
    const cpu_set_t mask = set_of(bits);
    return judged(DLB_DROM_SetProcessMask(pid, &mask, static_cast<dlb_drom_flags_t>(flags)), error);
}
int set_one(World& w, drom_error* e) { return set(w.people.a.pid(), 0x47, DLB_DROM_FLAGS_NONE, e); }
int set_and_wait(World& w, drom_error* e) { return set(w.people.b.pid(), 0x3c, DLB_SYNC_QUERY, e); }

int reserve(World& world, unsigned bits, int flags, char*** environment, drom_error* error) {
    const cpu_set_t mask = set_of(bits);
    const auto with = static_cast<dlb_drom_flags_t>(flags);
    return judged(DLB_DROM_PreInit(world.people.c.pid(), &mask, with, environment), error);
}
int reserve_free(World& w, drom_error* e) { return reserve(w, 0xc0, DLB_DROM_FLAGS_NONE, nullptr, e); }
int reserve_for_exec(World& w, drom_error* e) { return reserve(w, 0xc0, DLB_DROM_FLAGS_NONE, &w.environment, e); }
int reserve_taking(World& w, drom_error* e) { return reserve(w, 0x48, DLB_STEAL_CPUS, &w.environment, e); }
int reserve_waiting(World& w, drom_error* e) {
    return reserve(w, 0x48, DLB_STEAL_CPUS | DLB_SYNC_QUERY, &w.environment, e);
}

int release(World& world, drom_error* error) {
    return judged(DLB_DROM_PostFinalize(world.people.a.pid(), DLB_DROM_FLAGS_NONE), error);
}

/// Prepares a table in which c has taken a CPU of a, and has ended.
void robbed(World& world) {
    attached(world);
    drom_error error{};
    if (reserve(world, 0x08, DLB_STEAL_CPUS | DLB_SYNC_QUERY, nullptr, &error) < 0) world.wrong = error.text;
    must(world, DLB_DROM_PostFinalize(world.people.c.pid(), DLB_DROM_FLAGS_NONE));
}

int recover(World& world, drom_error* error) { return judged(DLB_DROM_RecoverStolenCpus(world.people.a.pid()), error); }

// --- this process as a client --------------------------------------------------------------------------------------

int init_with(const char* args, drom_error* error) {
    const cpu_set_t mask = set_of(0x03);
    return judged(DLB_Init(0, &mask, args), error);
}
int init(World&, drom_error* error) { return init_with("--drom --silent", error); }
int init_async(World&, drom_error* error) { return init_with("--drom --silent --mode=async", error); }

void preinitialised(World& world) {
    one_other(world);
    const cpu_set_t mask = set_of(0x03);
    must(world, DLB_PreInit(&mask, nullptr));
}

int preinit(World& world, drom_error* error) {
    const cpu_set_t mask = set_of(0x03);
    setenv("DLB_ARGS", "--silent", 1);
    return judged(DLB_PreInit(&mask, &world.environment), error);
}

void joined(World& world) {
    one_other(world);
    drom_error error{};
    if (init(world, &error) < 0) world.wrong = error.text;
}

void asked(World& world) {
    joined(world);
    const uint64_t mask = cpus(0x01);
    const drom_options options = with(0);
    drom_error error{};
    drom::faults::must(world, drom_set_mask(world.table, getpid(), &mask, 1, &options, &error), error);
}

/// Returns DROM_PENDING while the process owns CPUs that it was asked to leave: a later poll asks for them again.
int answered(const World& world, int code, drom_error* error) {
    uint64_t owned = 0;
    uint64_t wanted = 0;
    drom_get_mask(world.table, getpid(), &owned, &wanted, 1, nullptr);
    return code >= 0 && owned != wanted ? int{DROM_PENDING} : judged(code, error);
}

int poll(World& world, drom_error* error) {
    int count = 0;
    return answered(world, DLB_PollDROM(&count, nullptr), error);
}
int update(World& world, drom_error* error) { return answered(world, DLB_PollDROM_Update(), error); }
int set_own(World& world, drom_error* error) {
    const cpu_set_t mask = set_of(0x01);
    int code = DLB_DROM_SetProcessMask(getpid(), &mask, DLB_DROM_FLAGS_NONE);
    if (code == DLB_ERR_PDIRTY) code = DLB_PollDROM_Update();  // the first request is still to be answered
    return answered(world, code, error);
}
int leave(World&, drom_error* error) { return judged(DLB_Finalize(), error); }

}  // namespace

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all{
        {"attach, creating", nothing_there, attach, detach_and_finish, Operation::kTable},
        {"attach", two_others, attach, detach_and_finish},
        {"list", attached, list, detach_and_finish},
        {"get", attached, get, detach_and_finish},
        {"set", attached, set_one, detach_and_finish},
        {"set and wait", attached, set_and_wait, detach_and_finish},
        {"preinit another", attached, reserve_free, detach_and_finish},
        {"preinit another for exec", attached, reserve_for_exec, detach_and_finish},
        {"preinit another, stealing", attached, reserve_taking, detach_and_finish, Operation::kAsked},
        {"preinit another, stealing and waiting", attached, reserve_waiting, detach_and_finish, Operation::kAsked},
        {"postfinalize", attached, release, detach_and_finish},
        {"recover stolen CPUs", robbed, recover, detach_and_finish},
        {"init", one_other, init, detach_and_finish, Operation::kNothing, true},
        {"init, async", one_other, init_async, detach_and_finish, Operation::kNothing, true},
        {"init after preinit", preinitialised, init, detach_and_finish, Operation::kNothing, true},
        {"preinit", one_other, preinit, detach_and_finish},
        {"poll", asked, poll, detach_and_finish},
        {"poll and update", asked, update, detach_and_finish},
        {"set its own", joined, set_own, detach_and_finish},
        {"finalize", joined, leave, detach_and_finish},
    };
    return all;
}

}  // namespace drom::faults
