// SPDX-License-Identifier: BSD-3-Clause
// share_evenly.cpp - an administrator that divides the node evenly among its clients, in one step or not at all.
//
//   share_evenly
#include <chrono>
#include <cstdio>
#include <drom/drom.hpp>
#include <vector>

namespace {

int refused(const drom::Error& error) {
    std::fprintf(stderr, "%s\n", error.text.c_str());
    return 1;
}

/// Gives client i of n the i-th part of the CPUs, in their order.
std::vector<drom::Assignment> divided(const drom::CpuSet& cpus, const std::vector<drom_client_info>& clients) {
    std::vector<drom::Assignment> assignments;
    assignments.reserve(clients.size());
    for (const drom_client_info& client : clients) assignments.push_back({client.pid, {}});
    const std::size_t total = cpus.count();
    std::size_t position = 0;
    for (const unsigned cpu : cpus) assignments[position++ * clients.size() / total].cpus.add(cpu);
    return assignments;
}

}  // namespace

int main() {
    using namespace std::chrono_literals;
    auto table = drom::Table::open();
    if (!table) return refused(table.error());
    const auto clients = table->clients();
    if (!clients) return refused(clients.error());
    const auto masks = table->masks();
    if (!masks) return refused(masks.error());
    if (clients->empty()) {
        std::puts("share_evenly: there is no client");
        return 0;
    }
    const auto done =
        table->set_masks(divided(masks->present, *clients), {.wait = drom::Wait::kResized, .timeout = 10s});
    if (!done) return refused(done.error());
    std::printf("share_evenly: %zu clients share %u CPUs%s%s\n", clients->size(), masks->present.count(),
                done->pending() ? "; pending: " : "", done->text.c_str());
    return done->pending() ? 3 : 0;
}
