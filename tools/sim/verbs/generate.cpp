// SPDX-License-Identifier: BSD-3-Clause
// generate.cpp - a synthetic workload as a log.
#include "cli/simulation.hpp"
#include "verbs/verb_functions.hpp"

namespace drom::sim {

int verb_generate(const SimulationOptions& options) {
    if (const auto free = check_out(options); !free) return fail(free.error());
    auto workload = generate(options.source, options.source.seed);
    if (!workload) return misused(options, workload.error());
    if (const auto drawn = draw(options.source, options.source.seed, nullptr, *workload); !drawn)
        return misused(options, drawn.error());
    if (const auto written = write_swf(options.out.empty() ? "-" : options.out, *workload); !written)
        return fail({kRefused, written.error()});
    return kDone;
}

}  // namespace drom::sim
