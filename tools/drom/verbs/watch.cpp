// SPDX-License-Identifier: BSD-3-Clause
// watch.cpp - drom watch: follow what happens in a table, one line per event.
#include <fmt/format.h>

#include <unistd.h>

#include <chrono>
#include <map>

#include "command_line/clients.hpp"
#include "output/format.hpp"
#include "output/json.hpp"
#include "output/messages.hpp"
#include "text/visible.hpp"
#include "verbs/verb_functions.hpp"
#include "verbs/whole_texts.hpp"

namespace drom::command {

namespace {

using Clock = std::chrono::steady_clock;

/// How often a watcher without events looks whether its table is still there.
constexpr auto kHeartbeat = std::chrono::milliseconds(1000);

/// The client that a slot had at the last event of it.
struct Named {
    int32_t pid = 0;
    std::string name;
};

class Watcher {
public:
    Watcher(const CommandOptions& options, const Table& table) : options_(options), table_(table) {}

    int follow() {
        uint64_t next = options_.watch.all ? 0 : UINT64_MAX;
        const auto end = options_.watch.duration ? Clock::now() + *options_.watch.duration : Clock::time_point::max();
        if (!options_.client.empty())
            if (const int status = select_client(); status != kDone) return status;
        while (!finished_ && Clock::now() < end) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(std::min<Clock::duration>(end - Clock::now(), kHeartbeat));
            const auto events = table_.events(next, left);
            if (!events) return refused(options_, events.error());
            for (const auto& event : *events) {
                if (!show(event)) return kDone;
                if (finished_) break;
            }
        }
        return kDone;
    }

private:
    int select_client() {
        const auto clients = table_.clients();
        if (!clients) return refused(options_, clients.error());
        const auto pid = resolve_client(options_.client, *clients);
        if (!pid) return refused(options_, sentence(options_, pid.error().status, pid.error().text));
        for (const auto& info : *clients)
            if (info.pid == *pid) only_slot_ = info.slot;
        if (only_slot_) return kDone;
        return refused(options_, sentence(options_, DROM_E_NOPROC,
                                          fmt::format("process {} is not a client of {}", *pid, table_.path())));
    }

    /// Shows the event. Returns false when no reader is left.
    bool show(const drom_event& event) {
        tell_loss(event);
        if (only_slot_ && event.slot != *only_slot_) return true;
        const std::string name = name_of(event);
        ++shown_;
        finished_ = options_.watch.count != 0 && shown_ >= options_.watch.count;
        return print_whole(options_.json ? event_json(event, name) : line(event, name));
    }

    void tell_loss(const drom_event& event) {
        if (expected_ && event.index > *expected_)
            warn(options_, fmt::format("{} lost: they came faster than they were read",
                                       counted(event.index - *expected_, "event")));
        expected_ = event.index + 1;
    }

    /// Returns the client's name, empty where it is not known. Names are asked for when a client joins, because at its
    /// last event it is gone, and the slot may be another client's.
    std::string name_of(const drom_event& event) {
        if (event.slot >= table_.slots()) return {};
        auto& known = names_[event.slot];
        if (event.type == DROM_EVENT_JOIN || known.pid != event.pid) known = ask_name(event);
        return known.name;
    }
    Named ask_name(const drom_event& event) const {
        const auto clients = table_.clients();
        if (!clients) return {.pid = event.pid, .name = {}};
        for (const auto& info : *clients)
            if (info.slot == event.slot && info.pid == event.pid) return {.pid = event.pid, .name = info.name};
        return {.pid = event.pid, .name = {}};
    }

    std::string line(const drom_event& event, const std::string& name) {
        if (start_ns_ == 0) start_ns_ = event.time_ns;
        std::string text = fmt::format("{:12.6f}  {:<8}  ", static_cast<double>(event.time_ns - start_ns_) / 1e9,
                                       event_word(event.type));
        if (event.slot < table_.slots()) text += fmt::format("#{} {}", event.slot, name.empty() ? "-" : visible(name));
        if (event.pid != 0) text += fmt::format(" ({})", event.pid);
        if (event.cpu != UINT32_MAX) text += fmt::format("  cpu {}", event.cpu);
        if (event.seq != 0) text += fmt::format("  seq {}", event.seq);
        if (event.type == DROM_EVENT_POST) text += "  " + counted(event.value, "CPU");
        if (event.type == DROM_EVENT_RESIZED || event.type == DROM_EVENT_KEPT)
            text += "  " + counted(event.value, "thread");
        return text + '\n';
    }

    const CommandOptions& options_;
    const Table& table_;
    std::map<uint32_t, Named> names_;
    std::optional<uint32_t> only_slot_;
    std::optional<uint64_t> expected_;
    uint64_t shown_ = 0;
    uint64_t start_ns_ = 0;
    bool finished_ = false;
};

}  // namespace

int verb_watch(const CommandOptions& options) {
    end_cleanly_at_signals();
    // A watcher that may write to the table is woken at each event; an observer has to look again by itself.
    auto table = Table::open(options.table);
    if (!table && table.error().status == DROM_E_PERM) table = Table::open(options.table, {.read_only = true});
    if (!table) return refused(options, table.error());
    return Watcher(options, *table).follow();
}

}  // namespace drom::command
