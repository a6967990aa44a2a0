// SPDX-License-Identifier: BSD-3-Clause
// reservation.cpp - how a process gets its CPUs: from a reservation, by asking, or both.
#include "reservation.hpp"

#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "environment.hpp"
#include "process.hpp"
#include "say.hpp"

namespace drom::dlb {

namespace {

bool in_reservation_of_drom() noexcept {
    const char* slot = secure_getenv("DROM_SLOT");
    return slot != nullptr && *slot != '\0';
}

/// Reads the affinity into 4,096 bits: the kernel writes none into a cpu_set_t where more than 1,024 CPUs are possible.
bool read_affinity(CpuSet& cpus) noexcept {
    return syscall(SYS_sched_getaffinity, 0, sizeof cpus.words, cpus.words) > 0;
}

CpuSet reserved_cpus(const drom_dlb_client& client) noexcept {
    CpuSet cpus{};
    memcpy(cpus.words, client.wanted, sizeof client.wanted);
    return cpus;
}

struct Entry {
    const Tables& tables;
    const Options& options;
    drom_error* error;

    int join(const CpuSet* asked, int32_t reserved_for, CpuSet& has) const noexcept {
        const drom_dlb_joining how{drom_table_path(tables.table()), asked != nullptr ? asked->words : nullptr,
                                   asked != nullptr ? CpuSet::kWords : 0, reserved_for, options.async ? 1 : 0};
        return drom_dlb_join(&how, has.words, kMaskWords, error);
    }

