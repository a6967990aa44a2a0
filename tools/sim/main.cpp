// SPDX-License-Identifier: BSD-3-Clause
// main.cpp - the command `drom-sim`: reads the command line and hands it to the verb.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "verbs/verb_functions.hpp"

namespace drom::sim {
namespace {

int carry_out(int argc, char** argv) {
    // Only memory exhaustion can throw here, or a broken installation of a library.
    try {
        const auto options = parse_options(argc, argv);
        if (!options) return options.error();
        if (options->verb == "compare") return verb_compare(*options);
        if (options->verb == "replay") return verb_replay(*options);
        if (options->verb == "policies") return verb_policies(*options);
        if (options->verb == "import") return verb_import(*options);
        if (options->verb == "place") return verb_place(*options);
        if (options->verb == "map") return verb_map(*options);
        return options->verb == "generate" ? verb_generate(*options) : verb_run(*options);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "drom-sim: %s\n", error.what());
        return kRefused;
    }
}

/// Returns whether all that was printed has arrived; says why where it has not.
bool has_arrived() {
    const bool failed_before = std::ferror(stdout) != 0;
    if (std::fflush(stdout) == 0 && !failed_before) return true;
    std::fprintf(stderr, "drom-sim: write the standard output: %s\n",
                 failed_before ? "not all of it could be written" : std::strerror(errno));
    return false;
}

}  // namespace
}  // namespace drom::sim

int main(int argc, char** argv) {
    const int status = drom::sim::carry_out(argc, argv);
    return drom::sim::has_arrived() || status != drom::sim::kDone ? status : drom::sim::kRefused;
}
