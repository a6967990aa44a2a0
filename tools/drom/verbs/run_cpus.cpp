// SPDX-License-Identifier: BSD-3-Clause
// run_cpus.cpp - which CPUs a newcomer gets.
#include "verbs/run_cpus.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/format.hpp"

namespace drom::command {

namespace {

/// Returns the number of CPUs that a client can be asked for: none of a rigid one, nothing below its minimum.
unsigned spare(const Share& share) {
    const unsigned has = share.cpus.count();
    const unsigned min = std::max(1U, share.min_cpus);
    return share.rigid || has <= min ? 0 : has - min;
}

/// Returns the number of the client's job: of the first client of that job. Clients without a job are one each.
unsigned job_of(const std::vector<Share>& shares, size_t client) {
    const auto same = [&](const Share& share) { return share.job == shares[client].job; };
    const auto first = std::ranges::find_if(shares, same) - shares.begin();
    return static_cast<unsigned>(shares[client].job.empty() ? client : static_cast<size_t>(first));
}

std::vector<partition::ClientCpus> clients_of(const std::vector<Share>& shares) {
    std::vector<partition::ClientCpus> clients;
    for (size_t i = 0; i < shares.size(); ++i)
        clients.push_back({shares[i].cpus.words(), job_of(shares, i), spare(shares[i])});
    return clients;
}

/// Returns how many CPUs clients can be asked for, where the newcomer may run.
unsigned spare(const RunOrder& order) {
    unsigned sum = 0;
    for (const Share& share : order.shares) sum += std::min(spare(share), (share.cpus & order.allowed).count());
    return sum;
}

/// Returns "2 CPUs wanted (DROM_MIN_CPUS=2)".
std::string wanted_text(const RunOrder& order) {
    return fmt::format("{} wanted{}", counted(order.count, "CPU"),
                       order.reason.empty() ? "" : fmt::format(" ({})", order.reason));
}

Error too_few_allowed(const RunOrder& order) {
    std::string text = fmt::format("{}, but {} may be used here", wanted_text(order),
                                   order.allowed.empty() ? "none" : fmt::format("only {}", order.allowed.count()));
    if (!order.allowed.empty()) text += fmt::format(" ({})", order.allowed.text());
    const bool later = order.allowed.count() + order.drained.count() >= order.count;
    if (!order.drained.empty())
        text += fmt::format("; drom restore gives back {}, drained now", cpus_text(order.drained));
    return {later ? DROM_E_BUSY : DROM_E_NOCPU, text};
}

/// Returns what would help. Where one client has all that is in use here, and this process is part of it, none that
/// ends makes room.
std::string advice(const RunOrder& order) {
    if (order.around.empty() || !order.around_cpus.contains(order.allowed - order.free))
        return "ask for fewer, or wait until one ends";
    return fmt::format("expand {}, on whose CPUs this process runs, or start this command outside it", order.around);
}

/// Returns the error where `free` CPUs were free, and `taken` more could be taken.
Error too_few_now(const RunOrder& order, unsigned free, unsigned taken) {
    const std::string drained = order.drained.empty() ? "" : "; drained: " + order.drained.text();
    std::string text = fmt::format("{}; {} free and {} more can be taken (clients keep their minimum{}); {}",
                                   wanted_text(order), free, taken, drained, advice(order));
    if (const CpuSet elsewhere = order.free - order.allowed; !elsewhere.empty())
        text +=
            fmt::format("; free outside this process's affinity ({}): {}", order.allowed.text(), cpus_text(elsewhere));
    return {DROM_E_BUSY, text};
}

}  // namespace

Share share_of(const ClientView& client) {
    return {client.wanted, client.info.min_cpus, (client.info.flags & DROM_RIGID) != 0, client.info.job};
}

Expected<Choice> choose_cpus(RunOrder order) {
    // Free CPUs were read before the clients. If one has a client by now, the reservation is refused, and tried again.
    for (Share& share : order.shares) share.cpus = share.cpus - order.free;
    if (order.allowed.count() < order.count) return tl::make_unexpected(too_few_allowed(order));
    const CpuSet free = order.free & order.allowed;
    const unsigned missing = order.count - std::min(order.count, free.count());
    CpuSet among = free;
    for (const Share& share : order.shares) among = among | (share.cpus & order.allowed);
    CpuSet cpus;
    partition::choose_words(order.locations, clients_of(order.shares), order.count, missing, among.words(),
                            order.near.words(), cpus.words());
    if (cpus.count() < order.count) return tl::make_unexpected(too_few_now(order, free.count(), spare(order)));
    return Choice{cpus, !order.free.contains(cpus)};
}

unsigned equal_share(unsigned cpus, size_t owners) { return std::max(1U, static_cast<unsigned>(cpus / (owners + 1))); }

}  // namespace drom::command