    /// Leaves nothing of a half-granted request.
    int undo(int status, bool reserved) const noexcept {
        drom_dlb_leave(nullptr);
        if (reserved) drom_release(tables.table(), getpid(), nullptr, nullptr);
        return status;
    }
};

/// Changes the CPUs that this process was given to those that it asks for, with free ones.
int make_up(const Entry& entry, const CpuSet& has, const CpuSet& mask) noexcept {
    if (has == mask) return DROM_OK;
    return ask(entry.tables, getpid(), mask, {false, false, false, false}, entry.error);
}

int take_over(const Entry& entry, int32_t whose, const CpuSet* mask) noexcept {
    CpuSet has{};
    const int joined = entry.join(nullptr, whose, has);
    if (joined < 0) return joined == DROM_E_BUSY ? DLB_ERR_INIT : dlb_error(joined);
    if (joined == DROM_UNCHANGED || mask == nullptr || mask->none()) return DLB_SUCCESS;
    const int status = make_up(entry, has, *mask);
    return status < 0 ? entry.undo(dlb_error(status), true) : DLB_SUCCESS;
}

/// Takes part of a reservation that several processes share, in a slot of its own.
int take_part(const Entry& entry, int32_t whose, const CpuSet& reservation, const CpuSet& mask) noexcept {
    CpuSet has{};
    const CpuSet none{};
    const int joined = entry.join(&none, DROM_DLB_NO_RESERVATION, has);
    if (joined != DROM_OK) return joined == DROM_UNCHANGED ? DLB_SUCCESS : dlb_error(joined);
    const CpuSet outside = mask - reservation;
    const CpuSet inside = mask - outside;
    const int passed = drom_dlb_inherit(entry.tables.view(), whose, getpid(), inside.words, kMaskWords);
    const int status = make_up(entry, passed == DROM_OK ? inside : none, mask);
    return status < 0 ? entry.undo(dlb_error(status), false) : DLB_SUCCESS;
}

void say_where(const Options& options, const char* asked) noexcept {
    if (options.key[0] == '\0' || options.silent || strcmp(asked, drom_dlb_where()) == 0) return;
    say("drom: dlb: init: this process takes part in table %s already; --shm-key is ignored", drom_dlb_where());
}

/// Claims exactly the CPUs that it asks for, or none, without a reservation.
int claim(const Entry& entry, const CpuSet* mask) noexcept {
    const bool exactly = !in_reservation_of_drom();
    CpuSet asked = mask != nullptr ? *mask : CpuSet{};
    if (mask == nullptr && !read_affinity(asked)) {
        write_why(entry.error, "drom: dlb: init: the CPUs of this process cannot be read; give DLB_Init a mask");
        return DLB_ERR_UNKNOWN;
    }
    CpuSet has{};
    const int joined = entry.join(&asked, 0, has);
    if (joined < 0) return joined == DROM_E_BUSY ? DLB_ERR_INIT : dlb_error(joined);
    if (joined == DROM_UNCHANGED) say_where(entry.options, drom_table_path(entry.tables.table()));
    if (joined == DROM_UNCHANGED || !exactly || has.contains(asked)) return DLB_SUCCESS;
    write_why(entry.error,
              "drom: dlb: init: some of its CPUs belong to other processes or do not exist; drom list says whose "
              "they are");
    return entry.undo(DLB_ERR_PERM, false);
}

}  // namespace

int enter(const Tables& tables, const Options& options, const CpuSet* mask, bool& reserved,
          drom_error* error) noexcept {
    const Entry entry{tables, options, error};
    // CPUs that other clients have left stay theirs until a process looks.
    if (const int status = drom_check(tables.table(), nullptr, error); status < 0) return dlb_error(status);
    const int32_t own = getpid();
    int32_t whose = options.preinit_pid != 0 ? options.preinit_pid : own;
    drom_dlb_client found{};
    int status = drom_dlb_look(tables.view(), whose, &found);
    if (status != DROM_OK && whose != own) {
        whose = own;
        status = drom_dlb_look(tables.view(), whose, &found);
    }
    if (status != DROM_OK || (found.joined != 0 && whose == own)) return claim(entry, mask);
    if (found.joined != 0) return DLB_ERR_INIT;
    const CpuSet reservation = reserved_cpus(found);
    const bool all = mask == nullptr || mask->none() || mask->contains(reservation);
    if (whose != own && !all) return take_part(entry, whose, reservation, *mask);
    // Only `drom run` gives its reservation up, and its mask counts whatever the program asks for.
    reserved = options.preinit_pid != 0 || !in_reservation_of_drom();
    // A process with an empty reservation has no CPU either until it is given some.
    return take_over(entry, whose, reserved && !reservation.none() ? mask : nullptr);
}

int reserve(const Tables& tables, int pid, const CpuSet& mask, int flags, char*** next_environ,
            drom_error* error) noexcept {
    drom_dlb_client client{};
    int status = drom_dlb_enrol(tables.view(), pid, &client, error);
    if (status != DROM_OK) return status == DROM_E_BUSY ? DLB_ERR_INIT : dlb_error(status);
    const Order order{(flags & DLB_STEAL_CPUS) != 0, (flags & DLB_RETURN_STOLEN) != 0, (flags & DLB_SYNC_QUERY) != 0,
                      false};
    if (!mask.none()) status = ask(tables, pid, mask, order, error);
    char slot[32];
    snprintf(slot, sizeof slot, "%u:%u", client.slot, client.generation);
    const char* args = order.lend ? "--drom=1 --debug-opts=return-stolen" : "--drom=1";
    const char* path = drom_table_path(tables.table());
    char cpus[kLongestCpus];
    const bool keyed = process.ready.load() || read_options(nullptr, false).key[0] != '\0';
    const ReservationVariables values{pid,
                                      args,
                                      static_cast<int>(mask.count()),
                                      next_environ != nullptr || keyed ? path : nullptr,
                                      next_environ != nullptr ? slot : nullptr,
                                      to_text(mask, cpus, sizeof cpus)};
    if (status >= 0 && !write_variables(values, next_environ)) {
        drom_dlb_lend(tables.view(), pid, nullptr, 0);  // no process loses CPUs that this process does not get
        write_why(error, "drom: dlb: preinit: out of memory");
        status = DROM_E_OS;
    }
    if (status < 0) drom_release(tables.table(), pid, nullptr, nullptr);
    return dlb_error(status);
}

int reserve_for_self(const Options& options, const CpuSet& mask, char*** next_environ, drom_error* error) noexcept {
    char room[256];
    const char* where = nullptr;
    Tables tables;
    if (!table_of(options, room, sizeof room, where)) {
        write_why(error, "drom: dlb: preinit: --shm-key is too long; choose at most 64 characters");
        return DLB_ERR_NOCOMP;
    }
    if (const int status = tables.open(where, true, error); status != DROM_OK) return dlb_error(status);
    return reserve(tables, getpid(), mask, DLB_DROM_FLAGS_NONE, next_environ, error);
}

int give_up_reservation() noexcept {
    const Options options = read_options(nullptr, false);
    char room[256];
    const char* where = nullptr;
    Tables tables;
    process.preinitialised = false;
    if (!table_of(options, room, sizeof room, where) || tables.open(where, false, nullptr) != DROM_OK)
        return DLB_ERR_NOSHMEM;
    drom_release(tables.table(), getpid(), nullptr, nullptr);
    return DLB_SUCCESS;
}

}  // namespace drom::dlb
