// SPDX-License-Identifier: BSD-3-Clause
// drom.cpp - dlb_drom.h: the calls of an administrator.
#include <unistd.h>
#include <cstdlib>
#include <cstring>
#include <new>

#include "process.hpp"
#include "reservation.hpp"
#include "say.hpp"
#include "tables.hpp"

namespace drom::dlb {

namespace {

/// The tables that DLB_DROM_Attach has opened. A forked child is attached as its parent was, and opens the table
/// itself.
struct Attached {
    Tables* tables;
    int times;
    pid_t opener;
    char path[256];
};
constinit Attached attached{};

void close_attached() noexcept {
    if (attached.tables == nullptr) return;
    attached.tables->~Tables();
    free(attached.tables);
    attached.tables = nullptr;
}

int open_attached(bool create, drom_error* error) noexcept {
    if (attached.tables != nullptr && attached.opener == getpid()) return DROM_OK;
    close_attached();
    void* memory = calloc(1, sizeof(Tables));
    if (memory == nullptr) return DROM_E_OS;
    attached.tables = new (memory) Tables;
    attached.opener = getpid();
    const int status = attached.tables->open(attached.path[0] != '\0' ? attached.path : nullptr, create, error);
    if (status != DROM_OK) close_attached();
    return status;
}

/// Writes the path that the options name; "": the user's own table. Returns false when it is too long.
bool path_of_options(char* path, size_t size) noexcept {
    const char* where = nullptr;
    path[0] = '\0';
    return table_of(read_options(nullptr, false), path, size, where);
}

/// The table for one call: the attached one, else this process's own for the duration of the call.
class Access {
public:
    enum For : uint8_t { kAnyProcess, kSelf };

    /// Opens the table. `looks`: only for calls that read. A process that takes part needs no other table for those.
    explicit Access(For whom, bool looks = false) noexcept {
        const bool own = takes_part(lock_);
        if (attached.times > 0 && open_attached(false, nullptr) == DROM_OK) {
            const bool same = !own || strcmp(drom_table_path(attached.tables->table()), drom_dlb_where()) == 0;
            if (same || whom == kAnyProcess) tables_ = attached.tables;
        }
        own_ = own && tables_ == nullptr && looks;
        char path[256];
        if (tables_ != nullptr || own_ || (!own && !path_of_options(path, sizeof path))) return;
        const char* where = own ? drom_dlb_where() : path;
        if (temporary_.open(*where != '\0' ? where : nullptr, false, nullptr) == DROM_OK) tables_ = &temporary_;
    }

