// SPDX-License-Identifier: BSD-3-Clause
// table.hpp - an administrator's open table: the operations of drom.h, after their arguments have been checked.
//
// Every operation that changes something does the same steps:
//   1. take the administrator lock;
//   2. complete what a dead administrator left;
//   3. plan (pure);
//   4. carry the plan out word by word, and reconcile;
//   5. give the lock back;
//   6. wait, if asked to, without the lock.
#pragma once

#include <atomic>

#include "base/confine.hpp"
#include "base/identity.hpp"
#include "base/run_at_once.hpp"
#include "drom/drom.h"
#include "plan.hpp"
#include "shmem/descendants.hpp"
#include "shmem/enrolment.hpp"
#include "shmem/intent.hpp"
#include "shmem/mailbox.hpp"
#include "shmem/slots.hpp"

namespace drom {

/// drom_options with every default filled in.
struct Options {
    uint64_t flags = 0;
    uint32_t timeout_ms = 0;
    uint32_t grace_ms = 0;
    bool grace_chosen = false;  ///< by the caller or DROM_GRACE_MS
    const char* name = nullptr;
    const char* job = nullptr;
    uint32_t min_cpus = 0, max_cpus = 0, cpus = 0, clients = 0;

    [[nodiscard]] bool has(uint64_t flag) const noexcept { return (flags & flag) != 0; }
    [[nodiscard]] bool waits() const noexcept { return has(DROM_WAIT_RELEASED | DROM_WAIT_RESIZED); }
};

/// An administrator that is going to wait for releases; made before it posts the first request. If it gets a CPU at
/// once, it confines clients from outside at once, unless a grace period was asked for: that takes half the time of a
/// client's own release. The clients' agent threads would compete with it for the CPUs. So they are woken afterwards,
/// to acknowledge and to resize.
class Awaiting {
public:
    Awaiting(Pages& pages, const Options& options) noexcept : pages_(pages), first_(options.waits()) {
        const bool at_once = options.grace_ms == 0 || !options.grace_chosen;
        if (first_.granted() && at_once && !options.has(DROM_NEVER_CONFINE)) pages_.hold_wakes();
    }
    ~Awaiting() { pages_.wake_held(); }
    Awaiting(const Awaiting&) = delete;
    Awaiting& operator=(const Awaiting&) = delete;

private:
    Pages& pages_;
    RunAtOnce first_;
};

/// Returns DROM_OK, or DROM_E_INVAL for a wrong size or bits outside `allowed`.
int read_options(const drom_options* in, uint64_t allowed, const char* verb, Options& out, drom_error*) noexcept;

/// "drom: set 4242", for the beginning of sentences.
struct VerbText {
    char text[48];
    VerbText(const char* verb, uint32_t pid) noexcept;
};

/// An order of the caller about one client. Its CPUs are chosen on the words of which the plan is made, and again when
/// those have changed before the plan was carried out.
struct Order {
    enum Kind : uint8_t { kExactly, kBesides, kWithout, kShrink, kExpand } kind;
    const CpuSet& mask;  ///< kExactly, kBesides, kWithout; lives as long as the call
    uint32_t to;         ///< kShrink, kExpand
};

/// One of several orders that are granted together or not at all.
struct ClientMask {
    uint32_t pid;
    CpuSet mask;
};

class Table {
public:
    Table() noexcept = default;
    ~Table();
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    int open(const char* where, const Options&, drom_error*) noexcept;

    int clients(drom_client_info* out, size_t* n, drom_error*) noexcept;
    int get_mask(uint32_t pid, CpuSet* owned, CpuSet* wanted, drom_error*) noexcept;
    void masks(CpuSet& present, CpuSet& unowned, CpuSet& drained) noexcept;
    int set_mask(uint32_t pid, const CpuSet& mask, const Options&, drom_error*) noexcept;
    int set_masks(const ClientMask* wanted, size_t n, const Options&, drom_error*) noexcept;
    int give(uint32_t pid, const CpuSet& cpus, const Options&, drom_error*) noexcept;
    int take(uint32_t pid, const CpuSet& cpus, const Options&, drom_error*) noexcept;
    int shrink(uint32_t pid, uint32_t to, const Options&, drom_error*) noexcept;
    int expand(uint32_t pid, uint32_t to, const Options&, drom_error*) noexcept;
    int reserve(uint32_t pid, const CpuSet& mask, const Options&, char*** environment, drom_error*) noexcept;
    int release(uint32_t pid, const Options&, drom_error*) noexcept;
    int drain(const CpuSet& mask, const Options&, drom_error*) noexcept;
    int restore(const CpuSet& mask, const Options&, drom_error*) noexcept;
    int wait(uint32_t pid, uint64_t seq, const Options&, drom_error*) noexcept;
    int descendants(uint32_t pid, int32_t* out, size_t* n, drom_error*) noexcept;
    int check(const Options&, drom_error*) noexcept;
    int events(uint64_t* next, drom_event* out, size_t* n, uint32_t timeout_ms, drom_error*) noexcept;

