// SPDX-License-Identifier: BSD-3-Clause
// drom.hpp - drom.h for C++20: handles that close themselves, CPU sets as values, expected results, chrono times.
//
//   auto table = drom::Table::open();
//   if (!table) return complain(table.error().text);
//   auto cpus = drom::CpuSet::parse("0-3,8");
//   auto done = table->set_mask(pid, *cpus, {.wait = drom::Wait::kResized, .timeout = 200ms});
//
// Header-only; link with the drom library. Every call is one call of drom.h. The cost, the errors and the rules for
// threads of that call hold here too. Nothing here throws except std::bad_alloc.
#pragma once

#ifdef DROM_INTERNAL
#error "drom.hpp is the public C++ interface; code inside libdrom uses its internal headers instead"
#endif

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drom/cpus.hpp"
#include "drom/drom.h"

#ifdef DROM_HPP_IS_USABLE

namespace drom {
inline namespace skin {

// ---- requests -----------------------------------------------------------------------------------------------------

/// The event that a request waits for.
enum class Wait { kNothing, kReleased, kResized };

/// The options of a request. Times of std::nullopt are DROM_TIMEOUT_MS and DROM_GRACE_MS.
struct Request {
    Wait wait = Wait::kReleased;
    std::optional<std::chrono::milliseconds> timeout = {};
    std::optional<std::chrono::milliseconds> grace = {}; ///< 0: threads are confined from outside at once
    bool never_confine = false;                          ///< threads are never moved from outside
    bool take = false;                                   ///< CPUs of other clients are taken
    bool give_back = false;                              ///< taken CPUs go back to their owners afterwards
    bool fast = false;                                   ///< the next owner may start before the owner has released
};

/// The name of a client and the CPUs that it can use.
struct Traits {
    std::string name = {}; ///< empty: the command name
    std::string job = {};
    unsigned min_cpus = 0; ///< 0: 1
    unsigned max_cpus = 0; ///< 0: no limit
    bool rigid = false;    ///< administrators may not take CPUs from it
    bool tree = false;     ///< reserve: all processes below the caller, a subreaper, are this client's
};

/// The result of a request that was accepted.
struct Outcome {
    int status = DROM_OK; ///< DROM_OK, DROM_PENDING or DROM_UNCHANGED
    std::string text;     ///< when pending: the missing acknowledgement
    [[nodiscard]] bool done() const { return status != DROM_PENDING; }
    [[nodiscard]] bool pending() const { return status == DROM_PENDING; }
    [[nodiscard]] bool unchanged() const { return status == DROM_UNCHANGED; }
};

namespace detail {

inline uint32_t milliseconds_of(std::chrono::milliseconds time) {
    return static_cast<uint32_t>(std::clamp<int64_t>(time.count(), 1, UINT32_MAX - 1));
}

inline drom_options options_of(const Request& request) {
    drom_options options{};
    options.size = sizeof options;
    if (request.wait != Wait::kNothing) options.flags |= DROM_WAIT_RELEASED;
    if (request.wait == Wait::kResized) options.flags |= DROM_WAIT_RESIZED;
    if (request.never_confine) options.flags |= DROM_NEVER_CONFINE;
    if (request.take) options.flags |= DROM_TAKE;
    if (request.give_back) options.flags |= DROM_RETURN;
    if (request.fast) options.flags |= DROM_FAST;
    if (request.timeout) options.timeout_ms = milliseconds_of(*request.timeout);
    if (request.grace)
        options.grace_ms = request.grace->count() == 0 ? DROM_GRACE_AT_ONCE : milliseconds_of(*request.grace);
    return options;
}

/// Returns options that refer to `traits`, which must outlive them.
inline drom_options options_of(const Request& request, const Traits& traits) {
    drom_options options = options_of(request);
    if (traits.rigid) options.flags |= DROM_RIGID;
    if (traits.tree) options.flags |= DROM_TREE;
    options.name = traits.name.empty() ? nullptr : traits.name.c_str();
    options.job = traits.job.empty() ? nullptr : traits.job.c_str();
    options.min_cpus = traits.min_cpus;
    options.max_cpus = traits.max_cpus;
    return options;
}

inline Expected<Outcome> outcome_of(int status, const drom_error& error) {
    if (status < 0) return failure(status, error.text);
    return Outcome{status, error.text};
}

} // namespace detail

// ---- administrators -----------------------------------------------------------------------------------------------

struct ClientMasks {
    CpuSet owned;  ///< the client's until it releases them
    CpuSet wanted; ///< the client's once everything posted is done
};

/// One of several masks that are given together.
struct Assignment {
    pid_t pid = 0;
    CpuSet cpus;
};

struct TableMasks {
    CpuSet present;
    CpuSet free;
    CpuSet drained;
};

/// The way to open a table.
struct OpenMode {
    bool create = false;
    bool read_only = false;
    unsigned cpus = 0;    ///< create: CPUs of a synthetic node; 0: this machine's
    unsigned clients = 0; ///< create: slots; 0: 1024
};

/// An open table. One thread at a time; tables are independent of one another.
class Table {
public:
    /// Opens the table in directory `where`; empty: DROM_TABLE, else the user's own. Creates one only with `create`.
    static Expected<Table> open(const std::string& where = {}, const OpenMode& mode = {}) {
        drom_options options{};
        options.size = sizeof options;
        options.flags = (mode.create ? DROM_CREATE : 0) | (mode.read_only ? DROM_READONLY : 0);
        options.cpus = mode.cpus;
        options.clients = mode.clients;
        drom_error error{};
        drom_table *table = nullptr;
        const int status = drom_open(&table, where.empty() ? nullptr : where.c_str(), &options, &error);
        if (status < 0) return failure(status, error.text);
        return Table(table);
    }

    [[nodiscard]] std::string path() const { return drom_table_path(table_.get()); }
    [[nodiscard]] unsigned cpus() const { return drom_table_cpus(table_.get()); }
    [[nodiscard]] unsigned slots() const { return drom_table_clients(table_.get()); }

    /// Returns the clients, by slot; a snapshot.
    [[nodiscard]] Expected<std::vector<drom_client_info>> clients() const {
        std::vector<drom_client_info> found(slots());
        if (!found.empty()) found.front().size = sizeof(drom_client_info);
        size_t count = found.size();
        drom_error error{};
        const int status = drom_clients(table_.get(), found.data(), &count, &error);
        if (status < 0) return failure(status, error.text);
        found.resize(count);
        return found;
    }

    [[nodiscard]] Expected<ClientMasks> masks_of(pid_t pid) const {
        ClientMasks masks;
        drom_error error{};
        const int status =
            drom_get_mask(table_.get(), pid, masks.owned.words(), masks.wanted.words(), CpuSet::kWords, &error);
        if (status < 0) return failure(status, error.text);
        return masks;
    }

    [[nodiscard]] Expected<TableMasks> masks() const {
        TableMasks masks;
        drom_error error{};
        const int status = drom_table_masks(table_.get(), masks.present.words(), masks.free.words(),
                                            masks.drained.words(), CpuSet::kWords, &error);
        if (status < 0) return failure(status, error.text);
        return masks;
    }

    /// Returns the location of each CPU, by its number.
    [[nodiscard]] Expected<std::vector<drom_location>> locations() const {
        std::vector<drom_location> found(cpus());
        size_t count = found.size();
        drom_error error{};
        const int status = drom_table_locations(table_.get(), found.data(), &count, &error);
        if (status < 0) return failure(status, error.text);
        return found;
    }

    Expected<Outcome> set_mask(pid_t pid, const CpuSet& cpus, const Request& request = {}) {
        return move(pid, cpus, request, 0);
    }
    /// Gives each client exactly its mask: all of them or, with an error, none (drom_set_masks).
    Expected<Outcome> set_masks(const std::vector<Assignment>& masks, const Request& request = {}) {
        std::vector<drom_client_mask> wanted;
        wanted.reserve(masks.size());
        for (const Assignment& mask : masks) wanted.push_back({mask.pid, 0, mask.cpus.words(), CpuSet::kWords});
        const drom_options options = detail::options_of(request);
        drom_error error{};
        const int status = drom_set_masks(table_.get(), wanted.data(), wanted.size(), &options, &error);
        return detail::outcome_of(status, error);
    }
    /// Adds and removes these CPUs. The client's other CPUs stay, also when another administrator moves some of them
    /// now.
    Expected<Outcome> add(pid_t pid, const CpuSet& cpus, const Request& request = {}) {
        return move(pid, cpus, request, DROM_ADD);
    }
    Expected<Outcome> remove(pid_t pid, const CpuSet& cpus, const Request& request = {}) {
        return move(pid, cpus, request, DROM_REMOVE);
    }
    Expected<Outcome> shrink(pid_t pid, unsigned to, const Request& request = {}) {
        const drom_options options = detail::options_of(request);
        drom_error error{};
        return detail::outcome_of(drom_shrink(table_.get(), pid, to, &options, &error), error);
    }
    Expected<Outcome> expand(pid_t pid, unsigned to, const Request& request = {}) {
        const drom_options options = detail::options_of(request);
        drom_error error{};
        return detail::outcome_of(drom_expand(table_.get(), pid, to, &options, &error), error);
    }
    Expected<Outcome> drain(const CpuSet& cpus, const Request& request = {}) {
        const drom_options options = detail::options_of(request);
        drom_error error{};
        const int status = drom_drain(table_.get(), cpus.words(), CpuSet::kWords, &options, &error);
        return detail::outcome_of(status, error);
    }
    Expected<Outcome> restore(const CpuSet& cpus, const Request& request = {}) {
        const drom_options options = detail::options_of(request);
        drom_error error{};
        const int status = drom_restore(table_.get(), cpus.words(), CpuSet::kWords, &options, &error);
        return detail::outcome_of(status, error);
    }

    /// A reservation: its outcome, and the NAME=value texts that the process must find in its environment.
    struct Reservation {
        Outcome outcome;
        std::vector<std::string> environment;
    };
    Expected<Reservation> reserve(pid_t pid, const CpuSet& cpus, const Request& request, const Traits& traits) {
        const drom_options options = detail::options_of(request, traits);
        auto **environment = static_cast<char **>(std::calloc(1, sizeof(char *)));
        if (environment == nullptr) return failure(DROM_E_OS, "drom: reserve: out of memory");
        drom_error error{};
        const int status =
            drom_reserve(table_.get(), pid, cpus.words(), CpuSet::kWords, &options, &environment, &error);
        Reservation result{{status, error.text}, {}};
        for (char **entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
            result.environment.emplace_back(*entry);
            std::free(*entry);
        }
        std::free(environment);
        if (status < 0) return failure(status, error.text);
        return result;
    }
    Expected<Outcome> release(pid_t pid, const Request& request = {.wait = Wait::kNothing}) {
        const drom_options options = detail::options_of(request);
        drom_error error{};
        return detail::outcome_of(drom_release(table_.get(), pid, &options, &error), error);
    }

    /// Waits until request `seq` (0: the newest) is released or, with Wait::kResized, resized or known to stay
    /// confined.
    Expected<Outcome> wait(pid_t pid, uint64_t seq, const Request& request = {}) {
        drom_options options = detail::options_of(request);
        options.flags &= DROM_WAIT_RELEASED | DROM_WAIT_RESIZED | DROM_NEVER_CONFINE;
        drom_error error{};
        return detail::outcome_of(drom_wait_for(table_.get(), pid, seq, &options, &error), error);
    }

    /// Returns the processes that are moved with the client.
    Expected<std::vector<pid_t>> descendants(pid_t pid) const {
        std::vector<pid_t> found(64);
        for (;;) {
            size_t count = found.size();
            drom_error error{};
            const int status = drom_descendants(table_.get(), pid, found.data(), &count, &error);
            found.resize(count);
            if (status == DROM_OK) return found;
            if (status != DROM_E_FULL) return failure(status, error.text);
        }
    }

    /// Returns the regions of a client, in no order.
    Expected<std::vector<drom_region_info>> regions(pid_t pid) const {
        std::vector<drom_region_info> found(64);
        for (;;) {
            found.front().size = sizeof(drom_region_info);
            size_t count = found.size();
            drom_error error{};
            const int status = drom_regions(table_.get(), pid, found.data(), &count, &error);
            if (status < 0 && status != DROM_E_FULL) return failure(status, error.text);
            found.resize(count);
            if (status == DROM_OK) return found;
        }
    }

    /// Verifies the table and completes unfinished changes; unchanged() when there was nothing to do.
    Expected<Outcome> check() {
        drom_error error{};
        return detail::outcome_of(drom_check(table_.get(), nullptr, &error), error);
    }

    /// Returns events from `next` on (UINT64_MAX: only new ones), waiting up to `timeout` for the first. Empty: none
    /// came.
    Expected<std::vector<drom_event>> events(uint64_t& next, std::chrono::milliseconds timeout) const {
        std::vector<drom_event> found(256);
        size_t count = found.size();
        drom_error error{};
        const uint32_t wait = timeout.count() <= 0 ? 0 : detail::milliseconds_of(timeout);
        const int status = drom_events(table_.get(), &next, found.data(), &count, wait, &error);
        if (status < 0) return failure(status, error.text);
        found.resize(status == DROM_UNCHANGED ? 0 : count);
        return found;
    }

private:
    struct Close {
        void operator()(drom_table *table) const { drom_close(table); }
    };
    explicit Table(drom_table *table) : table_(table) {}
    Expected<Outcome> move(pid_t pid, const CpuSet& cpus, const Request& request, uint64_t flag) {
        drom_options options = detail::options_of(request);
        options.flags |= flag;
        drom_error error{};
        const int status = drom_set_mask(table_.get(), pid, cpus.words(), CpuSet::kWords, &options, &error);
        return detail::outcome_of(status, error);
    }
    std::unique_ptr<drom_table, Close> table_;
};

// ---- clients ------------------------------------------------------------------------------------------------------

/// This process as a client, from join() to the end of the object. A process has at most one.
class Client {
public:
    /// Joins. `cpus`: the CPUs to claim; std::nullopt: the process's affinity. `async`: adopt in the agent's own thread
    /// too.
    static Expected<Client> join(const std::optional<CpuSet>& cpus = {}, const Traits& traits = {},
                                 bool async = false) {
        drom_options options = detail::options_of(Request{.wait = Wait::kNothing}, traits);
        if (async) options.flags |= DROM_ASYNC;
        drom_error error{};
        const int status = drom_init(cpus ? cpus->words() : nullptr, cpus ? CpuSet::kWords : 0, &options, &error);
        if (status < 0) return failure(status, error.text);
        return Client();
    }

    Client(Client&& other) noexcept
        : joined_(std::exchange(other.joined_, false)), functions_(std::move(other.functions_)) {}
    Client& operator=(Client&& other) noexcept {
        if (this != &other) {
            leave();
            joined_ = std::exchange(other.joined_, false);
            functions_ = std::move(other.functions_);
        }
        return *this;
    }
    ~Client() { leave(); }

    /// Returns a new mask, if there is one. Every thread is inside it already; the caller adapts its number of threads.
    Expected<std::optional<CpuSet>> poll() {
        CpuSet cpus;
        drom_error error{};
        const int status = drom_poll(cpus.words(), CpuSet::kWords, &error);
        if (status < 0) return failure(status, error.text);
        return status == DROM_UNCHANGED ? std::nullopt : std::optional<CpuSet>(cpus);
    }
    /// Polls, and gives the OpenMP team as many threads as CPUs. Call it outside parallel regions.
    Expected<Outcome> poll_apply() {
        drom_error error{};
        return detail::outcome_of(drom_poll_apply(&error), error);
    }

    /// Registers a function that is called with each new mask after its release; with `async` also by the agent's own
    /// thread. An empty function removes it.
    Expected<Outcome> on_change(std::function<void(const CpuSet&)> function, bool async = false) {
        drom_options options{};
        options.size = sizeof options;
        options.flags = async ? DROM_ASYNC : 0;
        drom_error error{};
        auto owned = std::make_unique<std::function<void(const CpuSet&)>>(std::move(function));
        const bool removes = !*owned;
        const int status = drom_on_change(removes ? nullptr : &call, owned.get(), &options, &error);
        if (status >= 0) functions_.push_back(std::move(owned));
        return detail::outcome_of(status, error);
    }

    /// Sets the fewest and most CPUs that this process can use; 0 leaves a limit as it is.
    Expected<Outcome> limits(unsigned min_cpus, unsigned max_cpus) {
        drom_error error{};
        return detail::outcome_of(drom_limits(min_cpus, max_cpus, &error), error);
    }

    /// Postpones adoption while it lives.
    class Pause {
    public:
        Pause() { drom_disable(); }
        ~Pause() { drom_enable(); }
        Pause(const Pause&) = delete;
        Pause& operator=(const Pause&) = delete;
    };

private:
    Client() = default;

    static void call(const uint64_t *words, size_t nwords, void *arg) {
        (*static_cast<std::function<void(const CpuSet&)> *>(arg))(CpuSet::from_words(words, nwords));
    }
    void leave() noexcept {
        if (!std::exchange(joined_, false)) return;
        drom_on_change(nullptr, nullptr, nullptr, nullptr);
        drom_finalize(nullptr);
    }

    bool joined_ = true;
    // On the heap, because drom_on_change keeps the address while the Client may move. Kept until the end, because the
    // agent's thread may be inside a function that has just been replaced.
    std::vector<std::unique_ptr<std::function<void(const CpuSet&)>>> functions_;
};

// ---- regions ------------------------------------------------------------------------------------------------------

/// A region of this process, open while the object lives. A name that drom_region_begin refuses measures nothing.
class Region {
public:
    /// Begins the region. The text has to live as long as the object.
    explicit Region(const char *name) : name_(drom_region_begin(name) == DROM_OK ? name : nullptr) {}
    ~Region() {
        if (name_ != nullptr) drom_region_end(name_);
    }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;

    /// Returns the figures of a region of this process.
    static Expected<drom_region_info> figures(const std::string& name) {
        drom_region_info info{};
        info.size = sizeof info;
        drom_error error{};
        const int status = drom_region_get(name.c_str(), &info, &error);
        if (status < 0) return failure(status, error.text);
        return info;
    }

private:
    const char *name_;
};

} // namespace skin
} // namespace drom

#endif
