// SPDX-License-Identifier: BSD-3-Clause
// table_history.cpp - from the events of a table to the owner of each CPU over time.
#include "table/table_history.hpp"

#include <algorithm>

namespace drom::command {

namespace {

constexpr uint64_t kStillThere = 0;  ///< the end of what has not ended yet

void end_offer(trace::Tenure& tenure, uint64_t time_ns) {
    if (tenure.offers.empty() || tenure.offers.back().end_ns != kStillThere) return;
    tenure.offers.back().end_ns = std::max(time_ns, tenure.offers.back().begin_ns);
}

}  // namespace

TableHistory::TableHistory(uint64_t time_ns, const std::vector<ClientView>& clients) {
    trace_.begin_ns = time_ns;
    set(time_ns, clients);
}

bool TableHistory::apply(const drom_event& event) {
    const uint64_t lost = next_index_ ? event.index - *next_index_ : 0;
    next_index_ = event.index + 1;
    trace_.lost += lost;
    // The table was read after events that come before the begin.
    if (event.time_ns >= trace_.begin_ns) act(event);
    return lost == 0;
}

void TableHistory::set(uint64_t time_ns, const std::vector<ClientView>& clients) {
    const auto gone = [&](uint32_t slot) {
        return std::ranges::none_of(clients, [&](const ClientView& view) { return view.info.slot == slot; });
    };
    const std::map<uint32_t, size_t> before = slots_;
    for (const auto& [slot, client] : before)
        if (gone(slot)) leave(time_ns, slot);
    for (const ClientView& view : clients) {
        join(time_ns, view.info.slot, view.info.pid);
        describe(view.info);
    }
    for (const ClientView& view : clients)
        for (const unsigned cpu : view.owned) give(time_ns, cpu, slots_.at(view.info.slot));
    const std::map<uint32_t, size_t> owned = owned_;
    for (const auto& [cpu, owner] : owned)
        if (std::ranges::none_of(clients, [cpu = cpu](const ClientView& view) { return view.owned.has(cpu); }))
            take(time_ns, cpu);
    for (const ClientView& view : clients) add_pending(time_ns, view);
}

void TableHistory::describe(const drom_client_info& info) {
    const auto client = client_of(info.slot, info.pid);
    if (!client) return;
    trace::Client& known = trace_.clients[*client];
    known.name = info.name;
    known.job = info.job;
    if (info.ranks != 0) known.rank = info.rank;
}

std::optional<size_t> TableHistory::client_of(uint32_t slot, int32_t pid) const {
    const auto client = client_in(slot);
    return client && trace_.clients[*client].pid == pid ? client : std::nullopt;
}

std::optional<size_t> TableHistory::client_in(uint32_t slot) const {
    const auto found = slots_.find(slot);
    return found == slots_.end() ? std::nullopt : std::optional(found->second);
}

trace::Trace TableHistory::until(uint64_t time_ns) const {
    trace::Trace whole = trace_;
    whole.end_ns = std::max(time_ns, whole.begin_ns);
    for (trace::Client& client : whole.clients)
        if (client.end_ns == kStillThere) client.end_ns = std::max(whole.end_ns, client.begin_ns);
    for (trace::Tenure& tenure : whole.tenures) {
        if (tenure.end_ns == kStillThere) tenure.end_ns = std::max(whole.end_ns, tenure.begin_ns);
        end_offer(tenure, tenure.end_ns);
    }
    return whole;
}

void TableHistory::act(const drom_event& event) {
    switch (event.type) {
        case DROM_EVENT_JOIN: return join(event.time_ns, event.slot, event.pid);
        case DROM_EVENT_LEAVE:
        case DROM_EVENT_REAP: return leave(event.time_ns, event.slot);
        case DROM_EVENT_CLAIM:
        case DROM_EVENT_ACCEPT: return give(event.time_ns, event.cpu, known(event));
        case DROM_EVENT_FREE: return take(event.time_ns, event.cpu);
        case DROM_EVENT_OFFER: return offer(event.time_ns, event.cpu);
        case DROM_EVENT_CANCEL:
            if (const auto at = owned_.find(event.cpu); at != owned_.end())
                end_offer(trace_.tenures[at->second], event.time_ns);
            return;
        case DROM_EVENT_POST: return post(event.time_ns, known(event), event.seq, event.value);
        case DROM_EVENT_RELEASED:
        case DROM_EVENT_CONFINED:
            if (trace::Request* request = request_of(event); request != nullptr && !request->released_ns) {
                request->released_ns = std::max(event.time_ns, request->posted_ns);
                request->confined = event.type == DROM_EVENT_CONFINED;
                replace_before(*request, *request->released_ns);
            }
            return;
        case DROM_EVENT_RESIZED:
        case DROM_EVENT_KEPT:
            if (trace::Request* request = request_of(event); request != nullptr) {
                request->resized_ns = std::max(event.time_ns, request->posted_ns);
                request->threads = event.value;
            }
            return;
        default: return;
    }
}

/// Begins a client, unless it is there already.
void TableHistory::join(uint64_t time_ns, uint32_t slot, int32_t pid) {
    if (client_of(slot, pid)) return;
    leave(time_ns, slot);
    slots_[slot] = trace_.clients.size();
    trace_.clients.push_back({"pid " + std::to_string(pid), "", pid, {}, time_ns, kStillThere});
}

void TableHistory::leave(uint64_t time_ns, uint32_t slot) {
    const auto found = slots_.find(slot);
    if (found == slots_.end()) return;
    const size_t client = found->second;
    slots_.erase(found);
    trace_.clients[client].end_ns = std::max(time_ns, trace_.clients[client].begin_ns);
    const std::map<uint32_t, size_t> owned = owned_;
    for (const auto& [cpu, tenure] : owned)
        if (trace_.tenures[tenure].client == client) take(time_ns, cpu);
}

/// Returns the client that an event is about. One whose join was lost joins with it.
size_t TableHistory::known(const drom_event& event) {
    if (!client_in(event.slot)) join(event.time_ns, event.slot, event.pid);
    return slots_.at(event.slot);
}

void TableHistory::give(uint64_t time_ns, uint32_t cpu, size_t client) {
    const auto at = owned_.find(cpu);
    if (at != owned_.end() && trace_.tenures[at->second].client == client) return;
    take(time_ns, cpu);
    owned_[cpu] = trace_.tenures.size();
    trace_.tenures.push_back({client, cpu, time_ns, kStillThere, {}});
}

void TableHistory::take(uint64_t time_ns, uint32_t cpu) {
    const auto at = owned_.find(cpu);
    if (at == owned_.end()) return;
    trace::Tenure& tenure = trace_.tenures[at->second];
    tenure.end_ns = std::max(time_ns, tenure.offers.empty() ? tenure.begin_ns : tenure.offers.back().begin_ns);
    end_offer(tenure, tenure.end_ns);
    owned_.erase(at);
}

void TableHistory::offer(uint64_t time_ns, uint32_t cpu) {
    const auto at = owned_.find(cpu);
    if (at == owned_.end()) return;
    trace::Tenure& tenure = trace_.tenures[at->second];
    if (!tenure.offers.empty() && tenure.offers.back().end_ns == kStillThere) return;
    tenure.offers.push_back({std::max(time_ns, tenure.begin_ns), kStillThere});
}

void TableHistory::post(uint64_t time_ns, size_t client, uint64_t seq, unsigned cpus) {
    trace::Request request;
    request.client = client;
    request.seq = seq;
    request.cpus = cpus;
    request.posted_ns = time_ns;
    replace_before(request, time_ns);
    trace_.requests.push_back(request);
}

/// Notes that older requests of the client, which are not released, never will be.
void TableHistory::replace_before(const trace::Request& newer, uint64_t time_ns) {
    for (trace::Request& older : trace_.requests)
        if (older.client == newer.client && older.seq < newer.seq && !older.released_ns && !older.replaced_ns)
            older.replaced_ns = std::max(time_ns, older.posted_ns);
}

/// Adds what is under way in a client: its CPUs that are offered, and its request that is not released.
void TableHistory::add_pending(uint64_t time_ns, const ClientView& view) {
    for (const unsigned cpu : view.owned - view.wanted) offer(time_ns, cpu);
    const size_t client = slots_.at(view.info.slot);
    const uint64_t seq = view.info.request_seq;
    const bool known = std::ranges::any_of(
        trace_.requests, [&](const trace::Request& one) { return one.client == client && one.seq == seq; });
    if (seq != 0 && view.info.released_seq < seq && !known) post(time_ns, client, seq, view.wanted.count());
}

/// Returns the request that an event acknowledges; null: it was posted before the begin, or lost.
trace::Request* TableHistory::request_of(const drom_event& event) {
    const auto client = client_in(event.slot);
    if (!client) return nullptr;
    const auto found = std::ranges::find_if(trace_.requests.rbegin(), trace_.requests.rend(), [&](const auto& request) {
        return request.client == *client && request.seq == event.seq;
    });
    return found == trace_.requests.rend() ? nullptr : &*found;
}

}  // namespace drom::command