    [[nodiscard]] bool has_table() const noexcept { return tables_ != nullptr || own_; }
    /// Returns NULL for the table that this process takes part in.
    [[nodiscard]] const drom_dlb_view* view() const noexcept { return tables_ != nullptr ? tables_->view() : nullptr; }
    [[nodiscard]] const Tables& operator*() const noexcept { return *tables_; }
    [[nodiscard]] const Tables* operator->() const noexcept { return tables_; }

private:
    Lock lock_;
    Tables temporary_;
    Tables* tables_ = nullptr;
    bool own_ = false;
};

/// Returns whether DLB would have its shared memory. Called inside an Access.
bool has_memory() noexcept { return attached.times > 0 || process.ready.load(); }

bool is_self(int pid) noexcept {
    const int own = process.pid.load(std::memory_order_relaxed);
    return pid == 0 || pid == (own != 0 ? own : getpid());
}

void explain(const drom_error& error) noexcept {
    const char* verbose = secure_getenv("DROM_VERBOSE");
    if (verbose != nullptr && atoi(verbose) > 0 && error.text[0] != '\0') say("%s", error.text);
}

/// Returns whether the process still has time to answer: a request that has waited for twice the time limit is
/// replaced.
bool is_dirty(const drom_dlb_client& client) noexcept {
    return client.joined != 0 && client.pending != 0 && client.pending_ms < uint64_t{2} * time_limit_ms();
}

int get_own_mask(CpuSet& mask) noexcept {
    if (!is_initialised()) return DLB_ERR_NOPROC;
    const bool news = newest_request() > process.seen.load(std::memory_order_relaxed);
    if (news && adopt(mask) == DLB_SUCCESS) {
        drom_dlb_followed(process.seen.load(), 0);
        return DLB_NOTED;
    }
    return dlb_error(drom_dlb_wanted(nullptr, process.pid.load(), mask.words, kMaskWords));
}

/// Reads a mask without a wait: needs only the table, which may be this process's own.
int look_at_mask(int pid, CpuSet& mask) noexcept {
    const Access access(Access::kAnyProcess, true);
    if (!access.has_table()) return DLB_ERR_NOPROC;
    return dlb_error(drom_dlb_wanted(access.view(), pid, mask.words, kMaskWords));
}

int get_mask(int pid, CpuSet& mask, int flags) noexcept {
    if ((flags & DLB_SYNC_QUERY) == 0) return look_at_mask(pid, mask);
    const Access access(Access::kAnyProcess);
    if (!access.has_table()) return DLB_ERR_NOPROC;
    drom_dlb_client client{};
    const bool waits =
        drom_dlb_look(access->view(), pid, &client) == DROM_OK && client.joined != 0 && client.pending != 0;
    if (waits)
        if (const int status = await(*access, pid, time_limit_ms(), nullptr); status < 0) return dlb_error(status);
    return dlb_error(access->wanted(pid, mask));
}

Order order_of(int flags) noexcept {
    const bool waits = (flags & DLB_SYNC_QUERY) != 0;
    return {true, (flags & DLB_RETURN_STOLEN) != 0, waits, waits};
}

/// Asks for CPUs for this process, and adopts the request at once unless the next poll does that.
int set_own_mask(const CpuSet& mask, int flags, CpuSet& news) noexcept {
    const Access access(Access::kSelf);
    if (!process.ready.load() || !access.has_table()) return DLB_ERR_NOPROC;
    if (drom_dlb_pending(process.seen.load()) == DROM_OK) return DLB_ERR_PDIRTY;
    drom_error error{};
    Order order = order_of(flags);
    order.answers = false;
    const int status = ask(*access, getpid(), mask, order, &error);
    if (status < 0) explain(error);
    if (status < 0 || (flags & DLB_NO_SYNC) != 0) return dlb_error(status);
    const int adopted = adopt(news);
    if (adopted == DLB_SUCCESS || adopted == DLB_NOUPDT) news = mask;
    return adopted == DLB_NOUPDT ? int{DLB_SUCCESS} : adopted;
}

int set_mask(int pid, const CpuSet& mask, int flags) noexcept {
    const Access access(Access::kAnyProcess);
    if (!access.has_table()) return DLB_ERR_NOPROC;
    drom_dlb_client client{};
    if (drom_dlb_look(access->view(), pid, &client) != DROM_OK) return DLB_ERR_NOPROC;
    if (is_dirty(client)) {
        CpuSet present{};  // a process that has ended answers no more
        const int status = access->wanted(pid, present);
        return status == DROM_OK ? int{DLB_ERR_PDIRTY} : dlb_error(status);
    }
    drom_error error{};
    Order order = order_of(flags);
    order.answers = order.waits && client.joined != 0;
    const int status = ask(*access, pid, mask, order, &error);
    if (status < 0) explain(error);
    return dlb_error(status);
}

int set_any_mask(int pid, const CpuSet& mask, int flags) {
    if ((flags & DLB_FREE_CPUS_SLURM) != 0) return DLB_ERR_NOCOMP;
    if (!is_self(pid) || (!is_initialised() && pid != 0)) return set_mask(pid, mask, flags);
    CpuSet news{};
    const int status = set_own_mask(mask, flags, news);
    // Without the lock: the callbacks are the program's, and may call this library.
    if (status == DLB_SUCCESS && (flags & DLB_NO_SYNC) == 0) follow(news);
    return status;
}

int recover(const Tables& tables, int pid, drom_error* error) noexcept {
    drom_check(tables.table(), nullptr, nullptr);  // takes the CPUs back from processes that have died
    CpuSet present{};
    CpuSet taken{};
    CpuSet idle{};
    if (const int status = tables.wanted(pid, present); status != DROM_OK) return dlb_error(status);
    drom_dlb_taken(tables.view(), pid, taken.words, idle.words, kMaskWords);
    if (taken.none()) return DLB_NOUPDT;
    if (idle.none()) return DLB_SUCCESS;
    drom_options options{};
    options.size = sizeof options;
    options.flags = DROM_ADD | DROM_NEVER_CONFINE;
    const int status = drom_set_mask(tables.table(), pid, idle.words, kMaskWords, &options, error);
    if (status >= 0) drom_dlb_forget(tables.view(), pid);
    return dlb_error(status);
}

int finalize_for(const Tables& tables, int pid, int flags, drom_error* error) noexcept {
    drom_dlb_client client{};
    if (drom_dlb_look(tables.view(), pid, &client) != DROM_OK) return DLB_ERR_NOPROC;
    if ((flags & DLB_RETURN_STOLEN) != 0) drom_dlb_lend(tables.view(), pid, nullptr, 0);
    const int status = drom_release(tables.table(), pid, nullptr, error);
    // It was there a moment ago: it has been reaped, and nothing else was asked for.
    return status == DROM_E_NOPROC ? int{DLB_SUCCESS} : dlb_error(status);
}

}  // namespace

}  // namespace drom::dlb

