// SPDX-License-Identifier: BSD-3-Clause
// place.cpp - applications on systems, from a file to a table.
#include <fmt/format.h>

#include <cstdio>

#include "cli/simulation.hpp"
#include "report/placement_table.hpp"
#include "report/summary_json.hpp"
#include "report/text_file.hpp"
#include "verbs/verb_functions.hpp"
#include "workload/placement_file.hpp"
#include "workload/swf/swf_source.hpp"

namespace drom::sim {

int verb_place(const SimulationOptions& options) {
    const auto refused = [&](const std::string& why) {
        return fail({kUsage, fmt::format("drom-sim: place: {}: {}", options.source.log, why)});
    };
    if (const auto free = check_out(options); !free) return fail(free.error());
    const auto text = swf::read_text(options.source.log, "a file of systems and applications");
    if (!text) return refused(text.error());
    auto file = read_placement(*text);
    if (!file) return refused(file.error());
    const policy::placement::Plan plan = policy::placement::place(file->problem);
    const std::string result = options.json ? placement_json(*file, plan) : placement_table(*file, plan);
    if (!options.out.empty()) {
        file->problem = policy::placement::after(std::move(file->problem), plan);
        if (const auto written = write_text(options.out, placement_text(*file)); !written)
            return fail({kRefused, written.error()});
    }
    std::fputs(result.c_str(), stdout);
    return kDone;
}

}  // namespace drom::sim
