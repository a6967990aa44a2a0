// SPDX-License-Identifier: BSD-3-Clause
// advice_report.cpp - what drom advise has decided, as text.
#include "output/advice_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "output/format.hpp"
#include "text/visible.hpp"
#include "text/wrapped.hpp"

namespace drom::command {

namespace {

std::string counts_text(const AdviceLine& program, unsigned AdvisedClient::* count) {
    std::vector<std::string> counts;
    for (const AdvisedClient& client : program.clients) counts.push_back(std::to_string(client.*count));
    return joined(counts, "+");
}

bool changes(const AdviceLine& program) {
    return std::ranges::any_of(program.clients,
                               [](const AdvisedClient& client) { return client.cpus != client.advised; });
}

std::string line(const AdviceLine& program) {
    const std::string who = program.job.empty() ? std::to_string(program.clients.front().pid) : "job " + program.job;
    const std::string has = counts_text(program, &AdvisedClient::cpus);
    const std::string advised = changes(program) ? " -> " + counts_text(program, &AdvisedClient::advised) : "";
    return fmt::format("{} ({}): {}{}: {}", visible(program.name), visible(who), has, advised, visible(program.why));
}

}  // namespace

std::string advice_text(const AdviceReport& report, size_t width) {
    std::string out = wrapped(fmt::format("{}: {}, {} free, seen for {:.1f} s; {}", visible(report.node),
                                          counted(report.programs.size(), "program"), counted(report.free, "CPU"),
                                          report.window_s, visible(report.policy)),
                              width);
    for (const AdviceLine& program : report.programs) out += wrapped(line(program), width);
    return out;
}

}  // namespace drom::command
