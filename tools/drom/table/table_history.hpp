// SPDX-License-Identifier: BSD-3-Clause
// table_history.hpp - from the events of a table to the owner of each CPU over time. Pure.
#pragma once

#include <map>
#include <vector>

#include "drom/drom.h"
#include "table/snapshot.hpp"
#include "trace/trace.hpp"

namespace drom::command {

/// Times are those of the events: CLOCK_MONOTONIC, in nanoseconds.
class TableHistory {
public:
    /// Begins with the clients and their CPUs as they are at this time.
    TableHistory(uint64_t time_ns, const std::vector<ClientView>& clients);

    /// Adds an event. Returns false when events before it were lost: then set() has to be called.
    [[nodiscard]] bool apply(const drom_event& event);

    /// Sets the owners of all CPUs to those of a table that was read at this time. A request that is under way counts
    /// as posted then, and a CPU that is to be left as offered.
    void set(uint64_t time_ns, const std::vector<ClientView>& clients);

    /// Says what a client is called, which no event does.
    void describe(const drom_client_info& info);

    /// Returns the client that is in the slot now; std::nullopt: none, or another process.
    [[nodiscard]] std::optional<size_t> client_of(uint32_t slot, int32_t pid) const;

    void add(const trace::Sample& sample) { trace_.samples.push_back(sample); }

    /// Returns all of it, with what has not ended yet ended at this time.
    [[nodiscard]] trace::Trace until(uint64_t time_ns) const;

private:
    [[nodiscard]] std::optional<size_t> client_in(uint32_t slot) const;
    void act(const drom_event& event);
    void join(uint64_t time_ns, uint32_t slot, int32_t pid);
    void leave(uint64_t time_ns, uint32_t slot);
    size_t known(const drom_event& event);
    void give(uint64_t time_ns, uint32_t cpu, size_t client);
    void take(uint64_t time_ns, uint32_t cpu);
    void offer(uint64_t time_ns, uint32_t cpu);
    void post(uint64_t time_ns, size_t client, uint64_t seq, unsigned cpus);
    void replace_before(const trace::Request& newer, uint64_t time_ns);
    void add_pending(uint64_t time_ns, const ClientView& view);
    trace::Request* request_of(const drom_event& event);

    trace::Trace trace_;
    std::map<uint32_t, size_t> slots_;  ///< clients that are there
    std::map<uint32_t, size_t> owned_;  ///< by CPU, the tenure that goes on
    std::optional<uint64_t> next_index_;
};

}  // namespace drom::command