using drom::CpuSet;
using drom::dlb::Access;
using drom::dlb::attached;
using drom::dlb::Lock;
namespace dlb = drom::dlb;

extern "C" {

int DLB_DROM_Attach(void) {
    const Lock lock;
    if (attached.times++ > 0) return DLB_SUCCESS;
    drom_error error{};
    const bool own = dlb::takes_part(lock);
    if (own)
        strncpy(attached.path, drom_dlb_where(), sizeof attached.path - 1);
    else if (!dlb::path_of_options(attached.path, sizeof attached.path))
        attached.times = 0;
    const int status = attached.times > 0 ? dlb::open_attached(true, &error) : int{DROM_E_NOTABLE};
    if (status == DROM_OK) return DLB_SUCCESS;
    attached.times = 0;
    if (error.text[0] != '\0' && !dlb::read_options(nullptr, false).silent) dlb::say("%s", error.text);
    return dlb::dlb_error(status);
}

int DLB_DROM_Detach(void) {
    const Lock lock;
    if (attached.times == 0) return DLB_ERR_NOSHMEM;
    if (--attached.times == 0) dlb::close_attached();
    return DLB_SUCCESS;
}

int DLB_DROM_GetNumCpus(int* ncpus) {
    if (ncpus == nullptr) return DLB_ERR_UNKNOWN;
    const Access access(Access::kAnyProcess, true);
    *ncpus = static_cast<int>(access.has_table() ? long{drom_dlb_cpus(access.view())} : sysconf(_SC_NPROCESSORS_CONF));
    return DLB_SUCCESS;
}

int DLB_DROM_GetPidList(int* pidlist, int* nelems, int max_len) {
    if (nelems == nullptr || (pidlist == nullptr && max_len > 0)) return DLB_ERR_UNKNOWN;
    *nelems = 0;
    const Access access(Access::kAnyProcess, true);
    if (!dlb::has_memory() || !access.has_table()) return DLB_ERR_NOSHMEM;
    size_t count = max_len > 0 ? static_cast<size_t>(max_len) : 0;
    const int status = drom_dlb_pids(access.view(), pidlist, &count);
    *nelems = static_cast<int>(count);
    return dlb::dlb_error(status);
}

int DLB_DROM_GetProcessMask(int pid, dlb_cpu_set_t mask, dlb_drom_flags_t flags) {
    CpuSet found{};
    if (mask == nullptr) return DLB_ERR_UNKNOWN;
    const bool self = dlb::is_self(pid) && (dlb::is_initialised() || pid == 0);
    const int status = self ? dlb::get_own_mask(found) : dlb::get_mask(pid, found, flags);
    if (status >= 0) dlb::to_mask(found, mask);
    return status;
}

int DLB_DROM_SetProcessMask(int pid, const_dlb_cpu_set_t mask, dlb_drom_flags_t flags) {
    return mask == nullptr ? int{DLB_ERR_UNKNOWN} : dlb::set_any_mask(pid, dlb::from_mask(mask), flags);
}

int DLB_DROM_SetProcessMaskStr(int pid, const char* mask, dlb_drom_flags_t flags) {
    CpuSet parsed{};
    return dlb::parse_mask(mask, parsed) ? dlb::set_any_mask(pid, parsed, flags) : int{DLB_ERR_PERM};
}

int DLB_DROM_PreInit(int pid, const_dlb_cpu_set_t mask, dlb_drom_flags_t flags, char*** next_environ) {
    if ((flags & DLB_FREE_CPUS_SLURM) != 0) return DLB_ERR_NOCOMP;
    if (mask == nullptr) return DLB_ERR_UNKNOWN;
    const Access access(Access::kAnyProcess);
    if (!dlb::has_memory() || !access.has_table()) return DLB_ERR_NOSHMEM;
    drom_error error{};
    const int status = dlb::reserve(*access, pid, dlb::from_mask(mask), flags, next_environ, &error);
    if (status < 0) dlb::explain(error);
    return status;
}

int DLB_DROM_PostFinalize(int pid, dlb_drom_flags_t flags) {
    const Access access(Access::kAnyProcess);
    if (!dlb::has_memory() || !access.has_table()) return DLB_ERR_NOSHMEM;
    drom_error error{};
    const int status = dlb::finalize_for(*access, pid, flags, &error);
    if (status < 0) dlb::explain(error);
    return status;
}

int DLB_DROM_RecoverStolenCpus(int pid) {
    const Access access(Access::kAnyProcess);
    if (!dlb::has_memory() || !access.has_table()) return DLB_ERR_NOSHMEM;
    drom_error error{};
    const int status = dlb::recover(*access, dlb::is_self(pid) ? getpid() : pid, &error);
    if (status < 0) dlb::explain(error);
    return status;
}

}  // extern "C"