    [[nodiscard]] const char* path() const noexcept { return path_; }
    [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }

private:
    struct Goal {
        uint32_t slot;
        uint32_t generation;
        uint64_t seq;  ///< this request must be released; 0: the newest
        bool resized;
    };

    int begin(bool inherited, drom_error*) noexcept;
    bool finish_intent() noexcept;
    int make_plan(const Intent&, const char* verb, Plan&, drom_error*) noexcept;
    void refresh_offline() noexcept;
    int writable(const char* verb, drom_error*) noexcept;
    int find(uint32_t pid, const char* verb, User& user, drom_error*) noexcept;
    bool apply(const Plan& plan) noexcept;
    int carry_out(Intent&, const Order*, const char* verb, SlotSet& touched, bool& changed, drom_error*) noexcept;
    int change_client(uint32_t pid, const Order&, const Options&, const char* verb, drom_error*) noexcept;
    int change_user(User user, const Order&, const Options&, const char* verb, drom_error*) noexcept;
    int choose(const Order&, bool again, Intent&, const char* verb, drom_error*) noexcept;
    int choose_kept(const Order&, bool again, Intent&, const char* verb, drom_error*) noexcept;
    int choose_fewer(const Order&, bool again, Intent&, const char* verb, drom_error*) noexcept;
    int refuse_more(Owner::Name who, const CpuSet& all, uint32_t has, uint32_t to, bool take, const char* verb,
                    drom_error*) noexcept;
    int choose_more(const Order&, bool again, Intent&, const char* verb, drom_error*) noexcept;
    int assign(const ClientMask* wanted, size_t n, Intent&, SlotSet& named, drom_error*) noexcept;
    int assign_one(const ClientMask& wanted, Intent&, SlotSet& named, drom_error*) noexcept;
    int finish_all(const SlotSet& slots, const Options&, const char* verb, drom_error*) noexcept;
    int check_limits(uint32_t slot, const CpuSet& mask, const char* verb, drom_error*) noexcept;
    int describe_process(uint32_t pid, Enrolment&, drom_error*) noexcept;
    int reserve_slot(uint32_t pid, const Options&, const char* verb, User& user, drom_error*) noexcept;
    void leave_to_itself(User user, uint32_t pid, const Options&) noexcept;
    int empty_cpus(const CpuSet& mask, const Options&, bool drained, drom_error*) noexcept;

    uint32_t blocker(const Goal& goal) noexcept;
    int finish(const Goal& goal, const Options&, const char* verb, drom_error*) noexcept;
    int await(const Goal& goal, const Options&, const char* verb, drom_error*) noexcept;
    int await_resized(const Goal& goal, uint64_t deadline, const char* verb, drom_error*) noexcept;
    bool is_kept(uint32_t slot, uint64_t seen) noexcept;
    bool has_joined(uint32_t slot) noexcept;
    bool is_own_child(uint32_t slot) noexcept;
    int still_pending(uint32_t slot, const Options&, const char* verb, drom_error*) noexcept;
    Request released_before(uint32_t slot, uint64_t seq) noexcept;
    Origin origin_before(uint32_t slot, uint64_t seq) noexcept;
    Confined move_threads(User user, ClientTree& tree, Request& posted) noexcept;
    bool confine_client(uint32_t slot) noexcept;
    bool confine_again(const User& user) noexcept;
    void move_agentless() noexcept;
    int release_slot(uint32_t pid, const Options&, drom_error*) noexcept;
    bool leave_to_descendant(User user, drom_error*) noexcept;
    bool is_over(uint32_t slot) const noexcept;
    void sleep_on(uint32_t slot, bool resized, uint64_t seq, uint64_t until) noexcept;
    void describe(uint32_t slot, drom_client_info& info) noexcept;
    bool is_limited(uint32_t slot, const Page* page) noexcept;

    char path_[256] = {};
    Ledger ledger_;
    Pages pages_;
    KnownProcess confined_;  ///< the client that was confined last
    Change* changes_ = nullptr;
    Owner::Name* targets_ = nullptr;     ///< one per CPU, for plans of several masks
    std::atomic<uint64_t> there_ns_{0};  ///< when the table was last seen to be in its directory
};

}  // namespace drom
