// SPDX-License-Identifier: BSD-3-Clause
// trace.cpp - what files of all kinds say of a client.
#include "trace/trace.hpp"

#include <fmt/format.h>

#include <map>

namespace drom::trace {

std::vector<Sample> last_samples(const Trace& trace) {
    std::map<size_t, Sample> last;
    for (const Sample& sample : trace.samples) last[sample.client] = sample;
    std::vector<Sample> samples;
    for (const auto& [client, sample] : last) samples.push_back(sample);
    return samples;
}

std::string place_of(const Trace& trace, unsigned cpu) {
    const unsigned lane = cpu % trace.lanes;
    const std::string place = fmt::format("{} {}", trace.place, cpu / trace.lanes);
    return lane == 0 ? place : fmt::format("{} ({})", place, lane + 1);
}

std::string title_of(const Client& client) {
    const std::string rank = client.rank ? '.' + std::to_string(*client.rank) : "";
    const std::string name = rank.empty() || client.name.ends_with(rank) ? client.name : client.name + rank;
    return client.pid == 0 ? name : fmt::format("{} ({})", name, client.pid);
}

}  // namespace drom::trace
